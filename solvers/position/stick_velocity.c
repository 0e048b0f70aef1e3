#include "solvers/position/patch.h"
#include "solvers/position/point.h"
#include "solvers/position/stick.h"
#include "solvers/rows/row_kernel.h"

/* Takes `limit` less what is held from the slip. */
TWO_INLINE void point_slide(const Pair *pair, const Point *p, double limit, Vec3 *held, PairVelocity *V)
{
    Vec3 slip = point_slip(V, p);
    double speed = vec3_norm(slip), left = limit - vec3_norm(*held);
    if (speed == 0.0 || left <= 0.0)
        return;
    PairRow row = point_row(pair, p, vec3_scale(1.0 / speed, slip));
    double impulse = -smaller(left, speed / pair_weight(pair, &row));
    pair_kick(pair, &row, impulse, V);
    *held = vec3_add_scaled(*held, impulse, row.u);
}

/* Stops the point, at most back to where its contact has given nothing. */
TWO_INLINE void point_stop(const Pair *pair, const Point *p, Vec3 *given, PairVelocity *V)
{
    double now = vec3_dot(p->n, point_velocity(V, p));
    PairRow row = point_row(pair, p, p->n);
    double impulse = larger(-now / pair_weight(pair, &row), -vec3_dot(p->n, *given));
    pair_kick(pair, &row, impulse, V);
    *given = vec3_add_scaled(*given, impulse, p->n);
}

/* Static friction was bounded by the loads of an earlier iteration or substep, and a stop may take load away: what the
 * load of the manifold does not carry in the end is given back. Of the manifold, since its points are dependent:
 * which of them carries is open. */
TWO_INLINE void manifold_release(World *world, const ManifoldBlocks *manifold, int points, const Pair *pair,
                                 PairVelocity *V)
{
    double held = 0.0, limit = 0.0;
    for (int i = 0; i < points; i++) {
        int b = manifold_contact(manifold, i);
        held += vec3_norm(world->block_impulse[manifold_friction(manifold, i)]);
        limit += world->blocks[b].friction * vec3_norm(world->block_impulse[b]);
    }
    for (int i = 0; held > limit && i < points; i++) {
        Vec3 *friction = &world->block_impulse[manifold_friction(manifold, i)];
        Vec3 excess = vec3_scale(1.0 - limit / held, *friction);
        Point p;
        if (point_at(world, manifold_contact(manifold, i), pair, &p))
            point_push(pair, &p, vec3_negate(excess), V);
        *friction = vec3_sub(*friction, excess);
    }
}

/* The points of a manifold, once each. Returns the rows solved. */
TWO_INLINE int manifold_pass(World *world, const ManifoldBlocks *manifold, int points, const Multiplier *multipliers,
                             double h)
{
    Pair pair = pair_at(world, manifold->body);
    PairVelocity V = pair_velocity(world->velocity, manifold->body);
    int rows = 0;
    for (int i = 0; i < points; i++) {
        int b = manifold_contact(manifold, i);
        double N = multipliers[b].lambda.x / h, mu = world->blocks[b].friction;
        Point p;
        if (multipliers[b].lambda.x <= 0.0 || !point_at(world, b, &pair, &p))
            continue;
        if (manifold->torsion < 0 && mu > 0.0) {
            point_slide(&pair, &p, mu * N, &world->block_impulse[manifold_friction(manifold, i)], &V);
            rows += 2;
        }
        point_stop(&pair, &p, &world->block_impulse[b], &V);
        rows++;
    }
    manifold_release(world, manifold, points, &pair, &V);
    pair_store_velocity(world, manifold->body, &V);
    return rows;
}

WIDE_VERSIONS int stick_velocities(World *world, const Multiplier *multipliers, double h, SweepUnits manifolds)
{
    int rows = 0;
    for (int k = 0; k < manifolds.count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[sweep_unit(manifolds, k)];
        if (manifold->count == 1) /* the compiler knows the length */
            rows += manifold_pass(world, manifold, 1, multipliers, h);
        else
            rows += manifold_pass(world, manifold, manifold->count, multipliers, h);
        if (manifold->torsion >= 0)
            rows += patch_rub(world, manifold, multipliers, h);
    }
    return rows;
}
