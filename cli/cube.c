/* SPDX-License-Identifier: MIT */
#include "cli/cube.h"

#include "bench/process/progress.h"
#include "bench/reality/cube.h"
#include "bench/run/json.h"
#include "bench/text/json_rows.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"

#include <math.h>
#include <stdlib.h>

/* "lowers", "raises", "undecided"; "tie": no significant difference. */
static const char *trial_finding(const CubeTrial *trial)
{
    if (trial->decision != DECISION_DIFFERENT)
        return trial->decision == DECISION_UNDECIDED ? "undecided" : "tie";
    return trial->change < 0.0 ? "lowers" : "raises";
}

static bool trial_is_base(const CubeTrial *trial)
{
    return trial->variant == &all_cube_variants[0];
}

/* "x 1.2 mm, y -0.3 mm" */
static void trial_numbers(const CubeTrial *trial, char *text, size_t size)
{
    size_t n = 0;
    snprintf(text, size, "-");
    for (int i = 0; i < trial->variant->count && n < size; i++) {
        const CubeNumber *number = &trial->variant->numbers[i];
        n += (size_t)snprintf(text + n, size - n, "%s%s %.3g%s%s", i > 0 ? ", " : "", number->name,
                              number->shown * trial->found[i], number->unit[0] == '1' && !number->unit[1] ? "" : " ",
                              number->unit[0] == '1' && !number->unit[1] ? "" : number->unit);
    }
}

static void cube_table(const CubeStudy *study)
{
    Table *table = table_create();
    static const char *const TEXTS[] = {"solver", "variant"}, *const AFTER[] = {"95 % interval", "change"};
    for (int i = 0; i < 2; i++)
        table_add_column(table, TEXTS[i], "", BEST_NONE);
    table_add_column(table, "mu", "", BEST_NONE);
    table_add_column(table, "e", "", BEST_NONE);
    table_add_column(table, "found", "", BEST_NONE);
    table_add_column(table, "train", "%", BEST_NONE);
    table_add_column(table, "pos", "%", BEST_LOWEST);
    for (int i = 0; i < 2; i++)
        table_add_column(table, AFTER[i], "%", BEST_NONE);
    table_add_column(table, "p", "", BEST_NONE);
    table_add_column(table, "finding", "", BEST_NONE);
    for (int t = 0; t < study->trial_count; t++) {
        const CubeTrial *trial = &study->trials[t];
        char text[128];
        if (trial->absent)
            continue;
        table_add_text(table, trial->run.solver->name);
        table_add_text(table, trial->variant->name);
        table_add_number(table, trial->friction, false);
        table_add_number(table, trial->restitution, false);
        trial_numbers(trial, text, sizeof text);
        table_add_text(table, text);
        table_add_number(table, trial->train, false);
        table_add_number(table, trial->mean, true);
        snprintf(text, sizeof text, "%.4g .. %.4g", trial->interval.low, trial->interval.high);
        table_add_text(table, text);
        snprintf(text, sizeof text, "%+.3f [%+.3f, %+.3f]", trial->change, trial->change_interval.low,
                 trial->change_interval.high);
        table_add_text(table, trial_is_base(trial) ? "-" : text);
        table_add_number(table, trial_is_base(trial) ? NAN : trial->p, false);
        table_add_text(table, trial_is_base(trial) ? "-" : trial_finding(trial));
    }
    table_print(table, stdout);
    table_destroy(table);
}

static void cube_print(const CubeStudy *study)
{
    fold_line(
        stdout,
        "cube: fitted on %d tosses, scored on %d others; bootstrap of %d draws, %ld flips of signs with Holm at 5 "
        "%%, seed %d",
        study->train_count, study->test_count, BOOTSTRAP_DRAWS, study->flips, (int)study->seed);
    printf("\n");
    cube_table(study);
    printf("\n");
    for (int v = 0; v < cube_variant_count; v++)
        fold_line(stdout, "%s: %s", all_cube_variants[v].name, all_cube_variants[v].about);
    for (int t = 0; t < study->trial_count; t++)
        if (study->trials[t].absent)
            fold_line(stdout, "note: %s: %s: %s", study->trials[t].run.solver->name, study->trials[t].variant->name,
                      study->trials[t].status.message);
}

static json_t *trial_row(const CubeTrial *trial)
{
    bool absent = trial->absent, compared = !absent && !trial_is_base(trial);
    json_t *numbers = json_object();
    for (int i = 0; i < trial->variant->count; i++)
        json_object_set_new(numbers, trial->variant->numbers[i].name,
                            json_number(absent ? NAN : trial->variant->numbers[i].shown * trial->found[i]));
    char found[128];
    trial_numbers(trial, found, sizeof found);
    json_t *row =
        json_pack("{s:s,s:s,s:o,s:o,s:o,s:o}", "solver", trial->run.solver->name, "variant", trial->variant->name, "mu",
                  json_number(absent ? NAN : trial->friction), "e", json_number(absent ? NAN : trial->restitution),
                  "numbers", numbers, "found", absent ? json_null() : json_string(found));
    json_object_set_new(row, "train", json_number(absent ? NAN : trial->train));
    json_object_set_new(row, "pos", json_number(absent ? NAN : trial->mean));
    json_object_set_new(row, "ci",
                        json_pack("[o,o]", json_number(absent ? NAN : trial->interval.low),
                                  json_number(absent ? NAN : trial->interval.high)));
    json_object_set_new(row, "change", json_number(compared ? trial->change : NAN));
    json_object_set_new(row, "change_ci",
                        json_pack("[o,o]", json_number(compared ? trial->change_interval.low : NAN),
                                  json_number(compared ? trial->change_interval.high : NAN)));
    json_object_set_new(row, "p", json_number(compared ? trial->p : NAN));
    json_object_set_new(row, "finding", compared ? json_string(trial_finding(trial)) : json_null());
    json_object_set_new(row, "lost", json_integer(absent ? 0 : trial->lost));
    json_object_set_new(row, "message", absent ? json_string(trial->status.message) : json_null());
    return row;
}

static json_t *cube_json(const CubeStudy *study)
{
    json_t *rows = json_array();
    for (int t = 0; t < study->trial_count; t++)
        json_array_append_new(rows, trial_row(&study->trials[t]));
    return json_pack("{s:s,s:i,s:i,s:i,s:I,s:o}", "suite", "cube", "fitted_on", study->train_count, "items",
                     study->test_count, "seed", (int)study->seed, "flips", (json_int_t)study->flips, "rows", rows);
}

bool cube_command(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status)
{
    CubeStudy study = {.jobs = jobs, .progress = progress_show};
    int every, seed;
    bool ok = argument_whole(arguments, OPTION_EVERY, 1, 1, &every, status) &&
              argument_whole(arguments, OPTION_SEED, 0, (int)RESAMPLE_SEED, &seed, status) &&
              cube_open(&study, every, status);
    study.seed = (uint64_t)(ok ? seed : 0);
    ok = ok && cube_run(&study, runs, count, status);
    progress_end();
    json_t *document = ok ? cube_json(&study) : NULL;
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_incref(document), status);
    else if (ok && arguments->given[OPTION_CSV])
        json_rows_csv(json_object_get(document, "rows"), stdout);
    else if (ok && arguments->given[OPTION_LATEX])
        json_rows_latex(json_object_get(document, "rows"), stdout);
    else if (ok)
        cube_print(&study);
    json_decref(document);
    cube_close(&study);
    return ok;
}
