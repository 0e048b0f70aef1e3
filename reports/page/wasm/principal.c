/* SPDX-License-Identifier: MIT */
/* Principal axes where there is no LAPACK: the primitives' inertia is diagonal already. */
#include "model/shape.h"

bool inertia_principal_axes(Mat3 inertia, Quat *axes, Vec3 *moments, Status *status)
{
    if (inertia.m[0][1] != 0.0 || inertia.m[0][2] != 0.0 || inertia.m[1][2] != 0.0)
        return status_set(status, STATUS_UNSUPPORTED, "hulls and meshes are not for the playground");
    *axes = QUAT_IDENTITY;
    *moments = vec3(inertia.m[0][0], inertia.m[1][1], inertia.m[2][2]);
    return true;
}
