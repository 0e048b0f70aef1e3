/* Sweeps over quads of manifolds: point_solve and group_solve of contact_sweep.c with a lane for each of four units.
 * Joints are in joint_quads.c. Multipliers are loaded and stored in fours, too: the fourth number is the bias that
 * follows them. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/quad_lanes.h"

/* r of the normals: J V + bias + s lambda. */
static ALWAYS_INLINE Double4 normals_residual(const PointLanes *point, Double4 lambda, const QuadVelocity *V)
{
    return quad_rate(point->row[0], V) + point->bias + point->soft * lambda;
}

/* lambda_n - w r / A_00, which may not pull; returns the change. */
static ALWAYS_INLINE Double4 normals_change(const PointLanes *point, double relaxation, Double4 *lambda,
                                            const QuadVelocity *V)
{
    Double4 from = *lambda, next = from - relaxation * point->step * normals_residual(point, from, V);
    *lambda = (Double4)((Mask4)next & ~(Mask4)(next < 0.0));
    return *lambda - from;
}

static ALWAYS_INLINE void points_push(const PointLanes *point, int i, Double4 d, QuadVelocity *V)
{
    quad_push(point->inv_mass, point->row[i], point->row[i] + 9, d, V);
}

/* The step of the points that slide, and back to the disc. */
static ALWAYS_INLINE void tangents_slide(const PointLanes *point, Double4 limit, const Double4 r[2],
                                         const Double4 from[2], Double4 to[2])
{
    to[0] = from[0] - point->slide_step * r[0];
    to[1] = from[1] - point->slide_step * r[1];
    Double4 size2 = to[0] * to[0] + to[1] * to[1];
    Mask4 outside = (Mask4)(size2 > limit * limit);
    if (!any_lane(outside))
        return;
    Double4 root = {sqrt(size2[0]), sqrt(size2[1]), sqrt(size2[2]), sqrt(size2[3])};
    Double4 scale = choose_lanes(outside, limit / root, LANES4(1.0));
    to[0] *= scale;
    to[1] *= scale;
}

/* tangents_change of contact_sweep.c, of a disc or a cone: lambda[1..2] follow, d is their change. */
static ALWAYS_INLINE void tangents_solve(const PointLanes *point, FrictionModel model, const Double4 r[2],
                                         Double4 lambda[QUAD], Double4 d[2])
{
    const Double4 from[2] = {lambda[1], lambda[2]};
    Double4 limit = point->bound * lambda[0], slid[2];
    if (model == FRICTION_DISC) {
        tangents_slide(point, limit, r, from, lambda + 1);
    } else {
        lambda[1] = from[0] - (point->tangent[0] * r[0] + point->tangent[1] * r[1]);
        lambda[2] = from[1] - (point->tangent[1] * r[0] + point->tangent[2] * r[1]);
        Mask4 slides = (Mask4)(lambda[1] * lambda[1] + lambda[2] * lambda[2] > limit * limit);
        if (any_lane(slides)) {
            tangents_slide(point, limit, r, from, slid);
            lambda[1] = choose_lanes(slides, slid[0], lambda[1]);
            lambda[2] = choose_lanes(slides, slid[1], lambda[2]);
        }
    }
    d[0] = lambda[1] - from[0];
    d[1] = lambda[2] - from[1];
}

/* Where point i of each manifold has its multipliers. */
static ALWAYS_INLINE void points_find(const QuadUnits *units, RowSystem *system, int i, double *at[QUAD])
{
    for (int k = 0; k < QUAD; k++)
        at[k] = system->contacts[units->at[k] + i].lambda;
}

/* A point of each, alone. */
static ALWAYS_INLINE void points_solve(const QuadUnits *units, const PointLanes *point, int i, FrictionModel model,
                                       RowSystem *system, QuadVelocity *V)
{
    double *at[QUAD];
    Double4 lambda[QUAD], r[2], d, tangent[2];
    points_find(units, system, i, at);
    lanes_load(at, lambda);
    d = normals_change(point, system->relaxation, &lambda[0], V);
    for (int t = 0; t < 2; t++)
        r[t] = quad_rate(point->row[t + 1], V) + point->coupling[t] * d;
    tangents_solve(point, model, r, lambda, tangent);
    points_push(point, 0, d, V);
    points_push(point, 1, tangent[0], V);
    points_push(point, 2, tangent[1], V);
    lanes_store(at, lambda);
}

/* The normals of each manifold together; lambda[i] are the multipliers of its point i. Nothing is done in lanes where
 * a point would pull; returns the others. */
static ALWAYS_INLINE Mask4 normals_solve(const PointLanes *point, const InverseLanes *inverse, int count,
                                         Double4 lambda[MANIFOLD_MAX][QUAD], QuadVelocity *V)
{
    Double4 next[MANIFOLD_MAX];
    Mask4 pushes = {-1, -1, -1, -1};
    for (int i = 0; i < count; i++)
        next[i] = lambda[i][0];
    for (int j = 0; j < count; j++) {
        Double4 r = normals_residual(&point[j], lambda[j][0], V);
        for (int i = 0; i < count; i++)
            next[i] -= inverse->column[j][i] * r;
    }
    for (int i = 0; i < count; i++)
        pushes &= (Mask4)(next[i] >= 0.0);
    if (!any_lane(pushes))
        return pushes;
    QuadVelocity before = *V;
    for (int i = 0; i < count; i++) {
        points_push(&point[i], 0, next[i] - lambda[i][0], V);
        lambda[i][0] = choose_lanes(pushes, next[i], lambda[i][0]);
    }
    if (!all_lanes(pushes))
        quad_restore(~pushes, &before, V);
    return pushes;
}

/* A normal by itself, in the lanes that are not done. */
static ALWAYS_INLINE void normals_in_turn(const PointLanes *point, double relaxation, Mask4 done, Double4 *lambda,
                                          QuadVelocity *V)
{
    const QuadVelocity before = *V;
    Double4 next = *lambda;
    points_push(point, 0, normals_change(point, relaxation, &next, V), V);
    *lambda = choose_lanes(done, *lambda, next);
    quad_restore(done, &before, V);
}

/* Manifolds: their normals together, then friction point by point; or, where a point would pull, all point by point. */
static ALWAYS_INLINE void manifolds_solve(const QuadUnits *units, const PointLanes *point, const InverseLanes *inverse,
                                          int count, RowSystem *system, QuadVelocity *V)
{
    double *at[MANIFOLD_MAX][QUAD];
    Double4 lambda[MANIFOLD_MAX][QUAD], d[2];
    for (int i = 0; i < count; i++) {
        points_find(units, system, i, at[i]);
        lanes_load(at[i], lambda[i]);
    }
    Mask4 done = normals_solve(point, inverse, count, lambda, V);
    bool all_done = all_lanes(done);
    for (int i = 0; i < count; i++) {
        if (!all_done)
            normals_in_turn(&point[i], system->relaxation, done, &lambda[i][0], V);
        const Double4 r[2] = {quad_rate(point[i].row[1], V), quad_rate(point[i].row[2], V)};
        tangents_solve(&point[i], FRICTION_CONE, r, lambda[i], d);
        points_push(&point[i], 1, d[0], V);
        points_push(&point[i], 2, d[1], V);
        lanes_store(at[i], lambda[i]);
    }
}

static ALWAYS_INLINE void quad_solve(const RowQuads *quads, int q, RowSystem *system, Velocity *velocity)
{
    const QuadUnits *units = &quads->manifolds.quads[q];
    const PointLanes *points = &quads->points[units->first];
    QuadVelocity V;
    quad_gather(units, velocity, &V);
    if (system->contacts[units->at[0]].group == 0)
        for (int i = 0; i < units->count; i++)
            points_solve(units, &points[i], i, system->friction, system, &V);
    else if (units->count == MANIFOLD_MAX)
        manifolds_solve(units, points, &quads->inverses[q], MANIFOLD_MAX, system, &V);
    else
        manifolds_solve(units, points, &quads->inverses[q], units->count, system, &V);
    quad_scatter(units, points->inv_mass, velocity, &V);
}

WIDE_VERSIONS long manifold_quads_sweep(const RowQuads *quads, RowSystem *system, int from, int to, Velocity *velocity)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        quad_solve(quads, q, system, velocity);
        rows += QUAD * BLOCK_MAX_ROWS * quads->manifolds.quads[q].count;
    }
    return rows;
}
