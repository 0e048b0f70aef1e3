/* SPDX-License-Identifier: MIT */
#include "bench/store/results_group.h"

#include "bench/fits/median.h"
#include "bench/metrics/metrics.h"
#include "bench/text/sequence.h"
#include "model/random.h"
#include "model/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 32, WORD_TEXT = 128 };

typedef struct Words {
    int count;
    char text[WORDS_MAX][WORD_TEXT];
} Words;

typedef enum Aggregate { AGG_COUNT, AGG_MEAN, AGG_MEDIAN, AGG_MIN, AGG_MAX, AGG_SD, AGG_CI95, AGGREGATES } Aggregate;
static const char *const AGGREGATE_NAMES[AGGREGATES] = {"count", "mean", "median", "min", "max", "sd", "ci95"};

static bool words_split(const char *list, const char *option, Words *words, Status *status)
{
    *words = (Words){0};
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",");
        if (words->count == WORDS_MAX || length == 0 || length >= WORD_TEXT)
            return status_set(status, STATUS_USAGE, "%s: '%.64s' is no list of at most %d names", option, list,
                              WORDS_MAX);
        snprintf(words->text[words->count++], WORD_TEXT, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
    }
    return true;
}

static int words_find(const Words *words, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->text[i], word) == 0)
            return i;
    return -1;
}

/* --- The rows --- */

typedef struct Groups {
    Words by, metrics, aggregates;
    int pivot;      /* of `by`; -1: none */
    json_t *rows;   /* row key -> {column key -> {metric -> [numbers]}}, in the order of the rows */
    json_t *beside; /* column key -> true: the pivot's values */
} Groups;

static bool rows_have(const json_t *rows, const char *column)
{
    const json_t *row;
    size_t i;
    json_array_foreach (rows, i, row)
        if (json_object_get(row, column))
            return true;
    return false;
}

static bool check_columns(const json_t *rows, const Words *words, const char *option, Status *status)
{
    for (int w = 0; w < words->count; w++) {
        if (rows_have(rows, words->text[w]))
            continue;
        Suggestion near = suggestion_for(words->text[w]);
        const json_t *value;
        const char *name;
        char text[SUGGESTION_TEXT];
        json_object_foreach ((json_t *)json_array_get(rows, 0), name, value)
            suggestion_offer(&near, name);
        return status_set(status, STATUS_USAGE, "%s: these runs have no '%s'%s", option, words->text[w],
                          suggestion_text(&near, text));
    }
    return true;
}

static void value_text(const json_t *value, char text[WORD_TEXT])
{
    if (json_is_string(value))
        snprintf(text, WORD_TEXT, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, WORD_TEXT, "%s", json_is_true(value) ? "on" : "off");
    else if (value)
        snprintf(text, WORD_TEXT, "%.6g", json_number_value(value));
    else
        snprintf(text, WORD_TEXT, "-");
}

/* The values of the row in the group's columns but the pivot, as a JSON text. */
static char *row_key(const Groups *groups, const json_t *row)
{
    json_t *key = json_array();
    for (int i = 0; i < groups->by.count; i++) {
        char text[WORD_TEXT];
        value_text(json_object_get(row, groups->by.text[i]), text);
        if (i != groups->pivot)
            json_array_append_new(key, json_string(text));
    }
    char *text = json_dumps(key, JSON_COMPACT);
    json_decref(key);
    return text;
}

/* The object or array at a key, made where it is missing. */
static json_t *reach(json_t *in, const char *key, bool list)
{
    json_t *found = json_object_get(in, key);
    if (!found && json_object_set_new(in, key, list ? json_array() : json_object()) == 0)
        found = json_object_get(in, key);
    return found;
}

static bool groups_add(Groups *groups, const json_t *row)
{
    char beside[WORD_TEXT] = "", *key = row_key(groups, row);
    if (groups->pivot >= 0)
        value_text(json_object_get(row, groups->by.text[groups->pivot]), beside);
    json_t *cell = key ? reach(reach(groups->rows, key, false), beside, false) : NULL;
    bool ok = cell && json_object_set_new(groups->beside, beside, json_true()) == 0;
    for (int m = 0; ok && m < groups->metrics.count; m++) {
        const json_t *value = json_object_get(row, groups->metrics.text[m]);
        json_t *numbers = reach(cell, groups->metrics.text[m], true);
        ok = numbers &&
             (!json_is_number(value) || json_array_append_new(numbers, json_real(json_number_value(value))) == 0);
    }
    free(key);
    return ok;
}

/* --- What comes of a group --- */

static double mean_of(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i];
    return sum / count;
}

static double sd_of(const double *x, int count)
{
    double mean = mean_of(x, count), sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return count > 1 ? sqrt(sum / (count - 1)) : NAN;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Percentiles 2.5 and 97.5 of the statistic of resampled runs; the same seed for every group, so that its interval does
 * not depend on the others. */
static void interval_of(const double *x, int count, bool of_median, unsigned seed, double interval[2])
{
    static const double SHARES[2] = {0.025, 0.975};
    Random random = {seed};
    double *drawn = malloc(sizeof *drawn * (size_t)count), *found = malloc(sizeof *found * GROUP_RESAMPLES);
    interval[0] = interval[1] = NAN;
    for (int r = 0; drawn && found && r < GROUP_RESAMPLES; r++) {
        for (int i = 0; i < count; i++)
            drawn[i] = x[(int)random_in(&random, 0.0, count)];
        found[r] = of_median ? median(drawn, count) : mean_of(drawn, count);
    }
    if (drawn && found) {
        qsort(found, GROUP_RESAMPLES, sizeof *found, compare_numbers);
        for (int k = 0; k < 2; k++)
            interval[k] = found[(int)(SHARES[k] * (GROUP_RESAMPLES - 1) + 0.5)];
    }
    free(drawn);
    free(found);
}

static double aggregate_of(Aggregate aggregate, double *x, int count)
{
    switch (aggregate) {
    case AGG_COUNT:
        return count;
    case AGG_MEAN:
        return count > 0 ? mean_of(x, count) : NAN;
    case AGG_MEDIAN:
        return count > 0 ? median(x, count) : NAN;
    case AGG_SD:
        return sd_of(x, count);
    default:
        qsort(x, (size_t)count, sizeof *x, compare_numbers);
        return count > 0 ? x[aggregate == AGG_MIN ? 0 : count - 1] : NAN;
    }
}

static void table_add_group(Table *table, const Groups *groups, const json_t *numbers, unsigned seed)
{
    int count = (int)json_array_size(numbers);
    double *x = calloc((size_t)count + 1, sizeof *x);
    for (int i = 0; x && i < count; i++)
        x[i] = json_real_value(json_array_get(numbers, (size_t)i));
    for (int a = 0; a < groups->aggregates.count; a++) {
        Aggregate aggregate = AGG_COUNT;
        while (strcmp(AGGREGATE_NAMES[aggregate], groups->aggregates.text[a]) != 0)
            aggregate++;
        if (aggregate != AGG_CI95) {
            table_add_number(table, x ? aggregate_of(aggregate, x, count) : NAN, true);
            continue;
        }
        double interval[2] = {NAN, NAN};
        if (x && count > 1)
            interval_of(x, count, words_find(&groups->aggregates, "mean") < 0, seed, interval);
        table_add_number(table, interval[0], false);
        table_add_number(table, interval[1], false);
    }
    free(x);
}

/* --- The table --- */

static void name_add(char name[3 * WORD_TEXT], const char *word, bool wanted)
{
    size_t length = strlen(name);
    if (wanted && word[0])
        snprintf(name + length, 3 * WORD_TEXT - length, "%s%s", length > 0 ? " " : "", word);
}

static void add_columns(Table *table, const Groups *groups, const char *beside)
{
    bool pivots = groups->pivot >= 0;
    for (int m = 0; m < groups->metrics.count; m++) {
        int metric = metric_find(groups->metrics.text[m]);
        TableBest best = metric < 0 || groups->by.count > 1 || pivots ? BEST_NONE
                         : all_metrics[metric]->more_is_better        ? BEST_HIGHEST
                                                                      : BEST_LOWEST;
        for (int a = 0; a < groups->aggregates.count; a++) {
            const char *aggregate = groups->aggregates.text[a];
            bool interval = strcmp(aggregate, "ci95") == 0,
                 place = strcmp(aggregate, "mean") == 0 || strcmp(aggregate, "median") == 0;
            for (int end = 0; end <= interval; end++) {
                char name[3 * WORD_TEXT] = "";
                name_add(name, beside, true);
                name_add(name, groups->metrics.text[m], !pivots || groups->metrics.count > 1);
                name_add(name, aggregate, !pivots || groups->aggregates.count > 1);
                name_add(name, end == 0 ? "low" : "high", interval);
                table_add_column(table, name,
                                 metric >= 0 && strcmp(aggregate, "count") != 0 ? all_metrics[metric]->unit : "",
                                 place ? best : BEST_NONE);
            }
        }
    }
}

static Table *groups_table(const Groups *groups, unsigned seed)
{
    Table *table = table_create();
    const char *key, *beside;
    json_t *cells, *unused;
    for (int i = 0; i < groups->by.count; i++) {
        if (i == groups->pivot)
            continue;
        table_add_column(table, groups->by.text[i], "", BEST_NONE);
        table_key(table);
    }
    if (groups->by.count == 1 && groups->pivot == 0)
        table_add_column(table, groups->by.text[0], "", BEST_NONE);
    json_object_foreach (groups->beside, beside, unused)
        add_columns(table, groups, beside);
    json_object_foreach (groups->rows, key, cells) {
        json_t *values = json_loads(key, 0, NULL);
        for (size_t i = 0; i < json_array_size(values); i++)
            table_add_text(table, json_string_value(json_array_get(values, i)));
        if (json_array_size(values) == 0)
            table_add_text(table, "all");
        json_decref(values);
        json_object_foreach (groups->beside, beside, unused)
            for (int m = 0; m < groups->metrics.count; m++)
                table_add_group(table, groups, json_object_get(json_object_get(cells, beside), groups->metrics.text[m]),
                                seed);
    }
    return table;
}

static void metrics_of_rows(const json_t *rows, Words *metrics)
{
    for (int m = 0; m < metric_count; m++) {
        const json_t *row;
        size_t i;
        bool any = false;
        json_array_foreach (rows, i, row)
            any = any || json_is_number(json_object_get(row, all_metrics[m]->name));
        if (any && metrics->count < WORDS_MAX)
            snprintf(metrics->text[metrics->count++], WORD_TEXT, "%s", all_metrics[m]->name);
    }
}

static bool groups_choose(Groups *groups, const json_t *rows, const Grouping *grouping, Status *status)
{
    const char *aggregates = grouping->aggregates ? grouping->aggregates : "median";
    if (!words_split(grouping->by, "--group", &groups->by, status) ||
        !words_split(grouping->metrics, "--metrics", &groups->metrics, status) ||
        !words_split(aggregates, "--agg", &groups->aggregates, status) ||
        !check_columns(rows, &groups->by, "--group", status) ||
        !check_columns(rows, &groups->metrics, "--metrics", status))
        return false;
    for (int a = 0; a < groups->aggregates.count; a++) {
        Aggregate known = AGG_COUNT;
        while (known < AGGREGATES && strcmp(AGGREGATE_NAMES[known], groups->aggregates.text[a]) != 0)
            known++;
        if (known == AGGREGATES)
            return status_set(status, STATUS_USAGE, "--agg: '%s' is none of count, mean, median, min, max, sd, ci95",
                              groups->aggregates.text[a]);
    }
    groups->pivot = grouping->pivot ? words_find(&groups->by, grouping->pivot) : -1;
    if (grouping->pivot && groups->pivot < 0)
        return status_set(status, STATUS_USAGE, "--pivot: '%s' is not among the columns of --group", grouping->pivot);
    if (groups->metrics.count == 0)
        metrics_of_rows(rows, &groups->metrics);
    return true;
}

Table *results_group(const json_t *rows, const Grouping *grouping, Status *status)
{
    Groups *groups = calloc(1, sizeof *groups);
    Table *table = NULL;
    bool ok = groups && (groups->rows = json_object()) && (groups->beside = json_object());
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && groups_choose(groups, rows, grouping, status);
    const json_t *row;
    size_t i;
    json_array_foreach (rows, i, row)
        ok = ok && (groups_add(groups, row) || status_set(status, STATUS_FAILED, "out of memory"));
    if (ok)
        table = groups_table(groups, grouping->seed);
    if (groups) {
        json_decref(groups->rows);
        json_decref(groups->beside);
    }
    free(groups);
    return table;
}

bool grouping_resamples(const Grouping *grouping)
{
    return grouping->aggregates && strstr(grouping->aggregates, "ci95");
}
