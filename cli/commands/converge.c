/* SPDX-License-Identifier: MIT */
/* rigor converge: a metric over a list of values, with the fitted order of convergence.
 * Over dt and substeps the order is that of the step h = dt/substeps; over anything else that of the value itself.
 * With --against it is the exponent of the error against the cost, and the table is sorted by cost: work and precision.
 */
#include "bench/fits/fit.h"
#include "bench/frozen/amplification.h"
#include "bench/outcome/quantity.h"
#include "bench/run/json.h"
#include "bench/run/series.h"
#include "bench/studies/axis.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "cli/plot.h"
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

static const char DEFAULT_METRIC[] = "error_end";

typedef struct Study {
    const Arguments *arguments;
    int solver_count;
    Run *solvers; /* a run as it would be without the axis, for each solver */
    Axis axis;
    int metric_count, metrics[METRICS_MAX]; /* indices into all_metrics */
    RunResult *results;                     /* solver by solver, value by value */
    double *x;                              /* h, the value or the cost, likewise */
    int cost;                               /* quantity that x is; -1: none */
    int repeats;                            /* of each run, for its times */
    json_t *documents;
    Series series;
} Study;

static bool study_choose_metrics(Study *study, const char *names, Status *status)
{
    while (names) {
        char name[64];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        int index = quantity_find(name, status);
        if (index < 0)
            return false;
        if (index >= metric_count || study->metric_count == METRICS_MAX)
            return status_set(status, STATUS_USAGE, "--metric: '%s' is %s", name,
                              index >= metric_count ? "a cost: see --against" : "one metric too many");
        study->metrics[study->metric_count++] = index;
        names = names[length] ? names + length + 1 : NULL;
    }
    return true;
}

static bool study_over_steps(const Study *study)
{
    return study->cost < 0 && (study->axis.kind == AXIS_DT ||
                               (study->axis.kind == AXIS_SOLVER && strcmp(study->axis.name, "substeps") == 0));
}

static double study_x(const Study *study, const Run *run, int value)
{
    if (study->cost >= 0)
        return quantity_of(&run->result, study->cost);
    if (!study_over_steps(study))
        return study->axis.sequence.values[value].number;
    return run->dt / ((const CommonOptions *)run->options)->substeps;
}

static bool study_make_run(Study *study, int solver, int value, Status *status)
{
    int count = study->axis.sequence.count, at = solver * count + value;
    Run run = study->solvers[solver];
    char label[128];
    snprintf(label, sizeof label, "%s,%s", run.solver->name, study->axis.sequence.values[value].text);
    progress_show(at, study->solver_count * count, label);
    if (!axis_apply(&study->axis, value, &run, status))
        return false;
    run.keep_series = study->series.path != NULL;
    bool made = run_make(&run, NULL);
    if (made && !runs_repeat(&run, 1, study->repeats, &run.status))
        made = false;
    if (made) {
        if (at == 0)
            notes_print(run.problem);
        run.amplification = amplification_of_run(&run);
        series_add(&study->series, &run, label);
        json_t *document = json_run(&run, study->arguments->given[OPTION_STATE]);
        json_object_set_new(document, "value", json_value(&study->axis.sequence.values[value]));
        json_array_append_new(study->documents, document);
        study->results[at] = run.result;
        study->results[at].series = NULL;
        study->x[at] = study_x(study, &run, value);
    } else {
        *status = run.status;
    }
    run_clear(&run);
    return made;
}

static bool study_make(Study *study, Status *status)
{
    bool ok = true;
    for (int s = 0; ok && s < study->solver_count; s++)
        for (int v = 0; ok && v < study->axis.sequence.count; v++)
            ok = study_make_run(study, s, v, status);
    progress_end();
    return ok;
}

/* NaN for a run that blew up: it has no error at the end. */
static double study_error(const Study *study, int solver, int value, int metric)
{
    const RunResult *result = &study->results[solver * study->axis.sequence.count + value];
    return result->status == RUN_OK ? result->metrics[study->metrics[metric]] : NAN;
}

/* A metric that never had a value does not belong to this scene. */
static bool study_check_metrics(const Study *study, Status *status)
{
    for (int m = 0; m < study->metric_count; m++) {
        bool any = false;
        for (int i = 0; i < study->solver_count * study->axis.sequence.count; i++)
            any = any || study->results[i].status != RUN_OK || !isnan(study->results[i].metrics[study->metrics[m]]);
        if (!any)
            return status_set(status, STATUS_USAGE, "%s does not apply to this scene",
                              all_metrics[study->metrics[m]]->name);
    }
    return true;
}

/* The error as a function of x. A value that makes things better as it grows (iterations) is fitted as 1/x. */
static OrderFit study_fit(const Study *study, int solver, int metric)
{
    int count = study->axis.sequence.count;
    const double *x = study->x + solver * count;
    double h[FIT_MAX_POINTS] = {0}, error[FIT_MAX_POINTS] = {0}, lowest = NAN, highest = NAN;
    int n = count < FIT_MAX_POINTS ? count : FIT_MAX_POINTS, first = 0, last = 0;
    for (int i = 0; i < n; i++) {
        error[i] = study_error(study, solver, i, metric);
        if (isnan(error[i]))
            continue;
        if (!(x[i] >= lowest))
            lowest = x[first = i];
        if (!(x[i] <= highest))
            highest = x[last = i];
    }
    bool turned = !study_over_steps(study) && n > 0 && error[last] < error[first];
    for (int i = 0; i < n; i++)
        h[i] = turned ? 1.0 / x[i] : x[i];
    if (study_over_steps(study) && fit_grows(h, error, n))
        return (OrderFit){
            .order = NAN, .low = NAN, .high = NAN, .first = last, .last = first, .grows = true, .floor = NAN};
    OrderFit fit = fit_order(h, error, n);
    if (turned) {
        double low = fit.low;
        fit.order = -fit.order;
        fit.low = -fit.high;
        fit.high = -low;
    }
    return fit;
}

/* What became of an error over the steps. */
static const char *fit_state(const OrderFit *fit)
{
    return fit->grows ? "grows" : fit->used ? "converges" : isnan(fit->floor) ? "none" : "floor";
}

static json_t *study_fit_json(const Study *study, int solver, int metric)
{
    OrderFit fit = study_fit(study, solver, metric);
    const SequenceValue *values = study->axis.sequence.values;
    return json_pack("{s:s,s:s,s:s,s:o,s:[o,o],s:[o,o],s:i,s:o}", "state", fit_state(&fit), "solver",
                     study->solvers[solver].solver->name, "metric", all_metrics[study->metrics[metric]]->name, "order",
                     json_number(fit.order), "ci", json_number(fit.low), json_number(fit.high), "range",
                     json_number(fit.used ? values[fit.first].number : NAN),
                     json_number(fit.used ? values[fit.last].number : NAN), "points", fit.used, "floor",
                     json_number(fit.floor));
}

static json_t *study_document(const Study *study)
{
    const char *named = argument(study->arguments, OPTION_METRIC);
    json_t *fits = json_array();
    for (int s = 0; s < study->solver_count; s++)
        for (int m = 0; m < study->metric_count; m++)
            json_array_append_new(fits, study_fit_json(study, s, m));
    json_t *against = study->cost < 0 ? json_null() : json_string(argument(study->arguments, OPTION_AGAINST));
    return json_pack("{s:s,s:s,s:o,s:O,s:o}", "over", study->axis.name, "metric", named ? named : DEFAULT_METRIC,
                     "against", against, "runs", study->documents, "fits", fits);
}

static void study_print_fit(const Study *study, int solver, int metric)
{
    OrderFit fit = study_fit(study, solver, metric);
    const SequenceValue *values = study->axis.sequence.values;
    const char *what = study->cost < 0 ? "has order" : "goes as cost to the";
    Text line = {0};
    text_add(&line, "%s: %s ", study->solvers[solver].solver->name, all_metrics[study->metrics[metric]]->name);
    if (fit.grows)
        text_add(&line, "GROWS under refinement, from %.3g at %s %s to %.3g at %s: no order",
                 study_error(study, solver, fit.first, metric), study->axis.name, values[fit.first].text,
                 study_error(study, solver, fit.last, metric), values[fit.last].text);
    else if (!fit.used && !isnan(fit.floor))
        text_add(&line, "does not fall: it is at its floor");
    else if (!fit.used)
        text_add(&line, "does not converge: no order to fit");
    else if (isnan(fit.low))
        text_add(&line, "%s %.3f", what, fit.order);
    else
        text_add(&line, "%s %.3f (95%%: %.3f .. %.3f)", what, fit.order, fit.low, fit.high);
    if (fit.used)
        text_add(&line, " over %s %s .. %s, %d points", study->axis.name, values[fit.first].text, values[fit.last].text,
                 fit.used);
    if (!isnan(fit.floor))
        text_add(&line, "; floor %.3g", fit.floor);
    fold_line(form_beside(study->arguments), "%s", line.data ? line.data : "out of memory");
    free(line.data);
}

/* A row's place among the results, and its cost. */
typedef struct CostOrder {
    int at;
    double cost;
} CostOrder;

static int compare_costs(const void *a, const void *b)
{
    const CostOrder *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost) : x->at - y->at;
}

/* One table for all solvers, instead of one for each. */
static bool study_in_one(const Study *study)
{
    return study->cost >= 0 || form_beside(study->arguments) != stdout;
}

static void study_add_row(const Study *study, Table *table, int at)
{
    int count = study->axis.sequence.count, solver = at / count, value = at % count;
    const RunResult *result = &study->results[at];
    if (study_in_one(study))
        table_add_text(table, study->solvers[solver].solver->name);
    table_add_text(table, study->axis.sequence.values[value].text);
    if (study_over_steps(study))
        table_add_number(table, study->x[at], false);
    for (int m = 0; m < study->metric_count; m++)
        table_add_number(table, study_error(study, solver, value, m), false);
    table_add_number(table, result->row_solves, false);
    table_add_measured(table, result->us_per_frame, result->us_per_frame_spread, false);
    if (study->cost >= 0)
        table_add_number(table, result->wall_s, false);
    table_add_text(table, run_status_names[result->status]);
}

/* What makes runs doubtful, as their documents say it. */
static void study_print_warnings(const Study *study)
{
    int count = study->axis.sequence.count, printed = 0;
    for (int at = 0; at < study->solver_count * count; at++) {
        json_t *document = json_array_get(study->documents, (size_t)at), *warning;
        size_t i;
        json_array_foreach (json_object_get(document, "warnings"), i, warning)
            printed += fprintf(form_beside(study->arguments), "warning: %s, %s=%s: %s\n",
                               study->solvers[at / count].solver->name, study->axis.name,
                               study->axis.sequence.values[at % count].text, json_string_value(warning));
    }
    if (printed)
        fputs("\n", form_beside(study->arguments));
}

static Table *study_table(const Study *study)
{
    Table *table = table_create();
    if (study_in_one(study))
        table_add_column(table, "solver", "", BEST_NONE);
    table_add_column(table, study->axis.name, "", BEST_NONE);
    table_key(table);
    if (study_over_steps(study))
        table_add_column(table, "h", "s", BEST_NONE);
    for (int m = 0; m < study->metric_count; m++)
        table_add_column(table, all_metrics[study->metrics[m]]->name, all_metrics[study->metrics[m]]->unit, BEST_NONE);
    table_add_column(table, "row_solves", "1", BEST_NONE);
    table_add_column(table, "time", "µs/frame", BEST_NONE);
    if (study->cost >= 0)
        table_add_column(table, "wall", "s", BEST_NONE);
    table_add_column(table, "status", "", BEST_NONE);
    return table;
}

static void study_print_table(const Study *study, int solver)
{
    int count = study->axis.sequence.count;
    Table *table = study_table(study);
    for (int v = 0; v < count; v++)
        study_add_row(study, table, solver * count + v);
    printf("%s%s%s\n", style_bold(stdout), study->solvers[solver].solver->name, style_plain(stdout));
    form_print(study->arguments, table, &(Status){0}); /* its columns were checked */
    printf("\n");
    table_destroy(table);
}

/* All solvers' runs in one table, the cheapest first where it is the cost that counts. */
static void study_print_costs(const Study *study)
{
    int count = study->solver_count * study->axis.sequence.count;
    CostOrder *order = malloc(sizeof *order * (size_t)count);
    Table *table = order ? study_table(study) : NULL;
    for (int i = 0; order && i < count; i++)
        order[i] = (CostOrder){i, study->x[i]};
    if (order && study->cost >= 0)
        qsort(order, (size_t)count, sizeof *order, compare_costs);
    for (int i = 0; order && i < count; i++)
        study_add_row(study, table, order[i].at);
    form_print(study->arguments, table, &(Status){0});
    fputs("\n", form_beside(study->arguments));
    table_destroy(table);
    free(order);
}

static bool study_allocate(Study *study, Status *status)
{
    size_t points = (size_t)study->solver_count * (size_t)study->axis.sequence.count;
    study->results = calloc(points, sizeof *study->results);
    study->x = calloc(points, sizeof *study->x);
    study->documents = json_array();
    return (study->results && study->x && study->documents) || status_set(status, STATUS_FAILED, "out of memory");
}

/* --against: row_solves, or time, which is that of the whole run. */
static bool study_choose_cost(Study *study, Status *status)
{
    const char *against = argument(study->arguments, OPTION_AGAINST);
    study->cost = -1;
    if (!against)
        return true;
    bool time = strcmp(against, "time") == 0;
    if (!time && strcmp(against, "row_solves") != 0)
        return status_set(status, STATUS_USAGE, "--against: '%s' is neither row_solves nor time", against);
    study->cost = quantity_find(time ? "wall_s" : against, status);
    return study->cost >= 0;
}

/* Without rows there is no cost to hold anything against. */
static bool study_check_cost(const Study *study, Status *status)
{
    for (int i = 0; study->cost >= 0 && i < study->solver_count * study->axis.sequence.count; i++)
        if (study->x[i] > 0.0)
            return true;
    return study->cost < 0 || status_set(status, STATUS_USAGE, "--against: this scene has no rows to solve");
}

/* Before the work. */
static bool study_check_form(const Study *study, Status *status)
{
    const char *names = argument(study->arguments, OPTION_METRICS);
    Table *table = names ? study_table(study) : NULL;
    bool ok = form_check(study->arguments, NULL, status) && (!names || table_choose(table, names, status));
    table_destroy(table);
    return ok;
}

static bool study_prepare(Study *study, const char *metric_names, Status *status)
{
    const char *over = argument(study->arguments, OPTION_OVER);
    if (!over)
        return status_set(status, STATUS_USAGE, "--over is missing, as in --over substeps=1,2,4,...,512");
    return study_choose_metrics(study, metric_names, status) && study_choose_cost(study, status) &&
           argument_whole(study->arguments, OPTION_REPEATS, 1, 0, &study->repeats, status) &&
           axis_parse(&study->axis, over, study->solvers, study->solver_count, status) &&
           (!study->axis.sequence.range || sequence_double_through(&study->axis.sequence, status)) &&
           study_check_form(study, status) && study_allocate(study, status);
}

static bool study_series_and_make(Study *study, Status *status)
{
    char labels[RUN_KEY + 16];
    snprintf(labels, sizeof labels, "solver,%s", study->axis.name);
    return series_open(&study->series, argument(study->arguments, OPTION_SERIES), labels, status) &&
           series_close(&study->series, study_make(study, status), status);
}

static void study_print(const void *context)
{
    const Study *study = context;
    for (int s = 0; !study_in_one(study) && s < study->solver_count; s++)
        study_print_table(study, s);
    if (study_in_one(study))
        study_print_costs(study);
    study_print_warnings(study);
    for (int s = 0; s < study->solver_count; s++)
        for (int m = 0; m < study->metric_count; m++)
            study_print_fit(study, s, m);
}

static bool converge_command(const Arguments *arguments, Status *status)
{
    const char *named = argument(arguments, OPTION_METRIC);
    Study study = {.arguments = arguments};
    study.solvers = arguments_runs(arguments, argument(arguments, OPTION_SOLVERS), &study.solver_count, status);
    if (!study.solvers)
        return false;
    bool ok = plot_may_be_made(arguments, status) && study_prepare(&study, named ? named : DEFAULT_METRIC, status) &&
              study_series_and_make(&study, status) && study_check_metrics(&study, status) &&
              study_check_cost(&study, status) &&
              plot_and_report(arguments, "converge", study_document(&study), study_print, &study, status);
    axis_clear(&study.axis);
    json_decref(study.documents);
    free(study.results);
    free(study.x);
    free(study.solvers);
    return ok;
}

const Command command_converge = {
    .name = "converge",
    .operands = "SCENE",
    .summary = "error against the truth over a list of values, with the fitted order",
    .help =
        "A range a:b stands for a, 2a, 4a ... b. The fit leaves out points that do not decrease or lie at the floor,\n"
        "and its range and the floor are printed. An error that grows as steps shrink has no order: the fit's state\n"
        "is then `grows` (others: converges, floor, none). --against row_solves or time gives the error against the\n"
        "cost of the run instead, in one table, the cheapest first, with the exponent of the cost.\n"
        "--plot draws it on logarithmic axes, with the orders, their 95 % intervals and triangles of their slope.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES_RUN | TAKES(OPTION_SOLVERS) | TAKES(OPTION_OVER) | TAKES(OPTION_METRIC) | TAKES(OPTION_AGAINST) |
               TAKES(OPTION_REPEATS) | TAKES(OPTION_PLOT) | TAKES_FORM,
    .only_reads = true,
    .run = converge_command,
};
