/* SPDX-License-Identifier: MIT */
/* What a sweep does to contact points, over lanes: a point by itself, or a manifold as a whole. */
#ifndef RIGOR_SOLVERS_ROWS_POINT_SOLVE_H
#define RIGOR_SOLVERS_ROWS_POINT_SOLVE_H

#include "solvers/rows/point_lanes.h"

/* r of the normal: J V + bias + s lambda. */
LANE_INLINE Lanes normal_residual(const LanePoint *point, const LaneVelocities *V)
{
    return lanes_rate(point->row[0], V) + point->bias + point->soft * point->lambda[0];
}

/* lambda_n - w r / A_00, which may not pull. */
LANE_INLINE Lanes normal_next(const LanePoint *point, double relaxation, const LaneVelocities *V)
{
    Lanes next = point->lambda[0] - relaxation * point->step * normal_residual(point, V);
    return lanes_where(mask_not((LaneMask)(next < 0.0)), next);
}

/* A point of a patch is left to the patch's torsion block, which solves force and torque together; one without friction
 * has no tangents. Neither stands in lanes of four. */
LANE_INLINE bool point_is_of_patch(const LanePoint *point)
{
#if LANES == 1
    return point->slides_with_patch;
#else
    (void)point;
    return false;
#endif
}

LANE_INLINE bool point_rubs(const LanePoint *point)
{
#if LANES == 1
    return point->kind == ROWS_CONTACT;
#else
    (void)point;
    return true;
#endif
}

/* Friction with the bound that follows from the normal: lambda[1..2] follow, d is their change. */
LANE_INLINE void tangents_solve(LanePoint *point, FrictionLaw law, const Lanes r[2], Lanes d[2])
{
    Lanes to[2], limit = law_limit(law, point->bound, point->lambda[0]);
    d[0] = d[1] = lanes_all(0.0);
    if (point_is_of_patch(point))
        return;
    law_step(law, point->slide_step, point->tangent, limit, point->lambda + 1, r, to);
    for (int t = 0; t < 2; t++) {
        d[t] = to[t] - point->lambda[1 + t];
        point->lambda[1 + t] = to[t];
    }
}

/* A point alone: all rows see the same velocities, the effect of the normal on the tangents being A_i0 d. */
LANE_INLINE void point_solve(LanePoint *point, FrictionLaw law, double relaxation, LaneVelocities *V)
{
    Lanes next = normal_next(point, relaxation, V), d = next - point->lambda[0], r[2], tangent[2];
    point->lambda[0] = next;
    if (!point_rubs(point)) {
        point_push(point, 0, d, V);
        return;
    }
    for (int t = 0; t < 2; t++)
        r[t] = lanes_rate(point->row[t + 1], V) + point->coupling[t] * d;
    tangents_solve(point, law, r, tangent);
    point_push(point, 0, d, V);
    point_push(point, 1, tangent[0], V);
    point_push(point, 2, tangent[1], V);
}

/* lambda - w (J B)^-1 r of all normals of each manifold. Nothing is done in lanes where one would pull; returns the
 * others. */
LANE_INLINE LaneMask normals_together(LanePoint *point, const InverseLanes *inverse, int count, LaneVelocities *V)
{
    Lanes next[MANIFOLD_MAX];
    LaneMask pushes = mask_first(LANES);
    for (int i = 0; i < count; i++)
        next[i] = point[i].lambda[0];
    for (int j = 0; j < count; j++) {
        Lanes r = normal_residual(&point[j], V);
        for (int i = 0; i < count; i++)
            next[i] -= inverse->column[j][i] * r;
    }
    for (int i = 0; i < count; i++)
        pushes &= (LaneMask)(next[i] >= 0.0);
    if (!mask_any(pushes))
        return pushes;
    LaneVelocities before = *V;
    for (int i = 0; i < count; i++) {
        point_push(&point[i], 0, next[i] - point[i].lambda[0], V);
        point[i].lambda[0] = lanes_choose(pushes, next[i], point[i].lambda[0]);
    }
    if (!mask_all(pushes))
        velocities_restore(mask_not(pushes), &before, V);
    return pushes;
}

#if LANES == 1
/* The normals together, of those sets of points that push the one that fits; false: none does. */
LANE_INLINE bool normals_by_sets(LanePoint *point, int count, LaneVelocities *V)
{
    ManifoldMatrix K;
    double lambda[MANIFOLD_MAX], r[MANIFOLD_MAX], next[MANIFOLD_MAX];
    for (int j = 0; j < count; j++) {
        LaneVelocities unit = {0};
        point_push(&point[j], 0, 1.0, &unit);
        for (int i = 0; i < count; i++)
            K[i][j] = lanes_rate(point[i].row[0], &unit) + (i == j ? point[i].soft : 0.0);
        lambda[j] = point[j].lambda[0];
        r[j] = normal_residual(&point[j], V);
    }
    if (!manifold_enumerate(count, K, lambda, r, next))
        return false;
    for (int i = 0; i < count; i++) {
        point[i].lambda[0] = next[i];
        point_push(&point[i], 0, next[i] - lambda[i], V);
    }
    return true;
}
#endif

/* A normal by itself, in the lanes that are not done. */
LANE_INLINE void normal_in_turn(LanePoint *point, double relaxation, LaneMask done, LaneVelocities *V)
{
    const LaneVelocities before = *V;
    Lanes next = normal_next(point, relaxation, V);
    point_push(point, 0, next - point->lambda[0], V);
    point->lambda[0] = lanes_choose(done, point->lambda[0], next);
    velocities_restore(done, &before, V);
}

LANE_INLINE void friction_solve(LanePoint *point, FrictionLaw law, LaneVelocities *V)
{
    if (!point_rubs(point))
        return;
    const Lanes r[2] = {lanes_rate(point->row[1], V), lanes_rate(point->row[2], V)};
    Lanes d[2];
    tangents_solve(point, law, r, d);
    point_push(point, 1, d[0], V);
    point_push(point, 2, d[1], V);
}

/* How points are solved: as the system says, or as the compiler knows. */
typedef struct PointWay {
    FrictionLaw law;
    double relaxation;
    bool together, friction_first, enumerate;
} PointWay;

/* Manifolds: their normals together or one after the other, then friction point by point; or, where a point would pull,
 * all point by point. Friction may come first. */
LANE_INLINE void manifold_solve_lanes(LanePoint *point, const InverseLanes *inverse, int count, PointWay way,
                                      LaneVelocities *V)
{
    LaneMask done = mask_first(LANES);
    for (int i = 0; way.friction_first && i < count; i++)
        friction_solve(&point[i], way.law, V);
    if (way.together)
        done = normals_together(point, inverse, count, V);
    else
        for (int i = 0; i < count; i++)
            normal_in_turn(&point[i], way.relaxation, mask_first(0), V);
#if LANES == 1
    if (!done && way.enumerate) {
        LaneVelocities copy = *V; /* V itself has no address, and stays in registers */
        done = normals_by_sets(point, count, &copy);
        *V = copy;
    }
#endif
    bool all_done = !way.together || mask_all(done);
    for (int i = 0; i < count; i++) {
        if (!all_done)
            normal_in_turn(&point[i], way.relaxation, done, V);
        if (!way.friction_first)
            friction_solve(&point[i], way.law, V);
    }
}

/* A manifold of each lane, or a point. */
typedef struct LaneUnit {
    LanePoint *points;
    int count;
    const InverseLanes *inverse;
    const int (*body)[LANES];
    bool has_fixed;
} LaneUnit;

/* What a unit has made of its bodies' velocities goes back; in a Jacobi sweep all units see the same velocities, and
 * the change is added to that of others. */
LANE_INLINE void unit_end(const LaneUnit *unit, Velocity *velocity, Velocity *change, const LaneVelocities *V)
{
    LaneVelocities seen, sum;
    if (!change) {
        velocities_scatter(unit->body, unit->has_fixed, unit->points->inv_mass, velocity, V);
        return;
    }
    velocities_gather(unit->body, velocity, &seen);
    velocities_gather(unit->body, change, &sum);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 6; c++)
            sum.u[k][c] = sum.u[k][c] + V->u[k][c] - seen.u[k][c];
    velocities_scatter(unit->body, unit->has_fixed, unit->points->inv_mass, change, &sum);
}

LANE_INLINE void unit_solve_alone(const LaneUnit *unit, int count, FrictionLaw law, double relaxation,
                                  Velocity *velocity, Velocity *change)
{
    LaneVelocities V;
    velocities_gather(unit->body, velocity, &V);
    for (int i = 0; i < count; i++)
        point_solve(&unit->points[i], law, relaxation, &V);
    unit_end(unit, velocity, change, &V);
}

LANE_INLINE void unit_solve_whole(const LaneUnit *unit, int count, PointWay way, Velocity *velocity, Velocity *change)
{
    LaneVelocities V;
    velocities_gather(unit->body, velocity, &V);
    manifold_solve_lanes(unit->points, unit->inverse, count, way, &V);
    unit_end(unit, velocity, change, &V);
}

/* As the system says; of the usual laws, and of a face, the compiler knows more. */
LANE_INLINE void unit_solve(const LaneUnit *unit, const RowSystem *system, Velocity *velocity, Velocity *change)
{
    const FrictionLaw law = {system->friction, system->facets}, cone = {FRICTION_CONE, 0}, disc = {FRICTION_DISC, 0};
    const PointWay way = {law, system->relaxation, system->together, system->friction_first, system->enumerate};
    const PointWay together = {cone, way.relaxation, .together = true}, in_turn = {cone, way.relaxation};
    bool is_face = unit->count == MANIFOLD_MAX && law.model == FRICTION_CONE && !way.friction_first && !way.enumerate;
    bool alone = unit->count == 1 || !(way.together || system->normals_first);
    if (unit->count == 1 && law.model == FRICTION_DISC)
        unit_solve_alone(unit, 1, disc, way.relaxation, velocity, change);
    else if (alone && law.model == FRICTION_DISC)
        unit_solve_alone(unit, unit->count, disc, way.relaxation, velocity, change);
    else if (alone)
        unit_solve_alone(unit, unit->count, law, way.relaxation, velocity, change);
    else if (is_face && way.together)
        unit_solve_whole(unit, MANIFOLD_MAX, together, velocity, change);
    else if (is_face)
        unit_solve_whole(unit, MANIFOLD_MAX, in_turn, velocity, change);
    else
        unit_solve_whole(unit, unit->count, way, velocity, change);
}

#endif
