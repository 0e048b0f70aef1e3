/* SPDX-License-Identifier: MIT */
/* Every lecture text is its namesake: one substep from states along the namesake's run, on every scene at its defaults,
 * and whole runs where nothing is chaotic. RIGOR_LECTURE_TABLE=1 prints how far apart they are, solver by scene. */
#include "model/energy.h"
#include "tests/lecture/one_substep.h"
#include "tests/support/check.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

/* The same sums in another order: some 1e-16 a row, times rows and sweeps. */
#define POSE_ROUND_OFF 1e-12
#define VELOCITY_ROUND_OFF 1e-12
#define IMPULSE_ROUND_OFF 1e-10

static const Solver *solver_named(const char *name)
{
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, name) == 0)
            return all_solvers[i];
    fail_msg("no solver %s", name);
    return NULL;
}

/* By hand one text or one scene alone: RIGOR_LECTURE_TEXT=pgs, RIGOR_LECTURE_SCENE=stack. */
static bool asked_for(const char *variable, const char *name)
{
    const char *only = getenv(variable);
    return !only || strcmp(only, name) == 0;
}

static bool is_text(const Solver *solver)
{
    return solver->text_of && asked_for("RIGOR_LECTURE_TEXT", solver->text_of);
}

static bool prints(void)
{
    return getenv("RIGOR_LECTURE_TABLE") != NULL;
}

/* A run of a solver at its defaults. False: it refuses the scene. */
enum { REMOVALS_MOST = 4 };

typedef struct Run {
    Problem *problem;
    Stepper stepper;
    Removal removals[REMOVALS_MOST];
} Run;

static bool run_begin(Run *run, const Scene *scene, const Solver *solver)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    Status status;
    run->problem = scene_build(scene, NULL, &status);
    assert_non_null(run->problem);
    settings_init(solver->settings, solver->setting_count, options);
    bool begun = stepper_begin(&run->stepper, solver, options, run->problem->world, DT, DETECT_SUBSTEP, &status);
    if (!begun) {
        problem_destroy(run->problem);
        return false;
    }
    assert_true(run->problem->event_count <= REMOVALS_MOST);
    for (int i = 0; i < run->problem->event_count; i++)
        run->removals[i] = (Removal){run->problem->events[i].time, run->problem->events[i].remove};
    run->stepper.removals = (Removals){.count = run->problem->event_count, .list = run->removals};
    return true;
}

static void run_frame(Run *run)
{
    stepper_frame(&run->stepper, false);
}

static void run_end(Run *run)
{
    stepper_end(&run->stepper);
    problem_destroy(run->problem);
}

static int run_frames(const Run *run)
{
    return (int)lround(run->problem->time / DT);
}

/* Frames whose state a substep is made from: dense at first, where things fall, strike and begin to rest. */
static const int SAMPLES[] = {0, 1, 2, 5, 13, 34, 89, 233};
enum { SAMPLE_COUNT = sizeof SAMPLES / sizeof SAMPLES[0] };

/* Bodies times frames: what a scene with many bodies may cost. By FIRST_HITS those that fall have met. */
enum { MOST_WORK = 6000, FIRST_HITS = 34 };

static bool is_too_much(const Problem *problem, int frame)
{
    return frame * problem->world->body_count > MOST_WORK && !(problem->world->collide && frame == FIRST_HITS);
}

static bool apart_is_round_off(const Apart *apart)
{
    return apart->pose <= POSE_ROUND_OFF && apart->velocity <= VELOCITY_ROUND_OFF &&
           apart->impulse <= IMPULSE_ROUND_OFF && apart->same_rows;
}

static Apart apart_worse(const Apart *a, const Apart *b)
{
    return (Apart){fmax(a->pose, b->pose), fmax(a->velocity, b->velocity), fmax(a->impulse, b->impulse),
                   a->same_rows && b->same_rows};
}

/* States from which the last bit decides: rows that are dependent and contradict each other, a Newton iteration that
 * diverges, an explosion, impulses that are all round-off. */
enum { NUDGES = 8 };
/* Eight draws show how far round-off leads but for this factor. */
#define NUDGED_FARTHER 10.0

/* Whether the namesake itself ends as far away when its state is off by round-off. */
static bool round_off_decides(Run *run, const Outcome *one, const Apart *apart)
{
    Outcome *other = outcome_create(run->problem->world);
    Apart own = {.same_rows = true};
    for (uint64_t seed = 1; seed <= NUDGES; seed++) {
        outcome_of_nudged_substep(other, run->stepper.solver, &run->stepper, run->problem->speed_scale, seed);
        Apart now = apart_outcomes(run->problem, one, other);
        own = apart_worse(&own, &now);
    }
    outcome_destroy(other);
    const double more = NUDGED_FARTHER;
    return apart->pose <= fmax(POSE_ROUND_OFF, more * own.pose) &&
           apart->velocity <= fmax(VELOCITY_ROUND_OFF, more * own.velocity) &&
           apart->impulse <= fmax(IMPULSE_ROUND_OFF, more * own.impulse) && (apart->same_rows || !own.same_rows);
}

/* Over the samples of a text: how many there are, and of how many round-off decides. */
typedef struct Samples {
    int count, undecided;
} Samples;

static Apart substeps_compare(Run *run, const Solver *text, Samples *samples)
{
    const Solver *fast = run->stepper.solver;
    Outcome *one = outcome_create(run->problem->world), *two = outcome_create(run->problem->world);
    Apart worst = {.same_rows = true};
    for (int s = 0; s < SAMPLE_COUNT && SAMPLES[s] < run_frames(run); s++) {
        if (is_too_much(run->problem, SAMPLES[s]))
            continue;
        while (run->stepper.frame < SAMPLES[s])
            run_frame(run);
        if (world_blew_up(run->problem->world, run->problem->speed_scale)) /* a run ends there */
            break;
        outcome_of_substep(one, fast, &run->stepper, 0);
        outcome_of_substep(two, text, &run->stepper, 0);
        Apart now = apart_outcomes(run->problem, one, two);
        bool good = apart_is_round_off(&now), undecided = !good && round_off_decides(run, one, &now);
        samples->count++;
        samples->undecided += undecided;
        if (prints() && !good)
            printf("  %s, frame %d: pose %.1e velocity %.1e impulse %.1e rows %lld %lld%s\n", run->problem->name,
                   SAMPLES[s], now.pose, now.velocity, now.impulse, one->row_solves, two->row_solves,
                   undecided ? ": round-off decides" : "");
        if (!undecided)
            worst = apart_worse(&worst, &now);
    }
    outcome_destroy(one);
    outcome_destroy(two);
    return worst;
}

/* Of a text's samples, one in this many may be undecided: all others are held to round-off. */
enum { UNDECIDED_SHARE = 10 };

/* Returns how many scenes differ. */
static int text_compare(const Solver *text)
{
    const Solver *fast = solver_named(text->text_of);
    int bad = 0;
    Samples samples = {0};
    for (int i = 0; i < scene_count; i++) {
        Run run, refused;
        if (!asked_for("RIGOR_LECTURE_SCENE", all_scenes[i]->name))
            continue;
        if (!run_begin(&run, all_scenes[i], fast)) {
            assert_false(run_begin(&refused, all_scenes[i], text));
            continue;
        }
        Apart apart = substeps_compare(&run, text, &samples);
        bool good = apart_is_round_off(&apart);
        if (prints() || !good)
            printf("%-18s %-16s %8.1e %8.1e %8.1e %s\n", text->name, all_scenes[i]->name, apart.pose, apart.velocity,
                   apart.impulse, apart.same_rows ? "" : "other rows");
        bad += !good;
        run_end(&run);
    }
    if (prints())
        printf("%-18s %d samples, of which round-off decides %d\n", text->name, samples.count, samples.undecided);
    assert_true(samples.undecided * UNDECIDED_SHARE <= samples.count);
    return bad;
}

static void one_substep_of_a_text_is_one_of_its_namesake(void **state)
{
    (void)state;
    int bad = 0, texts = 0;
    if (prints())
        printf("%-18s %-16s %8s %8s %8s\n", "one substep", "", "pose", "velocity", "impulse");
    for (int i = 0; i < solver_count; i++) {
        if (!is_text(all_solvers[i]))
            continue;
        texts++;
        bad += text_compare(all_solvers[i]);
        assert_true(bad == 0 || prints()); /* a table is printed whole */
    }
    assert_true(texts > 0);
    assert_int_equal(bad, 0);
}

/* Springs, volumes, limits, friction: what sums up over sweeps, of texts that make one by default, too. */
static void more_sweeps_are_the_same_too(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"spring", "soft_cube", "joint_gallery", "stack", "spinning_disc"};
    enum { SWEEPS = 3, LATER = 8 };
    for (int i = 0; i < solver_count; i++)
        for (size_t k = 0; k < sizeof SCENES / sizeof SCENES[0] && is_text(all_solvers[i]); k++) {
            const Solver *text = all_solvers[i], *fast = solver_named(text->text_of);
            Run run;
            if (!settings_find(text->settings, text->setting_count, "iterations") ||
                !run_begin(&run, scene_find(SCENES[k]), fast))
                continue;
            while (run.stepper.frame < LATER)
                run_frame(&run);
            Outcome *one = outcome_create(run.problem->world), *two = outcome_create(run.problem->world);
            outcome_of_substep(one, fast, &run.stepper, SWEEPS);
            outcome_of_substep(two, text, &run.stepper, SWEEPS);
            Apart apart = apart_outcomes(run.problem, one, two);
            if (!apart_is_round_off(&apart))
                fail_msg("%s on %s: pose %g velocity %g impulse %g, rows %lld and %lld", text->name, SCENES[k],
                         apart.pose, apart.velocity, apart.impulse, one->row_solves, two->row_solves);
            outcome_destroy(one);
            outcome_destroy(two);
            run_end(&run);
        }
}

/* Relative to the scales, after as many steps as a run has. */
#define RUN_ROUND_OFF 1e-9
/* By which round-off grows at the least where two runs may part so far: some of it in each of many steps. */
#define CHAOTIC_LEAST 2e6

/* Two runs, frame by frame: the largest distance between their poses. A run ends where one blows up. */
static double runs_compare(Run *one, Run *two)
{
    double worst = 0.0, speed = one->problem->speed_scale;
    for (int frame = 0; frame < run_frames(one); frame++) {
        run_frame(one);
        run_frame(two);
        if (world_blew_up(one->problem->world, speed))
            break;
        worst = fmax(worst, apart_poses(one->problem, one->problem->world->pose, two->problem->world->pose));
    }
    run_end(one);
    run_end(two);
    return worst;
}

/* What becomes of an error in the last place over a run of the namesake, of some draws the largest. */
static double run_amplification(const Scene *scene, const Solver *solver)
{
    enum { DRAWS = 4 };
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        Run one, two;
        assert_true(run_begin(&one, scene, solver) && run_begin(&two, scene, solver));
        world_nudge(two.problem->world, two.problem->speed_scale, seed);
        worst = fmax(worst, runs_compare(&one, &two));
    }
    return worst / DBL_EPSILON;
}

/* Whether round-off grows beyond RUN_ROUND_OFF in this run: chaotic.def. */
static double chaos(const char *solver, const char *scene)
{
    static const struct {
        const char *solver, *scene;
        double amplification;
    } CHAOTIC[] = {
#define CHAOTIC_RUN(solver, scene, amplification) {#solver, #scene, amplification},
#include "tests/lecture/chaotic.def"
    };
    for (size_t i = 0; i < sizeof CHAOTIC / sizeof CHAOTIC[0]; i++)
        if (strcmp(CHAOTIC[i].solver, solver) == 0 && strcmp(CHAOTIC[i].scene, scene) == 0)
            return CHAOTIC[i].amplification;
    return 0.0;
}

/* Returns whether a text and its namesake part ways on a scene that is not chaotic. By hand what is called chaotic is
 * measured. */
static bool runs_part(const Solver *text, const Scene *scene)
{
    const Solver *fast = solver_named(text->text_of);
    double named = chaos(fast->name, scene->name), measured = 0.0;
    Run one, two;
    if (!asked_for("RIGOR_LECTURE_SCENE", scene->name) || (named > 0.0 && !prints()) || !run_begin(&one, scene, fast))
        return false;
    assert_true(run_begin(&two, scene, text));
    double apart = runs_compare(&one, &two);
    if (prints() && (named > 0.0 || apart > 0.1 * RUN_ROUND_OFF))
        measured = run_amplification(scene, fast);
    if (prints() || apart > RUN_ROUND_OFF)
        printf("%-18s %-16s %8.1e %8.1e\n", text->name, scene->name, apart, measured);
    return named > 0.0 ? measured < CHAOTIC_LEAST : apart > RUN_ROUND_OFF;
}

static void whole_runs_agree_where_nothing_is_chaotic(void **state)
{
    (void)state;
    int bad = 0;
    if (prints())
        printf("%-18s %-16s %8s %8s\n", "whole runs", "", "pose", "grows by");
    for (int i = 0; i < solver_count; i++)
        for (int k = 0; k < scene_count && is_text(all_solvers[i]); k++)
            bad += runs_part(all_solvers[i], all_scenes[k]);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_substep_of_a_text_is_one_of_its_namesake),
        cmocka_unit_test(more_sweeps_are_the_same_too),
        cmocka_unit_test(whole_runs_agree_where_nothing_is_chaotic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
