/* SPDX-License-Identifier: MIT */
#include "bench/reality/cube.h"

#include "bench/process/workers.h"

#include <math.h>
#include <stdlib.h>

#define OF_CUBE(member) .place = offsetof(TossCube, member)

/* 1 mm and more are edges that a ruler would find: the fit may go there, and is then no explanation. */
#define MILLIMETRES(label, member)                                                                                     \
    {                                                                                                                  \
        .name = label, .unit = "mm", .shown = 1e3, OF_CUBE(member), .step = 1e-3, .least = -0.02, .most = 0.02         \
    }

const CubeVariant all_cube_variants[] = {
    {"published",
     "the cube as published: friction and restitution are fitted, as in all others, too",
     NULL,
     NULL,
     0,
     {{NULL}}},
    {"inertia",
     "another moment of inertia, the same about every axis",
     NULL,
     NULL,
     1,
     {{"inertia", "1", 1.0, OF_CUBE(inertia), .start = 1.0, .step = 0.1, .least = 0.2, .most = 3.0}}},
    {"centre",
     "the centre of mass is not the middle",
     NULL,
     NULL,
     3,
     {MILLIMETRES("x", centre.x), MILLIMETRES("y", centre.y), MILLIMETRES("z", centre.z)}},
    {"edges",
     "the edges are longer or shorter",
     NULL,
     NULL,
     3,
     {MILLIMETRES("x", edges.x), MILLIMETRES("y", edges.y), MILLIMETRES("z", edges.z)}},
    {"skew",
     "the cube leans: opposite faces are shifted",
     NULL,
     NULL,
     3,
     {MILLIMETRES("x", skew.x), MILLIMETRES("y", skew.y), MILLIMETRES("z", skew.z)}},
    {"patch",
     "a contact of one point resists spinning",
     NULL,
     NULL,
     1,
     {{"radius", "mm", 1e3, OF_CUBE(patch), .start = 2e-3, .step = 3e-3, .least = 0.0, .most = 0.1}}},
    {"compliance",
     "contacts are damped springs (contact_hertz, contact_zeta)",
     NULL,
     NULL,
     2,
     {{"hertz", "1/s", 1.0, .option = "contact_hertz", .start = 30.0, .step = 15.0, .least = 1.0, .most = 1e3},
      {"zeta", "1", 1.0, .option = "contact_zeta", .start = 1.0, .step = 0.5, .least = 0.01, .most = 100.0}}},
    {"stiffness",
     "stiffer or softer contacts (contact_frequency)",
     NULL,
     NULL,
     1,
     {{"hertz", "1/s", 1.0, .option = "contact_frequency", .start = 25.0, .step = 10.0, .least = 1.0, .most = 1e3}}},
    {"threshold", "every impact bounces, however slow", "restitution_threshold", "0", 0, {{NULL}}},
    {"late", "impacts bounce after the last substep of a frame, as in Box2D", "restitution", "frame", 0, {{NULL}}},
    {"slop", "no overlap is left alone", "slop", "0", 0, {{NULL}}},
    {"pyramid", "friction is bounded along each tangent by itself", "friction", "pyramid", 0, {{NULL}}},
    {"fine", "20 substeps", "substeps", "20", 0, {{NULL}}},
};
const int cube_variant_count = sizeof all_cube_variants / sizeof all_cube_variants[0];

/* Friction, restitution, then the variant's numbers: how far the simplex reaches at first, and where it may go; beyond
 * that the value grows by PENALTY a step. */
static const CubeNumber PAIR[2] = {
    {"mu", "1", 1.0, OF_CUBE(friction), .start = 0.18, .step = 0.03, .least = 0.01, .most = 2.0},
    {"e", "1", 1.0, OF_CUBE(restitution), .start = 0.125, .step = 0.06, .least = 0.0, .most = 0.9},
};
static const double PENALTY = 3.0, SMALL = 0.02; /* %; steps: the simplex is small enough */
enum { PAIR_COUNT = 2, ITERATIONS = 40 /* for each number */, DRAWS = BOOTSTRAP_DRAWS };

static const CubeNumber *number_of(const CubeVariant *variant, int i)
{
    return i < PAIR_COUNT ? &PAIR[i] : &variant->numbers[i - PAIR_COUNT];
}

/* One toss of a batch. */
typedef struct Throw {
    double pos;
    bool lost;
    Status status;
} Throw;

typedef struct Batch {
    const Tosses *tosses;
    const int *items;
    const Run *run;
    TossCube cube;
} Batch;

static void batch_throw(void *context, int index, void *result)
{
    const Batch *batch = context;
    Throw *thrown = result;
    Score score;
    if (toss_measure(&batch->tosses->list[batch->items[index]], batch->run, &batch->cube, &score, &thrown->status)) {
        thrown->pos = score.value[TOSS_POS];
        thrown->lost = score.lost;
    }
}

/* The cube and the solver's options with these numbers, in steps from their start; how far they lie outside of what
 * they may be. */
static bool numbers_set(const CubeVariant *variant, const double *steps, TossCube *cube, Run *run, double *found,
                        double *beyond, Status *status)
{
    *cube = (TossCube){.inertia = 1.0};
    *beyond = 0.0;
    for (int i = 0; i < PAIR_COUNT + variant->count; i++) {
        const CubeNumber *number = number_of(variant, i);
        double wanted = number->start + number->step * steps[i];
        found[i] = fmin(fmax(wanted, number->least), number->most);
        *beyond += fabs(wanted - found[i]) / number->step;
        if (!number->option) {
            *(double *)((char *)cube + number->place) = found[i];
            continue;
        }
        char text[40];
        snprintf(text, sizeof text, "%.17g", found[i]);
        if (!run_set_option(run, number->option, text, status))
            return false;
    }
    return true;
}

/* %: the mean of pos, that of each toss in `pos` if it is not NULL. A toss that crashed counts as lost. */
static bool throw_all(const CubeStudy *study, const Run *run, const TossCube *cube, const int *items, int count,
                      double *mean, double *pos, int *lost, Status *status)
{
    Batch batch = {&study->tosses, items, run, *cube};
    Work work = {.count = count, .result_size = sizeof(Throw), .item = batch_throw, .context = &batch};
    WorkResults *results = workers_run(&work, study->jobs, status);
    double sum = 0.0;
    *lost = 0;
    for (int i = 0; results && i < count; i++) {
        static const Throw CRASHED = {.pos = 100.0, .lost = true};
        const Throw *thrown = work_result(results, i);
        thrown = thrown ? thrown : &CRASHED;
        if (thrown->status.code != STATUS_OK && status->code == STATUS_OK)
            *status = thrown->status;
        sum += thrown->pos;
        *lost += thrown->lost;
        if (pos)
            pos[i] = thrown->pos;
    }
    work_results_destroy(results);
    *mean = sum / count;
    return status->code == STATUS_OK;
}

typedef struct Fitting {
    const CubeStudy *study;
    CubeTrial *trial;
} Fitting;

static double fitting_value(const double *steps, void *context)
{
    Fitting *fitting = context;
    CubeTrial *trial = fitting->trial;
    TossCube cube;
    Run run = trial->run;
    double found[SIMPLEX_NUMBERS], beyond, mean = INFINITY;
    int lost;
    if (trial->status.code == STATUS_OK &&
        numbers_set(trial->variant, steps, &cube, &run, found, &beyond, &trial->status) &&
        throw_all(fitting->study, &run, &cube, fitting->study->train, fitting->study->train_count, &mean, NULL, &lost,
                  &trial->status))
        mean += PENALTY * beyond;
    return mean;
}

/* Fits the trial's numbers, from those of `from` on (its own start: NULL), then throws the tosses of the other half. */
static bool trial_fit_and_throw(const CubeStudy *study, CubeTrial *trial, const double *from, double *steps)
{
    Fitting fitting = {study, trial};
    Simplex simplex = {
        .count = PAIR_COUNT + trial->variant->count, .small = SMALL, .value = fitting_value, .context = &fitting};
    TossCube cube;
    double found[SIMPLEX_NUMBERS], beyond;
    simplex.iterations = ITERATIONS * simplex.count;
    for (int i = 0; i < simplex.count; i++) {
        simplex.at[i] = from && i < PAIR_COUNT ? from[i] : 0.0;
        simplex.edges[i] = 1.0;
    }
    if (!simplex_descend(&simplex, &trial->status) ||
        !numbers_set(trial->variant, simplex.at, &cube, &trial->run, found, &beyond, &trial->status))
        return false;
    for (int i = 0; i < PAIR_COUNT; i++)
        steps[i] = simplex.at[i];
    trial->friction = found[0];
    trial->restitution = found[1];
    for (int i = 0; i < trial->variant->count; i++)
        trial->found[i] = found[PAIR_COUNT + i];
    return throw_all(study, &trial->run, &cube, study->train, study->train_count, &trial->train, NULL, &trial->lost,
                     &trial->status) &&
           throw_all(study, &trial->run, &cube, study->test, study->test_count, &trial->mean, trial->pos, &trial->lost,
                     &trial->status);
}

/* Whether the solver has what the variant changes; it gets the option. */
static bool trial_takes(CubeTrial *trial)
{
    const CubeVariant *variant = trial->variant;
    for (int i = 0; i < variant->count; i++)
        if (variant->numbers[i].option && !run_find_option(&trial->run, variant->numbers[i].option))
            return status_set(&trial->status, STATUS_UNSUPPORTED, "it has no option %s", variant->numbers[i].option);
    return !variant->option || run_set_option(&trial->run, variant->option, variant->value, &trial->status);
}

/* The trial against that of the cube as published. */
static bool trial_compare(const CubeStudy *study, const CubeTrial *base, CubeTrial *trial, Status *status)
{
    double *change = malloc(sizeof *change * ((size_t)study->test_count + 1));
    if (!change)
        return status_set(status, STATUS_FAILED, "out of memory");
    trial->change = 0.0;
    for (int i = 0; i < study->test_count; i++) {
        change[i] = trial->pos[i] - base->pos[i];
        trial->change += change[i] / study->test_count;
    }
    bool ok = bootstrap_mean(trial->pos, study->test_count, DRAWS, study->seed, &trial->interval, status) &&
              bootstrap_mean(change, study->test_count, DRAWS, study->seed, &trial->change_interval, status) &&
              sign_flip(change, study->test_count, study->flips, study->seed, &trial->p, status);
    free(change);
    return ok;
}

/* Holm over all that were compared. */
static bool study_decide(CubeStudy *study, Status *status)
{
    int count = 0;
    double *p = malloc(sizeof *p * ((size_t)study->trial_count + 1));
    Decision *decisions = malloc(sizeof *decisions * ((size_t)study->trial_count + 1));
    bool ok = (p && decisions) || status_set(status, STATUS_FAILED, "out of memory");
    for (int t = 0; ok && t < study->trial_count; t++)
        if (!study->trials[t].absent && t % cube_variant_count > 0)
            p[count++] = study->trials[t].p;
    ok = ok && holm_decide(p, count, study->flips, decisions, status);
    count = 0;
    for (int t = 0; ok && t < study->trial_count; t++)
        if (!study->trials[t].absent && t % cube_variant_count > 0)
            study->trials[t].decision = decisions[count++];
    free(p);
    free(decisions);
    return ok;
}

bool cube_open(CubeStudy *study, int every, Status *status)
{
    if (!tosses_read(&study->tosses, status))
        return false;
    size_t count = (size_t)study->tosses.count;
    study->train = calloc(count + 1, sizeof *study->train);
    study->test = calloc(count + 1, sizeof *study->test);
    if (!study->train || !study->test)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < study->tosses.count; i += every)
        if (study->tosses.list[i].test)
            study->test[study->test_count++] = i;
        else
            study->train[study->train_count++] = i;
    return (study->train_count > 0 && study->test_count > 0) ||
           status_set(status, STATUS_FAILED, "there must be tosses of both halves, to fit on and to score");
}

bool cube_run(CubeStudy *study, const Run *runs, int run_count, Status *status)
{
    study->trial_count = run_count * cube_variant_count;
    study->trials = calloc((size_t)study->trial_count + 1, sizeof *study->trials);
    study->flips = (long)FLIPS_A_PAIR * study->trial_count;
    study->flips = study->flips > FLIPS_LEAST ? study->flips : FLIPS_LEAST;
    bool ok = study->trials || status_set(status, STATUS_FAILED, "out of memory");
    double steps[PAIR_COUNT];
    for (int t = 0; ok && t < study->trial_count; t++) {
        CubeTrial *trial = &study->trials[t], *base = trial - t % cube_variant_count;
        double own[PAIR_COUNT];
        *trial = (CubeTrial){.run = runs[t / cube_variant_count],
                             .variant = &all_cube_variants[t % cube_variant_count],
                             .decision = DECISION_TIE};
        trial->pos = calloc((size_t)study->test_count + 1, sizeof *trial->pos);
        if (!trial->pos)
            return status_set(status, STATUS_FAILED, "out of memory");
        if (study->progress)
            study->progress(t, study->trial_count, "variants");
        if (base->absent && trial != base)
            trial->status = base->status;
        trial->absent = trial->status.code != STATUS_OK || !trial_takes(trial) ||
                        !trial_fit_and_throw(study, trial, trial == base ? NULL : steps, trial == base ? steps : own);
        ok = trial->absent || trial_compare(study, base, trial, status);
    }
    return ok && study_decide(study, status);
}

void cube_close(CubeStudy *study)
{
    for (int t = 0; t < study->trial_count; t++)
        if (study->trials)
            free(study->trials[t].pos);
    free(study->trials);
    free(study->train);
    free(study->test);
    tosses_clear(&study->tosses);
}
