/* SPDX-License-Identifier: MIT */
#include "bench/studies/collide_pair.h"

#include "model/contact.h"
#include "scenes/file/file.h"

const char *const pair_method_names[PAIR_METHODS] = {"closed form", "separating axes", "gjk", "epa"};

/* Normals of faces, and products of edges, of two boxes. */
enum { BOX_AXES = 15 };

/* One of the body's shapes as it is placed now; false with a message if it meets nothing. */
static bool pair_place(const World *world, int collider, Convex *convex, Status *status)
{
    const Collider *own = &world->colliders[collider];
    ShapeKind kind = own->shape.kind;
    const char *name = world->bodies[own->listed].name;
    const Polyhedron *poly =
        world->contacts && world->contacts->polyhedra ? world->contacts->polyhedra[collider] : NULL;
    if (kind == SHAPE_NONE)
        return status_set(status, STATUS_USAGE, "'%s' has no shape", name);
    if ((kind == SHAPE_HULL || kind == SHAPE_MESH) && !poly)
        return status_set(status, STATUS_USAGE, "'%s' collides with nothing in this scene", name);
    collider_convex(world, collider, poly, convex);
    return true;
}

static void count_gjk(void *context, const GjkStep *step)
{
    (void)step;
    ++*(int *)context;
}

static void count_epa(void *context, const EpaStep *step)
{
    (void)step;
    ++*(int *)context;
}

static bool is_round(const Convex *convex)
{
    return convex->kind == SHAPE_SPHERE || convex->kind == SHAPE_CAPSULE;
}

/* The witnesses of a touching point: on the surfaces. */
static void report_touch(PairReport *report, const Convex *one, const Convex *two, const Touch *touch, Vec3 n)
{
    report->separation = touch->gap;
    report->normal = n;
    report->points[0] = vec3_add(touch->point1, convex_surface_offset(one, touch->radius1, n));
    report->points[1] = vec3_add(touch->point2, convex_surface_offset(two, touch->radius2, vec3_negate(n)));
}

/* A plane has no size: every point of the other faces it, and the lowest counts. */
static void examine_plane(const Convex *plane, const Convex *other, PairReport *report)
{
    Patch patch;
    plane_touch(plane, other, INFINITY, &patch);
    int lowest = 0;
    for (int i = 1; i < patch.count; i++)
        if (patch.touch[i].gap < patch.touch[lowest].gap)
            lowest = i;
    report->method = PAIR_CLOSED_FORM;
    report->iterations = 1;
    report_touch(report, plane, other, &patch.touch[lowest], patch.normal);
}

static void report_swap(PairReport *report)
{
    Vec3 first = report->points[0];
    report->points[0] = report->points[1];
    report->points[1] = first;
    report->normal = vec3_negate(report->normal);
}

/* -0 is 0 to a reader. */
static void report_plain_zeros(PairReport *report)
{
    report->normal = vec3_add(report->normal, VEC3_ZERO);
    for (int i = 0; i < 2; i++)
        report->points[i] = vec3_add(report->points[i], VEC3_ZERO);
}

/* GJK where they are apart, the expanding polytope where they overlap. */
static void examine_by_support(const Convex *one, const Convex *two, Axis *axis, PairReport *report)
{
    GjkWatch gjk = {count_gjk, &report->iterations};
    EpaWatch epa = {count_epa, &report->iterations};
    report->method = PAIR_GJK;
    if (gjk_distance_watched(one, two, axis, &gjk) > 0.0)
        return;
    report->method = PAIR_EPA;
    epa_axis_watched(one, two, axis, &epa);
}

static void examine_boxes(const Convex *one, const Convex *two, double length, Axis *axis, PairReport *report)
{
    report->method = PAIR_SEPARATING_AXES;
    report->iterations = BOX_AXES;
    box_box_axis(one, two, length, axis);
    if (axis->separation > 0.0) {
        report->iterations = 0;
        examine_by_support(one, two, axis, report);
    } else if (axis->points_left) {
        box_axis_points(one, two, axis);
    }
}

static void examine_cores(const Convex *one, const Convex *two, double length, PairReport *report)
{
    Axis axis = {.rival = INFINITY};
    report->method = PAIR_CLOSED_FORM;
    report->iterations = 1;
    if (is_round(one) && is_round(two)) {
        round_axis(one, two, &axis);
    } else if (one->kind == SHAPE_SPHERE && two->kind == SHAPE_CYLINDER) {
        sphere_cylinder_axis(one, two, &axis);
    } else if (one->kind == SHAPE_SPHERE && two->kind == SHAPE_BOX) {
        sphere_box_axis(one, two, &axis);
    } else if (one->kind == SHAPE_SPHERE && two->kind == SHAPE_ELLIPSOID) {
        sphere_ellipsoid_axis(one, two, &axis);
    } else if (one->kind == SHAPE_BOX && two->kind == SHAPE_BOX) {
        examine_boxes(one, two, length, &axis, report);
    } else {
        report->iterations = 0;
        examine_by_support(one, two, &axis, report);
    }
    report->normal = axis.n;
    report->separation = axis.separation - convex_rounding(one) - convex_rounding(two);
    report->points[0] = vec3_add_scaled(axis.a, convex_rounding(one), axis.n);
    report->points[1] = vec3_add_scaled(axis.b, -convex_rounding(two), axis.n);
}

/* The narrow phase takes the kinds in their order, planes first. */
static bool is_swapped(const Convex *one, const Convex *two)
{
    if (one->kind == SHAPE_PLANE || two->kind == SHAPE_PLANE)
        return two->kind == SHAPE_PLANE;
    return one->kind > two->kind;
}

void pair_examine(const Convex *one, const Convex *two, double length, double margin, PairReport *report)
{
    *report = (PairReport){0};
    bool swapped = is_swapped(one, two);
    const Convex *first = swapped ? two : one, *second = swapped ? one : two;
    if (first->kind == SHAPE_PLANE)
        examine_plane(first, second, report);
    else
        examine_cores(first, second, length, report);
    if (swapped)
        report_swap(report);
    report_plain_zeros(report);
    collide(one, two, length, margin, &report->manifold);
    patch_reduce(&report->manifold, length);
}

static bool shapes_report(const World *world, int one, int two, PairReport *report, Status *status)
{
    Convex first, second;
    if (!pair_place(world, one, &first, status) || !pair_place(world, two, &second, status))
        return false;
    if (!collide_supported(first.kind, second.kind))
        return status_set(status, STATUS_USAGE, "a %s and a %s do not collide",
                          file_shape_names[first.kind - SHAPE_SPHERE], file_shape_names[second.kind - SHAPE_SPHERE]);
    pair_examine(&first, &second, world->length_scale, CONTACT_MARGIN * world->length_scale, report);
    return true;
}

bool pair_report(World *world, int one, int two, PairReport *report, Status *status)
{
    if (one == two)
        return status_set(status, STATUS_USAGE, "'%s' is one body, not two", world->bodies[one].name);
    if (world->contacts && !contacts_find_pairs(world)) /* which lists the faces of hulls */
        return status_set(status, STATUS_FAILED, "out of memory");
    const Ride *a = &world->ride[one], *b = &world->ride[two];
    bool found = false;
    for (int i = a->first_collider; i < a->first_collider + a->collider_count; i++)
        for (int k = b->first_collider; k < b->first_collider + b->collider_count; k++) {
            PairReport next;
            if (!shapes_report(world, i, k, &next, status))
                return false;
            if (!found || next.separation < report->separation)
                *report = next;
            found = true;
        }
    return true;
}
