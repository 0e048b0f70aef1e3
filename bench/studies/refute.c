/* SPDX-License-Identifier: MIT */
#include "bench/studies/refute.h"

#include "scenes/file/file.h"

#include <time.h>

const char *const claim_names[CLAIM_COUNT + 1] = {"stable", "no_drift", "energy", NULL};
const char *const claim_texts[CLAIM_COUNT] = {
    "unconditionally stable: nothing blows up",
    "no drift: joints part by less than 1 % of a body's length",
    "energy does not grow, by a tenth of the scene's scale, where nothing feeds it",
};

/* Steps that are tried: what a frame may be cut into. */
static const int SUBSTEPS[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
enum { SUBSTEP_COUNT = sizeof SUBSTEPS / sizeof SUBSTEPS[0] };

/* Row solves that a second of the budget stands for: fewer than a processor of today makes, so that its time hardly
 * ever ends a search. */
static const double WORK_PER_SECOND = 5e5;

/* A sweep over rows against all else of their substep, or against one direct solve. */
static const double SWEEP_WORK = 0.1;

/* Part of the budget that the search for any counterexample may take, as long as there is none. */
static const double SEARCH_SHARE = 0.8;

/* Drift of a claim, as the verdict has it. */
static const double DRIFT_SEEN = 0.01;

typedef struct Search {
    const RefuteStudy *study;
    Refutation *best;
    Random random;
    double work_limit, seconds_limit;
    Status status; /* of the last mechanism that was refused */
} Search;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

json_t *refute_scene(const RefuteStudy *study, const Attempt *attempt)
{
    char name[64];
    snprintf(name, sizeof name, "refutes_%s", claim_names[study->claim]);
    return mechanism_scene(&attempt->mechanism, name, study->run->time);
}

static double metric_of(const RunResult *result, const char *name)
{
    return result->metrics[metric_find(name)];
}

/* How far the claim is from being broken: the measured number over its bound. A blow-up is beyond all. */
static double trial_badness(const Trial *trial, Claim claim)
{
    if (trial->status == RUN_BLEW_UP)
        return INFINITY;
    double number = claim == CLAIM_NO_DRIFT ? trial->drift / (DRIFT_SEEN * trial->length)
                                            : trial->energy_gain / VERDICT_ENERGY_GAIN;
    return isnan(number) ? 0.0 : number;
}

static void trial_judge(Trial *trial, Claim claim, const RunResult *result)
{
    trial->status = result->status;
    trial->blew_up_at = result->blew_up_at;
    trial->energy_gain = metric_of(result, "energy_gain_max");
    trial->drift = metric_of(result, "drift_max");
    trial->verdict = verdict_judge(result->status, result->metrics, trial->length);
    trial->badness = trial_badness(trial, claim);
    trial->breaks = claim == CLAIM_STABLE ? trial->status == RUN_BLEW_UP : trial->badness > 1.0;
}

static Trial trial_make(const RefuteStudy *study, const Run *run, const Attempt *attempt, double *work, Status *status)
{
    Trial trial = {.blew_up_at = NAN, .energy_gain = NAN, .drift = NAN};
    json_t *scene = refute_scene(study, attempt);
    Problem *problem = scene ? file_read_document(scene, "mechanism", status) : NULL;
    Run copy = *run;
    RunResult result = {0};
    json_decref(scene);
    if (!problem)
        return trial;
    ((CommonOptions *)copy.options)->substeps = attempt->substeps;
    RunPlan plan = {.solver = copy.solver, .options = copy.options, .dt = copy.dt, .time = copy.time};
    trial.length = problem->world->length_scale;
    trial.made = run_problem(problem, &plan, &result, status);
    if (trial.made)
        trial_judge(&trial, study->claim, &result);
    /* Rows of five (a hinge) or three (a ball). */
    int sweeps = ((const CommonOptions *)copy.options)->iterations;
    int rows = (attempt->mechanism.hinges ? 5 : 3) * problem->world->joint_count;
    *work += (double)rows * attempt->substeps * (1.0 + SWEEP_WORK * sweeps) * (result.frames_done + 1);
    run_result_clear(&result);
    problem_destroy(problem);
    return trial;
}

Trial refute_try(const RefuteStudy *study, const Run *run, const Attempt *attempt, double *work)
{
    Status status = {0};
    return trial_make(study, run, attempt, work, &status);
}

/* False: the budget is spent. */
static bool search_may_go_on(Search *search, double share)
{
    if (processor_seconds() > search->seconds_limit)
        search->best->by_clock = true;
    return !search->best->by_clock && search->best->work < share * search->work_limit;
}

static Trial search_try(Search *search, const Attempt *attempt)
{
    Trial trial = trial_make(search->study, search->study->run, attempt, &search->best->work, &search->status);
    search->best->tried += trial.made;
    return trial;
}

/* As often as they are cheap: each number of substeps gets about the same work. */
static int search_draw_substeps(Search *search)
{
    double whole = 0.0;
    for (int i = 0; i < SUBSTEP_COUNT; i++)
        whole += 1.0 / SUBSTEPS[i];
    double left = random_in(&search->random, 0.0, whole);
    int i = 0;
    while (i < SUBSTEP_COUNT - 1 && (left -= 1.0 / SUBSTEPS[i]) > 0.0)
        i++;
    return SUBSTEPS[i];
}

static void search_draw(Search *search, Attempt *attempt)
{
    bool first = search->best->tried == 0 || random_bits(&search->random) >> 63;
    attempt->mechanism = first ? mechanism_random(&search->random, search->study->loops)
                               : mechanism_mutate(&search->best->attempt.mechanism, &search->random);
    attempt->substeps = search->best->attempt.substeps;
    if (!search->study->fixed_substeps && (first || random_bits(&search->random) >> 63))
        attempt->substeps = search_draw_substeps(search);
}

/* Half of what is tried is new, half is like the worst so far. */
static void search_find(Search *search)
{
    Refutation *best = search->best;
    while (!best->found && search_may_go_on(search, SEARCH_SHARE)) {
        Attempt attempt;
        search_draw(search, &attempt);
        Trial trial = search_try(search, &attempt);
        /* What nobody can run counts as work, or a solver that can run nothing were asked for ever. */
        best->work += 1e3;
        if (trial.made && (best->tried == 1 || trial.badness > best->trial.badness)) {
            best->attempt = attempt;
            best->trial = trial;
            best->found = trial.breaks;
        }
    }
}

/* The next simpler attempt; the last numbers are those of the step. False: there are no more. */
static bool attempt_simplify(const Search *search, const Attempt *from, int number, Attempt *simpler)
{
    *simpler = *from;
    if (mechanism_simplify(&from->mechanism, number, &simpler->mechanism))
        return true;
    int plain = ((const CommonOptions *)search->study->run->options)->substeps, steps = 0;
    Mechanism unused;
    for (int n = number; n > 0 && !mechanism_simplify(&from->mechanism, n - 1, &unused); n--)
        steps++;
    if (steps > 1 || search->study->fixed_substeps)
        return false;
    simpler->substeps = steps == 0 ? plain : (int)round(sqrt((double)from->substeps * plain));
    return true;
}

static bool attempts_are_equal(const Attempt *a, const Attempt *b)
{
    const Mechanism *m = &a->mechanism, *n = &b->mechanism;
    return a->substeps == b->substeps && m->links == n->links && m->closed == n->closed && m->hinges == n->hinges &&
           m->bend == n->bend && m->twist == n->twist && m->alternate == n->alternate && m->upright == n->upright &&
           m->length == n->length && m->mass_ratio == n->mass_ratio && m->thickness == n->thickness &&
           m->lever == n->lever && m->spin == n->spin && m->reversed == n->reversed;
}

/* One number after the other is made plainer, as long as the claim stays broken. */
static void search_shrink(Search *search)
{
    Refutation *best = search->best;
    for (bool changed = true; changed;) {
        Attempt simpler;
        changed = false;
        for (int i = 0; attempt_simplify(search, &best->attempt, i, &simpler); i++) {
            if (attempts_are_equal(&simpler, &best->attempt))
                continue;
            if (!search_may_go_on(search, 1.0))
                return;
            Trial trial = search_try(search, &simpler);
            if (trial.made && trial.breaks) {
                best->attempt = simpler;
                best->trial = trial;
                changed = true;
            }
        }
    }
}

bool refute_search(const RefuteStudy *study, Refutation *refutation, Status *status)
{
    *refutation = (Refutation){.loops = study->loops,
                               .attempt = {.substeps = ((const CommonOptions *)study->run->options)->substeps}};
    Search search = {.study = study,
                     .best = refutation,
                     .random = {study->seed},
                     .work_limit = study->budget * WORK_PER_SECOND,
                     .seconds_limit = processor_seconds() + study->budget};
    search_find(&search);
    if (refutation->found)
        search_shrink(&search);
    if (refutation->tried == 0)
        *status = search.status;
    return refutation->tried > 0;
}
