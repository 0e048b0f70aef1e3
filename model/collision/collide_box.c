/* SPDX-License-Identifier: MIT */
/* Two boxes: separating axes (Gottschalk 1996). The largest separation over 3 + 3 face normals and 9 products of edges
 * is the exact overlap of two boxes that overlap, and a lower bound of the gap of two that do not. */
#include "model/collision/collide.h"
#include "model/lanes/row.h"

/* Edges this close to parallel (sine) make no axis of their own: the face normals beside them stand for it. */
#define EDGE_MIN_SINE 1e-5
/* Room for the round-off of sine^2: some hundred times that of axes of length 1. */
#define SINE2_ROUND_OFF 1e-13
/* An axis must be better by this part of the boxes' size: round-off does not choose between equal ones. */
#define AXIS_PREFERENCE 1e-9
/* 1 - cosine of the angle, 1e-3 rad, between axes of one direction: the faces of boxes that lie on each other. */
#define AXIS_SAME_DIRECTION 5e-7
/* Cosine^2 from which on a direction surely is the same: its round-off is far below a tenth of that. */
#define SURELY_SAME_COSINE2 (1.0 - 1.8 * AXIS_SAME_DIRECTION)

enum { BOX_FACES = 6, BOX_EDGES = 9 };

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
    Vec3 between;                      /* from a's centre to b's */
    double preference, gap;            /* m; EDGE_GAP */
    double R[3][4], turned[3][4];      /* A^T B, B^T A */
    double along[8], separation[8];    /* n.between and the separation, of the face normals: a's, then b's */
    int face;                          /* of these the best one */
    int tried;                         /* products of edges */
    Vec3 direction[BOX_EDGES];         /* of these */
    double edge_separation[BOX_EDGES]; /* along them */
    Axis *axis;
} BoxSearch;

static Vec3 search_face_normal(const BoxSearch *search, int face)
{
    return face < 3 ? box_axis(search->a, face) : box_axis(search->b, face - 3);
}

/* What a box of these half edges reaches along three directions, from their products with its three axes. */
LANE_INLINE Lanes box_reach_wide(Vec3 half, Lanes dot0, Lanes dot1, Lanes dot2)
{
    return lane_row_combine(half.x, lanes_abs(dot0), half.y, lanes_abs(dot1), half.z, lanes_abs(dot2));
}

/* Along the six face normals, three at a time: n.between, and the separation. Fills R. */
LANE_INLINE void box_measure_faces(BoxSearch *search)
{
    const Convex *a = search->a, *b = search->b;
    LaneRows A = lane_rows(&a->turn), B = lane_rows(&b->turn);
    Lanes on_a[3], on_b[3]; /* columns and rows of R */
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        on_a[i] = lane_rows_columns_dot(&A, box_axis(b, i));
        on_b[i] = lane_rows_columns_dot(&B, box_axis(a, i));
        lanes_store(search->turned[i], on_a[i]);
        lanes_store(search->R[i], on_b[i]);
    }
    Lanes along_a = lane_rows_columns_dot(&A, search->between), along_b = lane_rows_columns_dot(&B, search->between);
    lanes_store(search->along, along_a);
    lanes_store(search->along + 3, along_b);
    lanes_store(search->separation,
                lanes_abs(along_a) - lane_row(&a->reach) - box_reach_wide(b->half, on_a[0], on_a[1], on_a[2]));
    lanes_store(search->separation + 3,
                lanes_abs(along_b) - box_reach_wide(a->half, on_b[0], on_b[1], on_b[2]) - lane_row(&b->reach));
}

/* The best of the six, and its rival among them. */
LANE_INLINE void box_choose_face(BoxSearch *search)
{
    const double *separation = search->separation;
    double best = -INFINITY;
    int face = 0;
#pragma GCC unroll 6
    for (int i = 0; i < BOX_FACES; i++)
        if (separation[i] > best + search->preference) {
            best = separation[i];
            face = i;
        }
    int j = face % 3, own = face - j, other = 3 - own;
    const double *cosine = own == 0 ? search->R[j] : search->turned[j];
    double one = separation[own + (j + 1) % 3], two = separation[own + (j + 2) % 3], rival = one > two ? one : two;
    for (int k = 0; k < 3; k++)
        if (separation[other + k] > rival && fabs(cosine[k]) < 1.0 - AXIS_SAME_DIRECTION)
            rival = separation[other + k];
    Vec3 n = search_face_normal(search, face);
    search->face = face;
    Axis *axis = search->axis; /* without its points */
    axis->n = search->along[face] < 0.0 ? vec3_negate(n) : n;
    axis->separation = best;
    axis->rival = rival;
    axis->points_left = true;
    axis->face_of_a = face < 3;
    axis->edge_a = axis->edge_b = -1;
}

/* Products of an edge i of the box whose face is the axis, and an edge k of the other: bit 3 i + k. */
typedef struct BoxEdges {
    unsigned worth;  /* may be longer than EDGE_MIN_SINE, and come as close to the axis as a rival must (EDGE_GAP) */
    unsigned better; /* of these, may be better than it */
    unsigned other;  /* of these, may have another direction: the others are no rivals */
} BoxEdges;

/* Three at a time and from R alone: Gottschalk's table says what the boxes reach along such a product, n.between is
 * t2 R1k - t1 R2k with t = A^T between, and sine^2 is R1k^2 + R2k^2, so that the squares are compared, with their
 * signs. The preference is room for round-off, which is below 1e-15 of the size. Between boxes that lie flat on each
 * other none is better, nor of another direction. */
LANE_INLINE BoxEdges box_edges_worth(const BoxSearch *search)
{
    bool on_a = search->face < 3;
    const double(*rows)[4] = on_a ? search->R : search->turned, *t = on_a ? search->along : search->along + 3;
    const double *half = on_a ? &search->a->half.x : &search->b->half.x;
    double best = search->axis->separation, least = best - search->gap - search->preference;
    double better = best + 0.5 * search->preference;
    Lanes b = lane_row(on_a ? &search->b->half : &search->a->half), b1 = lane_row_next(b), b2 = lane_row_after_next(b);
    Lanes R[3] = {lanes_load(rows[0]), lanes_load(rows[1]), lanes_load(rows[2])};
    LaneMask found = {0, 0, 0, 0}; /* bits of worth, then of better, then of other */
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j = search->face % 3;
        Lanes sine2 = R[i1] * R[i1] + R[i2] * R[i2], abs_R = lanes_abs(R[i]);
        Lanes reach = lanes_all(half[i1]) * lanes_abs(R[i2]) + lanes_all(half[i2]) * lanes_abs(R[i1]) +
                      b1 * lane_row_after_next(abs_R) + b2 * lane_row_next(abs_R);
        Lanes over = lanes_abs(lanes_all(t[i2]) * R[i1] - lanes_all(t[i1]) * R[i2]) - reach;
        Lanes nearly = over + lanes_all(search->preference);
        LaneMask may = (nearly * lanes_abs(nearly) >
                        lanes_all(least * fabs(least)) * sine2 - lanes_all(least * least * SINE2_ROUND_OFF)) &
                       (sine2 > lanes_all(EDGE_MIN_SINE * EDGE_MIN_SINE - SINE2_ROUND_OFF));
        /* Edge i, not j, has the product a_j.(a_i x b_k) = -+Rlk with the axis. */
        Lanes along_axis = lanes_load(rows[i == j ? 0 : 3 - i - j]) * lanes_all(i == j ? 0.0 : 1.0);
        LaneMask same = along_axis * along_axis > lanes_all(SURELY_SAME_COSINE2) * sine2;
        LaneMask worse = over * lanes_abs(over) <
                         lanes_all(better * fabs(better)) * sine2 - lanes_all(better * better * SINE2_ROUND_OFF);
        LaneMask bit = (LaneMask){1, 2, 4, 0} << (3 * i);
        found |= may & (bit | (~worse & (bit << BOX_EDGES)) | (~same & (bit << 2 * BOX_EDGES)));
    }
    unsigned all = (unsigned)(found[0] | found[1] | found[2]), some = (1u << BOX_EDGES) - 1;
    return (BoxEdges){all & some, all >> BOX_EDGES & some, all >> 2 * BOX_EDGES};
}

/* Tries the face normals; tells the products of edges to be tried. */
LANE_VERSIONS static void box_try_faces(BoxSearch *search, BoxEdges *edges)
{
    search->between = vec3_sub(search->b->x, search->a->x);
    box_measure_faces(search);
    box_choose_face(search);
    *edges = box_edges_worth(search);
}

/* Whether the product n of a's edge i and b's edge k, of length sine, might be the best axis, or come as close to it as
 * a rival must, seen without normalising it. */
static bool box_edge_promises(const BoxSearch *search, Vec3 n, double sine, int i, int k)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    Vec3 a = search->a->half, b = search->b->half;
    double reach = vec3_get(a, i1) * fabs(search->R[i2][k]) + vec3_get(a, i2) * fabs(search->R[i1][k]) +
                   vec3_get(b, k1) * fabs(search->R[i][k2]) + vec3_get(b, k2) * fabs(search->R[i][k1]);
    double least = search->axis->separation - search->gap - search->preference;
    return fabs(vec3_dot(n, search->between)) - reach > least * sine;
}

static void box_try_edge(BoxSearch *search, int i, int k)
{
    Vec3 n = vec3_cross(box_axis(search->a, i), box_axis(search->b, k));
    double sine = vec3_norm(n);
    if (!(sine > EDGE_MIN_SINE) || !box_edge_promises(search, n, sine, i, k))
        return;
    n = vec3_scale(1.0 / sine, n);
    double along = vec3_dot(n, search->between);
    double separation = fabs(along) - box_reach(search->a, n) - box_reach(search->b, n);
    search->direction[search->tried] = n;
    search->edge_separation[search->tried++] = separation;
    if (!(separation > search->axis->separation + search->preference))
        return;
    search->axis->separation = separation;
    search->axis->n = along < 0.0 ? vec3_negate(n) : n;
    search->axis->edge_a = i;
    search->axis->edge_b = k;
}

static void box_try_edges(BoxSearch *search, unsigned which)
{
    for (int i = 0; i < 3 && which; i++)
        for (int k = 0; k < 3; k++)
            if (which >> (search->face < 3 ? 3 * i + k : 3 * k + i) & 1)
                box_try_edge(search, i, k);
}

/* The supporting edges' nearest points: lines p + s u and q + t v with u, v normal to n. */
static void box_edge_points(const Convex *a, const Convex *b, const Axis *axis, Vec3 *p, Vec3 *q)
{
    Vec3 u = box_axis(a, axis->edge_a), v = box_axis(b, axis->edge_b), d = vec3_sub(*q, *p);
    double uv = vec3_dot(u, v), du = vec3_dot(d, u), dv = vec3_dot(d, v), sine2 = 1.0 - uv * uv;
    *p = vec3_add_scaled(*p, (du - uv * dv) / sine2, u);
    *q = vec3_add_scaled(*q, (uv * du - dv) / sine2, v);
}

void box_axis_points(const Convex *a, const Convex *b, Axis *axis)
{
    bool edges = axis->edge_a >= 0;
    axis->points_left = false;
    if (edges || !axis->face_of_a)
        axis->a = convex_support(a, axis->n);
    if (edges || axis->face_of_a)
        axis->b = convex_support(b, vec3_negate(axis->n));
    if (edges)
        box_edge_points(a, b, axis, &axis->a, &axis->b);
    else if (axis->face_of_a)
        axis->a = vec3_add_scaled(axis->b, -axis->separation, axis->n);
    else
        axis->b = vec3_add_scaled(axis->a, axis->separation, axis->n);
}

static double rival_among(const BoxSearch *search, double rival, Vec3 n, double separation)
{
    bool other = fabs(vec3_dot(n, search->axis->n)) < 1.0 - AXIS_SAME_DIRECTION;
    return separation > rival && other ? separation : rival;
}

/* First those that may be better, then those that may be rivals of what is found. */
static void box_edges_decide(BoxSearch *search, const BoxEdges *edges)
{
    Axis *axis = search->axis;
    box_try_edges(search, edges->better);
    bool face = axis->edge_a < 0;
    box_try_edges(search, (face ? edges->other : edges->worth) & ~edges->better);
    double rival = face ? axis->rival : -INFINITY;
    for (int i = 0; i < BOX_FACES && !face; i++)
        rival = rival_among(search, rival, search_face_normal(search, i), search->separation[i]);
    for (int i = 0; i < search->tried; i++)
        rival = rival_among(search, rival, search->direction[i], search->edge_separation[i]);
    axis->rival = rival;
}

/* The face of this box, normal to its axis j, along n out of it; the other box's deepest corner against it. */
static bool box_face_holds(const Convex *box, int j, Vec3 n, const Convex *other, double inset, double clearly)
{
    Vec3 d = vec3_sub(convex_support_inset(other, vec3_negate(n), inset), box->x);
    int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return fabs(vec3_dot(box_axis(box, j1), d)) < vec3_get(box->half, j1) - inset - clearly &&
           fabs(vec3_dot(box_axis(box, j2), d)) < vec3_get(box->half, j2) - inset - clearly;
}

/* The supporting edges: their nearest points, if each lies within its edge. */
static bool box_edges_hold(const BoxSearch *search, double inset, double clearly)
{
    Vec3 n = search->axis->n, p = convex_support_inset(search->a, n, inset);
    Vec3 q = convex_support_inset(search->b, vec3_negate(n), inset);
    int i = search->axis->edge_a, k = search->axis->edge_b;
    box_edge_points(search->a, search->b, search->axis, &p, &q);
    return fabs(vec3_dot(box_axis(search->a, i), vec3_sub(p, search->a->x))) <
               vec3_get(search->a->half, i) - inset - clearly &&
           fabs(vec3_dot(box_axis(search->b, k), vec3_sub(q, search->b->x))) <
               vec3_get(search->b->half, k) - inset - clearly;
}

/* Whether the boxes, with their faces moved inwards until they are apart, are nearest along the axis, so that
 * edge_soften_axis would leave it: a corner over a face, or two edges that cross. */
static bool box_axis_holds(const BoxSearch *search, double length)
{
    const Axis *axis = search->axis;
    const Convex *a = search->a, *b = search->b;
    double inset = edge_inset(a, b, length, axis->separation), clearly = search->preference;
    if (!(axis->separation + 2.0 * inset > clearly))
        return false;
    if (search->axis->edge_a >= 0)
        return box_edges_hold(search, inset, clearly);
    if (search->face < 3)
        return box_face_holds(a, search->face, axis->n, b, inset, clearly);
    return box_face_holds(b, search->face - 3, vec3_negate(axis->n), a, inset, clearly);
}

void box_box_axis(const Convex *a, const Convex *b, double length, Axis *axis)
{
    double size = vec3_norm(a->half) + vec3_norm(b->half);
    BoxSearch search; /* its lists grow as axes are tried */
    search.a = a;
    search.b = b;
    search.preference = AXIS_PREFERENCE * size;
    search.gap = EDGE_GAP * length;
    search.tried = 0;
    search.axis = axis;
    BoxEdges edges;
    box_try_faces(&search, &edges);
    if (edges.better | edges.other)
        box_edges_decide(&search, &edges);
    if (axis->rival > axis->separation - search.gap && axis->separation <= 0.0 && box_axis_holds(&search, length))
        axis->rival = -INFINITY;
}
