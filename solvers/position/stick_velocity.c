#include "solvers/position/patch.h"
#include "solvers/position/point.h"
#include "solvers/position/stick.h"

static void point_slide(World *world, int b, int friction, const Point *p, double N)
{
    double limit = world->blocks[b].friction * N;
    Vec3 slip = point_slip(world->velocity, p);
    double speed = vec3_norm(slip), left = limit - vec3_norm(world->block_impulse[friction]);
    if (speed == 0.0 || left <= 0.0)
        return;
    PairRow row = point_row(world, p, vec3_scale(1.0 / speed, slip));
    double impulse = -fmin(left, speed / pair_weight(world, p->body, &row));
    pair_kick(world, p->body, &row, impulse);
    world->block_impulse[friction] = vec3_add_scaled(world->block_impulse[friction], impulse, row.u);
}

/* Stops the point, at most back to where its contact has given nothing. */
static void point_stop(World *world, int b, const Point *p)
{
    double now = vec3_dot(p->n, point_velocity(world->velocity, p));
    double given = vec3_dot(p->n, world->block_impulse[b]);
    PairRow row = point_row(world, p, p->n);
    double impulse = fmax(-now / pair_weight(world, p->body, &row), -given);
    pair_kick(world, p->body, &row, impulse);
    world->block_impulse[b] = vec3_add_scaled(world->block_impulse[b], impulse, p->n);
}

/* Static friction was bounded by the loads of an earlier iteration or substep, and a stop may take load away: what the
 * load of the manifold does not carry in the end is given back. Of the manifold, since its points are dependent:
 * which of them carries is open. */
static void manifold_release(World *world, const ManifoldBlocks *manifold)
{
    double held = 0.0, limit = 0.0;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        held += vec3_norm(world->block_impulse[manifold_friction(manifold, i)]);
        limit += world->blocks[b].friction * vec3_norm(world->block_impulse[b]);
    }
    for (int i = 0; held > limit && i < manifold->count; i++) {
        Vec3 *friction = &world->block_impulse[manifold_friction(manifold, i)];
        Vec3 excess = vec3_scale(1.0 - limit / held, *friction);
        Point p;
        if (point_at(world, manifold_contact(manifold, i), &p))
            point_push(world, &p, vec3_negate(excess));
        *friction = vec3_sub(*friction, excess);
    }
}

/* The points of a manifold, once each. Returns the rows solved. */
static int manifold_pass(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h)
{
    int rows = 0;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        Point p;
        if (multipliers[b].lambda.x <= 0.0 || !point_at(world, b, &p))
            continue;
        if (manifold->torsion < 0 && world->blocks[b].friction > 0.0) {
            point_slide(world, b, manifold_friction(manifold, i), &p, multipliers[b].lambda.x / h);
            rows += 2;
        }
        point_stop(world, b, &p);
        rows++;
    }
    manifold_release(world, manifold);
    return rows;
}

int stick_velocities(World *world, const Multiplier *multipliers, double h)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        rows += manifold_pass(world, manifold, multipliers, h);
        if (manifold->torsion >= 0)
            rows += patch_rub(world, manifold, multipliers, h);
    }
    return rows;
}
