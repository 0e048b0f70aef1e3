/* SPDX-License-Identifier: MIT */
/* rigor map: where a solver is stable over two axes, drawn with characters. */
#include "bench/process/workers.h"
#include "bench/run/json.h"
#include "bench/studies/stability_map.h"
#include "bench/text/table.h"
#include "cli/cli.h"
#include "cli/plot.h"

#include <stdlib.h>
#include <string.h>

static const double DEFAULT_TOLERANCE = 0.05;

/* Values that a second range is sampled at, and places that a row of limits is drawn with. */
enum { RANGE_VALUES = 13, BAR = 48 };

static const char MARKS[] = {
    [STABILITY_OK] = '.', [STABILITY_BAD] = 'o', [STABILITY_BLEW_UP] = 'X', [STABILITY_FAILED] = '?'};

/* The axis as it is named in the map, with a range cut into a list where it stands upwards. */
static bool map_cut_range(Axis *axis, const Run *run, Status *status)
{
    Sequence list = {0};
    Range range = range_of(axis->sequence.values[0].number, axis->sequence.values[1].number, axis_is_whole(axis, run));
    for (int i = 0; i < RANGE_VALUES; i++) {
        double value = range_at(&range, (double)i / (RANGE_VALUES - 1));
        bool repeated = list.count > 0 && list.values[list.count - 1].number == value;
        if (!repeated && !sequence_append(&list, value, status)) {
            sequence_clear(&list);
            return false;
        }
    }
    axis_clear(axis);
    axis->sequence = list;
    return true;
}

/* The first axis lies across, the second stands up, unless the second alone is a range. */
static bool map_axes(const Arguments *arguments, const Run *runs, int count, Axis axes[2], Status *status)
{
    if (arguments->given[OPTION_OVER] != 2)
        return status_set(status, STATUS_USAGE,
                          "a map needs --over twice, as in --over dt=1/240,1/120,1/60 --over mass_ratio=1:1e6");
    for (int i = 0; i < 2; i++) {
        if (!axis_parse(&axes[i], arguments->values[OPTION_OVER][i], runs, count, status))
            return false;
        if (axes[i].sequence.range && !axis_is_numeric(&axes[i], &runs[0]))
            return status_set(status, STATUS_USAGE, "--over: %s has no numbers to range over", axes[i].name);
    }
    if (axes[0].kind == axes[1].kind && strcmp(axes[0].name, axes[1].name) == 0)
        return status_set(status, STATUS_USAGE, "both axes are '%s'", axes[0].name);
    if (axes[1].sequence.range && !axes[0].sequence.range) {
        Axis first = axes[0];
        axes[0] = axes[1];
        axes[1] = first;
    }
    return !axes[1].sequence.range || map_cut_range(&axes[1], &runs[0], status);
}

static const char *value_label(const SequenceValue *value, char label[SEQUENCE_TEXT])
{
    enum { LABEL_WIDTH = 8 };
    if (strlen(value->text) <= LABEL_WIDTH || isnan(value->number))
        snprintf(label, SEQUENCE_TEXT, "%s", value->text);
    else
        snprintf(label, SEQUENCE_TEXT, "%.4g", value->number);
    return label;
}

static int labels_width(const Sequence *sequence)
{
    int width = 1;
    char label[SEQUENCE_TEXT];
    for (int i = 0; i < sequence->count; i++) {
        int length = (int)strlen(value_label(&sequence->values[i], label));
        width = length > width ? length : width;
    }
    return width;
}

static void print_grid_row(const StabilityMap *map, int row, int width)
{
    for (int c = 0; c < map->columns; c++)
        printf(" %*c", width, MARKS[map->cells[row * map->columns + c].stability]);
    printf("\n");
}

/* A row of limits as a bar from one end of the range to the other, and the limit in numbers. */
static void print_limit_row(const StabilityMap *map, int row)
{
    const MapCell *cell = &map->cells[row];
    const Limit *limit = &cell->limit;
    putchar(' ');
    for (int i = 0; i < BAR; i++)
        putchar(MARKS[stability_map_at(map, row, (double)i / (BAR - 1))]);
    if (cell->stability == STABILITY_FAILED)
        printf("  %s", cell->status.message);
    else if (!isnan(limit->stable) && !isnan(limit->unstable))
        printf("  %s %.4g%s", limit->smallest ? "from" : "to", limit->stable, limit->monotone ? "" : ", not monotone");
    printf("\n");
}

static void print_across(const StabilityMap *map, const Axis *across, int left, int width)
{
    char label[SEQUENCE_TEXT];
    printf("%*s +", left, "");
    for (int i = 0; i < (map->limits ? BAR + 1 : map->columns * (width + 1)); i++)
        putchar('-');
    printf("\n%*s  ", left, "");
    if (map->limits) {
        int length = printf(" %s", value_label(&across->sequence.values[0], label));
        printf("%*s", BAR + 1 - length, value_label(&across->sequence.values[1], label));
    }
    for (int c = 0; !map->limits && c < map->columns; c++)
        printf(" %*s", width, value_label(&across->sequence.values[c], label));
    printf("\n%*s   %s%s\n", left, "", across->name, map->limits && map->range.geometric ? " (logarithmic)" : "");
}

static void map_print(const StabilityMap *map, const MapStudy *study)
{
    const Sequence *up = &study->up->sequence;
    int left = labels_width(up), width = labels_width(&study->across->sequence), runs = 0;
    char label[SEQUENCE_TEXT];
    for (int i = 0; i < map->columns * map->rows; i++)
        runs += map->cells[i].runs;
    printf("%s%s%s with %s%s%s, %d runs\n\n", style_bold(stdout),
           map->base.scene ? map->base.scene->name : map->base.file, style_plain(stdout), style_bold(stdout),
           map->base.solver->name, style_plain(stdout), runs);
    printf("%s\n", study->up->name);
    for (int row = map->rows - 1; row >= 0; row--) {
        printf("%*s |", left, value_label(&up->values[row], label));
        if (map->limits)
            print_limit_row(map, row);
        else
            print_grid_row(map, row, width);
    }
    print_across(map, study->across, left, width);
    printf("\n");
}

static json_t *json_axis(const Axis *axis)
{
    json_t *values = json_array();
    for (int i = 0; i < axis->sequence.count; i++)
        json_array_append_new(values, json_value(&axis->sequence.values[i]));
    return json_pack("{s:s,s:s,s:o}", "name", axis->name, "kind", axis->sequence.range ? "range" : "list", "values",
                     values);
}

static json_t *json_probe(const MapProbe *probe, Stability stability)
{
    json_t *run = json_pack("{s:s}", "stability", stability_names[stability]);
    json_object_set_new(run, "verdict", json_verdict(probe->said.verdict));
    json_set_remarks(run, &probe->said);
    return run;
}

static json_t *json_limit(const MapCell *cell)
{
    json_t *runs = json_array();
    for (int i = 0; i < cell->runs; i++) {
        json_t *run = json_probe(&cell->probes[i], cell->probes[i].stability);
        json_object_set_new(run, "value", json_number(cell->probes[i].value));
        json_array_append_new(runs, run);
    }
    return json_pack("{s:s,s:o,s:[o,o],s:s,s:b,s:o}", "stability", stability_names[cell->stability], "value",
                     json_number(cell->limit.stable), "bracket", json_number(cell->limit.stable),
                     json_number(cell->limit.unstable), "which", cell->limit.smallest ? "smallest" : "largest",
                     "monotone", cell->limit.monotone, "runs", runs);
}

static json_t *json_map(const StabilityMap *map)
{
    json_t *rows = json_array(), *runs = json_array(), *document = json_object();
    for (int r = 0; r < map->rows && map->limits; r++)
        json_array_append_new(rows, json_limit(&map->cells[r]));
    for (int r = 0; r < map->rows && !map->limits; r++) {
        json_t *answers = json_array(), *row = json_array();
        for (int c = 0; c < map->columns; c++) {
            const MapCell *cell = &map->cells[r * map->columns + c];
            json_array_append_new(answers, json_string(stability_names[cell->stability]));
            json_array_append_new(row, json_probe(&cell->probes[0], cell->stability));
        }
        json_array_append_new(rows, answers);
        json_array_append_new(runs, row);
    }
    json_object_set_new(document, "solver", json_string(map->base.solver->name));
    json_object_set_new(document, "solver_options",
                        json_settings(map->base.solver->settings, map->base.solver->setting_count, map->base.options));
    json_object_set_new(document, map->limits ? "limits" : "cells", rows);
    if (map->limits)
        json_decref(runs);
    else
        json_object_set_new(document, "runs", runs);
    return document;
}

typedef struct MapResult {
    const MapStudy *study;
    const StabilityMap *maps;
    int count;
} MapResult;

static void maps_print(const void *context)
{
    const MapResult *result = context;
    for (int i = 0; i < result->count; i++)
        map_print(&result->maps[i], result->study);
    printf(". stable: %s\no not stable   X blew up   ? failed, crashed or took too long\n",
           result->study->predicate.text);
}

static json_t *maps_document(const MapStudy *study, const StabilityMap *maps, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_map(&maps[i]));
    return json_pack(
        "{s:s,s:o,s:o,s:s,s:o}", "scene", maps[0].base.scene ? maps[0].base.scene->name : maps[0].base.file, "across",
        json_axis(study->across), "up", json_axis(study->up), "predicate", study->predicate.text, "maps", array);
}

static bool map_make_all(const Arguments *arguments, MapStudy *study, const Run *runs, int count, Status *status)
{
    StabilityMap *maps = calloc((size_t)count, sizeof *maps);
    bool ok = maps || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < count; i++)
        ok = stability_map_make(&maps[i], study, &runs[i], status);
    progress_end();
    MapResult result = {study, maps, count};
    ok = ok && plot_and_report(arguments, "map", maps_document(study, maps, count), maps_print, &result, status);
    for (int i = 0; maps && i < count; i++)
        stability_map_clear(&maps[i]);
    free(maps);
    return ok;
}

static bool map_command(const Arguments *arguments, Status *status)
{
    int count;
    Run *runs = arguments_runs(arguments, arguments->operands[1], &count, status);
    if (!runs)
        return false;
    Axis axes[2] = {0};
    MapStudy study = {.across = &axes[0], .up = &axes[1], .progress = progress_show};
    bool ok = plot_may_be_made(arguments, status) && map_axes(arguments, runs, count, axes, status) &&
              predicate_parse(&study.predicate, argument(arguments, OPTION_UNTIL), status) &&
              argument_tolerance(arguments, DEFAULT_TOLERANCE, &study.tolerance, status) &&
              argument_whole(arguments, OPTION_JOBS, 1, workers_default(runs[0].threads), &study.jobs, status) &&
              argument_seconds(arguments, OPTION_RUN_TIME_LIMIT, 0.0, &study.run_time_limit, status) &&
              map_make_all(arguments, &study, runs, count, status);
    axis_clear(&axes[0]);
    axis_clear(&axes[1]);
    free(runs);
    return ok;
}

const Command command_map = {
    .name = "map",
    .operands = "SCENE SOLVER[,SOLVER...]",
    .summary = "stable or not over two axes: a stability map for each solver",
    .help = "Two lists give an answer for every pair; the first --over lies across. A range a:b lies across, and its\n"
            "limit is found by bisection for every value of the other axis. Of two ranges the second is cut into 13\n"
            "values. The map does not depend on --jobs, but on --run-time-limit and the machine where a run takes that "
            "long.",
    .least_operands = 2,
    .most_operands = 2,
    .options = TAKES_SCENE | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_TIME) |
               TAKES(OPTION_PLUGIN) | TAKES(OPTION_OVER) | TAKES(OPTION_UNTIL) | TAKES(OPTION_TOLERANCE) |
               TAKES(OPTION_JOBS) | TAKES(OPTION_RUN_TIME_LIMIT) | TAKES(OPTION_PLOT) | TAKES(OPTION_FORCE),
    .only_reads = true,
    .run = map_command,
};
