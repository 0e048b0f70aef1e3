/* SPDX-License-Identifier: MIT */
/* The narrow phase step by step, as segments (x, y, dx, dy) of a picture: GJK's simplex and EPA's polytope in the
 * difference A - B, the fifteen axes of two boxes, and a face clipped to a manifold. */
#include "reports/generate/generators.h"

#include "bench/studies/collide_pair.h"

#include <stdio.h>

static const char *const KEYS[] = {NULL};

/* Seen from above and the side: x to the right, z to the back. */
typedef struct View {
    Vec3 right, up;
} View;

static const View FRONT = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
static const View TOP = {{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}};
static const View CORNER = {{0.866, 0.0, -0.5}, {-0.21, 0.91, -0.36}};

static void segment_add(json_t *rows, const View *view, const char *what, int step, const char *part, Vec3 from,
                        Vec3 to)
{
    double x = vec3_dot(view->right, from), y = vec3_dot(view->up, from);
    json_array_append_new(rows,
                          json_pack("{s:s,s:i,s:s,s:f,s:f,s:f,s:f}", "what", what, "step", step, "part", part, "x", x,
                                    "y", y, "dx", vec3_dot(view->right, to) - x, "dy", vec3_dot(view->up, to) - y));
}

static void point_add(json_t *rows, const View *view, const char *what, int step, const char *part, Vec3 at)
{
    segment_add(rows, view, what, step, part, at, at);
}

static Convex placed_box(Vec3 size, Vec3 x, Quat q)
{
    Convex convex;
    Shape shape = {.kind = SHAPE_BOX, .size = size};
    convex_place(&convex, &shape, NULL, x, q);
    return convex;
}

static Convex placed_cylinder(double radius, double length, Vec3 x, Quat q)
{
    Convex convex;
    Shape shape = {.kind = SHAPE_CYLINDER, .radius = radius, .length = length};
    convex_place(&convex, &shape, NULL, x, q);
    return convex;
}

/* The outline of A - B, seen along the view: support points all round. */
static void outline_add(json_t *rows, const View *view, const char *what, int step, const Convex *a, const Convex *b)
{
    enum { DIRECTIONS = 720 };
    Vec3 before = VEC3_ZERO;
    for (int i = 0; i <= DIRECTIONS; i++) {
        double angle = 2.0 * PI * (i + 0.5) / DIRECTIONS;
        Vec3 n = vec3_add(vec3_scale(cos(angle), view->right), vec3_scale(sin(angle), view->up));
        Vec3 at = convex_support(a, n);
        at = b ? vec3_sub(at, convex_support(b, vec3_negate(n))) : at;
        if (i > 0 && vec3_norm(vec3_sub(at, before)) > 1e-9)
            segment_add(rows, view, what, step, "outline", before, at);
        before = at;
    }
}

static Vec3 column(const Convex *box, int axis)
{
    return vec3(box->turn.m[0][axis], box->turn.m[1][axis], box->turn.m[2][axis]);
}

static Vec3 corner(const Convex *box, int number)
{
    Vec3 n = VEC3_ZERO;
    for (int axis = 0; axis < 3; axis++)
        n = vec3_add(n, vec3_scale(number >> axis & 1 ? 1.0 : -1.0, column(box, axis)));
    return convex_support(box, n);
}

static Vec3 triangle_normal(const Mesh *mesh, int triangle)
{
    const int *t = mesh->triangles[triangle];
    const Vec3 *v = mesh->vertices;
    return vec3_unit(vec3_cross(vec3_sub(v[t[1]], v[t[0]]), vec3_sub(v[t[2]], v[t[0]])));
}

/* The normal on the other side of the edge from -> to of a triangle. */
static Vec3 normal_across(const Mesh *mesh, int from, int to)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[t][k] == to && mesh->triangles[t][(k + 1) % 3] == from)
                return triangle_normal(mesh, t);
    return VEC3_ZERO;
}

/* The edges of two boxes' difference A - B that can be seen: where two faces meet, one of them towards the viewer. */
static bool difference_add(json_t *rows, const View *view, const char *what, const Convex *a, const Convex *b)
{
    enum { CORNERS = 8 };
    Vec3 points[CORNERS * CORNERS], viewer = vec3_cross(view->right, view->up);
    for (int i = 0; i < CORNERS * CORNERS; i++)
        points[i] = vec3_sub(corner(a, i / CORNERS), corner(b, i % CORNERS));
    Status status = {0};
    Mesh *hull = mesh_create_hull(CORNERS * CORNERS, points, &status);
    for (int t = 0; hull && t < hull->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int from = hull->triangles[t][k], to = hull->triangles[t][(k + 1) % 3];
            Vec3 here = triangle_normal(hull, t), across = normal_across(hull, from, to);
            if (from < to && vec3_dot(here, across) < 1.0 - 1e-9 &&
                fmax(vec3_dot(here, viewer), vec3_dot(across, viewer)) > 0.0)
                segment_add(rows, view, what, 0, "outline", hull->vertices[from], hull->vertices[to]);
        }
    mesh_destroy(hull);
    return hull != NULL;
}

typedef struct Story {
    json_t *rows;
    const View *view;
    const char *what;
    int step;
} Story;

static void gjk_tell(void *context, const GjkStep *step)
{
    Story *story = context;
    story->step++;
    for (int i = 0; i < step->count; i++)
        for (int k = i + 1; k < step->count; k++)
            segment_add(story->rows, story->view, story->what, story->step, "simplex", step->points[i],
                        step->points[k]);
    for (int i = 0; i < step->count; i++)
        point_add(story->rows, story->view, story->what, story->step, "corner", step->points[i]);
    segment_add(story->rows, story->view, story->what, story->step, "nearest", VEC3_ZERO, step->nearest);
    point_add(story->rows, story->view, story->what, story->step, "support", step->support);
    point_add(story->rows, story->view, story->what, story->step, "origin", VEC3_ZERO);
}

/* m: so thin that what lies above the plane of the picture is not seen. */
static const double SLICE = 1e-6;

/* Slices of a turned box and of a cylinder, apart. */
static void gjk_show_slices(json_t *rows)
{
    Convex a = placed_box(vec3(2.6, 0.5, SLICE), vec3(0.0, 0.0, 0.0), quat_axis_angle(vec3(0, 0, 1), 0.3));
    Convex b = placed_cylinder(0.5, SLICE, vec3(0.9, 1.7, 0.0), quat_axis_angle(vec3(1, 0, 0), 0.5 * PI));
    Story story = {rows, &FRONT, "gjk", 0};
    GjkWatch watch = {gjk_tell, &story};
    Axis axis;
    double distance = gjk_distance_watched(&a, &b, &axis, &watch);
    outline_add(rows, &FRONT, "gjk_outline", 0, &a, &b);
    json_array_append_new(rows,
                          json_pack("{s:s,s:i,s:f}", "what", "gjk_end", "steps", story.step, "distance", distance));
}

/* Two boxes in space, seen from the side on which their distance has its true length: it runs upwards. */
static bool gjk_show_boxes(json_t *rows)
{
    Convex a = placed_box(vec3(1.2, 1.0, 1.4), VEC3_ZERO, QUAT_IDENTITY);
    Convex b = placed_box(vec3(0.8, 0.9, 0.7), vec3(0.9, 1.5, 0.6), quat_axis_angle(vec3_unit(vec3(1, 0.3, 1)), 0.8));
    Axis axis;
    double distance = gjk_distance_watched(&a, &b, &axis, NULL);
    View side = {vec3_unit(vec3_cross(axis.n, CORNER.up)), axis.n};
    Story story = {rows, &side, "gjk3", 0};
    GjkWatch watch = {gjk_tell, &story};
    gjk_distance_watched(&a, &b, &axis, &watch);
    json_array_append_new(rows,
                          json_pack("{s:s,s:i,s:f}", "what", "gjk3_end", "steps", story.step, "distance", distance));
    return difference_add(rows, &side, "gjk3_outline", &a, &b);
}

/* Every edge once: of the two faces at it the one that runs upwards. */
static void epa_tell(void *context, const EpaStep *step)
{
    Story *story = context;
    story->step++;
    for (int f = 0; f < step->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int from = step->faces[f][k], to = step->faces[f][(k + 1) % 3];
            if (from < to)
                segment_add(story->rows, story->view, "epa", story->step, "polytope", step->points[from],
                            step->points[to]);
        }
    segment_add(story->rows, story->view, "epa", story->step, "nearest", VEC3_ZERO,
                vec3_scale(step->distance, step->normal));
    point_add(story->rows, story->view, "epa", story->step, "origin", VEC3_ZERO);
    json_array_append_new(story->rows, json_pack("{s:s,s:i,s:i,s:f}", "what", "epa_step", "step", story->step, "faces",
                                                 step->face_count, "depth", step->distance));
}

/* A cylinder in a box: the rim is round, so the polytope goes on growing. */
static void epa_show(json_t *rows)
{
    Convex a = placed_cylinder(0.5, 1.2, vec3(0.0, 0.0, 0.0), quat_axis_angle(vec3(0, 0, 1), 0.7));
    Convex b = placed_box(vec3(1.2, 0.8, 1.0), vec3(0.75, 0.45, 0.2), quat_axis_angle(vec3_unit(vec3(1, 1, 0)), 0.4));
    Story story = {rows, &CORNER, "epa", 0};
    EpaWatch watch = {epa_tell, &story};
    Axis axis = {.rival = INFINITY};
    epa_axis_watched(&a, &b, &axis, &watch);
    json_array_append_new(
        rows, json_pack("{s:s,s:i,s:f}", "what", "epa_end", "steps", story.step, "depth", -axis.separation));
}

/* Overlap along a direction; both signs are one axis. */
static double overlap_along(const Convex *a, const Convex *b, Vec3 n)
{
    double one = vec3_dot(n, vec3_sub(convex_support(a, n), convex_support(b, vec3_negate(n))));
    double other = -vec3_dot(n, vec3_sub(convex_support(a, vec3_negate(n)), convex_support(b, n)));
    return fmin(one, other);
}

static void sat_axis_add(json_t *rows, int number, const char *name, const Convex *a, const Convex *b, Vec3 n,
                         Vec3 chosen)
{
    Vec3 unit = vec3_unit(n);
    bool is_chosen = fabs(vec3_dot(unit, chosen)) > 1.0 - 1e-9;
    json_array_append_new(rows,
                          json_pack("{s:s,s:i,s:s,s:f,s:s}", "what", "sat", "number", number, "axis", name, "overlap",
                                    overlap_along(a, b, unit), "kind", is_chosen ? "the least: chosen" : "others"));
}

/* Two boxes askew. */
static void sat_show(json_t *rows)
{
    static const char LETTERS[] = "xyz";
    Convex a = placed_box(vec3(1.4, 1.0, 1.2), vec3(0.0, 0.0, 0.0), quat_axis_angle(vec3(0, 1, 0), 0.3));
    Convex b = placed_box(vec3(1.0, 1.1, 0.9), vec3(0.85, 0.6, 0.3), quat_axis_angle(vec3_unit(vec3(1, 0, 1)), 0.65));
    PairReport report;
    char name[32];
    int number = 0;
    pair_examine(&a, &b, 1.0, 0.0, &report);
    for (int box = 0; box < 2; box++)
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "%s %c", box ? "b" : "a", LETTERS[i]);
            sat_axis_add(rows, number++, name, &a, &b, column(box ? &b : &a, i), report.normal);
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "a %c × b %c", LETTERS[i], LETTERS[k]);
            sat_axis_add(rows, number++, name, &a, &b, vec3_cross(column(&a, i), column(&b, k)), report.normal);
        }
    outline_add(rows, &FRONT, "sat_a", 1, &a, NULL);
    outline_add(rows, &FRONT, "sat_b", 1, &b, NULL);
    segment_add(rows, &FRONT, "sat_pair", 1, "normal", report.points[1], report.points[0]);
}

/* The feature of a box that lies on its fellow, in words: sides are those of the box's own frame, `at` is in it. An
 * edge's label has the numbers of its two corners, whose bits 0 and 2 are the sides along x and z. */
static void feature_words(uint32_t label, Vec3 at, const char *box, char *words, size_t size)
{
    bool edge = label & LABEL_EDGE;
    uint32_t v = label >> 12 & 0xfff, w = label & 0xfff;
    if (label == 0)
        snprintf(words, size, "face of %s", box);
    else if (edge && ((v ^ w) & 1))
        snprintf(words, size, "edge %cz of %s", v & 4 ? '+' : '-', box);
    else if (edge)
        snprintf(words, size, "edge %cx of %s", v & 1 ? '+' : '-', box);
    else
        snprintf(words, size, "corner %cx %cz of %s", at.x > 0.0 ? '+' : '-', at.z > 0.0 ? '+' : '-', box);
}

/* A box turned on another: the faces, seen from above, and what their clipping keeps, by the features. */
static void clip_show(json_t *rows)
{
    Vec3 centre = vec3(0.6, 0.995, 0.2);
    Quat turn = quat_axis_angle(vec3(0, 1, 0), 0.5);
    Convex a = placed_box(vec3(2.0, 1.0, 1.6), VEC3_ZERO, QUAT_IDENTITY),
           b = placed_box(vec3(1.5, 1.0, 1.5), centre, turn);
    Patch patch;
    collide(&a, &b, 1.0, 0.01, &patch);
    for (int kept = 0; kept < 2; kept++) {
        for (int i = 0; i < patch.count; i++) {
            const Touch *touch = &patch.touch[i];
            char lower[32], upper[32], both[80];
            feature_words((uint32_t)(touch->id >> 32), touch->point1, "lower", lower, sizeof lower);
            feature_words((uint32_t)touch->id, quat_rotate_inverse(turn, vec3_sub(touch->point2, centre)), "upper",
                          upper, sizeof upper);
            snprintf(both, sizeof both, "%s, %s", lower, upper);
            json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f}", "what", kept ? "kept" : "clipped", "features",
                                                  both, "x", touch->point1.x, "y", -touch->point1.z));
        }
        patch_reduce(&patch, 1.0);
    }
    outline_add(rows, &TOP, "clip_a", 1, &a, NULL);
    outline_add(rows, &TOP, "clip_b", 1, &b, NULL);
}

static bool narrow_phase_make(Node arguments, json_t *rows)
{
    if (!node_object(arguments, KEYS))
        return false;
    if (rows) {
        gjk_show_slices(rows);
        if (!gjk_show_boxes(rows))
            return node_fail(arguments, "out of memory");
        epa_show(rows);
        sat_show(rows);
        clip_show(rows);
    }
    return true;
}

const Generator generator_narrow_phase = {
    .name = "narrow_phase",
    .about =
        "the narrow phase step by step; fields: what = gjk_outline, gjk, epa, sat_a, sat_b, sat_pair, clip_a, clip_b "
        "with step, "
        "part (outline, simplex, corner, polytope, nearest, support, origin, normal), x, y, dx, dy; sat with "
        "number, axis, overlap, kind; clipped and kept with features, x, y; gjk_end, gjk3_end and epa_end with steps, "
        "distance, "
        "depth; epa_step with step, faces, depth",
    .make = narrow_phase_make,
};
