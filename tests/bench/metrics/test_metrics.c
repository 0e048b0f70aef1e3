/* SPDX-License-Identifier: MIT */
#include "bench/metrics/metrics.h"
#include "model/contact.h"
#include "tests/support/throw.h"

#include <stdio.h>

static const double DT = 0.0173;

/* Sets up what a frame's end looks like, for a problem at rest in its initial state. */
typedef void Arrange(Problem *problem, int frame);

static double measure(Problem *problem, const char *name, int frames, Arrange *arrange, double residual, bool blew_up)
{
    double values[METRICS_MAX];
    MetricRecorder *recorder = metrics_begin(problem, DT, frames, 0, false);
    assert_non_null(recorder);
    for (int f = 1; f <= frames; f++) {
        if (arrange)
            arrange(problem, f);
        metrics_record(recorder, f, residual);
    }
    metrics_finish(recorder, blew_up, values);
    metrics_destroy(recorder);
    int index = metric_find(name);
    assert_true(index >= 0);
    return values[index];
}

static Problem *two_particles(void)
{
    Vec3 velocities[2] = {vec3(2.3, -0.7, 0.4), vec3(-1.1, 0.6, 1.9)};
    Problem *problem = throw_problem(2, velocities);
    problem->world->pose[1].x = vec3(0.3, 0.4, 1.2); /* 1.3 from the origin */
    problem->world->pose[2].x = vec3(2.3, 0.4, 1.2); /* 2 from the first */
    problem->truth = NULL;
    return problem;
}

static void tie(Problem *problem, int one, int two, double rest, double compliance, bool rope)
{
    JointDef def = joint_def(JOINT_DISTANCE, one, two);
    def.name = "tie";
    def.local_anchors = true;
    def.rest = rest;
    def.compliance = compliance;
    def.one_sided = rope;
    build_joint(problem->world, &def);
}

static void list_has_every_metric_of_the_contract_once(void **state)
{
    (void)state;
    static const char *const CONTRACT[] = {
        "drift_max",        "drift_rms",       "drift_angle_max", "volume_error_max",       "energy_error_max",
        "energy_error_end", "energy_gain_max", "momentum_error",  "angular_momentum_error", "error_max",
        "error_rms",        "error_end",       "error_angle_max", "error_angle_end",        "force_error",
        "jitter_rms",       "settled",         "residual",
    };
    for (size_t i = 0; i < sizeof CONTRACT / sizeof CONTRACT[0]; i++)
        assert_true(metric_find(CONTRACT[i]) >= 0);
    assert_int_equal(metric_find("drift"), -1);
    for (int i = 0; i < metric_count; i++) {
        assert_int_equal(metric_find(all_metrics[i]->name), i);
        assert_true(all_metrics[i]->unit[0] && all_metrics[i]->definition[0]);
    }
}

static void drift_counts_rigid_blocks_and_violated_limits_only(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    assert_true(isnan(measure(problem, "drift_max", 1, NULL, NAN, false)));
    tie(problem, 0, 1, 1.25, 0.0, false);  /* off by 0.05 */
    tie(problem, 1, 2, 1.0, 0.003, false); /* soft: off by 1, not counted */
    tie(problem, 1, 2, 2.5, 0.0, true);    /* slack rope: not counted */
    double off = 0.05, eps = 1e-15;        /* lengths of order 1 round off there */
    assert_near(measure(problem, "drift_max", 3, NULL, NAN, false), off, eps);
    assert_near(measure(problem, "drift_rms", 3, NULL, NAN, false), off, eps);
    tie(problem, 1, 2, 1.88, 0.0, true); /* taut by 0.12 */
    assert_near(measure(problem, "drift_max", 3, NULL, NAN, false), 0.12, eps);
    assert_near(measure(problem, "drift_rms", 3, NULL, NAN, false), sqrt((0.05 * 0.05 + 0.12 * 0.12) / 2.0), eps);
    problem_destroy(problem);
}

static void drift_of_limits_that_hold_is_zero(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    tie(problem, 1, 2, 2.5, 0.0, true); /* a slack rope, and nothing else */
    assert_near(measure(problem, "drift_max", 3, NULL, NAN, false), 0.0, 0.0);
    assert_near(measure(problem, "drift_rms", 3, NULL, NAN, false), 0.0, 0.0);
    problem_destroy(problem);
}

static void drift_angle_leaves_out_drives_with_bounded_torque(void **state)
{
    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        Problem *problem = throw_problem(0, NULL);
        BodyDef box = BODY_DEF_INIT;
        box.name = "box";
        box.shape.kind = SHAPE_BOX;
        box.shape.size = vec3(0.3, 0.5, 0.7);
        box.density = 812.0;
        int body = build_body(problem->world, &box);
        JointDef servo = joint_def(JOINT_SERVO, 0, body);
        servo.name = "servo";
        servo.axis = vec3(0, 0, 1);
        servo.target = 0.73;
        servo.max_torque = bounded ? 4.0 : NAN;
        build_joint(problem->world, &servo);
        problem->truth = NULL;
        /* The hinge's own rows hold; only the drive is away from its target. */
        assert_near(measure(problem, "drift_angle_max", 2, NULL, NAN, false), bounded ? 0.0 : 0.73, 1e-15);
        problem_destroy(problem);
    }
}

static void volume_error_is_relative_and_counts_soft_rows(void **state)
{
    (void)state;
    Vec3 still[4] = {VEC3_ZERO, VEC3_ZERO, VEC3_ZERO, VEC3_ZERO};
    Problem *problem = throw_problem(4, still);
    problem->truth = NULL;
    problem->world->pose[2].x = vec3(1.1, 0, 0);
    problem->world->pose[3].x = vec3(0, 1.2, 0);
    problem->world->pose[4].x = vec3(0, 0, 1.3);
    JointDef def = joint_def(JOINT_VOLUME, 1, 2);
    def.name = "cell";
    def.body[2] = 3;
    def.body[3] = 4;
    def.compliance = 0.02;
    build_joint(problem->world, &def);
    problem->world->pose[4].x.z *= 1.17; /* the volume grows likewise */
    assert_near(measure(problem, "volume_error_max", 2, NULL, NAN, false), 0.17, 1e-14);
    problem_destroy(problem);
}

static void arrange_fall(Problem *problem, int frame)
{
    (void)frame;
    problem->world->pose[1].x.y -= 0.1;
    problem->world->actuator_work += 0.02;
}

static void energy_error_has_both_signs_and_gain_only_one(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    /* potential energy falls by m g 0.1 a frame while motors put 0.02 J in */
    double lost = (1.7 * 9.81 * 0.1 + 0.02) / problem->energy_scale;
    assert_near(measure(problem, "energy_error_max", 3, arrange_fall, NAN, false), 3 * lost, 1e-14);
    assert_near(measure(problem, "energy_error_end", 3, arrange_fall, NAN, false), 3 * lost, 1e-14);
    assert_near(measure(problem, "energy_gain_max", 3, arrange_fall, NAN, false), 0.0, 0.0);
    problem->world->gravity.y = 9.81; /* now it rises */
    double gained = (1.7 * 9.81 * 0.1 - 0.02) / problem->energy_scale;
    assert_near(measure(problem, "energy_gain_max", 3, arrange_fall, NAN, false), 3 * gained, 1e-14);
    problem->passive = false;
    problem->conserves = 0;
    assert_true(isnan(measure(problem, "energy_gain_max", 3, arrange_fall, NAN, false)));
    assert_true(isnan(measure(problem, "energy_error_max", 3, arrange_fall, NAN, false)));
    problem_destroy(problem);
}

static void arrange_push(Problem *problem, int frame)
{
    problem->world->velocity[1].v.x = 2.3 + 0.01 * frame;
}

static void momentum_error_is_relative_to_the_absolute_momenta(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    const World *world = problem->world;
    problem->conserves = CONSERVES_MOMENTUM | CONSERVES_ANGULAR_MOMENTUM;
    double p1 = 1.7 * vec3_norm(world->velocity[1].v), p2 = 2.7 * vec3_norm(world->velocity[2].v);
    assert_near(measure(problem, "momentum_error", 4, arrange_push, NAN, false), 1.7 * 0.04 / (p1 + p2), 1e-15);
    world->velocity[1].v.x = 2.3;
    double l1 = 1.7 * vec3_norm(vec3_cross(world->pose[1].x, world->velocity[1].v));
    double l2 = 2.7 * vec3_norm(vec3_cross(world->pose[2].x, world->velocity[2].v));
    double arm = sqrt(0.4 * 0.4 + 1.2 * 1.2); /* of a push along x */
    assert_near(measure(problem, "angular_momentum_error", 4, arrange_push, NAN, false), 1.7 * 0.04 * arm / (l1 + l2),
                1e-15);
    problem_destroy(problem);
}

static void momentum_error_needs_something_that_moves(void **state)
{
    (void)state;
    Vec3 still = VEC3_ZERO;
    Problem *problem = throw_problem(1, &still);
    problem->conserves = CONSERVES_MOMENTUM;
    assert_true(isnan(measure(problem, "momentum_error", 2, NULL, NAN, false)));
    problem_destroy(problem);
}

/* Position k off by 0.1 k frame; orientation turned by 0.05 a frame; force a cubic in time. */
static void known_truth(const Problem *problem, double t, Truth *truth)
{
    truth->has_position[1] = truth->has_position[2] = true;
    truth->position[1] = problem->world->bodies[1].position;
    truth->position[2] = problem->world->bodies[2].position;
    truth->has_orientation[1] = true;
    truth->orientation[1] = problem->world->bodies[1].orientation;
    truth->has_force[0] = true;
    truth->force[0] = vec3(1.0 + 2.0 * t - 3.0 * t * t + 40.0 * t * t * t, -5.0, 0.25 * t);
    truth->has_force[1] = problem->world->joint_count > 1;
    if (truth->has_force[1])
        truth->force[1] = vec3(0.03, 0, 0); /* small: errors count against the largest force */
}

static Problem *known_problem(Random *random)
{
    Problem *problem = throw_problem(0, NULL);
    build_random_box(problem->world, random, "a");
    build_random_box(problem->world, random, "b");
    problem->truth = known_truth;
    JointDef ball = joint_def(JOINT_BALL, 1, 2);
    ball.name = "ball";
    build_joint(problem->world, &ball);
    return problem;
}

static void arrange_errors(Problem *problem, int frame)
{
    World *world = problem->world;
    for (int k = 1; k <= 2; k++)
        world->pose[k].x = vec3_add_scaled(world->bodies[k].position, 0.1 * k * frame, vec3(0.6, 0.0, -0.8));
    Quat turn = quat_axis_angle(vec3_unit(vec3(1, 2, -3)), 0.05 * frame);
    world->pose[1].q = quat_mul(quat_mul(turn, world->bodies[1].orientation), world->principal[1]);
}

static void errors_against_the_truth_follow_their_definitions(void **state)
{
    (void)state;
    Random random = {20261};
    Problem *problem = known_problem(&random);
    double eps = 1e-14; /* positions of order 1, three frames */
    assert_near(measure(problem, "error_max", 3, arrange_errors, NAN, false), 0.6, eps);
    assert_near(measure(problem, "error_end", 3, arrange_errors, NAN, false), 0.6, eps);
    /* squares 0.01 (1 + 4)(1 + 4 + 9) over six samples */
    assert_near(measure(problem, "error_rms", 3, arrange_errors, NAN, false), sqrt(0.01 * 5.0 * 14.0 / 6.0), eps);
    assert_near(measure(problem, "error_angle_max", 3, arrange_errors, NAN, false), 0.15, eps);
    assert_near(measure(problem, "error_angle_end", 3, arrange_errors, NAN, false), 0.15, eps);
    problem_destroy(problem);
}

/* Antiderivative of known_truth's force. */
static Vec3 known_impulse(double t)
{
    return vec3(t + t * t - t * t * t + 10.0 * t * t * t * t, -5.0 * t, 0.125 * t * t);
}

static void arrange_impulse(Problem *problem, int frame)
{
    Vec3 sum = vec3_sub(known_impulse(frame * DT), known_impulse((frame - 1) * DT));
    problem->world->joints[0].impulse = vec3_add(sum, vec3(0, 0, 0.02 * DT * frame));
}

static void force_error_compares_means_over_the_last_frame(void **state)
{
    (void)state;
    Random random = {77};
    Problem *problem = known_problem(&random);
    /* Simpson's rule is exact for a cubic, so what is left is the 0.02 N a frame that was added. */
    Vec3 mean = vec3_scale(1.0 / DT, vec3_sub(known_impulse(5 * DT), known_impulse(4 * DT)));
    double expected = 0.1 / vec3_norm(mean);
    assert_near(measure(problem, "force_error", 5, arrange_impulse, NAN, false), expected, 1e-13);
    JointDef second = joint_def(JOINT_BALL, 1, 2);
    second.name = "second";
    build_joint(problem->world, &second);
    problem->world->joints[1].impulse = vec3(0.03 * DT, 0, 0.05 * DT); /* off by 0.05, of its own force 5/3 */
    assert_near(measure(problem, "force_error", 5, arrange_impulse, NAN, false), expected, 1e-13);
    problem->world->joints[1].impulse = vec3(0.03 * DT, 0, 0.2 * DT);
    assert_near(measure(problem, "force_error", 5, arrange_impulse, NAN, false), 2.0 * expected, 1e-13);
    problem_destroy(problem);
}

static void arrange_slowing(Problem *problem, int frame)
{
    /* loud until one second before the end of 80 frames, then 0.3 and 0.4 m/s */
    bool late = frame > 80 - (int)round(1.0 / DT);
    problem->world->velocity[1].v = vec3(0, late ? 0.3 : 50.0, 0);
    problem->world->velocity[2].v = vec3(late ? 0.4 : 50.0, 0, 0);
}

static void jitter_looks_at_the_last_second_only(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    assert_true(isnan(measure(problem, "jitter_rms", 80, arrange_slowing, NAN, false)));
    problem->rest = true;
    assert_near(measure(problem, "jitter_rms", 80, arrange_slowing, NAN, false), sqrt((0.09 + 0.16) / 2.0), 1e-14);
    problem_destroy(problem);
}

static bool is_low(const Problem *problem, const World *world)
{
    (void)problem;
    return world->pose[1].x.y < 0.15;
}

static void settled_is_the_predicate_at_the_end_and_never_after_a_blow_up(void **state)
{
    (void)state;
    Problem *problem = two_particles(); /* from 0.4 down by 0.1 a frame */
    assert_true(isnan(measure(problem, "settled", 1, NULL, NAN, false)));
    problem->settled = is_low;
    assert_near(measure(problem, "settled", 2, arrange_fall, NAN, false), 0.0, 0.0);
    assert_near(measure(problem, "settled", 1, arrange_fall, NAN, false), 1.0, 0.0);
    assert_near(measure(problem, "settled", 1, arrange_fall, NAN, true), 0.0, 0.0);
    problem_destroy(problem);
}

/* A sphere between two that are held: it overlaps one by 0.03 and is 0.002 away from the other. */
static Problem *three_spheres(void)
{
    Problem *problem = throw_problem(0, NULL);
    const double places[3] = {0.0, 0.47, 0.972};
    for (int i = 0; i < 3; i++) {
        BodyDef ball = BODY_DEF_INIT;
        ball.name = (const char *const[]){"left", "middle", "right"}[i];
        ball.position = vec3(places[i], 0.3, -1.7);
        ball.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.25};
        ball.density = 950.0;
        ball.fixed = i != 1;
        build_body(problem->world, &ball);
    }
    problem->world->collide = true;
    problem->truth = NULL;
    assert_true(contacts_detect(problem->world) && contacts_add_blocks(problem->world));
    assert_int_equal(problem->world->manifold_count, 2);
    return problem;
}

static void arrange_deeper(Problem *problem, int frame)
{
    problem->world->pose[2].x.x = 0.47 - 0.01 * (frame - 1);
}

static void penetration_counts_contacts_that_overlap(void **state)
{
    (void)state;
    Problem *problem = three_spheres();
    double eps = 1e-15; /* places of order 1 */
    assert_near(measure(problem, "penetration_max", 2, arrange_deeper, NAN, false), 0.04, eps);
    assert_near(measure(problem, "penetration_rms", 2, arrange_deeper, NAN, false),
                sqrt((0.03 * 0.03 + 0.04 * 0.04) / 2.0), eps);
    problem_destroy(problem);
}

static void residual_is_null_for_a_solver_without_one(void **state)
{
    (void)state;
    Problem *problem = two_particles();
    assert_true(isnan(measure(problem, "residual", 3, NULL, NAN, false)));
    assert_near(measure(problem, "residual", 3, NULL, 0.123, false), 0.123, 1e-16);
    problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_has_every_metric_of_the_contract_once),
        cmocka_unit_test(drift_counts_rigid_blocks_and_violated_limits_only),
        cmocka_unit_test(drift_of_limits_that_hold_is_zero),
        cmocka_unit_test(drift_angle_leaves_out_drives_with_bounded_torque),
        cmocka_unit_test(volume_error_is_relative_and_counts_soft_rows),
        cmocka_unit_test(energy_error_has_both_signs_and_gain_only_one),
        cmocka_unit_test(momentum_error_is_relative_to_the_absolute_momenta),
        cmocka_unit_test(momentum_error_needs_something_that_moves),
        cmocka_unit_test(errors_against_the_truth_follow_their_definitions),
        cmocka_unit_test(force_error_compares_means_over_the_last_frame),
        cmocka_unit_test(jitter_looks_at_the_last_second_only),
        cmocka_unit_test(settled_is_the_predicate_at_the_end_and_never_after_a_blow_up),
        cmocka_unit_test(penetration_counts_contacts_that_overlap),
        cmocka_unit_test(residual_is_null_for_a_solver_without_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
