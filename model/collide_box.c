/* Two boxes: separating axes (Gottschalk 1996). The largest separation over 3 + 3 face normals and 9 products of edges
 * is the exact overlap of two boxes that overlap, and a lower bound of the gap of two that do not. */
#include "model/collide.h"

/* Edges this close to parallel (sine) make no axis of their own: the face normals beside them stand for it. */
#define EDGE_MIN_SINE 1e-5
/* An axis must be better by this part of the boxes' size: round-off does not choose between equal ones. */
#define AXIS_PREFERENCE 1e-9
/* 1 - cosine of the angle, 1e-3 rad, between axes of one direction: the faces of boxes that lie on each other. */
#define AXIS_SAME_DIRECTION 5e-7

enum { BOX_AXES = 15 };

static Vec3 box_axis(const Convex *box, int i)
{
    return vec3(box->turn.m[0][i], box->turn.m[1][i], box->turn.m[2][i]);
}

static double box_reach(const Convex *box, Vec3 n)
{
    return box->half.x * fabs(vec3_dot(n, box_axis(box, 0))) + box->half.y * fabs(vec3_dot(n, box_axis(box, 1))) +
           box->half.z * fabs(vec3_dot(n, box_axis(box, 2)));
}

typedef struct BoxSearch {
    const Convex *a, *b;
    Vec3 between;           /* from a's centre to b's */
    double preference, gap; /* m; EDGE_GAP */
    int edge_a, edge_b;     /* -1: a face axis */
    bool face_of_a;
    int tried;
    Vec3 direction[BOX_AXES];
    double separation[BOX_AXES];
    Axis *axis;
} BoxSearch;

static bool box_try(BoxSearch *search, Vec3 n)
{
    double along = vec3_dot(n, search->between);
    double separation = fabs(along) - box_reach(search->a, n) - box_reach(search->b, n);
    search->direction[search->tried] = n;
    search->separation[search->tried++] = separation;
    if (!(separation > search->axis->separation + search->preference))
        return false;
    search->axis->separation = separation;
    search->axis->n = along < 0.0 ? vec3_negate(n) : n;
    return true;
}

/* Whether the product n of a's edge i and b's edge k, of length sine, might be the best axis, or come as close to it as
 * a rival must (EDGE_GAP), seen without normalising it: n.a_m and n.b_m are elements of R = A^T B (Gottschalk's table).
 * The preference is room for round-off, which is below 1e-15 of the size. */
static bool box_edge_promises(const BoxSearch *search, Mat3 R, Vec3 n, double sine, int i, int k)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    Vec3 a = search->a->half, b = search->b->half;
    double reach = vec3_get(a, i1) * fabs(R.m[i2][k]) + vec3_get(a, i2) * fabs(R.m[i1][k]) +
                   vec3_get(b, k1) * fabs(R.m[i][k2]) + vec3_get(b, k2) * fabs(R.m[i][k1]);
    double least = search->axis->separation - search->gap - search->preference;
    return fabs(vec3_dot(n, search->between)) - reach > least * sine;
}

/* The supporting edges' nearest points: lines p + s u and q + t v with u, v normal to n. */
static void box_edge_points(const BoxSearch *search)
{
    Axis *axis = search->axis;
    Vec3 u = box_axis(search->a, search->edge_a), v = box_axis(search->b, search->edge_b);
    Vec3 d = vec3_sub(axis->b, axis->a);
    double uv = vec3_dot(u, v), du = vec3_dot(d, u), dv = vec3_dot(d, v), sine2 = 1.0 - uv * uv;
    axis->a = vec3_add_scaled(axis->a, (du - uv * dv) / sine2, u);
    axis->b = vec3_add_scaled(axis->b, (uv * du - dv) / sine2, v);
}

static double box_rival(const BoxSearch *search)
{
    double rival = -INFINITY;
    for (int i = 0; i < search->tried; i++)
        if (search->separation[i] > rival &&
            fabs(vec3_dot(search->direction[i], search->axis->n)) < 1.0 - AXIS_SAME_DIRECTION)
            rival = search->separation[i];
    return rival;
}

void box_box_axis(const Convex *a, const Convex *b, double length, Axis *axis)
{
    double size = vec3_norm(a->half) + vec3_norm(b->half);
    BoxSearch search; /* its lists grow as axes are tried */
    search.a = a;
    search.b = b;
    search.between = vec3_sub(b->x, a->x);
    search.preference = AXIS_PREFERENCE * size;
    search.gap = EDGE_GAP * length;
    search.edge_a = search.edge_b = -1;
    search.face_of_a = true;
    search.tried = 0;
    search.axis = axis;
    axis->separation = -INFINITY;
    for (int i = 0; i < 6; i++)
        if (box_try(&search, box_axis(i < 3 ? a : b, i % 3)))
            search.face_of_a = i < 3;
    Mat3 R = mat3_mul(mat3_transpose(a->turn), b->turn);
    for (int i = 0; i < 9; i++) {
        Vec3 n = vec3_cross(box_axis(a, i / 3), box_axis(b, i % 3));
        double sine = vec3_norm(n);
        if (sine > EDGE_MIN_SINE && box_edge_promises(&search, R, n, sine, i / 3, i % 3) &&
            box_try(&search, vec3_scale(1.0 / sine, n))) {
            search.edge_a = i / 3;
            search.edge_b = i % 3;
        }
    }
    axis->rival = box_rival(&search);
    axis->a = convex_support(a, axis->n);
    axis->b = convex_support(b, vec3_negate(axis->n));
    if (search.edge_a >= 0)
        box_edge_points(&search);
    else if (search.face_of_a)
        axis->a = vec3_add_scaled(axis->b, -axis->separation, axis->n);
    else
        axis->b = vec3_add_scaled(axis->a, axis->separation, axis->n);
}
