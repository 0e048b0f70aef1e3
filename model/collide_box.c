/* Two boxes: separating axes (Gottschalk 1996). The largest separation over 3 + 3 face normals and 9 products of edges
 * is the exact overlap of two boxes that overlap, and a lower bound of the gap of two that do not. */
#include "model/collide.h"
#include "model/wide.h"

/* Edges this close to parallel (sine) make no axis of their own: the face normals beside them stand for it. */
#define EDGE_MIN_SINE 1e-5
/* 1 - cosine^2 is sine^2 but for this, some hundred times the round-off of axes of length 1. */
#define SINE2_ROUND_OFF 1e-13
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
    double along[4];             /* a's axes . between */
    double R[3][4], abs_R[3][4]; /* A^T B, |A^T B| */
    Axis *axis;
} BoxSearch;

/* Whether the axis n, with n.between and the separation along it, is the best so far. */
static bool box_compare(BoxSearch *search, Vec3 n, double along, double separation)
{
    search->direction[search->tried] = n;
    search->separation[search->tried++] = separation;
    if (!(separation > search->axis->separation + search->preference))
        return false;
    search->axis->separation = separation;
    search->axis->n = along < 0.0 ? vec3_negate(n) : n;
    return true;
}

static bool box_try(BoxSearch *search, Vec3 n)
{
    double along = vec3_dot(n, search->between);
    return box_compare(search, n, along, fabs(along) - box_reach(search->a, n) - box_reach(search->b, n));
}

/* What a box of these half edges reaches along three directions, from their products with its three axes. */
WIDE_INLINE Wide box_reach_wide(Vec3 half, Wide dot0, Wide dot1, Wide dot2)
{
    return wide_combine(half.x, wide_abs(dot0), half.y, wide_abs(dot1), half.z, wide_abs(dot2));
}

/* What it reaches along its own axes: half of its size but for round-off, which must be that of any direction. */
WIDE_INLINE Wide box_reach_own(const Convex *box, const WideRows *rows)
{
    return box_reach_wide(box->half, wide_columns_dot(rows, box_axis(box, 0)), wide_columns_dot(rows, box_axis(box, 1)),
                          wide_columns_dot(rows, box_axis(box, 2)));
}

/* Along the six face normals, three at a time: n.between, and the separation. Fills R. */
WIDE_VERSIONS static void box_measure_faces(BoxSearch *search, double along[8], double separation[8])
{
    const Convex *a = search->a, *b = search->b;
    WideRows A = wide_rows(&a->turn), B = wide_rows(&b->turn);
    Wide on_a[3], on_b[3]; /* columns and rows of R */
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        on_a[i] = wide_columns_dot(&A, box_axis(b, i));
        on_b[i] = wide_columns_dot(&B, box_axis(a, i));
        wide_store(search->R[i], on_b[i]);
        wide_store(search->abs_R[i], wide_abs(on_b[i]));
    }
    Wide along_a = wide_columns_dot(&A, search->between), along_b = wide_columns_dot(&B, search->between);
    wide_store(search->along, along_a);
    wide_store(along, along_a);
    wide_store(along + 3, along_b);
    wide_store(separation,
               wide_abs(along_a) - box_reach_own(a, &A) - box_reach_wide(b->half, on_a[0], on_a[1], on_a[2]));
    wide_store(separation + 3,
               wide_abs(along_b) - box_reach_wide(a->half, on_b[0], on_b[1], on_b[2]) - box_reach_own(b, &B));
}

static void box_try_faces(BoxSearch *search)
{
    double along[8], separation[8];
    box_measure_faces(search, along, separation);
    for (int i = 0; i < 6; i++)
        if (box_compare(search, box_axis(i < 3 ? search->a : search->b, i % 3), along[i], separation[i]))
            search->face_of_a = i < 3;
}

/* Whether the product n of a's edge i and b's edge k, of length sine, might be the best axis, or come as close to it as
 * a rival must (EDGE_GAP), seen without normalising it: what the boxes reach along it is in R (Gottschalk's table). The
 * preference is room for round-off, which is below 1e-15 of the size. */
static bool box_edge_promises(const BoxSearch *search, Vec3 n, double sine, int i, int k)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    Vec3 a = search->a->half, b = search->b->half;
    double reach = vec3_get(a, i1) * search->abs_R[i2][k] + vec3_get(a, i2) * search->abs_R[i1][k] +
                   vec3_get(b, k1) * search->abs_R[i][k2] + vec3_get(b, k2) * search->abs_R[i][k1];
    double least = search->axis->separation - search->gap - search->preference;
    return fabs(vec3_dot(n, search->between)) - reach > least * sine;
}

/* Which products (bit 3 i + k) may be longer than EDGE_MIN_SINE and promise that, three at a time and from R alone:
 * n.between is t2 R1k - t1 R2k with t = A^T between, and sine^2 is 1 - Rik^2, so that the squares are compared, with
 * their signs. */
WIDE_VERSIONS static unsigned box_edges_worth(const BoxSearch *search)
{
    double least = search->axis->separation - search->gap - search->preference;
    Wide squared = wide_all(least * fabs(least)), room = wide_all(least * least * SINE2_ROUND_OFF);
    const double *half = &search->a->half.x, *t = search->along;
    Wide b = wide_vec3(&search->b->half), b1 = wide_next(b), b2 = wide_after_next(b);
    Wide preference = wide_all(search->preference);
    WideMask worth = {0, 0, 0, 0};
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        Wide R = wide_load(search->R[i]), R1 = wide_load(search->R[i1]), R2 = wide_load(search->R[i2]);
        Wide sine2 = wide_all(1.0) - R * R, abs_R = wide_abs(R);
        Wide reach = wide_all(half[i1]) * wide_abs(R2) + wide_all(half[i2]) * wide_abs(R1) +
                     b1 * wide_after_next(abs_R) + b2 * wide_next(abs_R);
        Wide over = wide_abs(wide_all(t[i2]) * R1 - wide_all(t[i1]) * R2) - reach + preference;
        WideMask may = (over * wide_abs(over) > squared * sine2 - room) &
                       (sine2 > wide_all(EDGE_MIN_SINE * EDGE_MIN_SINE - SINE2_ROUND_OFF));
        worth |= may & ((WideMask){1, 2, 4, 0} << (3 * i));
    }
    long long bits[4];
    *(WideMask *)bits = worth;
    return (unsigned)(bits[0] | bits[1] | bits[2]);
}

static void box_try_edges(BoxSearch *search)
{
    for (unsigned worth = box_edges_worth(search); worth; worth &= worth - 1) {
        int i = __builtin_ctz(worth) / 3, k = __builtin_ctz(worth) % 3;
        Vec3 n = vec3_cross(box_axis(search->a, i), box_axis(search->b, k));
        double sine = vec3_norm(n);
        if (sine > EDGE_MIN_SINE && box_edge_promises(search, n, sine, i, k) &&
            box_try(search, vec3_scale(1.0 / sine, n))) {
            search->edge_a = i;
            search->edge_b = k;
        }
    }
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
    box_try_faces(&search);
    box_try_edges(&search);
    axis->rival = box_rival(&search);
    bool edges = search.edge_a >= 0;
    if (edges || !search.face_of_a)
        axis->a = convex_support(a, axis->n);
    if (edges || search.face_of_a)
        axis->b = convex_support(b, vec3_negate(axis->n));
    if (edges)
        box_edge_points(&search);
    else if (search.face_of_a)
        axis->a = vec3_add_scaled(axis->b, -axis->separation, axis->n);
    else
        axis->b = vec3_add_scaled(axis->a, axis->separation, axis->n);
}
