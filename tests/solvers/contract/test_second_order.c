/* SPDX-License-Identifier: MIT */
/* Integrators of order 2 that hold positions on the constraints: rattle, which is reversible besides and whose energy
 * does not wander, and gen_alpha. */
#include "model/energy.h"
#include "tests/solvers/worlds.h"
#include "tests/support/check.h"

#include <string.h>

/* Two rods that swing out of their plane: joints, rotations and gyroscopic terms. */
static World *spinning_rods(void)
{
    World *world = rod_chain(2, 1.1);
    world->velocity[1].w = vec3(0.7, 1.3, -0.4);
    world->velocity[2].w = vec3(-0.9, 0.2, 2.1);
    /* velocities that keep the joints together: each anchor moves with the body before it */
    world->velocity[1].v = vec3_cross(world->velocity[1].w, world->pose[1].x);
    Vec3 joint = vec3_scale(2.0, world->pose[1].x);
    Vec3 at_joint = vec3_cross(world->velocity[1].w, joint);
    world->velocity[2].v = vec3_add(at_joint, vec3_cross(world->velocity[2].w, vec3_sub(world->pose[2].x, joint)));
    return world;
}

static const char *const NAMES[] = {"rattle", "gen_alpha"};

static Vec3 end_of(const char *name, int steps, double time)
{
    World *world = spinning_rods();
    drive_run(world, name, "", time / steps, steps);
    Vec3 x = world->pose[2].x;
    world_destroy(world);
    return x;
}

/* Errors against a run with steps 16 times finer fall by 4 when the step is halved: 4.0 +- 0.1 is order 2 +- 0.04. */
static void halving_the_step_quarters_the_error(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Vec3 truth = end_of(NAMES[k], 12800, 0.8);
        double coarse = vec3_norm(vec3_sub(end_of(NAMES[k], 400, 0.8), truth)),
               fine = vec3_norm(vec3_sub(end_of(NAMES[k], 800, 0.8), truth));
        assert_near(coarse / fine, 4.0, 0.1);
    }
}

/* The first joint's mean reaction over the whole run: impulses as they are reported, summed. */
static Vec3 mean_reaction(const char *name, int steps, double time)
{
    World *world = spinning_rods();
    Vec3 sum = VEC3_ZERO, force, torque;
    Drive drive;
    drive_begin(&drive, world, name, "");
    for (int i = 0; i < steps; i++) {
        drive_frame(&drive, time / steps);
        world_reaction(world, 0, time / steps, &force, &torque);
        sum = vec3_add_scaled(sum, 1.0 / steps, force);
    }
    drive_end(&drive);
    world_destroy(world);
    return sum;
}

static void halving_the_step_quarters_the_error_of_reactions(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Vec3 truth = mean_reaction(NAMES[k], 12800, 0.8);
        double coarse = vec3_norm(vec3_sub(mean_reaction(NAMES[k], 400, 0.8), truth)),
               fine = vec3_norm(vec3_sub(mean_reaction(NAMES[k], 800, 0.8), truth));
        assert_near(coarse / fine, 4.0, 0.1);
    }
}

/* The way back with velocities turned round ends where it began, but for Newton's tolerance in each of 2 x 500 steps.
 */
static void time_can_be_turned_round(void **state)
{
    (void)state;
    World *world = spinning_rods(), *start = spinning_rods();
    for (int way = 0; way < 2; way++) {
        drive_run(world, "rattle", "", 1.0 / 120, 500);
        for (int i = 1; i < world->body_count; i++) {
            world->velocity[i].v = vec3_negate(world->velocity[i].v);
            world->velocity[i].w = vec3_negate(world->velocity[i].w);
        }
    }
    for (int i = 1; i < world->body_count; i++) {
        assert_vec3_near(world->pose[i].x, start->pose[i].x, 1e-9); /* the motion amplifies 1e-14 by some 1e4 */
        assert_vec3_near(world->velocity[i].w, start->velocity[i].w, 1e-8);
    }
    world_destroy(world);
    world_destroy(start);
}

/* Over 2,000 swings energy oscillates with h^2 and does not drift: the last tenth is no worse than the first. */
static void energy_does_not_wander(void **state)
{
    (void)state;
    World *world = particle_chain(1, 1.0, 1.0, 1.0, vec3(1, 0, 0));
    Drive drive;
    double before = world_energy(world), first = 0.0, last = 0.0;
    int frames = 2000 * 50;
    drive_begin(&drive, world, "rattle", "");
    for (int f = 0; f < frames; f++) {
        drive_frame(&drive, 1.0 / 20);
        double off = fabs(world_energy(world) - before);
        if (f < frames / 10)
            first = fmax(first, off);
        if (f >= frames - frames / 10)
            last = fmax(last, off);
    }
    assert_true(first > 1e-4);
    assert_true(last < 1.05 * first);
    drive_end(&drive);
    world_destroy(world);
}

static void joints_hold_to_newtons_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        World *world = spinning_rods();
        drive_run(world, NAMES[k], "", 1.0 / 60, 300);
        for (int b = 0; b < world->block_count; b++) {
            Rows rows;
            block_rows(world, &world->blocks[b], &rows);
            for (int i = 0; i < rows.count; i++)
                assert_near(rows.C[i], 0.0, 1e-12); /* ten times the looser tolerance */
        }
        world_destroy(world);
    }
}

/* The same method on a point on a rod of 1 m in the plane, with Newton's full matrix: M a = m g + q l, |q| = 1. */
typedef struct Bead {
    double q[2], v[2], a[2], A[2], l;
} Bead;

static void bead_solve(double A[3][3], double b[3])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double f = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int j = k; j < 3; j++)
                A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    for (int k = 0; k < 3; k++)
        b[k] /= A[k][k];
}

static void bead_step(Bead *bead, double h, double r)
{
    const double am = (2.0 * r - 1.0) / (r + 1.0), af = r / (r + 1.0), gamma = 0.5 - am + af;
    const double beta = 0.25 * (gamma + 0.5) * (gamma + 0.5), g[2] = {0.0, -9.81};
    double a[2] = {bead->a[0], bead->a[1]}, l = bead->l, A[2], q[2], share = h * h * beta * (1.0 - af) / (1.0 - am);
    for (int iteration = 0; iteration < 20; iteration++) {
        for (int i = 0; i < 2; i++) {
            A[i] = ((1.0 - af) * a[i] + af * bead->a[i] - am * bead->A[i]) / (1.0 - am);
            q[i] = bead->q[i] + h * bead->v[i] + h * h * ((0.5 - beta) * bead->A[i] + beta * A[i]);
        }
        double b[3] = {g[0] + q[0] * l - a[0], g[1] + q[1] * l - a[1], 0.5 * (1.0 - q[0] * q[0] - q[1] * q[1])};
        double slope[3][3] = {
            {1.0 - share * l, 0.0, -q[0]}, {0.0, 1.0 - share * l, -q[1]}, {share * q[0], share * q[1], 1e-300}};
        bead_solve(slope, b);
        a[0] += b[0];
        a[1] += b[1];
        l += b[2];
    }
    for (int i = 0; i < 2; i++) {
        bead->v[i] += h * ((1.0 - gamma) * bead->A[i] + gamma * A[i]);
        bead->q[i] = q[i];
        bead->a[i] = a[i];
        bead->A[i] = A[i];
    }
    bead->l = l;
}

/* Ten swings with 20 steps each, with a radius that stands them. */
static void gen_alpha_is_its_equations_by_a_dense_newton(void **state)
{
    (void)state;
    const double h = 2.153 / 20, s = sin(PI / 3), c = cos(PI / 3);
    World *world = particle_chain(1, 1.0, 1.7, 1.0, vec3(s, -c, 0));
    Bead bead = {.q = {s, -c}, .a = {-9.81 * c * s, -9.81 + 9.81 * c * c}, .l = -9.81 * c};
    memcpy(bead.A, bead.a, sizeof bead.A);
    drive_run(world, "gen_alpha", "radius=0.5", h, 200);
    for (int i = 0; i < 200; i++)
        bead_step(&bead, h, 0.5);
    assert_vec3_near(world->pose[1].x, vec3(bead.q[0], bead.q[1], 0), 1e-9); /* the first accelerations: 1e-11 */
    assert_vec3_near(world->velocity[1].v, vec3(bead.v[0], bead.v[1], 0), 1e-8);
    world_destroy(world);
}

/* A mass on a soft rod hangs and swings up and down as a spring does, x'' = -x/(alpha m), with the method's own order.
 */
static void gen_alpha_swings_on_a_soft_rod(void **state)
{
    (void)state;
    const double alpha = 1e-3, mass = 1.7, w = sqrt(1.0 / (alpha * mass)), time = 0.5;
    double error[2];
    for (int k = 0; k < 2; k++) {
        World *world = particle_chain(1, 1.0, mass, 1.0, vec3(0, -1, 0));
        world->gravity = VEC3_ZERO;
        joint_terms(&world->blocks[0])->compliance = alpha;
        world->velocity[1].v = vec3(0, 0.3, 0);
        drive_run(world, "gen_alpha", "", time / (200 << k), 200 << k);
        error[k] = world->pose[1].x.y + 1.0 - 0.3 / w * sin(w * time);
        world_destroy(world);
    }
    assert_near(error[0] / error[1], 4.0, 0.1);
    assert_near(error[1], 0.0, 1e-3 * 0.3 / w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halving_the_step_quarters_the_error),
        cmocka_unit_test(halving_the_step_quarters_the_error_of_reactions),
        cmocka_unit_test(time_can_be_turned_round),
        cmocka_unit_test(energy_does_not_wander),
        cmocka_unit_test(joints_hold_to_newtons_tolerance),
        cmocka_unit_test(gen_alpha_is_its_equations_by_a_dense_newton),
        cmocka_unit_test(gen_alpha_swings_on_a_soft_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
