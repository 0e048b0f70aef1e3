#include "solvers/motion_four.h"

#include "solvers/four.h"

#include <string.h>

/* The base velocity is zero then, and no body carries its momentum. On processors without AVX2 four bodies at once take
 * longer than one after the other. */
static bool is_usual(const Motion *motion)
{
    return wide_is_one_register() && motion->options.integrator == INTEGRATE_SEMI_IMPLICIT &&
           motion->options.gyroscopic == GYROSCOPIC_IMPLICIT;
}

/* Whether bodies i to i + 3 are there, and all of them move and turn. */
WIDE_INLINE bool are_four(const World *world, int i, int to)
{
    if (i + FOUR > to)
        return false;
    const Mass *m = &world->mass[i];
    for (int k = 0; k < FOUR; k++)
        if (!(m[k].inv_mass > 0.0 && m[k].inv_inertia.x > 0.0))
            return false;
    return true;
}

/* As spin_implicit of motion.c; a lane that has converged stays as it is. */
WIDE_INLINE FourVec3 spins_implicit(FourVec3 inertia, FourVec3 w, FourVec3 torque, Wide h)
{
    FourVec3 n = w, before = four_mul(inertia, w);
    WideMask done = {0};
    for (int step = 0; step < GYROSCOPIC_NEWTON_STEPS; step++) {
        FourVec3 u = four_mul(inertia, n);
        FourVec3 f = four_add_scaled(four_sub(u, before), h, four_sub(four_cross(n, u), torque));
        FourVec3 x = {inertia.x, h * (n.z * inertia.x - u.z), h * (u.y - n.y * inertia.x)};
        FourVec3 y = {h * (u.z - n.z * inertia.y), inertia.y, h * (n.x * inertia.y - u.x)};
        FourVec3 z = {h * (n.y * inertia.z - u.y), h * (u.x - n.x * inertia.z), inertia.z};
        FourVec3 yz = four_cross(y, z), fx = four_cross(f, x);
        FourVec3 change =
            four_scale(1.0 / four_dot(x, yz), (FourVec3){four_dot(f, yz), -four_dot(fx, z), four_dot(fx, y)});
        n = four_choose_vec3(done, n, four_sub(n, change));
        done |= four_dot(change, change) <= GYROSCOPIC_CONVERGED * GYROSCOPIC_CONVERGED * four_dot(n, n);
        if (four_all(done))
            break;
    }
    return n;
}

/* As spin_advance of motion.c. A torque is absent from most runs, and needs no turn to the bodies' frames. */
WIDE_INLINE FourVec3 spins_advance(const Mass *mass, FourQuat q, FourVec3 w, FourVec3 torque, double h)
{
    Wide a[FOUR], b[FOUR], step = wide_all(h);
    four_load(&mass->mass, NUMBERS_IN(Mass), a);
    four_load(&mass->inertia.z, NUMBERS_IN(Mass), b);
    FourVec3 inertia = {a[2], a[3], b[0]};
    FourVec3 even = four_add_scaled(w, step * b[1], torque);
    WideMask is_even = (inertia.x == inertia.y) & (inertia.y == inertia.z);
    if (four_all(is_even))
        return even;
    FourQuat back = four_conj(q);
    FourVec3 torque_body = four_all(four_is_zero(torque)) ? torque : four_rotate(back, torque);
    FourVec3 next = four_rotate(q, spins_implicit(inertia, four_rotate(back, w), torque_body, step));
    return four_choose_vec3(is_even, even, next);
}

WIDE_VERSIONS int motion_begin_fours(Motion *motion, World *world, double h, int from, int to)
{
    int i = from;
    if (!is_usual(motion) || world->attractor.gm != 0.0)
        return from;
    for (; are_four(world, i, to); i += FOUR) {
        const Mass *mass = &world->mass[i];
        FourVelocity u = four_velocity(&world->velocity[i]);
        Wide inv_mass = {mass[0].inv_mass, mass[1].inv_mass, mass[2].inv_mass, mass[3].inv_mass};
        FourVec3 a = four_add_scaled(four_same(world->gravity), inv_mass, four_vec3(&motion->force[i]));
        u.v = four_add_scaled(u.v, wide_all(h), a);
        u.w = spins_advance(mass, four_orientation(&world->pose[i]), u.w, four_vec3(&motion->torque[i]), h);
        four_set_velocity(&world->velocity[i], u);
        memcpy(&motion->base_pose[i], &world->pose[i], FOUR * sizeof(Pose));
    }
    return i;
}

/* x = x_base + h v,   q = exp(h w) q_base */
WIDE_VERSIONS int motion_move_fours(const Motion *motion, World *world, const Velocity *extra, double h, int from,
                                    int to)
{
    int i = from;
    if (!is_usual(motion))
        return from;
    for (; are_four(world, i, to); i += FOUR) {
        FourVelocity u = four_velocity(&world->velocity[i]);
        if (extra) {
            FourVelocity more = four_velocity(&extra[i]);
            u = (FourVelocity){four_add(u.v, more.v), four_add(u.w, more.w)};
        }
        FourQuat turn = four_exp(four_scale(wide_all(h), u.w));
        FourPose base = four_pose(&motion->base_pose[i]);
        four_set_pose(&world->pose[i],
                      (FourPose){four_add_scaled(base.x, wide_all(h), u.v), four_unit(four_quat_mul(turn, base.q))});
    }
    return i;
}

/* v = (x - x_base)/h,   w = log(q q_base^-1)/h */
WIDE_VERSIONS int motion_derive_fours(const Motion *motion, World *world, double h, int from, int to)
{
    int i = from;
    Wide rate = wide_all(1.0 / h);
    FourVec3 zero = four_same(VEC3_ZERO); /* v_base, which makes -0 to 0 as in motion.c */
    if (!is_usual(motion))
        return from;
    for (; are_four(world, i, to); i += FOUR) {
        FourPose pose = four_pose(&world->pose[i]), base = four_pose(&motion->base_pose[i]);
        FourVec3 turn = four_log(four_quat_mul(pose.q, four_conj(base.q)));
        FourVelocity u = {four_add_scaled(zero, rate, four_sub(pose.x, base.x)), four_add_scaled(zero, rate, turn)};
        four_set_velocity(&world->velocity[i], u);
    }
    return i;
}
