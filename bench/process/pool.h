/* SPDX-License-Identifier: MIT */
/* Worker processes, forked from this one. Each lives through many items: it reads an item's index from one pipe and
 * writes the result to another. The owner hands items out and takes answers in: a result, the death of a worker at its
 * item, or the end of an item's time. A worker that died or was stopped is replaced. */
#ifndef RIGOR_BENCH_PROCESS_POOL_H
#define RIGOR_BENCH_PROCESS_POOL_H

#include "bench/process/place.h"
#include "model/status.h"

#include <stddef.h>

typedef struct PoolWork {
    /* Called in a worker; `result` is zeroed, result_size bytes: nothing it points to survives. */
    void (*item)(void *context, int index, void *result);
    void *context;
    size_t result_size;
    double seconds_limit; /* of one item; infinite: none */
} PoolWork;

typedef enum PoolEvent { POOL_NOTHING, POOL_DONE, POOL_DIED, POOL_LATE } PoolEvent;

typedef struct PoolAnswer {
    PoolEvent event;
    int worker, index;      /* whose, and of which item */
    int how;                /* POOL_DIED: as waitpid tells it */
    char where[PLACE_TEXT]; /* POOL_DIED, POOL_LATE: in its run, as place_text tells it */
} PoolAnswer;

typedef struct Pool Pool;

/* NULL with a message. */
Pool *pool_create(const PoolWork *work, int size, Status *status);

/* Ends all workers, by force those that have an item in hand. Copes with NULL. */
void pool_destroy(Pool *pool);

/* The worker must be idle. */
bool pool_give(Pool *pool, int worker, int index, Status *status);

/* Waits at most so many seconds, or until a signal, for an answer; POOL_DONE: `result` is filled. */
bool pool_take(Pool *pool, double seconds, PoolAnswer *answer, void *result, Status *status);

#endif
