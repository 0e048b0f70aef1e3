/* Two shapes: find the axis, then the points where their features touch along it. */
#include "model/collide.h"

#include <assert.h>

/* A face whose normal is this close (cosine) to the axis takes part as a polygon: 11 degrees. A box that rocks keeps
 * its face as reference; points of it that are far away drop out by their gap. */
#define FACE_MIN_COSINE 0.98
/* Of two faces the larger is the reference, unless they differ by less than this part. */
#define FACE_SAME_AREA 1e-6
/* Clipped points reach the axis's own separation to this, m; else its nearest points are one more touching point. */
#define NEAREST_TOLERANCE 1e-6
/* A cylinder meets the axis with its round side where the axis leans less than this (sine) out of its cross-section. */
#define SIDE_MAX_SINE 1e-3
/* Cosine beyond which the axis sees a cylinder's cap, where a point of the rim is as good as fixed. */
#define RIM_MAX_COSINE 0.99

bool collide_supported(ShapeKind one, ShapeKind two)
{
    ShapeKind low = one < two ? one : two, high = one < two ? two : one;
    if (low == SHAPE_NONE || low == SHAPE_PLANE)
        return false;
    return high == SHAPE_PLANE || (low != SHAPE_MESH && high != SHAPE_MESH);
}

static bool is_round(const Convex *convex)
{
    return convex->kind == SHAPE_SPHERE || convex->kind == SHAPE_CAPSULE;
}

/* False if the shapes are farther apart than the margin. Separation becomes that of the rounded shapes. */
static bool find_axis(const Convex *a, const Convex *b, double margin, Axis *axis)
{
    double rounding = convex_rounding(a) + convex_rounding(b);
    if (is_round(a) && is_round(b)) {
        round_axis(a, b, axis);
    } else if (a->kind == SHAPE_SPHERE && b->kind == SHAPE_CYLINDER) {
        sphere_cylinder_axis(a, b, axis);
    } else if (a->kind == SHAPE_BOX && b->kind == SHAPE_BOX) {
        box_box_axis(a, b, axis);
        /* Apart, the nearest features may be two vertices: no axis of the search. */
        if (axis->separation > 0.0 && axis->separation < margin)
            gjk_distance(a, b, axis);
    } else if (gjk_distance(a, b, axis) == 0.0) {
        epa_axis(a, b, axis);
    }
    axis->separation -= rounding;
    return axis->separation < margin;
}

/* Twice the polygon's area. */
static double feature_area(const Feature *feature)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = 1; i + 1 < feature->count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(feature->point[i], feature->point[0]),
                                       vec3_sub(feature->point[i + 1], feature->point[0])));
    return vec3_norm(sum);
}

static bool feature_faces(const Feature *feature, Vec3 n)
{
    return feature->count >= 3 && vec3_dot(feature->normal, n) > FACE_MIN_COSINE;
}

/* The core point and radius of the surface point at which a shape is met along n. `free`: the normal is not held by the
 * other body's face, so a rim may count as round only where n is normal to the axis. */
static double core_of(const Convex *convex, Vec3 n, bool free, Vec3 *point)
{
    if (convex->kind != SHAPE_CYLINDER)
        return convex_rounding(convex);
    Vec3 axis = convex_cylinder_axis(convex);
    double along = fabs(vec3_dot(axis, n));
    if (along > (free ? SIDE_MAX_SINE : RIM_MAX_COSINE))
        return 0.0;
    *point = vec3_sub(*point, convex_round_offset(convex->radius, axis, n));
    return convex->radius;
}

/* Unless a clipped point is as deep as the axis says, its nearest points touch too. */
static void add_nearest(const Convex *a, const Convex *b, const Axis *axis, bool free, Patch *patch)
{
    for (int i = 0; i < patch->count; i++)
        if (patch->touch[i].gap < axis->separation + NEAREST_TOLERANCE)
            return;
    assert(patch->count < PATCH_MAX);
    Touch touch = {touch_id(LABEL_NEAREST, LABEL_NEAREST), axis->a, axis->b, 0.0, 0.0, 0.0};
    touch.radius1 = core_of(a, axis->n, free, &touch.point1);
    touch.radius2 = core_of(b, vec3_negate(axis->n), free, &touch.point2);
    Vec3 surface1 = vec3_add(touch.point1, convex_round_offset(touch.radius1, convex_cylinder_axis(a), axis->n));
    Vec3 surface2 =
        vec3_add(touch.point2, convex_round_offset(touch.radius2, convex_cylinder_axis(b), vec3_negate(axis->n)));
    touch.gap = vec3_dot(axis->n, vec3_sub(surface2, surface1));
    patch->touch[patch->count++] = touch;
}

/* Round surfaces that meet outside of their cores are held by the line through these, if all their points have one. */
static NormalCarrier free_carrier(const Patch *patch)
{
    for (int i = 0; i < patch->count; i++) {
        const Touch *touch = &patch->touch[i];
        double rounding = touch->radius1 + touch->radius2;
        double between = vec3_dot(patch->normal, vec3_sub(touch->point2, touch->point1));
        if (rounding == 0.0 || between < NEAREST_TOLERANCE)
            return NORMAL_ON_1;
    }
    return NORMAL_ALONG_CORES;
}

static void touch_features(const Convex *a, const Convex *b, const Axis *axis, double margin, Patch *patch)
{
    Feature one, two;
    Vec3 n = axis->n, back = vec3_negate(n);
    convex_feature(a, n, &one);
    convex_feature(b, back, &two);
    bool face1 = feature_faces(&one, n), face2 = feature_faces(&two, back);
    if (face1 && face2)
        face1 = feature_area(&one) > (1.0 - FACE_SAME_AREA) * feature_area(&two);
    patch->normal = face1 || !face2 ? n : back;
    patch->carrier = NORMAL_ON_1;
    if (face1) {
        patch_clip(patch, &one, &two, n, axis->separation, margin);
    } else if (face2) {
        patch_clip(patch, &two, &one, back, axis->separation, margin);
        patch_swap(patch);
    } else {
        feature_keep_edge(&one, n);
        feature_keep_edge(&two, back);
        if (one.count == 2 && two.count == 2)
            patch_overlap_segments(patch, &one, &two, n, margin);
    }
    bool free = !face1 && !face2;
    add_nearest(a, b, axis, free, patch);
    if (free)
        patch->carrier = free_carrier(patch);
}

void collide(const Convex *one, const Convex *two, double margin, Patch *patch)
{
    assert(collide_supported(one->kind, two->kind));
    patch->count = 0;
    /* One order for each pair of kinds, so that exchanging the bodies changes no digit. */
    if (one->kind == SHAPE_PLANE) {
        plane_touch(one, two, margin, patch);
    } else if (two->kind == SHAPE_PLANE || one->kind > two->kind) {
        collide(two, one, margin, patch);
        patch_swap(patch);
    } else {
        Axis axis;
        if (find_axis(one, two, margin, &axis))
            touch_features(one, two, &axis, margin, patch);
    }
}
