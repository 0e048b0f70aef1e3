/* SPDX-License-Identifier: MIT */
/* Laws of joints against their closed forms, for every solver that says it has them. One step is backward Euler's; as
 * it is refined, results converge to the motion itself, and extrapolated to h = 0 they are it to 1e-6. */
#include "model/energy.h"
#include "solvers/solver.h"
#include "tests/support/build.h"
#include "tests/support/drive.h"

#include <stdio.h>
#include <string.h>

/* One row has nothing to iterate, but some laws are two; naive_avg takes shares of its steps, and avbd stiffens from
 * one to the next. */
#define SOME " iterations=20"
#define MANY " iterations=200"

static const double INERTIA = 0.37, MASS = 1.9;

/* A body on a hinge through its centre, or on a slide: one coordinate, free of everything else. */
static World *one_coordinate(JointType type, const JointLaw *law, double speed)
{
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    Vec3 axis = vec3_unit(vec3(1, 2, -2));
    world->gravity = VEC3_ZERO;
    def.name = "body";
    def.mass = MASS;
    def.has_inertia = true;
    def.inertia = vec3(INERTIA, INERTIA, INERTIA);
    def.position = vec3(0.3, -0.2, 0.5);
    def.velocity = type == JOINT_PRISMATIC ? vec3_scale(speed, axis) : VEC3_ZERO;
    def.angular_velocity = type == JOINT_HINGE ? vec3_scale(speed, axis) : VEC3_ZERO;
    build_body(world, &def);
    JointDef joint = joint_def(type, 0, 1);
    joint.anchor[0] = def.position;
    joint.axis = axis;
    joint.law = law;
    build_joint(world, &joint);
    return world;
}

static double coordinate_of(const World *world)
{
    return joint_coordinate(world, &world->joints[0], 0);
}

static double rate_of(const World *world)
{
    return joint_coordinate_rate(world, &world->joints[0], 0);
}

/* The variants that a solver has of its own go by the same code: backends alone. */
static bool takes(const Solver *solver, const World *world)
{
    Status status = {0};
    return !solver->variant_of && !solver->data && solver_supports(solver, world, &status);
}

static bool iterates(const Solver *solver)
{
    for (int i = 0; i < solver->setting_count; i++)
        if (strcmp(solver->settings[i].name, "iterations") == 0)
            return true;
    return false;
}

/* kkt and reference take the law itself, at the level of accelerations; xpbd turns by w h without its third power. */
static bool is_backward_euler(const Solver *solver, JointType type)
{
    return !(strcmp(solver->name, "xpbd") == 0 && type == JOINT_HINGE) && strcmp(solver->name, "kkt") != 0 &&
           strcmp(solver->name, "reference") != 0;
}

static JointDrive servo(double kp, double kd, double target)
{
    JointDrive drive = JOINT_DRIVE_INIT;
    drive.kp = kp;
    drive.kd = kd;
    drive.target = target;
    return drive;
}

/* (m + I) (u - u0) / h = f(q0 + h u, u), by bisection: its left side less its right rises with u. */
static double backward_euler(const JointLaw *law, double mass, double q, double u, double h)
{
    double low = -1e3, high = 1e3;
    for (int i = 0; i < 200; i++) {
        double v = 0.5 * (low + high), f = law_force(law, q + h * v, v).force;
        double rest = (mass + law->armature) * (v - u) / h - f;
        /* Friction gives what is missing at rest. */
        rest += v > 0.0 ? law->dry_friction : v < 0.0 ? -law->dry_friction : 0.0;
        *(rest > 0.0 ? &high : &low) = v;
    }
    return 0.5 * (low + high);
}

static JointLaw random_law(Random *random, int which)
{
    JointLaw law = JOINT_LAW_INIT;
    law.start = random_in(random, -1.0, 1.0);
    law.viscous = which & 1 ? random_in(random, 0.1, 20.0) : 0.0;
    law.stiffness = which & 2 ? random_in(random, 1.0, 300.0) : 0.0;
    law.rest = random_in(random, -1.0, 1.0);
    law.armature = which & 4 ? random_in(random, 0.01, 0.6) : 0.0;
    law.dry_friction = which & 8 ? random_in(random, 0.1, 3.0) : 0.0;
    law.drive_count = which & 16 ? 1 : 0;
    law.drives[0] = servo(random_in(random, 1.0, 50.0), random_in(random, 0.0, 5.0), random_in(random, -1.0, 1.0));
    if (which & 32) {
        law.drives[0].max[0] = -1.5;
        law.drives[0].max[1] = 2.5;
    }
    return law;
}

static void one_step_of_every_law_is_backward_euler(void **state)
{
    (void)state;
    Random random = {7001};
    const double H = 1.0 / 60.0;
    for (int trial = 2; trial < 128; trial++) {
        JointType type = trial & 1 ? JOINT_HINGE : JOINT_PRISMATIC;
        JointLaw law = random_law(&random, trial >> 1);
        double speed = random_in(&random, -2.0, 2.0);
        if (!law_acts(&law) && law.dry_friction == 0.0)
            continue;
        double wanted = backward_euler(&law, type == JOINT_HINGE ? INERTIA : MASS, law.start, speed, H);
        for (int s = 0; s < solver_count; s++) {
            const Solver *solver = all_solvers[s];
            World *world = one_coordinate(type, &law, speed);
            if (takes(solver, world) && is_backward_euler(solver, type)) {
                char options[64];
                snprintf(options, sizeof options, "substeps=1%s", iterates(solver) ? MANY : "");
                drive_run(world, solver->name, options, H, 1);
                /* 200 sweeps over two or three rows leave this little. */
                if (!(fabs(rate_of(world) - wanted) < 1e-7))
                    fail_msg("%s, law %d: %.12g, not %.12g", solver->name, trial >> 1, rate_of(world), wanted);
            }
            world_destroy(world);
        }
    }
}

/* The coordinate and its rate after `time` s with n, 2n, 4n, ... steps, extrapolated to h = 0 (Neville). */
enum { LEVELS = 6 };

static void extrapolate(const JointLaw *law, double speed, const char *solver, const char *more, double time, int steps,
                        double result[2])
{
    double table[2][LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        char options[64];
        World *world = one_coordinate(JOINT_HINGE, law, speed);
        snprintf(options, sizeof options, "substeps=%d%s", steps << level, more);
        drive_run(world, solver, options, time, 1);
        table[0][level] = coordinate_of(world);
        table[1][level] = rate_of(world);
        world_destroy(world);
        for (int k = 0; k < 2; k++)
            for (int j = level - 1; j >= 0; j--)
                table[k][j] = table[k][j + 1] + (table[k][j + 1] - table[k][j]) / ((1 << (level - j)) - 1);
    }
    result[0] = table[0][0];
    result[1] = table[1][0];
}

/* Every solver of the list that takes it. */
static void check_limit(const JointLaw *law, double speed, double time, int steps, double q, double u)
{
    int count = 0;
    for (int s = 0; s < solver_count; s++) {
        const Solver *solver = all_solvers[s];
        World *world = one_coordinate(JOINT_HINGE, law, speed);
        bool ok = takes(solver, world) && strcmp(solver->name, "reference") != 0;
        world_destroy(world);
        if (!ok)
            continue;
        double result[2];
        bool slow = strcmp(solver->name, "naive_avg") == 0;
        extrapolate(law, speed, solver->name, !iterates(solver) ? "" : slow ? MANY : SOME, time, steps, result);
        if (!(fabs(result[0] - q) < 1e-6 && fabs(result[1] - u) < 1e-6))
            fail_msg("%s: %.9g and %.9g, not %.9g and %.9g", solver->name, result[0], result[1], q, u);
        count++;
    }
    assert_true(count >= 3);
}

/* u = u0 exp(-d t / (J + I)) */
static void viscous_friction_decays_as_it_should(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.viscous = 0.83;
    double rate = law.viscous / INERTIA, time = 0.7;
    check_limit(&law, 2.1, time, 16, 2.1 / rate * (1.0 - exp(-rate * time)), 2.1 * exp(-rate * time));
}

/* q - rest = a cos(w t), w^2 = k / (J + I): armature slows it. */
static void a_torsion_spring_with_armature_has_its_period(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.stiffness = 23.0;
    law.rest = 0.2;
    law.armature = 0.21;
    law.start = 0.6;
    double w = sqrt(law.stiffness / (INERTIA + law.armature)), time = 0.5;
    check_limit(&law, 0.0, time, 32, 0.2 + 0.4 * cos(w * time), -0.4 * w * sin(w * time));
}

/* Underdamped: q = target (1 - exp(-s t) (cos w t + s / w sin w t)), s = kd / 2J, w^2 = kp / J - s^2. */
static void a_drive_answers_a_step_in_closed_form(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.drive_count = 1;
    law.drives[0] = servo(30.0, 1.7, 0.5);
    double s = 0.5 * 1.7 / INERTIA, w = sqrt(30.0 / INERTIA - s * s), time = 0.4;
    double q = 0.5 * (1.0 - exp(-s * time) * (cos(w * time) + s / w * sin(w * time)));
    double u = 0.5 * exp(-s * time) * (s * s / w + w) * sin(w * time);
    check_limit(&law, 0.0, time, 32, q, u);
}

/* At its bound it is a constant torque: q = tau t^2 / 2J. */
static void a_drive_at_its_bound_gives_its_bound(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.drive_count = 1;
    law.drives[0] = servo(1000.0, 0.0, 5.0);
    law.drives[0].max[0] = -0.4;
    law.drives[0].max[1] = 0.9;
    double time = 0.6;
    check_limit(&law, 0.0, time, 8, 0.45 * time * time / INERTIA, 0.9 * time / INERTIA);
    law.effort[0] = -0.5;
    law.effort[1] = 0.5;
    check_limit(&law, 0.0, time, 8, 0.25 * time * time / INERTIA, 0.5 * time / INERTIA);
}

/* t = J u0 / f, q = J u0^2 / 2f; then it rests. Steps end where it stops. */
static void dry_friction_stops_after_its_time_and_way(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.dry_friction = 0.74;
    double u = 1.2, time = INERTIA * u / law.dry_friction;
    check_limit(&law, u, time, 8, 0.5 * u * time, 0.0);
    check_limit(&law, u, 0.5 * time, 8, 0.375 * u * time, 0.5 * u);
    check_limit(&law, u, 2.0 * time, 8, 0.5 * u * time, 0.0);
}

/* A push below the bound does not move it; above, the rest accelerates it. */
static void dry_friction_sticks_up_to_its_bound(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.dry_friction = 0.74;
    law.drive_count = 1;
    law.drives[0] = servo(0.0, 0.0, 0.0);
    law.drives[0].force = 0.74 * (1.0 - 1e-9);
    check_limit(&law, 0.0, 0.5, 8, 0.0, 0.0);
    law.drives[0].force = 0.74 + 0.2;
    check_limit(&law, 0.0, 0.5, 8, 0.5 * 0.2 / INERTIA * 0.25, 0.2 / INERTIA * 0.5);
}

/* Damping of 3 N m s on 1e-6 kg m^2: any explicit step explodes. */
static void stiff_damping_of_light_links_is_stable(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.viscous = 3e6 * INERTIA;
    for (int s = 0; s < solver_count; s++) {
        World *world = one_coordinate(JOINT_HINGE, &law, 2.0);
        if (takes(all_solvers[s], world) && is_backward_euler(all_solvers[s], JOINT_PRISMATIC)) {
            drive_run(world, all_solvers[s]->name, "", 1.0 / 60.0, 10);
            assert_true(fabs(rate_of(world)) < 1e-6);
        }
        world_destroy(world);
    }
}

/* x, y and a turn: m x'' = 0, and a push off the plane does nothing. */
static void a_planar_series_moves_freely_in_its_plane(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++) {
        World *world = world_create();
        BodyDef def = BODY_DEF_INIT;
        SeriesAxis axes[3];
        Vec3 x = vec3_unit(vec3(1, 2, -2)), y = vec3_any_normal(x), z = vec3_cross(x, y);
        for (int i = 0; i < 3; i++)
            axes[i] = (SeriesAxis){.name = i == 0   ? "x"
                                           : i == 1 ? "y"
                                                    : "turn",
                                   .turns = i == 2,
                                   .axis = i == 0   ? x
                                           : i == 1 ? y
                                                    : z,
                                   .limits = {-INFINITY, INFINITY},
                                   .law = JOINT_LAW_INIT};
        def.name = "body";
        def.mass = MASS;
        def.has_inertia = true;
        def.inertia = vec3(INERTIA, INERTIA, INERTIA);
        def.velocity = vec3_add(vec3_scale(0.7, x), vec3_scale(-0.4, y));
        def.angular_velocity = vec3_scale(1.3, z);
        def.force = vec3_scale(5.0, z);
        def.torque = vec3_scale(2.0, x);
        world->gravity = vec3_scale(-3.0, y);
        build_body(world, &def);
        JointDef joint = joint_def(JOINT_SERIES, 0, 1);
        joint.axis_count = 3;
        joint.axes = axes;
        build_joint(world, &joint);
        if (takes(all_solvers[s], world)) {
            double time = 0.5;
            char options[64];
            snprintf(options, sizeof options, "substeps=400%s", iterates(all_solvers[s]) ? SOME : "");
            drive_run(world, all_solvers[s]->name, options, time, 1);
            const Joint *own = &world->joints[0];
            /* Semi-implicit Euler is g h t / 2 = 9.4e-4 m late; springs of penalty and avbd give way by less. */
            if (!(fabs(joint_coordinate(world, own, 0) - 0.35) < 2e-4 &&
                  fabs(joint_coordinate(world, own, 1) - (-0.2 - 0.375)) < 1.2e-3 &&
                  fabs(joint_coordinate(world, own, 2) - 0.65) < 2e-4))
                fail_msg("%s: %g %g %g", all_solvers[s]->name, joint_coordinate(world, own, 0),
                         joint_coordinate(world, own, 1), joint_coordinate(world, own, 2));
            /* penalty's springs give way to the 5 N by 4.7e-4 m. */
            if (!(fabs(vec3_dot(world->pose[1].x, z)) < 6e-4))
                fail_msg("%s: %g off the plane", all_solvers[s]->name, vec3_dot(world->pose[1].x, z));
        }
        world_destroy(world);
    }
}

/* An even body on a ball at its centre turns about one axis as on a hinge: each component has the law. */
static void a_balls_law_is_three_equal_ones(void **state)
{
    (void)state;
    const double H = 1.0 / 600.0, time = 0.5;
    Vec3 axis = vec3_unit(vec3(2, -1, 3));
    JointLaw law = JOINT_LAW_INIT;
    law.viscous = 0.4;
    law.stiffness = 23.0;
    law.armature = 0.21;
    law.start_turn = quat_exp(vec3_scale(0.4, axis));
    double inertia = INERTIA + 0.21, s = 0.5 * 0.4 / inertia, w = sqrt(23.0 / inertia - s * s);
    double wanted = 0.4 * exp(-s * time) * (cos(w * time) + s / w * sin(w * time));
    for (int i = 0; i < solver_count; i++) {
        World *world = one_coordinate(JOINT_BALL, &law, 0.0);
        Status status = {0};
        bool ok = takes(all_solvers[i], world) && is_backward_euler(all_solvers[i], JOINT_BALL);
        if (ok && solver_supports(all_solvers[i], world, &status)) {
            char options[64];
            snprintf(options, sizeof options, "substeps=%d%s", (int)(0.5 / H), iterates(all_solvers[i]) ? SOME : "");
            drive_run(world, all_solvers[i]->name, options, time, 1);
            Vec3 turn = joint_ball_turn(world, &world->joints[0]);
            /* Of first order: w^2 h t / 2 of the amplitude. */
            if (!(fabs(vec3_dot(turn, axis) - wanted) < 0.4 * w * w * H * time &&
                  vec3_norm(vec3_cross(turn, axis)) < 1e-9))
                fail_msg("%s: %g, not %g, and %g aside", all_solvers[i]->name, vec3_dot(turn, axis), wanted,
                         vec3_norm(vec3_cross(turn, axis)));
        }
        world_destroy(world);
    }
}

/* Dry friction on a ball holds each component alone. */
static void dry_friction_on_a_ball_stops_it(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.dry_friction = 0.74;
    for (int i = 0; i < solver_count; i++) {
        World *world = one_coordinate(JOINT_BALL, &law, 0.0);
        world->velocity[1].w = vec3(1.2, 0.6, 0.0);
        if (takes(all_solvers[i], world) && is_backward_euler(all_solvers[i], JOINT_BALL) &&
            strcmp(all_solvers[i]->name, "xpbd") != 0) {
            drive_run(world, all_solvers[i]->name, "substeps=8", 0.25 * INERTIA * 1.2 / 0.74, 1);
            if (vec3_norm(vec3_sub(world->velocity[1].w, vec3(0.9, 0.3, 0.0))) > 1e-3)
                fail_msg("%s: %g %g", all_solvers[i]->name, world->velocity[1].w.x, world->velocity[1].w.y);
        }
        world_destroy(world);
    }
}

/* A body on a ball falls sideways until its whole turn is at its bound, and hangs there; on penalty's springs it still
 * bounces. */
static void a_balls_whole_turn_stops_at_its_bound(void **state)
{
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        World *world = world_create();
        BodyDef def = BODY_DEF_INIT;
        def.name = "body";
        def.mass = 1.0;
        def.has_inertia = true;
        def.inertia = vec3(0.1, 0.1, 0.1);
        def.position = vec3(0.5, 0.0, 0.0);
        build_body(world, &def);
        JointDef joint = joint_def(JOINT_BALL, 0, 1);
        joint.turn_max = 0.4;
        build_joint(world, &joint);
        if (takes(all_solvers[i], world) && strcmp(all_solvers[i]->name, "penalty") != 0) {
            drive_run(world, all_solvers[i]->name, "substeps=20", 1.0 / 60.0, 120);
            /* avbd's penalties give way to the 4.5 N m. */
            if (vec3_norm(vec3_sub(world->pose[1].x, vec3(0.5 * cos(0.4), -0.5 * sin(0.4), 0.0))) > 5e-3)
                fail_msg("%s: %g %g", all_solvers[i]->name, world->pose[1].x.x, world->pose[1].x.y);
        }
        world_destroy(world);
    }
}

/* The reference takes the law itself. */
static void reference_follows_the_closed_forms(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.viscous = 0.31;
    law.armature = 0.21;
    law.stiffness = 11.0;
    law.rest = 0.2;
    law.start = 0.6;
    law.drive_count = 1;
    law.drives[0] = servo(12.0, 0.4, 0.1);
    double inertia = INERTIA + 0.21, s = 0.5 * (0.31 + 0.4) / inertia, w = sqrt(23.0 / inertia - s * s), time = 0.7;
    double rest = (11.0 * 0.2 + 12.0 * 0.1) / 23.0, a = 0.6 - rest, u = 1.3, b = (u + s * a) / w;
    World *world = one_coordinate(JOINT_HINGE, &law, u);
    drive_run(world, "reference", "", time, 1);
    assert_near(coordinate_of(world), rest + exp(-s * time) * (a * cos(w * time) + b * sin(w * time)), 1e-10);
    assert_near(rate_of(world), exp(-s * time) * ((b * w - s * a) * cos(w * time) - (a * w + s * b) * sin(w * time)),
                1e-9);
    world_destroy(world);
}

/* A step at the drive's bound: work is bound times way, and energy less work stays. */
static void energy_knows_springs_drives_and_armature(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.stiffness = 23.0;
    law.armature = 0.21;
    law.start = 0.3;
    law.drive_count = 1;
    law.drives[0] = servo(0.0, 0.0, 0.0);
    law.drives[0].force = 1.7;
    World *world = one_coordinate(JOINT_HINGE, &law, 0.9);
    double before = world_energy(world);
    drive_run(world, "direct", "substeps=20000", 0.3, 1);
    double after = world_energy(world) - world->actuator_work;
    /* Of first order: 20,000 steps leave 1e-5 of the 1.2 J that go to and fro. */
    assert_near(after, before, 2e-4);
    assert_near(world->actuator_work, 1.7 * (coordinate_of(world) - 0.3), 1e-9);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_of_every_law_is_backward_euler),
        cmocka_unit_test(viscous_friction_decays_as_it_should),
        cmocka_unit_test(a_torsion_spring_with_armature_has_its_period),
        cmocka_unit_test(a_drive_answers_a_step_in_closed_form),
        cmocka_unit_test(a_drive_at_its_bound_gives_its_bound),
        cmocka_unit_test(dry_friction_stops_after_its_time_and_way),
        cmocka_unit_test(dry_friction_sticks_up_to_its_bound),
        cmocka_unit_test(stiff_damping_of_light_links_is_stable),
        cmocka_unit_test(a_planar_series_moves_freely_in_its_plane),
        cmocka_unit_test(a_balls_law_is_three_equal_ones),
        cmocka_unit_test(dry_friction_on_a_ball_stops_it),
        cmocka_unit_test(a_balls_whole_turn_stops_at_its_bound),
        cmocka_unit_test(reference_follows_the_closed_forms),
        cmocka_unit_test(energy_knows_springs_drives_and_armature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
