/* SPDX-License-Identifier: MIT */
#include "bench/run/runner.h"
#include "model/contact.h"
#include "scenes/list.h"
#include "tests/support/flight.h"
#include "tests/support/throw.h"

static const Solver FLIGHT = FLIGHT_SOLVER(SOLVER_ABI);

static FlightOptions flight_options(int substeps, int iterations)
{
    return (FlightOptions){.common = {.substeps = substeps, .iterations = iterations}, .boost = 1.0};
}

static Problem *throw_one(void)
{
    Vec3 velocity = vec3(2.31, 6.83, -1.27);
    return throw_problem(1, &velocity);
}

static double metric_of(const RunResult *result, const char *name)
{
    int index = metric_find(name);
    assert_true(index >= 0);
    return result->metrics[index];
}

static RunResult run(Problem *problem, const FlightOptions *options, double dt, double time, bool series)
{
    RunResult result;
    Status status = {0};
    RunPlan plan = {&FLIGHT, options, dt, time, .keep_series = series};
    if (!run_problem(problem, &plan, &result, &status))
        fail_msg("%s", status.message);
    return result;
}

static void loop_enters_each_substep_iterates_and_judges_once_a_frame(void **state)
{
    (void)state;
    FlightCounts counts = {0};
    FlightOptions options = flight_options(5, 4);
    options.counts = &counts;
    Problem *problem = throw_one();
    RunResult result = run(problem, &options, 0.02, 0.26, false);
    assert_int_equal(result.status, RUN_OK);
    assert_int_equal(result.frames, 13);
    assert_int_equal(result.frames_done, 13);
    assert_int_equal(counts.enters, 13 * 5);
    assert_int_equal(counts.iterates, 13 * 5 * 4);
    assert_int_equal(counts.residuals, 13);
    assert_int_equal(result.row_solves, 7 * 13 * 5 * 4);
    assert_near(metric_of(&result, "residual"), 0.0625, 0.0); /* 1/2^4, exact */
    assert_true(result.wall_s > 0.0 && result.us_per_frame > 0.0);
    assert_true(result.us_per_frame <= 1e6 * result.wall_s);
    problem_destroy(problem);
}

static void semi_implicit_fall_is_low_by_g_h_t_over_2(void **state)
{
    (void)state;
    FlightOptions options = flight_options(3, 1);
    Problem *problem = throw_one();
    double dt = 1.0 / 47.0, time = 31.0 * dt, h = dt / 3.0;
    RunResult result = run(problem, &options, dt, time, false);
    /* 93 steps round off at 1e-16 of some metres each */
    assert_near(metric_of(&result, "error_end"), 9.81 * h * time / 2.0, 1e-13);
    assert_near(metric_of(&result, "error_max"), metric_of(&result, "error_end"), 0.0);
    assert_true(metric_of(&result, "error_rms") < metric_of(&result, "error_end"));
    problem_destroy(problem);
}

static void frame_count_is_rounded_and_refuses_nonsense(void **state)
{
    (void)state;
    Status status = {0};
    assert_int_equal(run_frame_count(2.0, 1.0 / 60.0, &status), 120);
    assert_int_equal(run_frame_count(0.1, 0.03, &status), 3);
    assert_int_equal(run_frame_count(0.11, 0.03, &status), 4);
    assert_int_equal(run_frame_count(0.01, 0.03, &status), 0);
    assert_int_equal(status.code, STATUS_USAGE);
    assert_int_equal(run_frame_count(1.0, 0.0, &status), 0);
    assert_int_equal(run_frame_count(NAN, 0.1, &status), 0);
    assert_int_equal(run_frame_count(1.0, -0.1, &status), 0);
    assert_int_equal(run_frame_count(1e9, 1e-9, &status), 0);
}

static void blow_up_stops_and_metrics_cover_the_frames_before(void **state)
{
    (void)state;
    FlightOptions options = flight_options(1, 1);
    options.boost = 1.9;
    Problem *problem = throw_one(), *shorter = throw_one();
    double dt = 0.037;
    RunResult result = run(problem, &options, dt, 100 * dt, false);
    assert_int_equal(result.status, RUN_BLEW_UP);
    assert_in_range(result.frames_done, 2, 20);
    assert_near(result.blew_up_at, (result.frames_done + 1) * dt, 0.0);
    RunResult before = run(shorter, &options, dt, result.frames_done * dt, false);
    assert_int_equal(before.status, RUN_OK);
    assert_near(metric_of(&result, "error_max"), metric_of(&before, "error_max"), 0.0);
    assert_near(metric_of(&result, "error_end"), metric_of(&before, "error_end"), 0.0);
    assert_near(metric_of(&result, "energy_error_max"), metric_of(&before, "energy_error_max"), 0.0);
    problem_destroy(problem);
    problem_destroy(shorter);
}

static void state_that_is_not_finite_is_a_blow_up(void **state)
{
    (void)state;
    FlightOptions options = flight_options(2, 1);
    options.boost = NAN;
    Problem *problem = throw_one();
    RunResult result = run(problem, &options, 0.05, 1.0, true);
    assert_int_equal(result.status, RUN_BLEW_UP);
    assert_int_equal(result.frames_done, 0);
    assert_near(result.blew_up_at, 0.05, 0.0);
    assert_true(isnan(metric_of(&result, "error_max")));
    run_result_clear(&result);
    problem_destroy(problem);
}

/* Each particle's energy error grows by itself; the removed one's stays as it was when it left. */
static void removed_body_takes_its_energy_but_not_its_error(void **state)
{
    (void)state;
    Vec3 velocities[2] = {vec3(2.31, 6.83, -1.27), vec3(-0.83, 4.19, 3.03)};
    FlightOptions options = flight_options(1, 1);
    double dt = 0.0213;
    Problem *both = throw_problem(2, velocities);
    both->events = malloc(sizeof *both->events);
    assert_non_null(both->events);
    both->event_count = 1;
    both->events[0] = (SceneEvent){.time = 9.6 * dt, .remove = 1}; /* so as frame 10 begins */
    RunResult result = run(both, &options, dt, 25 * dt, false);

    Vec3 fall = both->world->gravity;
    /* semi-implicit Euler without rows: E(t) = E(0) - m g^2 h t / 2 */
    double rate = 0.5 * vec3_dot(fall, fall) * dt, lost = 1.7 * rate * 10 * dt + 2.7 * rate * 25 * dt;
    /* energies of some 100 J round off at 1e-14 each frame */
    assert_near(metric_of(&result, "energy_error_end"), lost / both->energy_scale, 1e-12);
    assert_near(metric_of(&result, "energy_gain_max"), 0.0, 0.0);
    assert_true(both->world->removed[1] && !both->world->removed[2]);
    problem_destroy(both);
}

static void unsupported_world_is_refused_by_name(void **state)
{
    (void)state;
    Problem *problem = throw_one();
    JointDef def = joint_def(JOINT_DISTANCE, 0, 1);
    def.name = "rope";
    def.rest = 1.3;
    build_joint(problem->world, &def);
    FlightOptions options = flight_options(1, 1);
    RunResult result;
    Status status = {0};
    assert_false(run_problem(problem, &(RunPlan){&FLIGHT, &options, 0.1, 1.0}, &result, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_int_equal(result.status, RUN_FAILED);
    assert_non_null(strstr(status.message, capability_names[0])); /* CAN_JOINTS */
    problem_destroy(problem);
}

static void runs_repeat_to_the_bit_and_series_agree_with_metrics(void **state)
{
    (void)state;
    FlightOptions options = flight_options(4, 2);
    Problem *one = throw_one(), *two = throw_one();
    RunResult a = run(one, &options, 0.011, 0.4, true), b = run(two, &options, 0.011, 0.4, true);
    assert_memory_equal(a.metrics, b.metrics, sizeof *a.metrics * (size_t)metric_count);
    size_t values = (size_t)a.frames_done * (size_t)metric_count;
    assert_memory_equal(a.series, b.series, sizeof *a.series * values);
    int end = metric_find("error_end"), rms = metric_find("error_rms");
    double squares = 0.0;
    for (int f = 0; f < a.frames_done; f++)
        squares += pow(a.series[f * metric_count + rms], 2.0);
    assert_near(a.series[(a.frames_done - 1) * metric_count + end], a.metrics[end], 0.0);
    assert_near(sqrt(squares / a.frames_done), a.metrics[rms], 1e-15); /* some 36 squares of 1e-2 */
    run_result_clear(&a);
    run_result_clear(&b);
    problem_destroy(one);
    problem_destroy(two);
}

typedef struct DetectionCount {
    int calls;
    double reach; /* s, of the last */
} DetectionCount;

static DetectionCount detection_count; /* reserve gets nothing of the test's own */

static bool count_detection(void *self, const World *world, Status *status)
{
    (void)self, (void)status;
    detection_count.calls++;
    detection_count.reach = world->contacts->reach;
    return true;
}

static Problem *scene_problem(const char *name)
{
    _Alignas(16) unsigned char params[SETTINGS_MAX_BYTES];
    Status status = {0};
    const Scene *scene = scene_find(name);
    settings_init(scene->settings, scene->setting_count, params);
    Problem *problem = scene_build(scene, params, &status);
    if (!problem)
        fail_msg("%s", status.message);
    return problem;
}

static void contacts_are_looked_for_once_a_frame_or_a_substep(void **state)
{
    (void)state;
    Solver solver = FLIGHT;
    solver.capabilities |= CAN_CONTACTS | CAN_FRICTION;
    solver.reserve = count_detection;
    FlightOptions options = flight_options(7, 1);
    for (Detection detect = 0; detect < DETECTION_COUNT; detect++) {
        Problem *problem = scene_problem("bounce");
        RunResult result;
        Status status = {0};
        detection_count = (DetectionCount){0};
        assert_true(run_problem(problem, &(RunPlan){&solver, &options, 0.021, 0.21, detect}, &result, &status));
        assert_int_equal(detection_count.calls, detect == DETECT_FRAME ? 10 : 70);
        /* a rounding of dt / 7 * 7 */
        assert_near(detection_count.reach, detect == DETECT_FRAME ? 0.021 : 0.003, 1e-17);
        problem_destroy(problem);
    }
}

/* Contacts found a frame ahead are there when the ball arrives, in whichever substep that is: it never gets deeper than
 * it moves in a substep, and bounces as high. */
static void a_fast_ball_stops_at_the_floor_in_every_mode_of_detection(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"naive", "pgs", "xpbd"};
    for (size_t s = 0; s < sizeof SOLVERS / sizeof SOLVERS[0]; s++)
        for (Detection detect = 0; detect < DETECTION_COUNT; detect++) {
            Problem *problem = scene_problem("bounce");
            const Solver *solver = NULL;
            for (int i = 0; i < solver_count; i++)
                if (strcmp(all_solvers[i]->name, SOLVERS[s]) == 0)
                    solver = all_solvers[i];
            _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
            settings_init(solver->settings, solver->setting_count, options);
            ((CommonOptions *)options)->substeps = 8;
            World *world = problem->world;
            int ball = world->body_count - 1;
            double dt = 1.0 / 60.0, v = 53.7, e = 0.5, T = 0.1;
            world->velocity[ball].v = vec3(0, -v, 0);
            RunResult result;
            Status status = {0};
            assert_true(run_problem(problem, &(RunPlan){solver, options, dt, T, detect}, &result, &status));
            assert_int_equal(result.status, RUN_OK);
            /* 1 m at v, the rest of the time at e v; gravity adds 0.2 m/s in that time, and the impact is up to a
             * substep late. */
            double expected = 0.1 + e * v * (T - 1.0 / v);
            assert_near(world->pose[ball].x.y, expected, e * v * dt / 8 + v * dt / 8 + 0.5 * T);
            assert_true(world->pose[ball].x.y > 1.0);
            problem_destroy(problem);
        }
}

/* The state is finite and slow, but its energy error over a scale next to nothing is not. */
static void metric_that_is_not_finite_is_a_blow_up(void **state)
{
    (void)state;
    FlightOptions options = flight_options(1, 1);
    Problem *problem = throw_one();
    problem->energy_scale = 5e-324;
    RunResult result = run(problem, &options, 0.1, 1.0, false);
    assert_int_equal(result.status, RUN_BLEW_UP);
    assert_near(result.blew_up_at, 0.1, 0.0);
    assert_int_equal(result.frames_done, 0);
    assert_true(isnan(metric_of(&result, "energy_error_max")));
    problem_destroy(problem);
}

static bool is_below_the_origin(const Problem *problem, const World *world)
{
    (void)problem;
    return world->pose[1].x.y < 0.0;
}

/* Thrown up at 6.83 m/s it is back after 1.39 s: a run of 1 s cannot tell whether it comes down. */
static void settled_has_no_value_in_a_run_shorter_than_it_needs(void **state)
{
    (void)state;
    FlightOptions options = flight_options(1, 1);
    static const double TIMES[] = {1.0, 1.44, 1.5};
    for (int k = 0; k < 3; k++) {
        Problem *problem = throw_one();
        problem->settled = is_below_the_origin;
        problem->settled_time = 1.5;
        RunResult result = run(problem, &options, 0.1, TIMES[k], false);
        if (k < 2) /* 1.44 s are 14 frames */
            assert_true(isnan(metric_of(&result, "settled")));
        else
            assert_near(metric_of(&result, "settled"), 1.0, 0.0);
        problem_destroy(problem);
    }
}

extern const Solver pgs_solver;

/* A stack at rest keeps its points: it stands as high as with points found before every substep, and no deeper. */
static void a_stack_stands_as_well_on_points_that_are_kept(void **state)
{
    (void)state;
    const Detection modes[2] = {DETECT_SUBSTEP, DETECT_LAZY};
    double height[2] = {0}, gap[2] = {0};
    for (int k = 0; k < 2; k++) {
        Problem *problem = scene_problem("stack");
        _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
        settings_init(pgs_solver.settings, pgs_solver.setting_count, options);
        RunResult result;
        Status status = {0};
        RunPlan plan = {&pgs_solver, options, 1.0 / 60.0, 1.0, modes[k]};
        assert_true(run_problem(problem, &plan, &result, &status));
        assert_int_equal(result.status, RUN_OK);
        const World *world = problem->world;
        const Contacts *contacts = world->contacts;
        assert_int_equal(contacts->kept_count, modes[k] == DETECT_LAZY ? contacts->manifold_count : 0);
        for (int i = 0; i < world->body_count; i++)
            height[k] = fmax(height[k], world->pose[i].x.y);
        for (size_t m = 0; m < contacts->manifold_count; m++)
            for (int i = 0; i < contacts->manifolds[m].count; i++)
                gap[k] = fmin(gap[k], contacts->manifolds[m].point[i].gap);
        problem_destroy(problem);
    }
    /* What a kept point may be off, at each of ten contacts. */
    assert_near(height[0], height[1], 10 * CONTACT_KEEP);
    assert_near(gap[0], gap[1], CONTACT_KEEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_enters_each_substep_iterates_and_judges_once_a_frame),
        cmocka_unit_test(semi_implicit_fall_is_low_by_g_h_t_over_2),
        cmocka_unit_test(frame_count_is_rounded_and_refuses_nonsense),
        cmocka_unit_test(blow_up_stops_and_metrics_cover_the_frames_before),
        cmocka_unit_test(state_that_is_not_finite_is_a_blow_up),
        cmocka_unit_test(metric_that_is_not_finite_is_a_blow_up),
        cmocka_unit_test(settled_has_no_value_in_a_run_shorter_than_it_needs),
        cmocka_unit_test(removed_body_takes_its_energy_but_not_its_error),
        cmocka_unit_test(unsupported_world_is_refused_by_name),
        cmocka_unit_test(runs_repeat_to_the_bit_and_series_agree_with_metrics),
        cmocka_unit_test(contacts_are_looked_for_once_a_frame_or_a_substep),
        cmocka_unit_test(a_stack_stands_as_well_on_points_that_are_kept),
        cmocka_unit_test(a_fast_ball_stops_at_the_floor_in_every_mode_of_detection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
