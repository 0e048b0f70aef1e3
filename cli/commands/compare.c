/* SPDX-License-Identifier: MIT */
/* rigor compare: the same scene with several solvers, one row each. */
#include "bench/outcome/verdict.h"
#include "bench/outcome/warnings.h"
#include "bench/run/json.h"
#include "bench/run/recording.h"
#include "bench/run/series.h"
#include "bench/studies/equal_work.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "cli/cli.h"
#include "solvers/engines/engine.h"

#include <stdlib.h>
#include <string.h>

/* Behind a time. */
#define CONTENDED "~"

/* A metric is shown if it applies to any of the runs. */
static bool compare_shows(const Run *runs, int count, int metric)
{
    for (int i = 0; i < count; i++)
        if (runs[i].made && !isnan(runs[i].result.metrics[metric]))
            return true;
    return false;
}

/* What is compared, and, with --equal-work, how it came to the same work. */
typedef struct Comparison {
    Run *runs;
    int count;
    WorkShare *shares; /* NULL: as they stand */
    double target;     /* row solves a frame */
} Comparison;

static void compare_add_row(Table *table, const Run *run, const WorkShare *share, const bool *shown)
{
    char status[64];
    const RunResult *result = &run->result;
    if (!run->made)
        snprintf(status, sizeof status, "%s",
                 engine_is_missing(run->solver)           ? "not installed"
                 : run->status.code == STATUS_UNSUPPORTED ? "n/a"
                                                          : run_status_text(run));
    else if (result->status == RUN_BLEW_UP)
        snprintf(status, sizeof status, "blew up at %.3g s", result->blew_up_at);
    else
        snprintf(status, sizeof status, "%s%s", run_status_names[result->status],
                 warnings_of(run).count > 0 ? ", doubtful" : "");
    Verdict verdict = verdict_of(run);
    table_add_text(table, run->solver->name);
    table_add_text(table, verdict_names[verdict] ? verdict_names[verdict] : "-");
    table_add_text(table, status);
    /* What blew up or fell is no match for the others: bodies that lie on the ground neither sway nor overlap. */
    bool competes = verdict == VERDICT_HOLDS || verdict == VERDICT_DRIFTS;
    for (int i = 0; i < metric_count; i++)
        if (shown[i])
            table_add_number(table, run->made ? result->metrics[i] : NAN, competes);
    char work[EQUAL_WORK_TEXT];
    if (share)
        table_add_text(table, equal_work_text(share, work));
    /* Equal work is no merit. */
    table_add_number(table, run->made ? result->row_solves : NAN, competes && !share);
    const MedianInterval *between = &result->us_interval;
    table_add_between(table, run->made ? result->us_per_frame : NAN, between->low, between->high, competes);
    table_append(table, run->made && result->contended ? CONTENDED : "");
}

/* Whether times are of several runs, and so have a spread. */
static bool compare_is_timed(const Run *runs, int count)
{
    for (int i = 0; i < count; i++)
        if (runs[i].made && runs[i].result.repeats > 1)
            return true;
    return false;
}

/* What the times are. */
static void compare_print_clock(FILE *beside, const Run *runs, int count)
{
    bool contended = false;
    double level = NAN;
    for (int i = 0; i < count; i++) {
        contended = contended || (runs[i].made && runs[i].result.contended);
        level = runs[i].made ? fmin(runs[i].result.us_interval.level, level) : level; /* fmin passes NaN over */
    }
    if (isfinite(level))
        fold_line(beside, "time: median of the repeats, and the interval that has it with a chance of %.3g %%",
                  100 * level);
    if (contended)
        fold_line(beside,
                  CONTENDED " contended: something else had the processor for more than 5 %% of the time; this is "
                            "CPU time, which caches still lose by");
}

static bool compare_print(const Arguments *arguments, const Comparison *comparison, Status *status)
{
    FILE *beside = form_beside(arguments);
    const Run *runs = comparison->runs;
    int count = comparison->count;
    bool shown[METRICS_MAX];
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    table_add_column(table, "verdict", "", BEST_NONE);
    table_add_column(table, "status", "", BEST_NONE);
    for (int i = 0; i < metric_count; i++) {
        shown[i] = compare_shows(runs, count, i);
        if (shown[i])
            table_add_column(table, all_metrics[i]->name, all_metrics[i]->unit,
                             all_metrics[i]->more_is_better ? BEST_HIGHEST : BEST_LOWEST);
    }
    if (comparison->shares)
        table_add_column(table, "work", "", BEST_NONE);
    table_add_column(table, "row_solves", "1", BEST_LOWEST);
    table_add_column(table, "time", "µs/frame", BEST_LOWEST);
    for (int i = 0; i < count; i++)
        compare_add_row(table, &runs[i], comparison->shares ? &comparison->shares[i] : NULL, shown);
    if (runs[0].perturb > 0.0)
        fold_line(
            beside,
            "bodies start with a random velocity of at most %g m/s in each direction: for timings, not for errors",
            runs[0].perturb);
    if (comparison->shares && isnan(comparison->target))
        fold_line(beside, "no solver here sweeps: nothing was scaled");
    else if (comparison->shares)
        fold_line(beside,
                  "equal work: %.6g row solves a frame for every solver that sweeps; direct solvers, pivoting and "
                  "engines have none: compare their time",
                  comparison->target);
    fprintf(beside, "%s: %d frames of %.4g s; * best of its column%s\n\n", runs[0].problem->name, runs[0].result.frames,
            runs[0].dt, compare_is_timed(runs, count) ? ", or within the noise of it" : "");
    bool ok = form_print(arguments, table, status);
    table_destroy(table);
    compare_print_clock(beside, runs, count);
    for (int i = 0; i < count; i++) {
        if (!runs[i].made)
            fold_line(beside, "note: %s: %s", runs[i].solver->name, runs[i].status.message);
        if (runs[i].made && isfinite(runs[i].result.stable_step))
            fold_line(beside, "note: %s: stable step: %.4g s at most, substep: %.4g s", runs[i].solver->name,
                      runs[i].result.stable_step, run_substep(&runs[i]));
        for (int e = 0; e < runs[i].result.event_count; e++)
            fold_line(beside, "note: %s: %s, %ld times", runs[i].solver->name, runs[i].result.events[e].what,
                      runs[i].result.events[e].count);
        Warnings warnings = runs[i].made ? warnings_of(&runs[i]) : (Warnings){0};
        for (int w = 0; w < warnings.count; w++)
            fold_line(beside, "warning: %s: %s", runs[i].solver->name, warnings.texts[w]);
        char fails[GATE_TEXT];
        if (runs[i].made && gate_solver_warning(runs[i].solver, fails))
            fold_line(beside, "warning: %s: %s", runs[i].solver->name, fails);
    }
    return ok;
}

static bool compare_report(const Arguments *arguments, const Comparison *comparison, Status *status)
{
    notes_print(comparison->runs[0].problem);
    if (!arguments->given[OPTION_JSON])
        return compare_print(arguments, comparison, status);
    json_t *array = json_array(), *document = json_object();
    for (int i = 0; i < comparison->count; i++) {
        json_t *run = json_run(&comparison->runs[i], arguments->given[OPTION_STATE]);
        if (comparison->shares)
            json_object_set_new(run, "equal_work", equal_work_json(&comparison->shares[i]));
        json_array_append_new(array, run);
    }
    if (comparison->shares)
        json_object_set_new(document, "row_solves_per_frame", json_number(comparison->target));
    json_object_set_new(document, "runs", array);
    return json_print(document, status);
}

/* With --equal-work: before the runs their options are scaled. */
static bool compare_equalise(const Arguments *arguments, Comparison *comparison, Status *status)
{
    if (!arguments->given[OPTION_EQUAL_WORK])
        return true;
    comparison->shares = calloc((size_t)comparison->count, sizeof *comparison->shares);
    if (!comparison->shares)
        return status_set(status, STATUS_FAILED, "out of memory");
    progress_say(arguments->progress, "scaling the work");
    bool ok = equal_work_scale(comparison->runs, comparison->count, comparison->shares, &comparison->target, status);
    progress_clear(arguments->progress);
    return ok;
}

/* F.h5 becomes F-SOLVER.h5, a slash in a label (`pgs:beta=1/5`) a dash; NULL stays. */
static const char *compare_record_path(const char *path, const char *solver, char *place, size_t size)
{
    if (!path)
        return NULL;
    size_t length = strlen(path), stem = length > 3 && strcmp(path + length - 3, ".h5") == 0 ? length - 3 : length;
    snprintf(place, size, "%.*s-%s%s", (int)stem, path, solver, path + stem);
    for (char *c = place + stem; *c; c++)
        *c = *c == '/' ? '-' : *c;
    return place;
}

/* s: what the whole run would take, from its first frame; 0: it cannot be said. */
static double compare_probe(const Run *run)
{
    Run probe = *run;
    probe.time = probe.dt;
    probe.without_truth = true;
    probe.progress = NULL;
    bool made = !engine_of(run->solver) && run_make(&probe, NULL);
    double frames = made ? (isnan(run->time) ? probe.problem->time : run->time) / run->dt : 0.0;
    double seconds = made ? 1e-6 * probe.result.frame_us * frames : 0.0;
    run_clear(&probe);
    return seconds;
}

/* One of many solvers may take half an hour: that is said before the first begins. */
static void compare_announce(const Run *runs, int count)
{
    double whole = 0.0, longest = 0.0;
    const char *slowest = "";
    for (int i = 0; i < count && count > 1; i++) {
        progress_show(i, count, "trying a frame of each");
        double seconds = compare_probe(&runs[i]);
        whole += seconds;
        if (seconds > longest) {
            longest = seconds;
            slowest = runs[i].solver->name;
        }
    }
    progress_end();
    if (whole > PROGRESS_LONG) {
        char all[32], one[32];
        fprintf(stderr, "all %d solvers take about %s, %s alone %s; --solvers chooses some\n", count,
                progress_time(whole, all, sizeof all), slowest, progress_time(longest, one, sizeof one));
    }
}

/* A solver that cannot run the scene is a row, and so is one that fails on its way; a run that cannot even begin (a bad
 * scene, no memory) is an error. */
static bool compare_make(const Arguments *arguments, Run *runs, int count, Series *series, Status *status)
{
    int repeats;
    if (!argument_whole(arguments, OPTION_REPEATS, 1, 0, &repeats, status))
        return false;
    compare_announce(runs, count);
    arguments->progress->lines = true;
    for (int i = 0; i < count; i++) {
        char place[1024];
        const char *solver = runs[i].solver->name;
        const char *record = compare_record_path(argument(arguments, OPTION_RECORD), solver, place, sizeof place);
        if (!arguments_may_write(arguments, record, FILE_HDF5, status))
            return false;
        progress_show(i, count, solver);
        runs[i].keep_series = series->path != NULL;
        if (run_make_recorded(&runs[i], record)) {
            series_add(series, &runs[i], solver);
        } else if (runs[i].status.code != STATUS_UNSUPPORTED && !runs[i].result.begun) {
            progress_end();
            *status = runs[i].status;
            return false;
        }
    }
    bool timed = runs_repeat(runs, count, repeats, status);
    progress_end();
    return timed;
}

static bool compare_command(const Arguments *arguments, Status *status)
{
    static const char *const COLUMNS[] = {"verdict", "status", "work", "row_solves", "time", NULL};
    int count;
    if (!form_check(arguments, COLUMNS, status))
        return false;
    Run *runs = arguments_runs(arguments, argument(arguments, OPTION_SOLVERS), &count, status);
    if (!runs)
        return false;
    Series series;
    Comparison comparison = {.runs = runs, .count = count};
    bool ok = compare_equalise(arguments, &comparison, status) &&
              series_open(&series, argument(arguments, OPTION_SERIES), "solver", status) &&
              series_close(&series, compare_make(arguments, runs, count, &series, status), status) &&
              compare_report(arguments, &comparison, status);
    free(comparison.shares);
    for (int i = 0; i < count; i++)
        run_clear(&runs[i]);
    free(runs);
    return ok;
}

const Command command_compare = {
    .name = "compare",
    .operands = "SCENE",
    .summary = "a table, one row a solver, the best of each column marked",
    .help =
        "The verdict: a run falls if it blows up, ends otherwise than its scene asks for, or is off by a body's\n"
        "length or all of its energy; it drifts if joints part or bodies overlap by more than 1 % of a body's length\n"
        "or energy comes from nowhere, else it holds.\n"
        "A solver that falls is never the best of a column. A solver that cannot run the scene has a row `n/a`. Times\n"
        "are CPU time; a ~ marks a row that waited for other programs for more than 5 % of its time. With --repeats\n"
        "the solvers take turns and times are medians with an interval of 95 % (with fewer than six rounds the least\n"
        "and the most, with their confidence); a solver whose interval reaches that of the best is starred, too.\n\n"
        "--equal-work gives every solver that sweeps the row solves a frame of the one that spends most: it scales\n"
        "substeps or iterations, whichever is larger, and the column `work` says how. Direct solvers, pivoting and\n"
        "engines have no sweeps to scale: compare their time.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES_RUN | TAKES_FORM | TAKES(OPTION_SOLVERS) | TAKES(OPTION_RECORD) | TAKES(OPTION_REPEATS) |
               TAKES(OPTION_EQUAL_WORK),
    .only_reads = true,
    .run = compare_command,
};
