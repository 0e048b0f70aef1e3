/* SPDX-License-Identifier: MIT */
/* Who gives the least error for its time: of the runs that a figure's commands gave, those that no other of the same
 * case beats in both. The commands say what is an error there (`set`: measure), so that cases of different metrics
 * share a figure. */
#include "reports/generate/generators.h"

#include <stdlib.h>
#include <string.h>

static const char *const KEYS[] = {"cost", "over", NULL};

typedef struct Entry {
    const char *group, *solver;
    double cost, error;
    bool front;
} Entry;

static const char *row_string(const json_t *row, const char *field)
{
    const char *text = json_string_value(json_object_get(row, field));
    return text ? text : "";
}

/* False: a row that is none of these, or did not end well. */
static bool entry_read(const json_t *row, const char *cost, const char *over, Entry *entry)
{
    const char *measure = row_string(row, "measure");
    if (!measure[0] || strcmp(row_string(row, "status"), "ok") != 0)
        return false;
    *entry = (Entry){row_string(row, over), row_string(row, "solver"), row_number(row, cost), row_number(row, measure),
                     false};
    return isfinite(entry->cost) && isfinite(entry->error);
}

/* Group by group, the cheapest first, of equal ones the best. */
static int entry_order(const void *a, const void *b)
{
    const Entry *p = a, *q = b;
    int groups = strcmp(p->group, q->group);
    if (groups != 0)
        return groups;
    return p->cost != q->cost ? (p->cost > q->cost) - (p->cost < q->cost)
                              : (p->error > q->error) - (p->error < q->error);
}

static void entries_mark(Entry *entries, size_t count)
{
    double best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(entries[i].group, entries[i - 1].group) != 0)
            best = INFINITY;
        entries[i].front = entries[i].error < best;
        best = fmin(best, entries[i].error);
    }
}

/* Is the solver on the front of its group with any of its runs? */
static bool entry_is_named(const Entry *entries, size_t count, const Entry *entry)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].front && strcmp(entries[i].group, entry->group) == 0 &&
            strcmp(entries[i].solver, entry->solver) == 0)
            return true;
    return false;
}

static json_t *entry_row(const Entry *entry, const char *over, const char *part)
{
    return json_pack("{s:s,s:s,s:s,s:f,s:f}", over, entry->group, "solver", entry->solver, "part", part, "cost",
                     entry->cost, "error", entry->error);
}

static bool front_make(Node arguments, json_t *rows)
{
    const char *cost = "cost.frame_us", *over = "case";
    if (!node_object(arguments, KEYS) || !node_text(node_get(&arguments, "cost"), &cost) ||
        !node_text(node_get(&arguments, "over"), &over))
        return false;
    size_t i, count = 0;
    json_t *row, *found = json_array();
    Entry *entries = calloc(json_array_size(rows) + 1, sizeof *entries);
    if (!entries)
        return node_fail(arguments, "out of memory");
    json_array_foreach (rows, i, row)
        count += entry_read(row, cost, over, &entries[count]);
    qsort(entries, count, sizeof *entries, entry_order);
    entries_mark(entries, count);
    for (i = 0; i < count; i++) {
        bool named = entry_is_named(entries, count, &entries[i]);
        json_array_append_new(found, entry_row(&entries[i], over, named ? "named" : "others"));
        if (entries[i].front)
            json_array_append_new(found, entry_row(&entries[i], over, "front"));
    }
    if (rows)
        json_array_extend(rows, found);
    json_decref(found);
    free(entries);
    return true;
}

const Generator generator_front = {
    .name = "front",
    .about = "who gives the least error for its time, of the runs whose command sets a `measure` (an expression: the "
             "error); arguments: cost (an expression: cost.frame_us), over (a field that tells cases apart: case); "
             "fields: over, solver, cost, error, part (front: nobody is better in both; named: all runs of a solver "
             "with a run there; others: of one without)",
    .make = front_make,
};
