/* SPDX-License-Identifier: MIT */
/* Figure files as `rigor check` reads them; nothing is run. */
#include "tests/fuzz/fuzz.h"

#include "reports/figure/figure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    figure_destroy(figure_read(file.path, &status));
    fuzz_close(&file);
    return 0;
}
