/* SPDX-License-Identifier: MIT */
/* A box as a closed mesh, its frame turned against the box's edges: a body whose principal axes are not its own. */
#ifndef RIGOR_TESTS_SUPPORT_BOX_MESH_H
#define RIGOR_TESTS_SUPPORT_BOX_MESH_H

#include "model/shape.h"
#include "tests/support/check.h"

static const int BOX_TRIANGLES[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Corner i of a box: bit 0 is +x, bit 1 +y, bit 2 +z; turned by q, then moved. */
static inline void box_corners(Vec3 size, Quat q, Vec3 centre, Vec3 corners[8])
{
    for (int i = 0; i < 8; i++) {
        Vec3 sign = vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        corners[i] = vec3_add(centre, quat_rotate(q, vec3_mul(sign, size)));
    }
}

static inline Mesh *box_mesh(Vec3 size, Quat q, Vec3 centre)
{
    Vec3 corners[8];
    box_corners(size, q, centre, corners);
    Mesh *mesh = mesh_create(8, corners, 12, BOX_TRIANGLES);
    assert_non_null(mesh);
    return mesh;
}

#endif
