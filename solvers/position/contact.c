/* What differs from the paper; choices besides stand in reports/ERRATA.md.
 * - h mu f_n is an impulse and |v_t| a velocity: the paper lacks w1 + w2.
 * - lambda_t <= mu lambda_n is tested with the correction in lambda_t. As printed it could be read without: then, with
 *   one iteration, lambda_t = 0 and nothing would ever slide.
 * - Both bodies are pushed at one point, on the surface of the body that does not carry the normal, so that angular
 *   momentum is kept; the paper pushes each at its own, which lie d apart. The normal turns with its own body.
 * - Contacts are those that every backend is given, found as the substep begins. Patches, which it lacks: patch.h. */
#include "solvers/position/contact.h"

#include "solvers/position/normal.h"
#include "solvers/position/patch.h"
#include "solvers/position/point.h"
#include "solvers/rows/row_kernel.h"

const char *const contact_form_names[] = {"published", "stick", NULL};

/* The slip since the substep began, in full, or not at all if friction does not hold that much. */
TWO_INLINE void contact_hold(World *world, const Block *block, const PositionSolve *how, double limit,
                             Multiplier *multiplier)
{
    Pair pair = pair_at(world, block->body);
    TwoTravel travel = place_travel(world, block->body, &pair.pose);
    Place place = place_contact(world, block, world->pose, &pair.pose);
    Vec3 slip = place_slip(world, block, place.n, &travel);
    double squared = vec3_dot(slip, slip);
    if (squared == 0.0)
        return;
    PairRow row = pair_row(&pair, slip, two_from(place.at, pair.pose.x));
    double w = pair_weight(&pair, &row);
    if (!(w > 0.0))
        return;
    double scale = -how->stiffness * squared / w;
    Vec3 lambda = vec3_add_scaled(multiplier->lambda, scale, slip);
    if (vec3_norm(lambda) > limit)
        return;
    pair_push(world, block->body, &pair, &row, 1, &scale);
    multiplier->lambda = multiplier->on_body2 = lambda;
}

/* One point: its normal, then its static friction. */
TWO_INLINE int contact_solve_point(World *world, const ManifoldBlocks *manifold, int point, const PositionSolve *how,
                                   Multiplier *multipliers)
{
    int b = manifold_contact(manifold, point), friction = manifold_friction(manifold, point);
    const Block *block = &world->blocks[b];
    Pair pair = pair_at(world, block->body);
    Place place = place_contact(world, block, world->pose, &pair.pose);
    double C = position_contact_error(block, place.C, how);
    if (block->off || C >= 0.0)
        return 0;
    int rows = normal_solve(world, block->body, &pair, &place, C, how->stiffness, &multipliers[b]);
    if (block->friction == 0.0 || manifold->torsion >= 0)
        return rows;
    contact_hold(world, block, how, block->friction * multipliers[b].lambda.x, &multipliers[friction]);
    return rows + 2;
}

WIDE_VERSIONS int contact_solve_positions(World *world, const PositionSolve *how, Multiplier *multipliers,
                                          SweepUnits manifolds)
{
    int rows = 0;
    for (int k = 0; k < manifolds.count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[sweep_unit(manifolds, k)];
        for (int i = 0; i < manifold->count; i++)
            rows += contact_solve_point(world, manifold, i, how, multipliers);
    }
    return rows;
}

TWO_INLINE void contact_rub(const Pair *pair, const Point *p, double limit, Vec3 *impulse, PairVelocity *V)
{
    Vec3 slip = point_slip(V, p);
    double speed = vec3_norm(slip);
    if (speed == 0.0)
        return;
    PairRow row = point_row(pair, p, vec3_scale(1.0 / speed, slip));
    double change = -smaller(limit, speed / pair_weight(pair, &row));
    pair_kick(pair, &row, change, V);
    *impulse = vec3_add_scaled(*impulse, change, row.u);
}

/* v_n becomes -e v~_n: what the position solve made of it goes, also where that takes a pull. */
TWO_INLINE void contact_restitute(const Pair *pair, const Point *p, double e, const ContactVelocitySolve *how,
                                  Vec3 *impulse, PairVelocity *V)
{
    PairVelocity predicted = pair_velocity(how->predicted, p->body);
    double now = vec3_dot(p->n, point_velocity(V, p)), before = vec3_dot(p->n, point_velocity(&predicted, p));
    double next = fabs(now) > how->threshold ? larger(-e * before, 0.0) : 0.0;
    PairRow row = point_row(pair, p, p->n);
    double change = (next - now) / pair_weight(pair, &row);
    pair_kick(pair, &row, change, V);
    *impulse = vec3_add_scaled(*impulse, change, p->n);
}

TWO_INLINE int contact_solve_velocity(World *world, const ManifoldBlocks *manifold, int point,
                                      const ContactVelocitySolve *how, const Multiplier *multipliers)
{
    int b = manifold_contact(manifold, point), friction = manifold_friction(manifold, point);
    const Block *block = &world->blocks[b];
    bool rubs = block->friction > 0.0 && manifold->torsion < 0;
    if (multipliers[b].lambda.x <= 0.0)
        return 0;
    Point p;
    Pair pair = pair_at(world, manifold->body);
    if (!point_at(world, b, &pair, &p))
        return 0;
    PairVelocity V = pair_velocity(world->velocity, p.body);
    if (rubs)
        contact_rub(&pair, &p, block->friction * multipliers[b].lambda.x / how->h, &world->block_impulse[friction], &V);
    contact_restitute(&pair, &p, block->restitution, how, &world->block_impulse[b], &V);
    pair_store_velocity(world, p.body, &V);
    return rubs ? 3 : 1;
}

WIDE_VERSIONS int contact_solve_velocities(World *world, const ContactVelocitySolve *how, const Multiplier *multipliers,
                                           SweepUnits manifolds)
{
    int rows = 0;
    for (int k = 0; k < manifolds.count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[sweep_unit(manifolds, k)];
        for (int i = 0; i < manifold->count; i++)
            rows += contact_solve_velocity(world, manifold, i, how, multipliers);
        if (manifold->torsion >= 0)
            rows += patch_rub(world, manifold, multipliers, how->h);
    }
    return rows;
}
