/* SPDX-License-Identifier: MIT */
/* Principal axes: the eigenvectors of the inertia tensor, as a right-handed frame. */
#include "model/shape.h"

#include <lapacke.h>

/* Off-diagonal entries below this part of the trace are round-off of the volume integrals: the axes stay. */
#define NEGLIGIBLE 1e-14

static bool inertia_is_diagonal(Mat3 a)
{
    double limit = NEGLIGIBLE * (a.m[0][0] + a.m[1][1] + a.m[2][2]);
    return fabs(a.m[0][1]) <= limit && fabs(a.m[0][2]) <= limit && fabs(a.m[1][2]) <= limit;
}

bool inertia_principal_axes(Mat3 inertia, Quat *axes, Vec3 *moments, Status *status)
{
    if (inertia_is_diagonal(inertia)) {
        *axes = QUAT_IDENTITY;
        *moments = vec3(inertia.m[0][0], inertia.m[1][1], inertia.m[2][2]);
    } else {
        double values[3];
        Mat3 R = inertia; /* dsyev leaves the eigenvectors in its columns */
        lapack_int info = LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', 3, R.m[0], 3, values);
        if (info != 0)
            return status_set(status, STATUS_FAILED, "inertia: dsyev failed with info %d", (int)info);
        if (mat3_determinant(R) < 0.0)
            for (int i = 0; i < 3; i++)
                R.m[i][2] = -R.m[i][2];
        *axes = quat_from_mat3(R);
        *moments = vec3(values[0], values[1], values[2]);
    }
    if (!(moments->x > 0.0 && moments->y > 0.0 && moments->z > 0.0))
        return status_set(status, STATUS_FAILED, "inertia: its principal moments %g, %g, %g are not all positive",
                          moments->x, moments->y, moments->z);
    return true;
}
