/* SPDX-License-Identifier: MIT */
/* STL files, text and binary. */
#include "tests/fuzz/fuzz.h"

#include "scenes/robot/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    mesh_destroy(stl_read(file.fd, file.path, &status));
    fuzz_close(&file);
    return 0;
}
