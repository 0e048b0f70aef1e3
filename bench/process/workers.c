/* SPDX-License-Identifier: MIT */
#include "bench/process/workers.h"

#include "bench/process/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* s: an answer ends a wait, so this only says how often a wait begins anew. */
static const double WAIT = 1.0;

struct WorkResults {
    size_t result_size;
    bool *finished;
    unsigned char *results;
};

/* Results begin at a place that suits any type. */
static size_t aligned(size_t bytes)
{
    size_t unit = _Alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

int workers_default(int threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > threads ? (int)(cores / threads) : 1;
}

static WorkResults *work_results_create(const Work *work, Status *status)
{
    WorkResults *results = calloc(1, sizeof *results);
    if (results) {
        results->result_size = aligned(work->result_size);
        results->finished = calloc((size_t)work->count + 1, sizeof *results->finished);
        results->results = calloc((size_t)work->count + 1, results->result_size);
    }
    if (results && results->finished && results->results)
        return results;
    status_set(status, STATUS_FAILED, "out of memory");
    work_results_destroy(results);
    return NULL;
}

void work_results_destroy(WorkResults *results)
{
    if (!results)
        return;
    free(results->finished);
    free(results->results);
    free(results);
}

static void *result_at(const WorkResults *results, int index)
{
    return results->results + results->result_size * (size_t)index;
}

const void *work_result(const WorkResults *results, int index)
{
    return results->finished[index] ? result_at(results, index) : NULL;
}

/* Every worker has an item; who is done gets the next. `scratch` holds one result. */
static bool workers_share(const Work *work, Pool *pool, int jobs, void *scratch, WorkResults *results, Status *status)
{
    int next = 0, done = 0;
    while (next < jobs)
        if (!pool_give(pool, next, next, status))
            return false;
        else
            next++;
    while (done < work->count) {
        PoolAnswer answer;
        if (work->progress)
            work->progress(work->context, done);
        do
            if (!pool_take(pool, WAIT, &answer, scratch, status))
                return false;
        while (answer.event == POOL_NOTHING);
        done++;
        results->finished[answer.index] = answer.event == POOL_DONE;
        if (answer.event == POOL_DONE)
            memcpy(result_at(results, answer.index), scratch, work->result_size);
        if (next < work->count && !pool_give(pool, answer.worker, next++, status))
            return false;
    }
    if (work->progress)
        work->progress(work->context, done);
    return true;
}

WorkResults *workers_run(const Work *work, int jobs, Status *status)
{
    WorkResults *results = work_results_create(work, status);
    if (jobs > work->count)
        jobs = work->count;
    if (!results || jobs == 0)
        return results;
    PoolWork items = {work->item, work->context, work->result_size, INFINITY};
    void *scratch = malloc(work->result_size + 1);
    Pool *pool = scratch ? pool_create(&items, jobs, status) : NULL;
    bool ok = scratch ? pool && workers_share(work, pool, jobs, scratch, results, status)
                      : status_set(status, STATUS_FAILED, "out of memory");
    pool_destroy(pool);
    free(scratch);
    if (ok)
        return results;
    work_results_destroy(results);
    return NULL;
}
