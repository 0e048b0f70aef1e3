/* SPDX-License-Identifier: MIT */
/* The energy ledger against closed forms, source by source, and against the change of energy that it must add up to. */
#include "bench/studies/energy_ledger.h"

#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double DT = 1.0 / 60.0;

/* Runs and returns the change of energy; the ledger's sum must be the same to round-off. */
static double ledger_run(EnergyLedger *ledger, World *world, const char *solver, const char *options, int frames)
{
    Drive drive;
    double before = world_energy(world), sum = 0.0;
    drive_begin(&drive, world, solver, options);
    energy_ledger_begin(ledger, &drive, &(CommonOptions){.integrator = INTEGRATE_SEMI_IMPLICIT});
    for (int i = 0; i < frames; i++)
        drive_frame(&drive, DT);
    energy_ledger_end(ledger);
    drive_end(&drive);
    double change = world_energy(world) - before, size = fabs(before) + fabs(change);
    for (int i = 0; i < ENERGY_SOURCES; i++) {
        sum += ledger->energy[i];
        size = fmax(size, fabs(ledger->energy[i]));
    }
    assert_near(sum, change, 1e-12 * size); /* some hundred additions */
    return change;
}

/* m g.(v1 - v0) of all bodies: semi-implicit Euler kicks with the mean of two velocities and moves with the second. */
static double kick_against_move(const World *world, const Velocity *before)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum += world->mass[i].mass * vec3_dot(world->gravity, vec3_sub(world->velocity[i].v, before[i].v));
    return sum;
}

static void assert_only(const EnergyLedger *ledger, EnergySource source, double size)
{
    for (int i = 0; i < ENERGY_SOURCES; i++)
        if (i != (int)source)
            assert_near(ledger->energy[i], 0.0, size);
}

/* Semi-implicit Euler falls g h t/2 too low, and so loses m g^2 h t/2. */
static void free_fall_loses_what_the_integrator_is_known_to(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    BodyDef ball = sphere_def("ball", 0.3, vec3(0, 100, 0));
    int body = build_body(world, &ball);
    EnergyLedger ledger;
    ledger_run(&ledger, world, "pgs", "substeps=3", 40);
    double lost = 0.5 * world->mass[body].mass * 9.81 * 9.81 * DT / 3.0 * 40 * DT;
    assert_near(ledger.energy[ENERGY_INTEGRATOR], -lost, 1e-9 * lost);
    assert_only(&ledger, ENERGY_INTEGRATOR, 1e-12 * lost);
    world_destroy(world);
}

/* Bodies whose inertia does not turn: whatever joints, friction and bounces do is found with its source, so that -h/2 m
 * g.(v1 - v0) is all that is left for the integrator. */
static void nothing_of_the_constraints_is_left_for_the_integrator(void **state)
{
    (void)state;
    enum { MOST = 8 };
    const char *const options[] = {"", "warm_start=false", "position=split", "position=ngs", "iterations=3"};
    for (size_t k = 0; k < 2 * sizeof options / sizeof options[0]; k++) {
        World *world = k % 2 ? particle_chain(5, 0.3, 1.2, 4.0, vec3(0.6, 0.8, 0)) : contact_world(0.3, 0.4);
        if (k % 2 == 0) {
            BodyDef ball = sphere_def("ball", 0.2, vec3(0, 0.5, 0)), other = sphere_def("other", 0.1, vec3(0.1, 1, 0));
            add_plane(world, vec3(0, 1, 0));
            ball.velocity = vec3(1.3, -1.7, 0.4);
            ball.angular_velocity = vec3(3.1, 0.2, -2.3);
            build_body(world, &ball);
            build_body(world, &other);
        }
        Velocity before[MOST];
        assert_true(world->body_count <= MOST);
        memcpy(before, world->velocity, sizeof *before * (size_t)world->body_count);
        EnergyLedger ledger;
        double change = ledger_run(&ledger, world, "pgs", options[k / 2], 60);
        double left = -0.5 * DT * kick_against_move(world, before);
        assert_near(ledger.energy[ENERGY_INTEGRATOR], left, 1e-10 * (fabs(left) + fabs(change)));
        world_destroy(world);
    }
}

static void a_sliding_block_gives_its_energy_to_friction(void **state)
{
    (void)state;
    World *world = contact_world(0.4, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef block = box_def("block", vec3(1, 0.2, 1), vec3(0, 0.1, 0));
    block.velocity = vec3(2, 0, 0);
    int body = build_body(world, &block);
    EnergyLedger ledger;
    double kinetic = 0.5 * world->mass[body].mass * 4.0;
    ledger_run(&ledger, world, "pgs", "iterations=60", 60);
    assert_near(ledger.energy[ENERGY_FRICTION], -kinetic, 1e-3 * kinetic); /* a touch of nodding */
    assert_only(&ledger, ENERGY_FRICTION, 1e-3 * kinetic);
    world_destroy(world);
}

static void an_impact_loses_one_minus_e_squared(void **state)
{
    (void)state;
    World *world = contact_world(0.0, 0.6);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.2, vec3(0, 0.5, 0));
    ball.velocity = vec3(0.7, -3, 0);
    int body = build_body(world, &ball);
    EnergyLedger ledger;
    double lost = 0.5 * world->mass[body].mass * 9.0 * (1.0 - 0.36);
    ledger_run(&ledger, world, "pgs", "", 20);
    assert_near(ledger.energy[ENERGY_RESTITUTION], -lost, 1e-12 * lost);
    assert_only(&ledger, ENERGY_RESTITUTION, 1e-12 * lost);
    world_destroy(world);
}

/* A box 0.1 m in the ground: split impulses lift it and leave no speed, so that the lift is all there is. */
static void a_lift_out_of_the_ground_is_position_correction(void **state)
{
    (void)state;
    const char *const options[] = {"position=split iterations=50", "position=ngs iterations=50"};
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        BodyDef box = box_def("box", vec3(1, 1, 1), vec3(0, 0.4, 0));
        int body = build_body(world, &box);
        EnergyLedger ledger;
        double change = ledger_run(&ledger, world, "pgs", options[k], 60);
        double lift = world->mass[body].mass * 9.81 * (world->pose[body].x.y - 0.4);
        assert_true(lift > 0.9 * world->mass[body].mass * 9.81 * 0.1); /* but for the slop */
        assert_near(change, lift, 1e-9 * lift);
        assert_near(ledger.energy[ENERGY_CORRECTION], lift, 1e-6 * lift);
        world_destroy(world);
    }
}

/* The same mistake of Gauss-Seidel has another name, depending on which impulses made it. */
static void impulses_that_were_kept_are_told_from_new_ones(void **state)
{
    (void)state;
    EnergyLedger warm, cold;
    World *one = particle_chain(6, 0.3, 1.0, 1.0, vec3(1, 0, 0)),
          *two = particle_chain(6, 0.3, 1.0, 1.0, vec3(1, 0, 0));
    ledger_run(&warm, one, "pgs", "", 30);
    ledger_run(&cold, two, "pgs", "warm_start=false", 30);
    assert_true(fabs(warm.energy[ENERGY_WARM_START]) > fabs(warm.energy[ENERGY_CONSTRAINTS]));
    assert_near(cold.energy[ENERGY_WARM_START], 0.0, 0.0);
    assert_true(cold.energy[ENERGY_CONSTRAINTS] < 0.0);
    world_destroy(one);
    world_destroy(two);
}

/* Every solver: joints that fall, and boxes that slide, hit and rub. */
static void the_ledger_of_every_solver_adds_up(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        EnergyLedger ledger;
        World *chain = rod_chain(3, 1.2);
        ledger_run(&ledger, chain, all_solvers[s]->name, "", 10);
        world_destroy(chain);
        if (!can_touch(all_solvers[s]))
            continue;
        World *boxes = contact_world(0.4, 0.3);
        BodyDef low = box_def("low", vec3(1, 0.3, 1), vec3(0, 0.17, 0)),
                high = box_def("high", vec3(0.5, 0.4, 0.5), vec3(0.2, 0.8, 0));
        low.velocity = vec3(1, 0, 0.3);
        high.velocity = vec3(-0.5, -2, 0);
        add_plane(boxes, vec3(0, 1, 0));
        build_body(boxes, &low);
        build_body(boxes, &high);
        ledger_run(&ledger, boxes, all_solvers[s]->name, "", 20);
        world_destroy(boxes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_loses_what_the_integrator_is_known_to),
        cmocka_unit_test(nothing_of_the_constraints_is_left_for_the_integrator),
        cmocka_unit_test(a_sliding_block_gives_its_energy_to_friction),
        cmocka_unit_test(an_impact_loses_one_minus_e_squared),
        cmocka_unit_test(a_lift_out_of_the_ground_is_position_correction),
        cmocka_unit_test(impulses_that_were_kept_are_told_from_new_ones),
        cmocka_unit_test(the_ledger_of_every_solver_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
