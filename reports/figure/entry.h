/* SPDX-License-Identifier: MIT */
/* An entry of a figure's grid or series: runs as in an experiment file, and beside them what belongs to the figure:
 * `set`, fields that every row of the entry gets, and `columns`, what to read at every frame. */
#ifndef RIGOR_REPORTS_FIGURE_ENTRY_H
#define RIGOR_REPORTS_FIGURE_ENTRY_H

#include "bench/experiment/grid.h"
#include "reports/figure/figure.h"

typedef struct Entry {
    Experiment *experiment;
    json_t *runs; /* the entry without what is the figure's */
    json_t *set;  /* borrowed; NULL: none */
    Node columns; /* value NULL: none */
} Entry;

/* Adds an entry's rows to the figure's; where the workshop only checks, counts its runs and looks at what it names. */
typedef bool EntryAdd(const Entry *entry, Node place, Workshop *workshop, json_t *rows);

/* Every entry of the figure's list `key`. */
bool figure_add_entries(Figure *figure, const char *key, EntryAdd *add, Workshop *workshop, Status *status);

/* Is the entry made? One with `needs` is where that variable is set; a check looks at all. False with a message. */
bool entry_is_wanted(Node node, const Workshop *workshop, bool *wanted);

/* An object of scalars. */
bool entry_check_set(Node node);

#endif
