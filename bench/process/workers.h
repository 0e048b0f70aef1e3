/* SPDX-License-Identifier: MIT */
/* Work shared among processes: items 0 .. count - 1, each done by one of several forked workers, which take the next
 * item as they become free. Results lie in the order of the items, so they do not depend on the number of workers. A
 * worker that dies costs its item only: another takes its place. */
#ifndef RIGOR_BENCH_PROCESS_WORKERS_H
#define RIGOR_BENCH_PROCESS_WORKERS_H

#include "model/status.h"

#include <stddef.h>

/* As many, each with so many threads, as leave every thread a core that is online; one at least. */
int workers_default(int threads);

typedef struct Work {
    int count;
    size_t result_size;
    /* Called in a worker; `result` is zeroed, result_size bytes: nothing it points to survives. */
    void (*item)(void *context, int index, void *result);
    void *context;
    void (*progress)(void *context, int done); /* called in the parent as items are done; NULL: not at all */
} Work;

typedef struct WorkResults WorkResults;

/* NULL with a message if the workers cannot be started. */
WorkResults *workers_run(const Work *work, int jobs, Status *status);
void work_results_destroy(WorkResults *results);

/* The item's result, or NULL if the worker died at it. */
const void *work_result(const WorkResults *results, int index);

#endif
