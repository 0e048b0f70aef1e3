/* SPDX-License-Identifier: MIT */
/* Anything on a plane: its vertices, the ends of its segment, the rims of a cylinder, or an ellipsoid's lowest point.
 * The plane holds the normal. */
#include "model/collision/collide.h"

/* A cylinder stands on four fixed points of its rim; where its lowest point is lower by this part of the radius, that
 * point counts as well. A cap that lies flat to round-off so keeps the same points. */
#define RIM_TOLERANCE 1e-5
/* Cosine between axis and normal from which on the cap's four points count; below, the two ends of the side do. */
#define RIM_MIN_COSINE 0.70710678118654752

static void plane_add(Patch *patch, const Convex *plane, Vec3 core, double radius, Vec3 axis, uint32_t vertex,
                      double margin)
{
    Vec3 surface = vec3_add(core, convex_round_offset(radius, axis, vec3_negate(plane->normal)));
    double gap = vec3_dot(plane->normal, surface) - plane->offset;
    Touch touch = {
        touch_id(0, LABEL_VERTEX | vertex), vec3_add_scaled(surface, -gap, plane->normal), core, 0.0, radius, gap};
    if (!(gap < margin))
        return;
    if (patch->count < PATCH_MAX) {
        patch->touch[patch->count++] = touch;
        return;
    }
    /* A large mesh: the shallowest point gives way. */
    int shallow = 0;
    for (int i = 1; i < patch->count; i++)
        if (patch->touch[i].gap > patch->touch[shallow].gap)
            shallow = i;
    if (gap < patch->touch[shallow].gap)
        patch->touch[shallow] = touch;
}

static void plane_cylinder(Patch *patch, const Convex *plane, const Convex *other, double margin)
{
    Vec3 axis = convex_cylinder_axis(other), down = vec3_negate(plane->normal);
    double cosine = vec3_dot(down, axis), lowest = INFINITY;
    if (fabs(cosine) > RIM_MIN_COSINE) {
        Feature cap;
        convex_feature(other, down, &cap);
        for (int i = 0; i < CAP_SIDES; i += CAP_SIDES / 4) {
            lowest = fmin(lowest, vec3_dot(plane->normal, cap.point[i]) - plane->offset);
            plane_add(patch, plane, cap.point[i], 0.0, axis, cap.vertex[i], margin);
        }
    }
    for (int end = 0; end < 2; end++) {
        Vec3 centre = vec3_add_scaled(other->x, end ? other->half.y : -other->half.y, axis);
        Vec3 rim = vec3_add(centre, convex_round_offset(other->radius, axis, down));
        if (vec3_dot(plane->normal, rim) - plane->offset < lowest - RIM_TOLERANCE * other->radius)
            plane_add(patch, plane, centre, other->radius, axis, (uint32_t)(2 * CAP_SIDES + end), margin);
    }
}

static void plane_ellipsoid(Patch *patch, const Convex *plane, const Convex *other, double margin)
{
    Vec3 down = vec3_negate(plane->normal);
    Vec3 surface = vec3_add(other->x, convex_surface_offset(other, 0.0, down));
    double gap = vec3_dot(plane->normal, surface) - plane->offset;
    if (!(gap < margin))
        return;
    patch->count = 1;
    patch->touch[0] = (Touch){
        .id = touch_id(0, LABEL_VERTEX),
        .point1 = vec3_add_scaled(surface, -gap, plane->normal),
        .point2 = other->x,
        .radius2 = ellipsoid_curvature_radius(other->half, mat3_mul_vec(mat3_transpose(other->turn), down)),
        .gap = gap,
    };
}

void plane_touch(const Convex *plane, const Convex *other, double margin, Patch *patch)
{
    patch->normal = plane->normal;
    patch->carrier = NORMAL_ON_1;
    patch->count = 0;
    if (other->kind == SHAPE_ELLIPSOID) {
        plane_ellipsoid(patch, plane, other, margin);
    } else if (other->kind == SHAPE_CYLINDER) {
        plane_cylinder(patch, plane, other, margin);
    } else if (other->poly) {
        for (int v = 0; v < other->poly->vertex_count; v++) {
            Vec3 local = vec3_mul(other->half, other->poly->vertices[v]);
            Vec3 at = vec3_add(other->x, mat3_mul_vec(other->turn, local));
            plane_add(patch, plane, at, 0.0, VEC3_ZERO, (uint32_t)v & 0xffffff, margin);
        }
    } else {
        Feature feature;
        convex_feature(other, vec3_negate(plane->normal), &feature);
        for (int i = 0; i < feature.count; i++)
            plane_add(patch, plane, feature.point[i], feature.radius, VEC3_ZERO, feature.vertex[i], margin);
    }
}
