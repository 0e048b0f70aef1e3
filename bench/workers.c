#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "bench/workers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the parent looks after its workers: s. Short against a run worth sharing, long against the look itself. */
static const double LOOK_SECONDS = 0.005;

/* In memory that all processes share. */
typedef struct WorkState {
    atomic_int next; /* the first item that nobody has taken */
    atomic_int done;
} WorkState;

struct WorkResults {
    int count;
    size_t result_size, bytes;
    WorkState *state; /* of the mapping: the state, a flag for each item, the results */
    atomic_char *finished;
    unsigned char *results;
};

/* Results begin at a place that suits any type. */
static size_t aligned(size_t bytes)
{
    size_t unit = _Alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

int workers_default(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

static WorkResults *work_results_create(const Work *work, Status *status)
{
    WorkResults *results = calloc(1, sizeof *results);
    size_t head = aligned(sizeof(WorkState)), flags = aligned((size_t)work->count);
    size_t each = aligned(work->result_size), bytes = head + flags + each * (size_t)work->count;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!results || memory == MAP_FAILED) {
        status_set(status, STATUS_FAILED, "out of memory");
        if (memory != MAP_FAILED)
            munmap(memory, bytes);
        free(results);
        return NULL;
    }
    results->count = work->count;
    results->result_size = each;
    results->bytes = bytes;
    results->state = (WorkState *)memory;
    results->finished = (atomic_char *)(memory + head);
    results->results = memory + head + flags;
    return results;
}

void work_results_destroy(WorkResults *results)
{
    if (!results)
        return;
    munmap(results->state, results->bytes);
    free(results);
}

const void *work_result(const WorkResults *results, int index)
{
    return results->finished[index] ? results->results + results->result_size * (size_t)index : NULL;
}

static void worker_loop(const Work *work, WorkResults *results, pid_t parent)
{
    for (;;) {
        int index = atomic_fetch_add(&results->state->next, 1);
        if (index >= work->count || getppid() != parent)
            return;
        work->item(work->context, index, results->results + results->result_size * (size_t)index);
        results->finished[index] = 1;
        atomic_fetch_add(&results->state->done, 1);
    }
}

static pid_t worker_start(const Work *work, WorkResults *results)
{
    pid_t parent = getpid(), worker = fork();
    if (worker != 0)
        return worker;
    worker_loop(work, results, parent);
    _exit(0);
}

static void look_pause(void)
{
    struct timespec pause = {.tv_nsec = (long)(1e9 * LOOK_SECONDS)};
    nanosleep(&pause, NULL);
}

/* Reaps the worker if it has ended, and puts another in its place while there are items to take. */
static void worker_look_after(const Work *work, WorkResults *results, pid_t *worker)
{
    if (*worker <= 0 || waitpid(*worker, NULL, WNOHANG) != *worker)
        return;
    *worker = results->state->next < work->count ? worker_start(work, results) : 0;
}

WorkResults *workers_run(const Work *work, int jobs, Status *status)
{
    if (jobs > work->count)
        jobs = work->count;
    pid_t *workers = calloc((size_t)jobs + 1, sizeof *workers);
    WorkResults *results = work_results_create(work, status);
    int running = results && workers ? 1 : 0, shown = -1;
    fflush(NULL); /* else every worker would hold a copy of what is not yet written */
    for (int i = 0; running > 0 && i < jobs; i++)
        workers[i] = worker_start(work, results);
    while (running > 0) {
        running = 0;
        for (int i = 0; i < jobs; i++) {
            worker_look_after(work, results, &workers[i]);
            running += workers[i] > 0;
        }
        if (work->progress && results->state->done != shown)
            work->progress(work->context, shown = results->state->done);
        if (running > 0)
            look_pause();
    }
    if (results && results->state->next < work->count) {
        status_set(status, STATUS_FAILED, "no worker could be started: %s", strerror(errno));
        work_results_destroy(results);
        results = NULL;
    }
    free(workers);
    return results;
}
