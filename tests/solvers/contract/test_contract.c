/* SPDX-License-Identifier: MIT */
/* What every backend must do, whatever it is: all solvers in the list, all joint types they declare. */
#include "model/energy.h"
#include "tests/solvers/worlds.h"

#include <string.h>

static bool has_setting(const Solver *solver, const char *name)
{
    return settings_find(solver->settings, solver->setting_count, name) != NULL;
}

/* Springs carry by being stretched: stiff ones, in steps that bear them, are held to what is asked of rigid rows. */
static const char *options_of(const Solver *solver, const char *plain, const char *springs)
{
    return has_setting(solver, "angular_stiffness") ? springs : plain;
}

/* Penalties that grow with the error in metres need long to grow in short steps: they begin stiff here. Solved body
 * by body, a pair's forces are opposite once the sweeps have converged. */
static const char *options_or_stiff(const Solver *solver, const char *plain, const char *stiff)
{
    return has_setting(solver, "penalty_min") ? stiff : plain;
}

/* Newton's XPBD relaxes the impulse of a joint's row and its torque by two numbers, and so loses angular momentum: not
 * where they are one. A drive there has neither a place to go back to nor a bound. */
static bool is_newtons(const Solver *solver)
{
    return has_setting(solver, "con_weighting");
}

/* Rows with a time constant follow a change of load after it has passed. */
static const char *options_or_quick(const Solver *solver, const char *plain, const char *quick)
{
    return has_setting(solver, "solref_time") ? quick : plain;
}

/* The lecture's program halves its turns, and so keeps no angular momentum: the method beneath is held to it. */
static const char *options_or_whole(const Solver *solver, const char *plain, const char *whole)
{
    return has_setting(solver, "halve_turns") ? whole : plain;
}

static bool runs(const Solver *solver, const World *world)
{
    Status status;
    return solver_supports(solver, world, &status);
}

static bool runs_type(const Solver *solver, const World *world, int type)
{
    return runs(solver, world) && !(type == JOINT_WIRE && is_newtons(solver)); /* it has none, and says so */
}

static void zero_constraints_is_free_flight(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        if (!has_setting(all_solvers[s], "integrator") &&
            (all_solvers[s]->text_of || is_newtons(all_solvers[s]) || has_setting(all_solvers[s], "linear_turns")))
            continue; /* Euler alone, as the slide or the original has it: it is held to its namesake or to that */
        Random random = {11};
        World *world = world_create();
        int body = build_random_box(world, &random, "a");
        Vec3 x = world->pose[body].x, v = world->velocity[body].v;
        Vec3 L = world_angular_momentum(world);
        Vec3 spin = vec3_sub(L, vec3_scale(world->mass[body].mass, vec3_cross(x, v)));
        drive_run(world, all_solvers[s]->name, has_setting(all_solvers[s], "integrator") ? "integrator=rk4" : "", 0.01,
                  50);
        Vec3 exact = vec3_add(vec3_add_scaled(x, 0.5, v), vec3_scale(0.125, world->gravity));
        assert_vec3_near(world->pose[body].x, exact, 1e-12);
        /* RK4 at h <= 0.01: spin momentum is kept to h^4 */
        Vec3 now =
            vec3_sub(world_angular_momentum(world),
                     vec3_scale(world->mass[body].mass, vec3_cross(world->pose[body].x, world->velocity[body].v)));
        assert_true(vec3_norm(vec3_sub(now, spin)) < 1e-7 * vec3_norm(spin));
        world_destroy(world);
    }
}

/* Internal constraints are force pairs on one line: nothing they do changes the sum. */
static void internal_constraints_keep_momentum(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++)
        for (int type = 0; type < JOINT_TYPES; type++) {
            Random random = {(uint64_t)(100 + type)};
            World *world = joined_pair(&random, (JointType)type);
            if (runs_type(all_solvers[s], world, type)) {
                Vec3 p = world_momentum(world), L = world_angular_momentum(world);
                double p_scale = world_momentum_scale(world), L_scale = world_angular_momentum_scale(world);
                const char *plain = is_newtons(all_solvers[s]) ? "substeps=40 angular_relaxation=0.7" : "substeps=40";
                plain = options_or_whole(all_solvers[s], plain, "substeps=40 halve_turns=false");
                drive_run(world, all_solvers[s]->name,
                          options_or_stiff(all_solvers[s], plain, "substeps=40 iterations=100 penalty_min=1e7"), 0.01,
                          10);
                /* velocities from positions carry round-off 2e-16 m / 2.5e-4 s, 400 times */
                assert_true(vec3_norm(vec3_sub(world_momentum(world), p)) < 1e-9 * p_scale);
                /* Angular momentum is kept by each impulse, but not by the first-order step: 0.01/40 s here. */
                Vec3 change = vec3_sub(world_angular_momentum(world), L);
                if (vec3_norm(change) > 0.02 * L_scale)
                    fail_msg("%s loses angular momentum on %s: %g of %g", all_solvers[s]->name, joint_type_names[type],
                             vec3_norm(change), L_scale);
            }
            world_destroy(world);
        }
}

/* Errata: each block's correction shrinks its error, whatever signs the slides print. */
static void every_joint_type_is_held_together(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++)
        for (int type = 0; type < JOINT_TYPES; type++) {
            Random random = {(uint64_t)(200 + type)};
            World *world = joined_pair(&random, (JointType)type);
            for (int i = 1; i < world->body_count; i++) /* at rest, then displaced */
                world->velocity[i] = (Velocity){VEC3_ZERO, VEC3_ZERO};
            if (runs_type(all_solvers[s], world, type) && !(type == JOINT_MOTOR && is_newtons(all_solvers[s]))) {
                build_move(world, 2, 0, 0.02);
                build_move(world, 2, 4, 0.03);
                double before = worst_violation(world);
                drive_run(world, all_solvers[s]->name,
                          options_of(all_solvers[s], "substeps=4",
                                     "substeps=400 stiffness=1e5 angular_stiffness=3e3 damping=0.003"),
                          1.0 / 60, 60);
                double after = worst_violation(world);
                if (after > 0.3 * before + 1e-12)
                    fail_msg("%s does not hold %s: %g -> %g", all_solvers[s]->name, joint_type_names[type], before,
                             after);
            }
            world_destroy(world);
        }
}

static void two_runs_give_the_same_bits(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        World *world[2];
        for (int k = 0; k < 2; k++) {
            world[k] = rod_chain(5, 1.1);
            drive_run(world[k], all_solvers[s]->name, "", 1.0 / 60, 60);
        }
        size_t bodies = (size_t)world[0]->body_count;
        assert_memory_equal(world[0]->pose, world[1]->pose, sizeof(Pose) * bodies);
        assert_memory_equal(world[0]->velocity, world[1]->velocity, sizeof(Velocity) * bodies);
        world_destroy(world[0]);
        world_destroy(world[1]);
    }
}

/* A particle on a rigid line, swinging through its lowest point: the force is m g + m v^2 / l. */
static void reaction_is_weight_plus_centripetal_force(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        World *world = particle_chain(1, 0.7, 1.9, 1, vec3(0, -1, 0));
        if (runs(all_solvers[s], world)) {
            world->velocity[1].v = vec3(1.2, 0, 0);
            double dt = 1e-3;
            /* the first substep of an impulse solver has not felt the curve yet: look at the third frame */
            const char *options = options_of(all_solvers[s], "substeps=10", "substeps=10 stiffness=5e7 damping=3e-4");
            options = options_or_stiff(all_solvers[s], options, "substeps=10 penalty_min=1e8");
            options = options_or_quick(all_solvers[s], options, "substeps=10 solref_time=2e-4");
            drive_run(world, all_solvers[s]->name, options, dt, 3);
            Vec3 force, torque;
            world_reaction(world, 0, dt, &force, &torque);
            /* turned by up to 3 x 1.7e-3 rad, and first order in h = 1e-4 */
            assert_vec3_near(force, vec3(0, 1.9 * (9.81 + 1.2 * 1.2 / 0.7), 0), 0.02 * 9.81);
        }
        world_destroy(world);
    }
}

static void bounded_multipliers_stay_in_their_bounds(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        World *world = rod_chain(1, 0.5 * PI);
        Status status;
        JointDef servo = joint_def(JOINT_SERVO, 0, 1);
        servo.axis = vec3(0, 0, 1);
        servo.target = 0.0;
        servo.max_torque = 3.0; /* the weight's torque is 12.3 N m: it must fall */
        world_add_joint(world, &servo, &status);
        if (runs(all_solvers[s], world) && !is_newtons(all_solvers[s])) {
            Drive drive;
            drive_begin(&drive, world, all_solvers[s]->name, "");
            for (int f = 0; f < 20; f++) {
                drive_frame(&drive, 1.0 / 60);
                Vec3 force, torque;
                world_reaction(world, 1, 1.0 / 60, &force, &torque);
                assert_true(fabs(torque.z) <= 3.0 * (1 + 1e-9));
            }
            drive_end(&drive);
            assert_true(world->pose[1].x.y < -0.1);
        }
        world_destroy(world);
    }
}

static void what_a_solver_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    Random random = {3};
    World *world = joined_pair(&random, JOINT_VOLUME);
    Solver poor = *all_solvers[0];
    Status status;
    poor.capabilities &= ~(unsigned)CAN_FOUR_BODY;
    assert_false(solver_supports(&poor, world, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "four-body rows"));
    world_destroy(world);

    world = particle_chain(2, 1, 1, 1, vec3(1, 0, 0));
    joint_terms(&world->blocks[0])->compliance = 0.1;
    assert_false(solver_supports(drive_find("pbd"), world, &status));
    assert_non_null(strstr(status.message, "compliance"));
    world_destroy(world);
}

static void a_ring_of_joints_is_a_loop_and_a_chain_is_not(void **state)
{
    (void)state;
    World *world = particle_chain(3, 1, 1, 1, vec3(1, 0, 0));
    assert_false(world_needs(world) & CAN_LOOPS);
    JointDef joint = joint_def(JOINT_DISTANCE, 0, 3);
    joint.local_anchors = true;
    build_joint(world, &joint);
    assert_true(world_needs(world) & CAN_LOOPS);
    world_destroy(world);
}

static void tables_are_complete(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        const Solver *solver = all_solvers[s];
        assert_int_equal(solver->abi, SOLVER_ABI);
        assert_true(solver->name && solver->summary && solver->reference);
        assert_true(solver->options_size <= SETTINGS_MAX_BYTES);
        for (int i = 0; i < solver->setting_count; i++) {
            const Setting *setting = &solver->settings[i];
            bool word = (isnan(setting->initial) && (setting->words & WORD_AUTO)) ||
                        (isinf(setting->initial) && (setting->words & WORD_INF));
            assert_true(word || (setting->initial >= setting->min && setting->initial <= setting->max));
            assert_true(setting->offset < solver->options_size);
        }
        for (int other = 0; other < s; other++)
            assert_string_not_equal(solver->name, all_solvers[other]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_constraints_is_free_flight),
        cmocka_unit_test(internal_constraints_keep_momentum),
        cmocka_unit_test(every_joint_type_is_held_together),
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(reaction_is_weight_plus_centripetal_force),
        cmocka_unit_test(bounded_multipliers_stay_in_their_bounds),
        cmocka_unit_test(what_a_solver_cannot_do_is_refused_by_name),
        cmocka_unit_test(a_ring_of_joints_is_a_loop_and_a_chain_is_not),
        cmocka_unit_test(tables_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
