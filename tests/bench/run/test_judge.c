/* SPDX-License-Identifier: MIT */
/* The judge, judged: each check of `verify` has a negative control, a backend that breaks just what it looks at, and
 * warnings begin where they say. tests/misprints/judge puts misprints into the judge, which these tests must notice. */
#include "bench/experiment/estimate.h"
#include "bench/outcome/warnings.h"
#include "bench/verify/verify.h"
#include "tests/support/scratch.h"

#include <stdio.h>
#include <string.h>

extern const Solver naive_solver, pgs_solver, xpbd_solver, penalty_solver;

typedef void Damage(World *world);

/* What is done to the world after each substep of pgs. */
static Damage *damage;

static void each_moving(World *world, void (*change)(World *world, int body))
{
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            change(world, i);
}

static void brake_body(World *world, int i)
{
    world->velocity[i] = (Velocity){vec3_scale(0.99, world->velocity[i].v), vec3_scale(0.99, world->velocity[i].w)};
}

static void brake(World *world)
{
    each_moving(world, brake_body);
}

static void creep_body(World *world, int i)
{
    world->pose[i].x.x += 0.01;
}

static void creep(World *world)
{
    each_moving(world, creep_body);
}

static void kick_body(World *world, int i)
{
    world->velocity[i].v.y += 1.0;
}

static void kick(World *world)
{
    each_moving(world, kick_body);
}

static void freeze_body(World *world, int i)
{
    world->pose[i] = world->pose_before[i];
    world->velocity[i] = (Velocity){VEC3_ZERO, VEC3_ZERO};
}

static void freeze(World *world)
{
    each_moving(world, freeze_body);
}

/* Another in every run. */
static int shakes;

static void shake_body(World *world, int i)
{
    world->pose[i].x.x += 1e-9 * shakes;
}

static void shake(World *world)
{
    shakes++;
    each_moving(world, shake_body);
}

static void exaggerate(World *world)
{
    for (int b = 0; b < world->joint_block_count; b++)
        world->block_impulse[b] = vec3_scale(1.01, world->block_impulse[b]);
}

/* A limit that pushes turns back what arrives. */
static void rebound(World *world)
{
    bool pushes = false;
    for (int b = 0; b < world->joint_block_count; b++)
        pushes = pushes || (block_is_limit(&world->blocks[b]) && !vec3_is_zero(world->block_impulse[b]));
    for (int i = 1; pushes && i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            world->velocity[i] =
                (Velocity){vec3_negate(world->velocity_before[i].v), vec3_negate(world->velocity_before[i].w)};
}

static void do_damage(void *self, Step *step)
{
    (void)self;
    damage(step->world);
}

static int damaged_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int count = pgs_solver.plan(self, phases);
    phases[count++] = (Phase){.name = "damage", .enter = do_damage};
    return count;
}

static VerifyResult result_of(const char *check, Damage *how)
{
    Solver solver = pgs_solver;
    Run like = {.solver = &solver};
    damage = how;
    if (how)
        solver.plan = damaged_plan;
    settings_init(solver.settings, solver.setting_count, like.options);
    for (int i = 0; i < verify_check_count; i++)
        if (strcmp(all_verify_checks[i]->name, check) == 0)
            return verify_run_check(all_verify_checks[i], &like);
    fail_msg("there is no check '%s'", check);
    return (VerifyResult){0};
}

/* `initial echo` is of engines alone (tests/engines/test_engine.sh); what `refusal` looks at, solver_supports, no
 * backend can break.
 */
static void every_check_fails_who_breaks_what_it_looks_at(void **state)
{
    (void)state;
    static const struct {
        const char *check;
        Damage *how;
    } CONTROLS[] = {
        {"free flight", creep},        {"torque-free flip", brake}, {"hanging reaction", exaggerate},
        {"hinge limit", freeze},       {"momentum", brake},         {"pendulum energy", brake},
        {"bounds", exaggerate},        {"repeatability", shake},    {"bounce", brake},
        {"friction threshold", creep}, {"stack energy", kick},      {"oblique friction", brake},
        {"limit rebound", rebound},    {"contact momentum", brake}, {"angular momentum", brake},
    };
    assert_int_equal(sizeof CONTROLS / sizeof CONTROLS[0], verify_check_count - 2);
    for (size_t i = 0; i < sizeof CONTROLS / sizeof CONTROLS[0]; i++) {
        VerifyResult whole = result_of(CONTROLS[i].check, NULL), broken = result_of(CONTROLS[i].check, CONTROLS[i].how);
        if (!whole.applies || !whole.passes)
            fail_msg("'%s': pgs has %g, allowed is %g", CONTROLS[i].check, whole.measured, whole.bound);
        if (!broken.applies || broken.passes)
            fail_msg("'%s' does not notice: %g, allowed is %g", CONTROLS[i].check, broken.measured, broken.bound);
    }
}

/* A spin that comes to rest is no flip: the bound is one that only a body turned over meets. */
static void a_spin_that_stops_has_not_flipped(void **state)
{
    (void)state;
    VerifyResult stopped = result_of("torque-free flip", brake), flipped = result_of("torque-free flip", NULL);
    assert_true(stopped.measured > -0.3 && stopped.measured < 0.3);
    assert_true(flipped.measured < -0.9);
    assert_true(stopped.bound < -0.3 && stopped.bound > -0.9);
}

/* Warnings of a finished run of pgs whose result is this. */
static Warnings warnings_with(const char *metric, double value, double rebound_share, double amplification)
{
    Run run = {.dt = 1.0 / 60, .time = 1.0 / 60, .without_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, "pendulum", &status));
    run_choose_solver(&run, &pgs_solver);
    assert_true(run_make(&run, NULL));
    for (int i = 0; i < METRICS_MAX; i++)
        run.result.metrics[i] = NAN;
    if (metric)
        run.result.metrics[metric_find(metric)] =
            value * (strcmp(metric, "energy_gain_max") == 0 ? 1.0 : run.problem->world->length_scale);
    run.result.limit_rebound = rebound_share;
    run.result.rebound_joint = 0;
    run.amplification = amplification;
    Warnings warnings = warnings_of(&run);
    run_clear(&run);
    return warnings;
}

static void warnings_begin_where_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *metric, *word;
        double bound;
    } METRICS[] = {{"error_max", "from where they should be", 1.0},
                   {"drift_max", "joints came apart", 0.1},
                   {"penetration_max", "overlapped", 0.1},
                   {"energy_gain_max", "energy grew", 0.1}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(warnings_with(METRICS[i].metric, 0.99 * METRICS[i].bound, 0.0, NAN).count, 0);
        Warnings one = warnings_with(METRICS[i].metric, 1.01 * METRICS[i].bound, 0.0, NAN);
        assert_int_equal(one.count, 1);
        assert_non_null(strstr(one.texts[0], METRICS[i].word));
    }
    assert_int_equal(warnings_with(NULL, 0.0, 0.199, NAN).count, 0);
    assert_non_null(strstr(warnings_with(NULL, 0.0, 0.201, NAN).texts[0], "limit rebound"));
    assert_int_equal(warnings_with(NULL, 0.0, 0.0, 1.0).count, 0);
    assert_non_null(strstr(warnings_with(NULL, 0.0, 0.0, 1.001).texts[0], "amplifies"));
}

/* Of a class of runs, whoever ends otherwise than the scene asks, or far from the truth, is warned of. */
static void who_ends_far_off_has_a_warning(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"pendulum", "stack", "incline", "torque_free", "bounce", "hinge_limit"};
    static const Solver *const SOLVERS[] = {&naive_solver, &pgs_solver, &xpbd_solver, &penalty_solver};
    int fell = 0, far = 0, right = 0;
    for (int i = 0; i < 6 * 4; i++) {
        Run run = {.dt = 1.0 / 60, .time = NAN};
        Status status = {0};
        assert_true(run_choose_scene(&run, SCENES[i / 4], &status));
        run_choose_solver(&run, SOLVERS[i % 4]);
        if (run_make(&run, NULL)) {
            const double *metrics = run.result.metrics;
            bool falls = metrics[metric_find("settled")] == 0.0;
            bool elsewhere = metrics[metric_find("error_max")] > run.problem->world->length_scale;
            if ((falls || elsewhere) && warnings_of(&run).count == 0)
                fail_msg("%s with %s ends far off, and no warning says so", SCENES[i / 4], SOLVERS[i % 4]->name);
            fell += falls;
            far += elsewhere;
            right += !falls && !elsewhere;
        }
        run_clear(&run);
    }
    assert_true(fell > 0 && far > 0 && right > 0);
}

/* s, of 1,000 and of 100,000 frames. */
static void the_estimate_of_an_experiment_grows_with_its_frames(void **state)
{
    Estimate estimate[2];
    for (int k = 0; k < 2; k++) {
        Status status = {0};
        Experiment *e = scratch_experiment(
            *state,
            k ? "{ \"rigor\": 1, \"grid\": [ {'scene': ['chain'], 'solver': ['pgs'], 'dt': 0.01, 'time': 1000} ] }"
              : "{ \"rigor\": 1, \"grid\": [ {'scene': ['chain'], 'solver': ['pgs'], 'dt': 0.01, 'time': 10} ] }");
        e->run_time_limit = 1e9;
        assert_true(estimate_make(e, true, &estimate[k], &status));
        assert_int_equal(estimate[k].samples, 1);
        experiment_destroy(e);
    }
    assert_true(estimate[1].seconds > 5.0 * estimate[0].seconds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_check_fails_who_breaks_what_it_looks_at),
        cmocka_unit_test(a_spin_that_stops_has_not_flipped),
        cmocka_unit_test_setup_teardown(the_estimate_of_an_experiment_grows_with_its_frames, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(who_ends_far_off_has_a_warning),
        cmocka_unit_test(warnings_begin_where_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
