/* SPDX-License-Identifier: MIT */
/* What the harness makes of a solver that is no list of rows: it keeps its own clock, gives no impulses, counts no
 * rows, learns of removals, knows dt as it is created, refuses a world it has seen, and fails with a message. */
#include "bench/run/runner.h"
#include "scenes/list.h"
#include "tests/support/flight.h"
#include "tests/support/throw.h"

typedef struct Mute {
    unsigned traits;
    double dt, fails_at;
    int removed_body, substeps_seen;
} Mute;

/* Where the solver's own memory lies, so that a test can look into it. */
static Mute mute;

static void *mute_create(const SolverTask *task, Status *status)
{
    (void)status;
    mute.dt = task->dt;
    mute.traits = *(const unsigned *)task->solver->data;
    return &mute;
}

static void *mute_refuse(const SolverTask *task, Status *status)
{
    status_set(status, STATUS_UNSUPPORTED, "%s has seen %d bodies", task->solver->name, task->world->body_count);
    return NULL;
}

static void mute_destroy(void *self)
{
    (void)self;
}

static unsigned mute_traits(const void *self)
{
    return ((const Mute *)self)->traits;
}

static void mute_removed(void *self, int body)
{
    ((Mute *)self)->removed_body = body;
}

static void mute_enter(void *self, Step *step)
{
    Mute *own = self;
    own->substeps_seen++;
    step->own_seconds += 0.125;
    if (step->time > own->fails_at)
        step_fail(step, "the engine said: %s", "no more");
}

static int mute_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){"engine", 0, mute_enter, NULL, NULL};
    phases[1] = (Phase){"after", 0, mute_enter, NULL, NULL};
    return 2;
}

static Solver mute_solver(const unsigned *traits)
{
    Solver solver = FLIGHT_SOLVER(SOLVER_ABI);
    solver.capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION;
    solver.create = mute_create;
    solver.destroy = mute_destroy;
    solver.traits = mute_traits;
    solver.removed = mute_removed;
    solver.plan = mute_plan;
    solver.data = traits;
    mute = (Mute){.fails_at = INFINITY, .removed_body = -1};
    return solver;
}

static const FlightOptions OPTIONS = {.common = {.substeps = 4, .iterations = 1}, .boost = 1.0};

static RunResult run_mute(const char *scene, unsigned traits, bool expected, Status *status)
{
    Solver solver = mute_solver(&traits);
    Problem *problem = scene_build(scene_find(scene), NULL, status);
    assert_non_null(problem);
    RunResult result;
    RunPlan plan = {&solver, &OPTIONS, 1.0 / 64.0, 0.25, DETECT_SUBSTEP};
    assert_int_equal(run_problem(problem, &plan, &result, status), expected);
    problem_destroy(problem);
    return result;
}

static double metric_of(const RunResult *result, const char *name)
{
    return result->metrics[metric_find(name)];
}

static void solver_knows_dt_as_it_is_created(void **state)
{
    (void)state;
    Status status = {0};
    run_mute("pendulum", 0, true, &status);
    assert_near(mute.dt, 1.0 / 64.0, 0.0);
}

static void own_clock_is_the_cost(void **state)
{
    (void)state;
    Status status = {0};
    /* 16 frames of 4 substeps, two phases of 1/8 s each: exact in binary */
    assert_near(run_mute("pendulum", TRAIT_OWN_CLOCK, true, &status).wall_s, 16.0, 0.0);
    assert_near(run_mute("pendulum", TRAIT_OWN_CLOCK, true, &status).us_per_frame, 1e6, 0.0);
    assert_true(run_mute("pendulum", 0, true, &status).wall_s < 16.0);
}

static void rows_that_are_not_counted_are_no_cost_of_zero(void **state)
{
    (void)state;
    Status status = {0};
    assert_near(run_mute("pendulum", 0, true, &status).row_solves, 0.0, 0.0);
    assert_true(isnan(run_mute("pendulum", TRAIT_NO_ROW_SOLVES, true, &status).row_solves));
}

static void metrics_made_of_impulses_have_no_value_without_them(void **state)
{
    (void)state;
    Status status = {0};
    RunResult with = run_mute("pendulum", 0, true, &status);
    RunResult without = run_mute("pendulum", TRAIT_NO_JOINT_IMPULSES, true, &status);
    assert_false(isnan(metric_of(&with, "force_error")));
    assert_true(isnan(metric_of(&without, "force_error")));
    /* nothing drives a pendulum: its state gives its energy */
    assert_false(isnan(metric_of(&without, "energy_error_max")));
    assert_false(isnan(metric_of(&without, "error_end")));
}

static void energy_of_a_driven_world_has_no_value_without_impulses(void **state)
{
    (void)state;
    Status status = {0};
    Problem *problem = scene_build(scene_find("motor"), NULL, &status);
    problem->conserves = CONSERVES_ENERGY;
    for (int k = 0; k < 2; k++) {
        MetricRecorder *recorder = metrics_begin(problem, 0.1, 1, k ? TRAIT_NO_JOINT_IMPULSES : 0, false);
        double values[METRICS_MAX];
        metrics_record(recorder, 1, NAN);
        metrics_finish(recorder, false, values);
        assert_int_equal(isnan(values[metric_find("energy_error_max")]), k);
        metrics_destroy(recorder);
    }
    problem_destroy(problem);
}

static void removal_is_told(void **state)
{
    (void)state;
    Status status = {0};
    unsigned traits = 0;
    Solver solver = mute_solver(&traits);
    Vec3 velocities[2] = {{1, 0, 0}, {0, 1, 0}};
    Problem *problem = throw_problem(2, velocities);
    SceneEvent event = {.time = 0.1, .remove = 2};
    problem->event_count = 1;
    problem->events = &event;
    RunResult result;
    solver.capabilities |= CAN_PARTICLES;
    assert_true(run_problem(problem, &(RunPlan){&solver, &OPTIONS, 0.05, 0.1, DETECT_SUBSTEP}, &result, &status));
    assert_int_equal(mute.removed_body, -1);
    assert_true(run_problem(problem, &(RunPlan){&solver, &OPTIONS, 0.05, 0.15, DETECT_SUBSTEP}, &result, &status));
    assert_int_equal(mute.removed_body, 2);
    problem->events = NULL;
    problem->event_count = 0;
    problem_destroy(problem);
}

static void failed_substep_ends_the_run_with_its_words(void **state)
{
    (void)state;
    Status status = {0};
    unsigned traits = 0;
    Solver solver = mute_solver(&traits);
    mute.fails_at = 0.1;
    Problem *problem = scene_build(scene_find("pendulum"), NULL, &status);
    RunResult result;
    assert_false(run_problem(problem, &(RunPlan){&solver, &OPTIONS, 0.04, 1.0, DETECT_SUBSTEP}, &result, &status));
    assert_int_equal(result.status, RUN_FAILED);
    assert_true(result.begun);
    assert_int_equal(status.code, STATUS_FAILED);
    assert_string_equal(status.message, "the engine said: no more");
    /* t = 0, 0.01 ... 0.1 are whole substeps of two phases; the one at 0.11 fails in its first, and no phase follows */
    assert_int_equal(mute.substeps_seen, 2 * 11 + 1);
    problem_destroy(problem);
}

static void refusal_after_seeing_the_world_is_unsupported(void **state)
{
    (void)state;
    Status status = {0};
    unsigned traits = 0;
    Solver solver = mute_solver(&traits);
    solver.create = mute_refuse;
    Problem *problem = scene_build(scene_find("pendulum"), NULL, &status);
    RunResult result;
    assert_false(run_problem(problem, &(RunPlan){&solver, &OPTIONS, 0.04, 1.0, DETECT_SUBSTEP}, &result, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_string_equal(status.message, "flight has seen 2 bodies");
    problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solver_knows_dt_as_it_is_created),
        cmocka_unit_test(own_clock_is_the_cost),
        cmocka_unit_test(rows_that_are_not_counted_are_no_cost_of_zero),
        cmocka_unit_test(metrics_made_of_impulses_have_no_value_without_them),
        cmocka_unit_test(energy_of_a_driven_world_has_no_value_without_impulses),
        cmocka_unit_test(removal_is_told),
        cmocka_unit_test(failed_substep_ends_the_run_with_its_words),
        cmocka_unit_test(refusal_after_seeing_the_world_is_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
