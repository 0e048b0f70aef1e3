/* SPDX-License-Identifier: MIT */
/* The frame of a contact point over lanes: surface points, normal and tangents, each lane with the bits of
 * contact_frame (model/contact/block_contact.h). Cylinders that roll on their sides are not here. */
#ifndef RIGOR_SOLVERS_CONTACT_FRAME_H
#define RIGOR_SOLVERS_CONTACT_FRAME_H

#include "model/contact.h"
#include "model/contact/block_contact.h"
#include "model/lanes/vectors.h"

/* One lane's numbers. */
LANE_INLINE void lane_set(Lanes *x, int i, double value)
{
#if LANES == 1
    (void)i;
    *x = value;
#else
    (*x)[i] = value;
#endif
}

LANE_INLINE void lane_set_vec3(LanesVec3 *a, int i, Vec3 value)
{
    lane_set(&a->x, i, value.x);
    lane_set(&a->y, i, value.y);
    lane_set(&a->z, i, value.z);
}

/* From core points to those of the surfaces, n being the normal. */
LANE_INLINE LanesVec3 surface_over(LanesVec3 core, Lanes radius, LanesVec3 u)
{
    return lanes_choose_vec3((LaneMask)(radius == 0.0), core, lanes_add_scaled(core, radius, u));
}

LANE_INLINE void frame_reach_surfaces(const BlockSeat *const seat[LANES], LanesVec3 n, LanesVec3 p[2])
{
    p[0] = surface_over(p[0], LANE_FIELDS(seat, radius[0]), n);
    p[1] = surface_over(p[1], LANE_FIELDS(seat, radius[1]), lanes_negate(n));
}

/* The line from core to core; the normal of detection where there is none. */
LANE_INLINE LanesVec3 core_lines(const LanesVec3 core[2], LanesVec3 detected, double length_scale)
{
    LanesVec3 d = lanes_sub(core[1], core[0]);
    Lanes length = lanes_norm(d);
    return lanes_choose_vec3((LaneMask)(length > CORES_MEET * length_scale), lanes_scale(1.0 / length, d), detected);
}

/* The normal of a face turns with its body, that of round surfaces is the line between their cores. */
LANE_INLINE LanesVec3 frame_normals(Lanes carrier, const LanesQuat turn[2], const LanesVec3 core[2], LanesVec3 given,
                                    double length_scale)
{
    LaneMask along = (LaneMask)(carrier == (double)NORMAL_ALONG_CORES);
    LanesQuat q = lanes_choose_quat((LaneMask)(carrier == (double)NORMAL_ON_1), turn[0], turn[1]);
    LanesVec3 n = lanes_rotate(q, given);
    return mask_any(along) ? lanes_choose_vec3(along, core_lines(core, given, length_scale), n) : n;
}

/* The tangents of detection, laid into the planes of n. */
LANE_INLINE void frame_tangents(LanesVec3 n, LanesVec3 detected, LanesVec3 to[2])
{
    LanesVec3 t = lanes_add_scaled(detected, -lanes_dot(n, detected), n);
    Lanes length = lanes_norm(t);
    to[0] = lanes_scale(1.0 / length, t);
    for (int i = 0; i < LANES && !mask_all((LaneMask)(length > 0.0)); i++)
        if (!(lane(length, i) > 0.0))
            lane_set_vec3(&to[0], i, vec3_any_normal(lane_vec3(n, i)));
    to[1] = lanes_cross(n, to[0]);
}

#endif
