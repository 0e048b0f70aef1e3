/* SPDX-License-Identifier: MIT */
/* rigor limit: the largest value of a setting that a solver survives, by bisection (bench/fits/search.h). */
#include "bench/fits/search.h"
#include "bench/outcome/predicate.h"
#include "bench/run/json.h"
#include "bench/run/series.h"
#include "bench/studies/axis.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "cli/plot.h"

#include <stdlib.h>

static const double DEFAULT_TOLERANCE = 0.01;

typedef struct LimitRun {
    double value;
    Stability stability;
    json_t *document; /* owned */
} LimitRun;

/* A search makes at most its samples and one run for each bit of a double. */
enum { LIMIT_MAX_RUNS = 128 };

typedef struct LimitStudy {
    const Arguments *arguments;
    const Run *base;
    Axis axis;
    Range range;
    double tolerance;
    Predicate predicate;
    Series series;
    Limit limit; /* what was found */
    int run_count;
    LimitRun runs[LIMIT_MAX_RUNS];
} LimitStudy;

static bool limit_keep(LimitStudy *study, const Run *run, double value, Stability *stability, Status *status)
{
    if (!predicate_judge(&study->predicate, &run->result, stability, status))
        return false;
    char label[32];
    snprintf(label, sizeof label, "%.17g", value);
    series_add(&study->series, run, label);
    json_t *document = json_run(run, study->arguments->given[OPTION_STATE]);
    json_object_set_new(document, "value", json_number(value));
    json_object_set_new(document, "stability", json_string(stability_names[*stability]));
    if (study->run_count == LIMIT_MAX_RUNS) {
        json_decref(document);
        return status_set(status, STATUS_USAGE, "--tolerance: %g is too small", study->tolerance);
    }
    study->runs[study->run_count++] = (LimitRun){value, *stability, document};
    return true;
}

static bool limit_probe(void *context, double value, bool *stable, Status *status)
{
    LimitStudy *study = context;
    Run run = *study->base;
    char label[RUN_KEY + 32];
    snprintf(label, sizeof label, "%s = %g", study->axis.name, value);
    progress_show(study->run_count, study->run_count + 1, label);
    if (!axis_apply_number(&study->axis, value, &run, status))
        return false;
    Stability stability = STABILITY_FAILED;
    run.without_truth = !predicate_reads_truth(&study->predicate);
    run.keep_series = study->series.path != NULL;
    bool made = run_make(&run, NULL);
    if (!made)
        *status = run.status;
    else if (study->run_count == 0)
        notes_print(run.problem);
    bool ok = made && limit_keep(study, &run, value, &stability, status);
    *stable = stability == STABILITY_OK;
    run_clear(&run);
    return ok;
}

static bool limit_prepare(LimitStudy *study, Status *status)
{
    const char *over = argument(study->arguments, OPTION_OVER);
    if (!over)
        return status_set(status, STATUS_USAGE, "--over is missing, as in --over mass_ratio=1:1e6");
    if (!axis_parse(&study->axis, over, study->base, 1, status) ||
        !predicate_parse(&study->predicate, argument(study->arguments, OPTION_UNTIL), status) ||
        !argument_tolerance(study->arguments, DEFAULT_TOLERANCE, &study->tolerance, status))
        return false;
    const Sequence *sequence = &study->axis.sequence;
    if (!sequence->range || !axis_is_numeric(&study->axis, study->base))
        return status_set(status, STATUS_USAGE, "--over: a limit is looked for in a range of numbers, as %s=1:100",
                          study->axis.name);
    study->range =
        range_of(sequence->values[0].number, sequence->values[1].number, axis_is_whole(&study->axis, study->base));
    return true;
}

static int compare_values(const void *a, const void *b)
{
    double x = ((const LimitRun *)a)->value, y = ((const LimitRun *)b)->value;
    return (x > y) - (x < y);
}

static json_t *limit_document(const LimitStudy *study)
{
    const Limit *limit = &study->limit;
    json_t *runs = json_array();
    for (int i = 0; i < study->run_count; i++)
        json_array_append(runs, study->runs[i].document);
    return json_pack("{s:s,s:o,s:[o,o],s:s,s:b,s:s,s:o}", "over", study->axis.name, "value", json_number(limit->stable),
                     "bracket", json_number(limit->stable), json_number(limit->unstable), "which",
                     limit->smallest ? "smallest" : "largest", "monotone", limit->monotone, "predicate",
                     study->predicate.text, "runs", runs);
}

static void limit_print(const void *context)
{
    const LimitStudy *study = context;
    const Limit *limit = &study->limit;
    const char *name = study->axis.name;
    Table *table = table_create();
    table_add_column(table, name, "", BEST_NONE);
    table_add_column(table, "stability", "", BEST_NONE);
    for (int i = 0; i < study->run_count; i++) {
        table_add_number(table, study->runs[i].value, false);
        table_add_text(table, stability_names[study->runs[i].stability]);
    }
    table_print(table, stdout);
    table_destroy(table);
    printf("\nstable means: %s\n", study->predicate.text);
    if (!limit->monotone)
        fold_line(stdout,
                  "note: the range is not monotone: stability comes and goes; the limit is that of its first change");
    printf("%s with %s: ", study->base->scene ? study->base->scene->name : study->base->file,
           study->base->solver->name);
    if (isnan(limit->stable))
        printf("no %s from %g to %g is stable\n", name, study->range.low, study->range.high);
    else if (isnan(limit->unstable))
        printf("stable for every %s from %g to %g\n", name, study->range.low, study->range.high);
    else
        printf("the %s stable %s is %.6g (not stable at %.6g)\n", limit->smallest ? "smallest" : "largest", name,
               limit->stable, limit->unstable);
}

static bool limit_search(LimitStudy *study, Status *status)
{
    if (!series_open(&study->series, argument(study->arguments, OPTION_SERIES), study->axis.name, status))
        return false;
    bool found = search_limit(&study->range, study->tolerance, limit_probe, study, &study->limit, status);
    progress_end();
    if (!series_close(&study->series, found, status))
        return false;
    qsort(study->runs, (size_t)study->run_count, sizeof study->runs[0], compare_values);
    return plot_and_report(study->arguments, "limit", limit_document(study), limit_print, study, status);
}

static bool limit_command(const Arguments *arguments, Status *status)
{
    int count;
    Run *runs = arguments_runs(arguments, arguments->operands[1], &count, status);
    if (!runs)
        return false;
    LimitStudy study = {.arguments = arguments, .base = &runs[0]};
    bool ok = count == 1
                  ? plot_may_be_made(arguments, status) && limit_prepare(&study, status) && limit_search(&study, status)
                  : status_set(status, STATUS_USAGE, "one solver at a time; rigor map takes several");
    for (int i = 0; i < study.run_count; i++)
        json_decref(study.runs[i].document);
    axis_clear(&study.axis);
    free(runs);
    return ok;
}

const Command command_limit = {
    .name = "limit",
    .operands = "SCENE SOLVER",
    .summary = "the largest value that stays stable, by bisection",
    .help =
        "--over NAME=a:b is the range. Both ends and five values between them are run first, and a note says so if\n"
        "stability comes and goes among them. Where more is better (iterations), the smallest stable value is found.",
    .least_operands = 2,
    .most_operands = 2,
    .options = TAKES_RUN | TAKES(OPTION_OVER) | TAKES(OPTION_UNTIL) | TAKES(OPTION_TOLERANCE) | TAKES(OPTION_PLOT),
    .only_reads = true,
    .run = limit_command,
};
