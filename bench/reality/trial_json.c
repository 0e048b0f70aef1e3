/* SPDX-License-Identifier: MIT */
#include "bench/reality/trial_json.h"

#include "bench/run/json.h"

#include <math.h>
#include <stdlib.h>

const char *entry_solver(const Trial *trial, const Entry *entry)
{
    return entry->closed ? trial->suite->closed_form : entry->run.solver->name;
}

const char *entry_name(const Trial *trial, const Entry *entry, char name[ENTRY_NAME])
{
    snprintf(name, ENTRY_NAME, "%s%s", entry_solver(trial, entry), entry->fine ? " fine" : "");
    return name;
}

/* The mean of the first measure over the items at each frame, with 95 % of what the bootstrap gives, as
 * [s, mean, low, high] at every EVERY-th frame. */
static json_t *entry_curve(const Trial *trial, const Entry *entry)
{
    enum { EVERY = 4, DRAWS = 1000 };
    json_t *curve = json_array();
    double *values = malloc(sizeof *values * ((size_t)trial->used + 1));
    for (int frame = 0; values && frame <= SUITE_CURVE; frame += EVERY) {
        Interval interval;
        Status status = {0};
        double sum = 0.0;
        int count = 0;
        for (int i = 0; i < trial->used; i++)
            if (!isnan(entry->scores[i].curve[frame])) {
                values[count++] = entry->scores[i].curve[frame];
                sum += entry->scores[i].curve[frame];
            }
        if (2 * count < trial->used) /* most items are over: the rest is another set */
            break;
        if (bootstrap_mean(values, count, DRAWS, trial->seed, &interval, &status))
            json_array_append_new(curve, json_pack("[f,o,o,o]", frame * trial->suite->frame, json_number(sum / count),
                                                   json_number(interval.low), json_number(interval.high)));
    }
    free(values);
    return curve;
}

static json_t *entry_json(const Trial *trial, const Entry *entry)
{
    const Suite *suite = trial->suite;
    json_t *row = json_pack("{s:s,s:s,s:s,s:o,s:o,s:s}", "solver", entry_solver(trial, entry), "class",
                            entry->fine ? "fine" : "default", "pair", entry->fitted ? "fitted" : "published", "mu",
                            json_number(entry->friction), "e", json_number(entry->restitution), "half",
                            trial->test ? "test" : "all");
    for (int m = 0; m < suite->measure_count; m++) {
        json_object_set_new(row, suite->measures[m].name, json_number(entry->absent ? NAN : entry->mean[m]));
        if (m > 0)
            continue;
        json_object_set_new(row, "ci",
                            json_pack("[o,o]", json_number(entry->absent ? NAN : entry->interval.low),
                                      json_number(entry->absent ? NAN : entry->interval.high)));
        if (suite->median)
            json_object_set_new(row, "median", json_number(entry->absent ? NAN : entry->median));
    }
    json_object_set_new(row, "items", json_integer(trial->used));
    json_object_set_new(row, "lost", json_integer(entry->absent ? 0 : entry->lost));
    json_object_set_new(row, "borrowed", json_boolean(entry->borrowed));
    json_object_set_new(row, "message", entry->failed ? json_string(entry->status.message) : json_null());
    if (suite->curve && !entry->absent)
        json_object_set_new(row, "curve", entry_curve(trial, entry));
    return row;
}

typedef struct TieList {
    const Trial *trial;
    json_t *ties;
} TieList;

static json_t *ranked_name(const Trial *trial, int rank)
{
    char name[ENTRY_NAME];
    return json_string(entry_name(trial, &trial->entries[trial->order[rank]], name));
}

static void tie_add(void *context, const int *rows, int count)
{
    TieList *list = context;
    json_t *tie = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(tie, ranked_name(list->trial, rows[i]));
    json_array_append_new(list->ties, tie);
}

static json_t *trial_ties(const Trial *trial)
{
    TieList list = {trial, json_array()};
    int *places = malloc(sizeof *places * ((size_t)trial->ranked + 1));
    for (int i = 0; places && i < trial->ranked; i++)
        places[i] = i;
    if (places)
        pairs_each_tie(&trial->pairs, places, tie_add, &list);
    free(places);
    return list.ties;
}

/* Every pair: the better one first. */
static json_t *trial_pairs(const Trial *trial)
{
    static const char *const WORDS[] = {"tie", "different", "undecided"};
    const Pairs *pairs = &trial->pairs;
    json_t *list = json_array();
    for (int i = 0; i < trial->ranked; i++)
        for (int j = i + 1; j < trial->ranked; j++)
            json_array_append_new(list, json_pack("{s:[o,o],s:o,s:o,s:s}", "pair", ranked_name(trial, i),
                                                  ranked_name(trial, j), "difference",
                                                  json_number(pairs->difference[i * pairs->rows + j]), "p",
                                                  json_number(pairs->p[i * pairs->rows + j]), "finding",
                                                  WORDS[pairs->decision[i * pairs->rows + j]]));
    return list;
}

json_t *trial_json(const Trial *trial)
{
    json_t *rows = json_array();
    for (int r = 0; r < trial->ranked; r++) {
        const Entry *entry = &trial->entries[trial->order[r]];
        json_array_append_new(rows, entry_json(trial, entry));
        for (const Entry *next = entry + 1; next < trial->entries + trial->entry_count && next->same; next++)
            json_array_append_new(rows, entry_json(trial, next));
    }
    for (int e = 0; e < trial->entry_count; e++)
        if (trial->entries[e].absent && !trial->entries[e].same)
            json_array_append_new(rows, entry_json(trial, &trial->entries[e]));
    return json_pack("{s:s,s:i,s:i,s:I,s:o,s:o,s:o}", "suite", trial->suite->name, "items", trial->used, "seed",
                     (int)trial->seed, "flips", (json_int_t)trial->pairs.flips, "rows", rows, "ties", trial_ties(trial),
                     "pairs", trial_pairs(trial));
}
