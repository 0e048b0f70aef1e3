/* SPDX-License-Identifier: MIT */
/* Distance of two convex cores: Gilbert, Johnson and Keerthi 1988, on the difference A - B.
 * The simplex of at most four support points is reduced to the part that holds its point v nearest the origin. */
#include "model/collision/collide.h"

/* A new support point must come nearer by this part of |v|^2: normals are then good to its root, 1e-7. */
#define GJK_TOLERANCE 1e-14
/* Cores closer than this part of their size touch: the direction of v would be round-off. */
#define GJK_TOUCHING 1e-8
/* Polytopes need a handful; a rim against a rim up to forty. */
#define GJK_MAX_ITERATIONS 100

typedef struct GjkPoint {
    Vec3 w, direction; /* a - b, of the cores' points moved inwards; along which they are farthest */
} GjkPoint;

/* Simplices are copied and taken apart again and again: their points, four at a time, stay where they are. */
typedef struct Simplex {
    const GjkPoint *points;
    int count, at[4]; /* which of the points */
    double weight[4];
} Simplex;

static inline const GjkPoint *simplex_point(const Simplex *s, int i)
{
    return &s->points[s->at[i]];
}

/* The part without point i. */
static Simplex simplex_side(const Simplex *s, int without)
{
    Simplex side = {.points = s->points};
    for (int i = 0; i < s->count; i++)
        if (i != without)
            side.at[side.count++] = s->at[i];
    return side;
}

static double simplex_norm(const Simplex *s, Vec3 *v)
{
    *v = VEC3_ZERO;
    for (int i = 0; i < s->count; i++)
        *v = vec3_add_scaled(*v, s->weight[i], simplex_point(s, i)->w);
    return vec3_dot(*v, *v);
}

/* The part of a segment, triangle or tetrahedron nearest the origin: its interior if the barycentric coordinates of the
 * origin's foot are all positive, else the best of the parts opposite to the others. */
static void simplex_reduce(Simplex *s);

static void simplex_best_side(Simplex *s, const double *weight)
{
    Simplex best = {.points = s->points};
    double nearest = INFINITY;
    for (int i = 0; i < s->count; i++) {
        if (weight[i] > 0.0)
            continue;
        Simplex side = simplex_side(s, i);
        simplex_reduce(&side);
        Vec3 v;
        double norm = simplex_norm(&side, &v);
        if (norm < nearest) {
            nearest = norm;
            best = side;
        }
    }
    *s = best;
}

/* The same of a segment: between its ends, or at one of them. */
static void segment_reduce(Simplex *s)
{
    Vec3 a = simplex_point(s, 0)->w, b = simplex_point(s, 1)->w, ab = vec3_sub(b, a);
    double whole = vec3_dot(ab, ab), at_b = -vec3_dot(a, ab), at_a = whole - at_b;
    if (whole > 0.0 && at_a > 0.0 && at_b > 0.0) {
        s->weight[0] = at_a / whole;
        s->weight[1] = at_b / whole;
        return;
    }
    bool may_be_a = !(whole > 0.0) || !(at_b > 0.0), may_be_b = !(whole > 0.0) || !(at_a > 0.0);
    if (may_be_b && !(may_be_a && vec3_dot(a, a) < vec3_dot(b, b)))
        s->at[0] = s->at[1];
    s->count = 1;
    s->weight[0] = 1.0;
}

static void simplex_reduce(Simplex *s)
{
    if (s->count == 1)
        s->weight[0] = 1.0;
    if (s->count == 2)
        segment_reduce(s);
    if (s->count <= 2)
        return;
    double weight[4], whole;
    Vec3 a = simplex_point(s, 0)->w, ab = vec3_sub(simplex_point(s, 1)->w, a);
    Vec3 ac = vec3_sub(simplex_point(s, 2)->w, a);
    if (s->count == 3) {
        Vec3 n = vec3_cross(ab, ac);
        whole = vec3_dot(n, n);
        weight[1] = -vec3_dot(n, vec3_cross(a, ac));
        weight[2] = -vec3_dot(n, vec3_cross(ab, a));
        weight[0] = whole - weight[1] - weight[2];
    } else {
        Vec3 ad = vec3_sub(simplex_point(s, 3)->w, a);
        double volume = vec3_dot(ab, vec3_cross(ac, ad)), sign = volume < 0.0 ? -1.0 : 1.0;
        whole = fabs(volume);
        weight[1] = -sign * vec3_dot(a, vec3_cross(ac, ad));
        weight[2] = -sign * vec3_dot(ab, vec3_cross(a, ad));
        weight[3] = -sign * vec3_dot(ab, vec3_cross(ac, a));
        weight[0] = whole - weight[1] - weight[2] - weight[3];
    }
    bool inside = whole > 0.0;
    for (int i = 0; i < s->count; i++)
        inside = inside && weight[i] > 0.0;
    if (inside)
        for (int i = 0; i < s->count; i++)
            s->weight[i] = weight[i] / whole;
    else {
        /* A flat simplex has no inside: all its sides are candidates. */
        static const double ALL[4] = {0};
        simplex_best_side(s, whole > 0.0 ? weight : ALL);
    }
}

static GjkPoint gjk_support(const Convex *a, const Convex *b, double inset, Vec3 direction)
{
    Vec3 back = vec3_negate(direction);
    return (GjkPoint){vec3_sub(convex_support_inset(a, direction, inset), convex_support_inset(b, back, inset)),
                      direction};
}

static bool simplex_has(const Simplex *s, Vec3 w)
{
    for (int i = 0; i < s->count; i++)
        if (vec3_is_zero(vec3_sub(simplex_point(s, i)->w, w)))
            return true;
    return false;
}

/* A place that no point of the simplex has; it has three at most. */
static int simplex_free_place(const Simplex *s)
{
    unsigned used = 0;
    for (int i = 0; i < s->count; i++)
        used |= 1u << s->at[i];
    return __builtin_ctz(~used);
}

/* Tells whoever watches; nobody costs nothing. */
static inline void gjk_tell(const GjkWatch *watch, const Simplex *s, Vec3 v, Vec3 support)
{
    GjkStep step = {.count = s->count, .nearest = v, .support = support};
    for (int i = 0; i < s->count; i++)
        step.points[i] = simplex_point(s, i)->w;
    watch->step(watch->context, &step);
}

static inline double gjk_run(const Convex *a, const Convex *b, double inset, Axis *axis, const GjkWatch *watch)
{
    Vec3 v = vec3_sub(a->x, b->x);
    GjkPoint points[4];
    points[0] = gjk_support(a, b, inset, vec3_negate(v));
    Simplex s = {.points = points, .count = 1, .weight = {1.0}};
    double scale = 0.0, norm = simplex_norm(&s, &v);
    for (int i = 0; i < GJK_MAX_ITERATIONS; i++) {
        GjkPoint p = gjk_support(a, b, inset, vec3_negate(v));
        if (watch)
            gjk_tell(watch, &s, v, p.w);
        scale = fmax(scale, vec3_dot(p.w, p.w));
        if (norm <= GJK_TOUCHING * GJK_TOUCHING * scale)
            return 0.0;
        if (norm - vec3_dot(v, p.w) <= GJK_TOLERANCE * norm || simplex_has(&s, p.w))
            break;
        Simplex grown = s;
        int place = simplex_free_place(&s);
        points[place] = p;
        grown.at[grown.count++] = place;
        simplex_reduce(&grown);
        Vec3 nearer;
        double norm_grown = simplex_norm(&grown, &nearer);
        if (grown.count == 4)
            return 0.0;
        if (norm_grown >= norm)
            break;
        s = grown;
        v = nearer;
        norm = norm_grown;
    }
    double distance = sqrt(norm);
    axis->n = vec3_scale(-1.0 / distance, v);
    axis->a = axis->b = VEC3_ZERO;
    axis->points_left = false;
    for (int i = 0; i < s.count; i++) {
        Vec3 direction = simplex_point(&s, i)->direction, back = vec3_negate(direction);
        axis->a = vec3_add_scaled(axis->a, s.weight[i], convex_support_outer(a, direction, inset));
        axis->b = vec3_add_scaled(axis->b, s.weight[i], convex_support_outer(b, back, inset));
    }
    axis->separation = distance;
    return distance;
}

double gjk_distance(const Convex *a, const Convex *b, double inset, Axis *axis)
{
    return gjk_run(a, b, inset, axis, NULL);
}

double gjk_distance_watched(const Convex *a, const Convex *b, Axis *axis, const GjkWatch *watch)
{
    return gjk_run(a, b, 0.0, axis, watch);
}
