/* SPDX-License-Identifier: MIT */
/* Ellipsoids: against a sphere in closed form; against the others the axis is GJK's or the expanding polytope's, and
 * one point touches. An ellipsoid's core point is its centre, from which its surface point follows along any normal, so
 * that a body which rolls needs no new contact point. */
#include "model/collision/collide.h"

/* A face's normal along which the gap is as large as along the axis, but for this part of the size, is the axis: ten
 * times what the polytope leaves. */
#define FACE_AS_GOOD 1e-8

void sphere_ellipsoid_axis(const Convex *sphere, const Convex *ellipsoid, Axis *axis)
{
    Vec3 normal, d = mat3_mul_vec(mat3_transpose(ellipsoid->turn), vec3_sub(sphere->x, ellipsoid->x));
    Vec3 nearest = ellipsoid_nearest(ellipsoid->half, d, &normal);
    axis->separation = vec3_dot(normal, vec3_sub(d, nearest));
    axis->n = vec3_negate(mat3_mul_vec(ellipsoid->turn, normal));
    axis->a = sphere->x;
    axis->b = vec3_add(ellipsoid->x, mat3_mul_vec(ellipsoid->turn, nearest));
}

/* The gap of the rounded shapes along a unit direction from a to b. */
static double gap_along(const Convex *a, const Convex *b, Vec3 n)
{
    Vec3 back = vec3_negate(n);
    return vec3_dot(n, vec3_sub(convex_support(b, back), convex_support(a, n))) - convex_rounding(a) -
           convex_rounding(b);
}

/* Where a shows a face along whose normal the gap is as large as any. */
static bool takes_face(const Convex *a, const Convex *b, Axis *axis)
{
    Feature face;
    if (convex_rounding(a) > 0.0 || a->kind == SHAPE_ELLIPSOID)
        return false;
    convex_feature(a, axis->n, &face);
    if (face.count < 3)
        return false;
    double gap = gap_along(a, b, face.normal);
    if (!(gap > axis->separation - FACE_AS_GOOD * vec3_largest(b->half)))
        return false;
    axis->n = face.normal;
    axis->separation = gap;
    return true;
}

/* The way out of the ellipsoid for the touching point of the core, which is exact where that is a corner. */
static void try_way_out(const Convex *a, const Convex *b, Axis *axis)
{
    Vec3 out, local = mat3_mul_vec(mat3_transpose(b->turn), vec3_sub(axis->a, b->x));
    ellipsoid_nearest(b->half, local, &out);
    Vec3 n = vec3_negate(mat3_mul_vec(b->turn, out));
    double gap = gap_along(a, b, n);
    if (gap > axis->separation) {
        axis->n = n;
        axis->separation = gap;
    }
}

void ellipsoid_touch(const Convex *other, const Convex *ellipsoid, Axis *axis, Patch *patch)
{
    bool face = takes_face(other, ellipsoid, axis);
    if (!face && other->kind != SHAPE_ELLIPSOID)
        try_way_out(other, ellipsoid, axis);
    Vec3 n = axis->n, back = vec3_negate(n), d = mat3_mul_vec(mat3_transpose(ellipsoid->turn), back);
    Touch *touch = &patch->touch[0];
    *touch = (Touch){.id = touch_id(LABEL_NEAREST, LABEL_NEAREST), .point1 = axis->a, .point2 = ellipsoid->x};
    touch->radius2 = ellipsoid_curvature_radius(ellipsoid->half, d);
    Vec3 surface2 = vec3_add(ellipsoid->x, convex_surface_offset(ellipsoid, 0.0, back));
    if (face) {
        touch->point1 = vec3_add_scaled(surface2, -axis->separation, n);
    } else if (other->kind == SHAPE_ELLIPSOID) {
        touch->point1 = other->x;
        touch->radius1 = ellipsoid_curvature_radius(other->half, mat3_mul_vec(mat3_transpose(other->turn), n));
    } else {
        touch->radius1 = touch_core(other, n, &touch->point1);
    }
    /* The point lies as far along n as its shape reaches. */
    Vec3 surface1 = vec3_add(touch->point1, convex_surface_offset(other, touch->radius1, n));
    touch->gap = gap_along(other, ellipsoid, n);
    if (other->kind != SHAPE_ELLIPSOID)
        touch->point1 = vec3_add_scaled(touch->point1, vec3_dot(n, vec3_sub(surface2, surface1)) - touch->gap, n);
    patch->count = 1;
    patch->normal = n;
    patch->carrier = face || other->kind == SHAPE_ELLIPSOID ? NORMAL_ON_1 : NORMAL_ON_2;
}
