/* SPDX-License-Identifier: MIT */
/* Two shapes: find the axis, then the points where their features touch along it. */
#include "model/collision/collide.h"

#include <assert.h>

/* A face whose normal is this close (cosine) to the axis takes part as a polygon: 11 degrees. A box that rocks keeps
 * its face as reference; points of it that are far away drop out by their gap. */
#define FACE_MIN_COSINE 0.98
/* Of two faces the larger is the reference, unless they differ by less than this part. */
#define FACE_SAME_AREA 1e-6
/* Clipped points reach the axis's own separation to this part of the length scale; else its nearest points are one more
 * touching point. */
#define NEAREST_TOLERANCE 1e-6
/* A cylinder meets the axis with its round side where the axis leans less than this (sine) out of its cross-section. */
#define SIDE_MAX_SINE 1e-3
/* Cosine beyond which the axis sees a cylinder's cap, where a point of the rim is as good as fixed. */
#define RIM_MAX_COSINE 0.99

bool collide_supported(ShapeKind one, ShapeKind two)
{
    ShapeKind low = one < two ? one : two, high = one < two ? two : one;
    if (low == SHAPE_NONE || (one == SHAPE_PLANE && two == SHAPE_PLANE))
        return false;
    return one == SHAPE_PLANE || two == SHAPE_PLANE || (low != SHAPE_MESH && high != SHAPE_MESH);
}

static bool is_round(const Convex *convex)
{
    return convex->kind == SHAPE_SPHERE || convex->kind == SHAPE_CAPSULE;
}

/* False if the shapes are farther apart than the margin. Separation becomes that of the rounded shapes. */
static bool find_axis(const Convex *a, const Convex *b, double length, double margin, Axis *axis)
{
    double rounding = convex_rounding(a) + convex_rounding(b);
    axis->rival = INFINITY;
    axis->points_left = false;
    if (is_round(a) && is_round(b)) {
        round_axis(a, b, axis);
    } else if (a->kind == SHAPE_SPHERE && b->kind == SHAPE_CYLINDER) {
        sphere_cylinder_axis(a, b, axis);
    } else if (a->kind == SHAPE_SPHERE && b->kind == SHAPE_BOX) {
        sphere_box_axis(a, b, axis);
    } else if (a->kind == SHAPE_SPHERE && b->kind == SHAPE_ELLIPSOID) {
        sphere_ellipsoid_axis(a, b, axis);
    } else if (a->kind == SHAPE_BOX && b->kind == SHAPE_BOX) {
        box_box_axis(a, b, length, axis);
        /* Apart, the nearest features may be two vertices: no axis of the search. */
        if (axis->separation > 0.0 && axis->separation < margin)
            gjk_distance(a, b, 0.0, axis);
    } else if (gjk_distance(a, b, 0.0, axis) == 0.0) {
        epa_axis(a, b, axis);
    }
    edge_soften_axis(a, b, length, axis);
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

static Vec3 surface1(const Convex *a, const Patch *patch, const Touch *touch)
{
    return vec3_add(touch->point1, convex_surface_offset(a, touch->radius1, patch->normal));
}

static Vec3 surface2(const Convex *b, const Patch *patch, const Touch *touch)
{
    return vec3_add(touch->point2, convex_surface_offset(b, touch->radius2, vec3_negate(patch->normal)));
}

double touch_core(const Convex *convex, Vec3 n, Vec3 *point)
{
    Vec3 axis = convex_cylinder_axis(convex);
    if (convex->kind != SHAPE_CYLINDER)
        return convex_rounding(convex);
    if (fabs(vec3_dot(axis, n)) > RIM_MAX_COSINE)
        return 0.0;
    *point = vec3_sub(*point, convex_round_offset(convex->radius, axis, n));
    return convex->radius;
}

/* Unless a clipped point is as deep as the axis says, its nearest points touch too. */
static void add_nearest(const Convex *a, const Convex *b, double length, Axis *axis, Patch *patch)
{
    for (int i = 0; i < patch->count; i++)
        if (patch->touch[i].gap < axis->separation + NEAREST_TOLERANCE * length)
            return;
    assert(patch->count < PATCH_MAX);
    if (axis->points_left)
        box_axis_points(a, b, axis);
    Touch *touch = &patch->touch[patch->count++];
    *touch = (Touch){touch_id(LABEL_NEAREST, LABEL_NEAREST), axis->a, axis->b, 0.0, 0.0, 0.0};
    touch->radius1 = touch_core(a, axis->n, &touch->point1);
    touch->radius2 = touch_core(b, vec3_negate(axis->n), &touch->point2);
    touch->gap = vec3_dot(axis->n, vec3_sub(surface2(b, patch, touch), surface1(a, patch, touch)));
}

/* Radius of the ball that a shape looks like along n when no face holds the normal. */
static double ball_radius(const Convex *convex, Vec3 n)
{
    bool side = fabs(vec3_dot(convex_cylinder_axis(convex), n)) < SIDE_MAX_SINE;
    return convex->kind != SHAPE_CYLINDER ? convex_rounding(convex) : side ? convex->radius : 0.0;
}

/* Round surfaces that meet without a face are held by the line through their cores, if that has a direction at each of
 * the points; the round side of a cylinder then counts as a ball on its axis. Otherwise body 1 holds the normal. */
static void hold_free(const Convex *a, const Convex *b, Patch *patch)
{
    Vec3 n = patch->normal;
    double r1 = ball_radius(a, n), r2 = ball_radius(b, n);
    bool cores = r1 + r2 > 0.0;
    for (int i = 0; i < patch->count; i++)
        cores = cores && patch->touch[i].gap + r1 + r2 > CORES_APART * (r1 + r2);
    patch->carrier = cores ? NORMAL_ALONG_CORES : NORMAL_ON_1;
    r1 = cores ? r1 : convex_rounding(a);
    r2 = cores ? r2 : convex_rounding(b);
    for (int i = 0; i < patch->count; i++) {
        Touch *touch = &patch->touch[i];
        touch->point1 = vec3_add_scaled(surface1(a, patch, touch), -r1, n);
        touch->point2 = vec3_add_scaled(surface2(b, patch, touch), r2, n);
        touch->radius1 = r1;
        touch->radius2 = r2;
    }
}

/* Two boxes of which one shows a face: false if none does. */
static bool touch_box_faces(const Convex *a, const Convex *b, const Axis *axis, double margin, Patch *patch)
{
    BoxFace one = convex_box_face(a, axis->n), two = convex_box_face(b, vec3_negate(axis->n));
    bool face1 = one.cosine > FACE_MIN_COSINE, face2 = two.cosine > FACE_MIN_COSINE;
    if (face1 && face2)
        face1 = box_face_area(&one) > (1.0 - FACE_SAME_AREA) * box_face_area(&two);
    patch->normal = axis->n;
    patch->carrier = face1 ? NORMAL_ON_1 : NORMAL_ON_2;
    if (face1)
        patch_clip_boxes(patch, &one, &two, axis, margin);
    else if (face2)
        patch_clip_boxes(patch, &two, &one, axis, margin);
    return face1 || face2;
}

static void touch_features(const Convex *a, const Convex *b, double length, Axis *axis, double margin, Patch *patch)
{
    if (a->kind == SHAPE_BOX && b->kind == SHAPE_BOX && touch_box_faces(a, b, axis, margin, patch)) {
        add_nearest(a, b, length, axis, patch);
        return;
    }
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
            patch_overlap_segments(patch, &one, &two, n, axis->separation, margin);
    }
    add_nearest(a, b, length, axis, patch);
    if (!face1 && !face2)
        hold_free(a, b, patch);
}

void collide(const Convex *one, const Convex *two, double length, double margin, Patch *patch)
{
    patch->count = 0;
    if (one->kind == SHAPE_SPHERE && two->kind == SHAPE_SPHERE) {
        sphere_sphere_touch(one, two, margin, patch);
        return;
    }
    assert(collide_supported(one->kind, two->kind));
    /* One order for each pair of kinds, so that exchanging the bodies changes no digit. */
    if (one->kind == SHAPE_PLANE) {
        plane_touch(one, two, margin, patch);
    } else if (two->kind == SHAPE_PLANE || one->kind > two->kind) {
        collide(two, one, length, margin, patch);
        patch_swap(patch);
    } else {
        Axis axis;
        if (!find_axis(one, two, length, margin, &axis))
            return;
        if (two->kind == SHAPE_ELLIPSOID)
            ellipsoid_touch(one, two, &axis, patch);
        else
            touch_features(one, two, length, &axis, margin, patch);
    }
}
