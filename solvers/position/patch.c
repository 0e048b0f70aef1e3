#include "solvers/position/patch.h"

#include "model/collide.h"
#include "solvers/position/point.h"

/* The points that pushed. */
typedef struct PatchPoints {
    int count, at[MANIFOLD_MAX]; /* which points of the manifold */
    Point point[MANIFOLD_MAX];
    double share[MANIFOLD_MAX]; /* N s, of each */
    double N;                   /* N s, of all */
} PatchPoints;

static PatchPoints patch_points(const World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers,
                                double h)
{
    PatchPoints points = {.count = 0};
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i), k = points.count;
        if (multipliers[b].lambda.x <= 0.0 || !point_at(world, b, &points.point[k]))
            continue;
        points.at[k] = i;
        points.share[k] = multipliers[b].lambda.x / h;
        points.N += points.share[k];
        points.count++;
    }
    return points;
}

static void patch_turn(World *world, const ManifoldBlocks *manifold, Vec3 torque)
{
    for (int k = 0; k < 2; k++) {
        Vec3 *w = &world->velocity[manifold->body[k]].w;
        *w = vec3_add(*w, world_inv_inertia_mul(world, manifold->body[k], k == 0 ? vec3_negate(torque) : torque));
    }
}

/* A force k v stops the slip at k = 1/weight, a torque k a^2 w the spin at k = 1/(a^2 spin_weight). Each has its own
 * end: with one for both, a slip of round-off, which ends at once, would end a spin that has hardly been slowed. */
int patch_rub(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h)
{
    const Block *block = &world->blocks[manifold->torsion];
    PatchPoints points = patch_points(world, manifold, multipliers, h);
    if (points.N == 0.0)
        return 0;
    double arm = 2.0 / 3.0 * block->patch_radius, slip2 = 0.0, weight = 0.0;
    for (int k = 0; k < points.count; k++) {
        Vec3 slip = point_slip(world->velocity, &points.point[k]);
        double speed = vec3_norm(slip);
        slip2 += points.share[k] * speed * speed;
        if (speed > 0.0)
            weight = fmax(weight, point_weight(world, &points.point[k], vec3_scale(1.0 / speed, slip)));
    }
    Vec3 n = points.point[points.count - 1].n;
    PairRow turn = pair_row_turn(world, manifold->body, n);
    double spin_weight = pair_weight(world, manifold->body, &turn);
    double spin = vec3_dot(n, vec3_sub(world->velocity[manifold->body[1]].w, world->velocity[manifold->body[0]].w));
    double sigma = sqrt(slip2 / points.N + arm * arm * spin * spin);
    if (sigma == 0.0)
        return 0;
    double most = block->friction * points.N / sigma, against_slip = most, against_spin = most;
    if (weight * most > 1.0)
        against_slip = 1.0 / weight;
    if (arm * arm * spin_weight * most > 1.0)
        against_spin = 1.0 / (arm * arm * spin_weight);
    for (int k = 0; k < points.count; k++) {
        Vec3 slip = point_slip(world->velocity, &points.point[k]);
        Vec3 impulse = vec3_scale(-against_slip * points.share[k] / points.N, slip);
        Vec3 *friction = &world->block_impulse[manifold_friction(manifold, points.at[k])];
        point_push(world, &points.point[k], impulse);
        *friction = vec3_add(*friction, impulse);
    }
    Vec3 torque = vec3_scale(-against_spin * arm * arm * spin, n);
    patch_turn(world, manifold, torque);
    world->block_impulse[manifold->torsion] = torque;
    return 1;
}
