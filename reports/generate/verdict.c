/* SPDX-License-Identifier: MIT */
/* What became of each run of the figure's grid, by its own verdict: it holds, it drifts, it falls, or the solver cannot
 * run the scene. */
#include "reports/generate/generators.h"

#include "bench/outcome/verdict.h"

#include <string.h>

static const char *const KEYS[] = {NULL};

/* In the order of `verdict`: the words of every run (bench/outcome/verdict.h), and what has none. */
enum { HOLDS, DRIFTS, FALLS, CANNOT, NOT_INSTALLED };

static int row_verdict(const json_t *row)
{
    if (strcmp(json_string_value(json_object_get(row, "status")), "not_installed") == 0)
        return NOT_INSTALLED;
    Verdict verdict = verdict_find(json_string_value(json_object_get(row, "verdict")));
    return verdict == VERDICT_NONE ? CANNOT : (int)verdict - VERDICT_HOLDS;
}

static const char *verdict_word(int verdict)
{
    return verdict == NOT_INSTALLED ? "not installed"
           : verdict == CANNOT      ? "cannot"
                                    : verdict_names[VERDICT_HOLDS + verdict];
}

/* How often each solver got each verdict: a row a solver. */
static void verdict_tally(const json_t *told, json_t *rows)
{
    static const char *const COUNTS[] = {"held", "drifted", "fell", "could_not", "absent"};
    json_t *tally = json_object(), *row;
    size_t i;
    const char *solver;
    json_array_foreach (told, i, row) {
        const char *name = json_string_value(json_object_get(row, "solver"));
        json_t *counts = json_object_get(tally, name);
        if (!counts) {
            counts = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:i}", "case", "tally", "solver", name, COUNTS[HOLDS], 0,
                               COUNTS[DRIFTS], 0, COUNTS[FALLS], 0, COUNTS[CANNOT], 0, COUNTS[NOT_INSTALLED], 0);
            json_object_set_new(tally, name, counts);
        }
        const char *count = COUNTS[json_integer_value(json_object_get(row, "verdict"))];
        json_object_set_new(counts, count, json_integer(json_integer_value(json_object_get(counts, count)) + 1));
    }
    json_object_foreach (tally, solver, row)
        json_array_append(rows, row);
    json_decref(tally);
}

static bool verdict_make(Node arguments, json_t *rows)
{
    if (!node_object(arguments, KEYS))
        return false;
    json_t *all = json_array(), *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        if (!row_is_run(row))
            continue;
        json_t *told = json_copy(row);
        int verdict = row_verdict(row);
        json_object_set(told, "ended", json_object_get(row, "status"));
        json_object_del(told, "status"); /* rows that have one are left out where it is not ok */
        json_object_set_new(told, "verdict", json_integer(verdict));
        json_object_set_new(told, "word", json_string(verdict_word(verdict)));
        json_object_set_new(told, "case", json_string("run"));
        json_array_append_new(all, told);
    }
    if (rows) {
        json_array_extend(rows, all);
        verdict_tally(all, rows);
    }
    json_decref(all);
    return true;
}

const Generator generator_verdict = {
    .name = "verdict",
    .about = "what became of each run of the figure's grid, as a number; fields: those of the run (its status is "
             "`ended`), verdict (0 holds, 1 drifts, 2 falls, 3: it has none, 4: the engine is not installed), word, "
             "case (run); and a row a solver "
             "with case tally, held, drifted, fell, could_not, absent",
    .make = verdict_make,
};
