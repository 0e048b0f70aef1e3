/* SPDX-License-Identifier: MIT */
/* Friction of a patch in the velocity pass of the position-based backends: force and torque together, within the
 * ellipsoid (f/f_max)^2 + (m/m_max)^2 <= 1, by maximal dissipation:
 *
 *     (f, m) = -mu N (v, a^2 w) / sqrt(v^2 + a^2 w^2),   a = 2/3 R;   neither may turn its own velocity round. */
#define LANES 1
#include "solvers/position/kernels.h"

#include "model/collision/collide.h"
#include "solvers/position/point.h"

/* The points that pushed. */
typedef struct PatchPoints {
    int count, at[MANIFOLD_MAX]; /* which points of the manifold */
    Point point[MANIFOLD_MAX];
    double share[MANIFOLD_MAX]; /* N s, of each */
    double N;                   /* N s, of all */
} PatchPoints;

static PatchPoints patch_points(const World *world, const ManifoldBlocks *manifold, const Pair *pair,
                                const Multiplier *multipliers, double h)
{
    PatchPoints points = {.count = 0};
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i), k = points.count;
        const Block *block = &world->blocks[b];
        if (multipliers[b].lambda.x <= 0.0 || block->off)
            continue;
        ManifoldSeat seat = manifold_seat(&block);
        PointSeat point;
        point_seat(&block, &seat, &point);
        points.point[k] = point_at(world, &seat, &point, pair);
        points.at[k] = i;
        points.share[k] = multipliers[b].lambda.x / h;
        points.N += points.share[k];
        points.count++;
    }
    return points;
}

/* A force k v stops the slip at k = 1/weight, a torque k a^2 w the spin at k = 1/(a^2 spin_weight). Each has its own
 * end: with one for both, a slip of round-off, which ends at once, would end a spin that has hardly been slowed. */
int patch_rub(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h)
{
    const Block *block = &world->blocks[manifold->torsion];
    Pair pair = pair_at(world, manifold->body);
    PatchPoints points = patch_points(world, manifold, &pair, multipliers, h);
    if (points.N == 0.0)
        return 0;
    BothVelocity V = both_gather_velocities(world->velocity, manifold->body);
    double arm = 2.0 / 3.0 * block->seat->patch_radius, slip2 = 0.0, weight = 0.0;
    for (int k = 0; k < points.count; k++) {
        Vec3 slip = point_slip(&V, &points.point[k]);
        double speed = vec3_norm(slip);
        slip2 += points.share[k] * speed * speed;
        if (speed > 0.0)
            weight = fmax(weight, point_weight(&pair, &points.point[k], vec3_scale(1.0 / speed, slip)));
    }
    Vec3 n = points.point[points.count - 1].n;
    PairRow turn = pair_row_turn(&pair, n);
    double spin_weight = pair_weight(&pair, &turn), spin = vec3_dot(n, both_difference(V.w));
    double sigma = sqrt(slip2 / points.N + arm * arm * spin * spin);
    if (sigma == 0.0)
        return 0;
    double most = block->friction * points.N / sigma, against_slip = most, against_spin = most;
    if (weight * most > 1.0)
        against_slip = 1.0 / weight;
    if (arm * arm * spin_weight * most > 1.0)
        against_spin = 1.0 / (arm * arm * spin_weight);
    for (int k = 0; k < points.count; k++) {
        Vec3 slip = point_slip(&V, &points.point[k]);
        Vec3 impulse = vec3_scale(-against_slip * points.share[k] / points.N, slip);
        Vec3 *friction = &world->block_impulse[manifold_friction(manifold, points.at[k])];
        point_push(&pair, &points.point[k], impulse, &V);
        *friction = vec3_add(*friction, impulse);
    }
    double torque = -against_spin * arm * arm * spin;
    pair_kick(&pair, &turn, torque, &V);
    pair_store_velocity(world, &pair, true, &V);
    world->block_impulse[manifold->torsion] = vec3_scale(torque, n);
    return 1;
}
