/* SPDX-License-Identifier: MIT */
/* Wavefront OBJ files, and the mass properties of their meshes. */
#include "tests/fuzz/fuzz.h"

#include "scenes/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    Mesh *mesh = obj_read(file.fd, file.path, &status);
    if (mesh)
        mesh_mass_properties(mesh, 1.0);
    mesh_destroy(mesh);
    fuzz_close(&file);
    return 0;
}
