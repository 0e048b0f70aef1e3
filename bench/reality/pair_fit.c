/* SPDX-License-Identifier: MIT */
/* The pair of friction and restitution that a trial's entry is best with: the best of a grid, then Nelder and Mead's
 * simplex (GSL's nmsimplex2) from there. */
#include "bench/fits/simplex.h"
#include "bench/reality/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Solvers slower than FIT_SLOW take this one's pair, which is fitted for them if it takes no part. */
extern const Solver pgs_solver;

static const double FIRST_FRICTION = 0.03, FIRST_RESTITUTION = 0.06; /* the simplex's edges */
static const double SMALL = 5e-4;                                    /* size of a simplex that is small enough */
enum { ITERATIONS = 40, TIMED = 20 /* items that say how long one takes */ };

/* The pair stays within these; beyond them the value grows by PENALTY a unit. */
static const double FRICTION_LEAST = 0.01, RESTITUTION_MOST = 0.9, PENALTY = 100.0;

typedef struct PairFit {
    const Trial *trial;
    const Entry *entry;
    const int *items;
    int count;
    Status *status; /* STATUS_OK while all goes well */
} PairFit;

static double fit_value(const PairFit *fit, double friction, double restitution)
{
    double mean = INFINITY, seconds;
    if (fit->status->code == STATUS_OK)
        trial_mean(fit->trial, fit->entry, fit->items, fit->count, friction, restitution, &mean, &seconds, fit->status);
    return mean;
}

static double fit_bounded(const double *at, void *context)
{
    double mu = at[0], e = at[1];
    double friction = fmax(mu, FRICTION_LEAST), restitution = fmin(fmax(e, 0.0), RESTITUTION_MOST);
    double beyond = fabs(mu - friction) + fabs(e - restitution);
    return fit_value(context, friction, restitution) + PENALTY * beyond;
}

static double fit_grid(PairFit *fit, double *friction, double *restitution)
{
    const Suite *suite = fit->trial->suite;
    double best = INFINITY;
    for (const double *mu = suite->fit_friction; *mu > 0.0; mu++)
        for (const double *e = suite->fit_restitution; *e >= 0.0; e++) {
            double value = fit_value(fit, *mu, *e);
            if (value < best) {
                best = value;
                *friction = *mu;
                *restitution = *e;
            }
        }
    return best;
}

static bool fit_simplex(PairFit *fit, double *friction, double *restitution)
{
    Simplex simplex = {.count = 2,
                       .at = {*friction, *restitution},
                       .edges = {FIRST_FRICTION, FIRST_RESTITUTION},
                       .small = SMALL,
                       .iterations = ITERATIONS,
                       .value = fit_bounded,
                       .context = fit};
    bool ok = simplex_descend(&simplex, fit->status);
    *friction = fmax(simplex.at[0], FRICTION_LEAST);
    *restitution = fmin(fmax(simplex.at[1], 0.0), RESTITUTION_MOST);
    return ok && fit->status->code == STATUS_OK;
}

/* Items of the training half; of the fine class those for a quick fit. */
static int fit_items(const Trial *trial, bool fine, int *items)
{
    int count = 0;
    for (int i = 0; i < trial->item_count; i++) {
        bool test, quick;
        trial->suite->number(trial->data, i, &test, &quick);
        if (!test && (quick || !fine))
            items[count++] = i;
    }
    return count;
}

static bool entry_fit(const Trial *trial, Entry *entry, const int *items, int count, Status *status)
{
    PairFit fit = {trial, entry, items, count, status};
    if (trial->progress)
        trial->progress((int)(entry - trial->entries), trial->entry_count, "fitting");
    double best = fit_grid(&fit, &entry->friction, &entry->restitution);
    if (status->code != STATUS_OK)
        return false;
    entry->fitted = true;
    return isinf(best) || fit_simplex(&fit, &entry->friction, &entry->restitution);
}

/* pgs's entry of a class: one of the trial's, if its options are pgs's own, else fitted here. */
static bool lender_fit(const Trial *trial, Entry *lender, bool fine, const int *items, int count, Status *status)
{
    if (lender->fitted)
        return true;
    Trial alone = *trial;
    Run run = {.dt = trial->suite->frame};
    run_choose_solver(&run, &pgs_solver);
    alone.entries = NULL;
    alone.entry_count = 0;
    bool ok = trial_add(&alone, &run, 1, !fine, fine, status);
    if (ok)
        *lender = alone.entries[alone.entry_count - 1];
    free(alone.entries);
    alone.entries = lender;
    return ok && entry_fit(&alone, lender, items, count, status);
}

bool trial_fit(Trial *trial, Status *status)
{
    Entry lenders[2] = {0};
    int *items = malloc(sizeof *items * ((size_t)trial->item_count + 1));
    bool ok = items || status_set(status, STATUS_FAILED, "out of memory");
    for (int e = 0; ok && e < trial->entry_count; e++) {
        Entry *entry = &trial->entries[e];
        int count = fit_items(trial, entry->fine, items);
        double mean, seconds = 0.0;
        if (count == 0)
            ok = status_set(status, STATUS_FAILED, "the data have no %s to fit on", trial->suite->item);
        if (ok && entry->same) {
            entry->friction = entry[-1].friction;
            entry->restitution = entry[-1].restitution;
            entry->fitted = entry[-1].fitted;
            entry->borrowed = entry[-1].borrowed;
            continue;
        }
        ok = ok && trial_mean(trial, entry, items, count < TIMED ? count : TIMED, entry->friction, entry->restitution,
                              &mean, &seconds, status);
        if (ok && seconds > FIT_SLOW) {
            Entry *lender = &lenders[entry->fine];
            ok = lender_fit(trial, lender, entry->fine, items, count, status);
            entry->friction = lender->friction;
            entry->restitution = lender->restitution;
            entry->fitted = entry->borrowed = true;
        } else if (ok) {
            ok = entry_fit(trial, entry, items, count, status);
        }
    }
    free(items);
    return ok;
}
