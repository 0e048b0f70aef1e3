/* SPDX-License-Identifier: MIT */
#include "bench/reality/trial.h"

#include "bench/process/workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s: a substep of the fine class is no longer. */
static const double FINE_STEP = 1.0 / 2960.0;

/* Some entries on some items. */
typedef struct Batch {
    const Trial *trial;
    const Entry *entries;
    const int *items;
    int count; /* of items */
    double friction, restitution;
    bool own_pairs; /* the entries' own, not these */
} Batch;

typedef struct Outcome {
    Score score;
    StatusCode code;
    char message[200];
} Outcome;

static void batch_item(void *context, int index, void *result)
{
    const Batch *batch = context;
    const Trial *trial = batch->trial;
    const Entry *entry = &batch->entries[index / batch->count];
    Outcome *outcome = result;
    Status status = {0};
    int item = batch->items[index % batch->count];
    double friction = batch->own_pairs ? entry->friction : batch->friction;
    double restitution = batch->own_pairs ? entry->restitution : batch->restitution;
    bool ok = entry->same ||
              (entry->closed ? trial->suite->score_closed(trial->data, item, friction, restitution, &outcome->score)
                             : trial->suite->score(trial->data, item, &entry->run, friction, restitution,
                                                   &outcome->score, &status));
    if (ok)
        return;
    outcome->code = status.code != STATUS_OK ? status.code : STATUS_FAILED;
    snprintf(outcome->message, sizeof outcome->message, "%.199s", status.message);
}

static void batch_progress(void *context, int done)
{
    const Batch *batch = context;
    if (batch->own_pairs && batch->trial->progress)
        batch->trial->progress(done, batch->trial->entry_count * batch->count, batch->trial->suite->name);
}

static WorkResults *batch_run(Batch *batch, int entries, Status *status)
{
    Work work = {.count = entries * batch->count,
                 .result_size = sizeof(Outcome),
                 .item = batch_item,
                 .context = batch,
                 .progress = batch_progress};
    return workers_run(&work, batch->trial->jobs, status);
}

/* The score, or that of a lost run with what went wrong. */
static Score outcome_score(const Trial *trial, const Outcome *outcome, int item, Status *why)
{
    Score score;
    if (outcome && outcome->code == STATUS_OK)
        return outcome->score;
    trial->suite->lose(trial->data, item, &score);
    if (why->code == STATUS_OK)
        status_set(why, outcome ? outcome->code : STATUS_FAILED, "%s", outcome ? outcome->message : "crashed");
    return score;
}

bool trial_mean(const Trial *trial, const Entry *entry, const int *items, int count, double friction,
                double restitution, double *mean, double *seconds, Status *status)
{
    Batch batch = {trial, entry, items, count, friction, restitution, false};
    WorkResults *results = batch_run(&batch, 1, status);
    double sum = 0.0, time = 0.0;
    for (int i = 0; results && i < count; i++) {
        Status why = {0};
        Score score = outcome_score(trial, work_result(results, i), items[i], &why);
        sum += why.code == STATUS_UNSUPPORTED ? INFINITY : score.value[0];
        time += score.seconds;
    }
    *mean = sum / count;
    *seconds = time / count;
    work_results_destroy(results);
    return results != NULL;
}

bool trial_open(Trial *trial, const Suite *suite, int every, bool test, Status *status)
{
    trial->suite = suite;
    trial->test = test;
    trial->used = 0;
    if (!suite->open(&trial->data, &trial->item_count, status))
        return false;
    trial->items = calloc((size_t)trial->item_count + 1, sizeof *trial->items);
    if (!trial->items)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < trial->item_count; i += every) {
        bool scores, quick;
        suite->number(trial->data, i, &scores, &quick);
        if (scores || !test)
            trial->items[trial->used++] = i;
    }
    return trial->used > 0 || status_set(status, STATUS_FAILED, "no %s is left to score", suite->item);
}

void trial_close(Trial *trial)
{
    for (int i = 0; i < trial->entry_count; i++)
        free(trial->entries[i].scores);
    free(trial->entries);
    free(trial->items);
    free(trial->order);
    pairs_clear(&trial->pairs);
    if (trial->suite)
        trial->suite->close(trial->data);
}

/* So many substeps that they are fine; whether that changed anything. */
static bool entry_refine(Entry *entry, double frame, bool *changed, Status *status)
{
    char text[32];
    double needed = ceil(frame / FINE_STEP - 1e-9);
    *changed = ((const CommonOptions *)entry->run.options)->substeps < needed;
    snprintf(text, sizeof text, "%.0f", needed);
    return !*changed || run_set_option(&entry->run, "substeps", text, status);
}

bool trial_add(Trial *trial, const Run *runs, int run_count, bool coarse, bool fine, Status *status)
{
    const Suite *suite = trial->suite;
    trial->entries = calloc(2 * (size_t)run_count + 2, sizeof *trial->entries);
    if (!trial->entries)
        return status_set(status, STATUS_FAILED, "out of memory");
    if (suite->closed_form)
        trial->entries[trial->entry_count++] =
            (Entry){.closed = true, .friction = suite->friction, .restitution = suite->restitution};
    for (int i = 0; i < run_count; i++) {
        Entry entry = {.run = runs[i], .friction = suite->friction, .restitution = suite->restitution};
        if (coarse)
            trial->entries[trial->entry_count++] = entry;
        bool changed = true;
        entry.fine = true;
        if (fine && !entry_refine(&entry, suite->frame, &changed, status))
            return false;
        entry.same = coarse && !changed;
        if (fine)
            trial->entries[trial->entry_count++] = entry;
    }
    return true;
}

static void entry_summarise(const Trial *trial, Entry *entry, double *work)
{
    const Suite *suite = trial->suite;
    for (int m = 0; m < suite->measure_count; m++) {
        int count = 0;
        double sum = 0.0;
        for (int i = 0; i < trial->used; i++)
            if (!isnan(entry->scores[i].value[m])) {
                work[count++] = entry->scores[i].value[m];
                sum += entry->scores[i].value[m];
            }
        entry->mean[m] = count > 0 ? sum / count : NAN;
        if (m == 0) {
            sorted_sort(work, count);
            entry->median = count > 0 ? sorted_quantile(work, count, 0.5) : NAN;
        }
    }
    entry->seconds = 0.0;
    for (int i = 0; i < trial->used; i++) {
        entry->seconds += entry->scores[i].seconds / trial->used;
        entry->lost += entry->scores[i].lost;
    }
}

static bool trial_collect(Trial *trial, const WorkResults *results, Status *status)
{
    for (int e = 0; e < trial->entry_count; e++) {
        Entry *entry = &trial->entries[e];
        entry->scores = calloc((size_t)trial->used + 1, sizeof *entry->scores);
        if (!entry->scores)
            return status_set(status, STATUS_FAILED, "out of memory");
        for (int i = 0; i < trial->used; i++) {
            const Outcome *outcome = work_result(results, e * trial->used + i);
            entry->failed += !entry->same && (!outcome || outcome->code != STATUS_OK);
            entry->scores[i] =
                entry->same ? entry[-1].scores[i] : outcome_score(trial, outcome, trial->items[i], &entry->status);
        }
        if (entry->same) {
            entry->failed = entry[-1].failed;
            entry->status = entry[-1].status;
        }
        entry->absent = entry->failed == trial->used;
    }
    return true;
}

/* What the first measure is at each item, row by row in the ranking's order. */
static bool trial_compare(Trial *trial, Status *status)
{
    size_t used = (size_t)trial->used;
    double *values = malloc(sizeof *values * (used * (size_t)trial->ranked + 1));
    if (!values)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int r = 0; r < trial->ranked; r++)
        for (size_t i = 0; i < used; i++)
            values[(size_t)r * used + i] = trial->entries[trial->order[r]].scores[i].value[0];
    bool ok = pairs_compare(&trial->pairs, values, trial->ranked, trial->used, trial->seed, status);
    for (int r = 0; ok && r < trial->ranked; r++)
        ok = bootstrap_mean(values + (size_t)r * used, trial->used, BOOTSTRAP_DRAWS, trial->seed,
                            &trial->entries[trial->order[r]].interval, status);
    free(values);
    return ok;
}

/* Best first; what is the same stays in the order of the entries. An entry that repeats another is not ranked. */
static bool trial_rank(Trial *trial, Status *status)
{
    double *work = malloc(sizeof *work * ((size_t)trial->used + 1));
    trial->order = calloc((size_t)trial->entry_count + 1, sizeof *trial->order);
    if (!work || !trial->order) {
        free(work);
        return status_set(status, STATUS_FAILED, "out of memory");
    }
    for (int e = 0; e < trial->entry_count; e++) {
        Entry *entry = &trial->entries[e];
        entry_summarise(trial, entry, work);
        if (entry->absent || entry->same)
            continue;
        int at = trial->ranked++;
        for (; at > 0 && trial->entries[trial->order[at - 1]].mean[0] > entry->mean[0]; at--)
            trial->order[at] = trial->order[at - 1];
        trial->order[at] = e;
    }
    free(work);
    return trial_compare(trial, status);
}

bool trial_run(Trial *trial, Status *status)
{
    Batch batch = {trial, trial->entries, trial->items, trial->used, 0.0, 0.0, true};
    WorkResults *results = batch_run(&batch, trial->entry_count, status);
    bool ok = results && trial_collect(trial, results, status) && trial_rank(trial, status);
    work_results_destroy(results);
    for (int e = 0; ok && e < trial->entry_count; e++)
        if (trial->entries[e].same)
            trial->entries[e].interval = trial->entries[e - 1].interval;
    return ok;
}
