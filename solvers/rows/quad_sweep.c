/* Sweeps over quads of manifolds: point_solve and group_solve of contact_sweep.c with a lane for each of four units. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/quad_lanes.h"

/* r of the normals: J V + bias + s lambda. */
static ALWAYS_INLINE Double4 normals_residual(const PointLanes *point, const QuadVelocity *V)
{
    return quad_rate(point->row[0], V) + point->bias + point->soft * point->lambda[0];
}

/* lambda_n - w r / A_00, which may not pull. */
static ALWAYS_INLINE Double4 normals_next(const PointLanes *point, double relaxation, const QuadVelocity *V)
{
    Double4 next = point->lambda[0] - relaxation * point->step * normals_residual(point, V);
    return (Double4)((Mask4)next & ~(Mask4)(next < 0.0));
}

static ALWAYS_INLINE void points_push(const PointLanes *point, int i, Double4 d, QuadVelocity *V)
{
    quad_push(point->inv_mass, point->row[i], point->row[i] + 9, d, V);
}

/* The step of the points that slide, and back to the disc. */
static ALWAYS_INLINE void tangents_slide(const PointLanes *point, Double4 limit, const Double4 r[2], Double4 to[2])
{
    to[0] = point->lambda[1] - point->slide_step * r[0];
    to[1] = point->lambda[2] - point->slide_step * r[1];
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
static ALWAYS_INLINE void tangents_solve(PointLanes *point, FrictionModel model, const Double4 r[2], Double4 d[2])
{
    Double4 limit = point->bound * point->lambda[0], to[2], slid[2];
    if (model == FRICTION_DISC) {
        tangents_slide(point, limit, r, to);
    } else {
        to[0] = point->lambda[1] - (point->tangent[0] * r[0] + point->tangent[1] * r[1]);
        to[1] = point->lambda[2] - (point->tangent[1] * r[0] + point->tangent[2] * r[1]);
        Mask4 slides = (Mask4)(to[0] * to[0] + to[1] * to[1] > limit * limit);
        if (any_lane(slides)) {
            tangents_slide(point, limit, r, slid);
            to[0] = choose_lanes(slides, slid[0], to[0]);
            to[1] = choose_lanes(slides, slid[1], to[1]);
        }
    }
    for (int t = 0; t < 2; t++) {
        d[t] = to[t] - point->lambda[1 + t];
        point->lambda[1 + t] = to[t];
    }
}

/* A point of each, alone. */
static ALWAYS_INLINE void points_solve(PointLanes *point, FrictionModel model, double relaxation, QuadVelocity *V)
{
    Double4 r[2], next = normals_next(point, relaxation, V), d = next - point->lambda[0], tangent[2];
    point->lambda[0] = next;
    for (int t = 0; t < 2; t++)
        r[t] = quad_rate(point->row[t + 1], V) + point->coupling[t] * d;
    tangents_solve(point, model, r, tangent);
    points_push(point, 0, d, V);
    points_push(point, 1, tangent[0], V);
    points_push(point, 2, tangent[1], V);
}

/* The normals of each manifold together. Nothing is done in lanes where a point would pull; returns the others. */
static ALWAYS_INLINE Mask4 normals_solve(PointLanes *point, const InverseLanes *inverse, int count, QuadVelocity *V)
{
    Double4 next[MANIFOLD_MAX];
    Mask4 pushes = {-1, -1, -1, -1};
    for (int i = 0; i < count; i++)
        next[i] = point[i].lambda[0];
    for (int j = 0; j < count; j++) {
        Double4 r = normals_residual(&point[j], V);
        for (int i = 0; i < count; i++)
            next[i] -= inverse->column[j][i] * r;
    }
    for (int i = 0; i < count; i++)
        pushes &= (Mask4)(next[i] >= 0.0);
    if (!any_lane(pushes))
        return pushes;
    QuadVelocity before = *V;
    for (int i = 0; i < count; i++) {
        points_push(&point[i], 0, next[i] - point[i].lambda[0], V);
        point[i].lambda[0] = choose_lanes(pushes, next[i], point[i].lambda[0]);
    }
    if (!all_lanes(pushes))
        quad_restore(~pushes, &before, V);
    return pushes;
}

/* A normal by itself, in the lanes that are not done. */
static ALWAYS_INLINE void normals_in_turn(PointLanes *point, double relaxation, Mask4 done, QuadVelocity *V)
{
    const QuadVelocity before = *V;
    Double4 next = normals_next(point, relaxation, V);
    points_push(point, 0, next - point->lambda[0], V);
    point->lambda[0] = choose_lanes(done, point->lambda[0], next);
    quad_restore(done, &before, V);
}

/* Manifolds: their normals together, then friction point by point; or, where a point would pull, all point by point. */
static ALWAYS_INLINE void manifolds_solve(PointLanes *point, const InverseLanes *inverse, int count, double relaxation,
                                          QuadVelocity *V)
{
    Mask4 done = normals_solve(point, inverse, count, V);
    bool all_done = all_lanes(done);
    for (int i = 0; i < count; i++) {
        Double4 d[2];
        if (!all_done)
            normals_in_turn(&point[i], relaxation, done, V);
        const Double4 r[2] = {quad_rate(point[i].row[1], V), quad_rate(point[i].row[2], V)};
        tangents_solve(&point[i], FRICTION_CONE, r, d);
        points_push(&point[i], 1, d[0], V);
        points_push(&point[i], 2, d[1], V);
    }
}

static ALWAYS_INLINE void quad_solve(const RowQuads *quads, int q, const RowSystem *system, Velocity *velocity)
{
    const QuadUnits *units = &quads->manifolds.quads[q];
    PointLanes *points = &quads->points[units->first];
    QuadVelocity V;
    quad_gather(units, velocity, &V);
    if (!system->together || units->count == 1)
        for (int i = 0; i < units->count; i++)
            points_solve(&points[i], system->friction, system->relaxation, &V);
    else if (units->count == MANIFOLD_MAX)
        manifolds_solve(points, &quads->inverses[q], MANIFOLD_MAX, system->relaxation, &V);
    else
        manifolds_solve(points, &quads->inverses[q], units->count, system->relaxation, &V);
    quad_scatter(units, points->inv_mass, velocity, &V);
}

WIDE_VERSIONS long manifold_quads_sweep(const RowQuads *quads, const RowSystem *system, int from, int to,
                                        Velocity *velocity)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->manifolds.quads[q];
        quad_solve(quads, q, system, velocity);
        rows += BLOCK_MAX_ROWS * units->lanes * units->count;
    }
    return rows;
}
