/* An entry of a figure's grid or series: runs as in an experiment file, and beside them what belongs to the figure:
 * `set`, fields that every row of the entry gets, and `columns`, what to read at every frame. */
#ifndef RIGOR_REPORTS_ENTRY_H
#define RIGOR_REPORTS_ENTRY_H

#include "bench/experiment_grid.h"
#include "reports/figure.h"

typedef struct Entry {
    Experiment *experiment;
    json_t *runs; /* the entry without what is the figure's */
    json_t *set;  /* borrowed; NULL: none */
    Node columns; /* value NULL: none */
} Entry;

/* False with a message; clear it in any case. The nodes must outlive it. */
bool entry_read(Entry *entry, const Node *root, const Node *node, const Workshop *workshop);
void entry_clear(Entry *entry);

/* An object of scalars. */
bool entry_check_set(Node node);

#endif
