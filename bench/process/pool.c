/* SPDX-License-Identifier: MIT */
#include "bench/process/pool.h"

#include "bench/process/clock.h"
#include "bench/process/fork.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IDLE = -1 };

typedef struct Worker {
    pid_t pid;
    int to, from; /* pipes */
    int index;    /* of its item; IDLE: none */
    double deadline;
} Worker;

struct Pool {
    PoolWork work;
    int size;
    Worker *workers;
    struct pollfd *polls;
    void *result;     /* a worker's own */
    RunPlace *places; /* of the workers, shared with them */
};

static bool write_all(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t more = write(fd, (const char *)data + done, size - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return false;
        done += (size_t)more;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t more = read(fd, (char *)data + got, size - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        got += (size_t)more;
    }
    return true;
}

/* A worker leaves interrupts to its parent: a terminal or a batch system sends them to all. */
static void worker_settle(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
}

/* Ends with the process: by _exit, which leaves the parent's open files alone. */
static void worker_main(const Pool *pool, RunPlace *place, int from, int to)
{
    place_keep_at(place);
    const PoolWork *work = &pool->work;
    int index;
    while (read_all(from, &index, sizeof index)) {
        memset(pool->result, 0, work->result_size);
        work->item(work->context, index, pool->result);
        if (!write_all(to, pool->result, work->result_size))
            break;
    }
    _exit(0);
}

static void close_pair(const int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

/* Only its own ends stay open in a worker, so that every other worker sees when its pipe closes. */
static void worker_close_others(const Pool *pool)
{
    for (int i = 0; i < pool->size; i++)
        if (pool->workers[i].pid > 0) {
            close(pool->workers[i].to);
            close(pool->workers[i].from);
        }
}

static bool worker_start(Pool *pool, Worker *worker, Status *status)
{
    int down[2], up[2];
    *worker = (Worker){.index = IDLE};
    if (pipe(down) != 0)
        return status_set(status, STATUS_FAILED, "no pipe for a worker: %s", strerror(errno));
    if (pipe(up) != 0) {
        status_set(status, STATUS_FAILED, "no pipe for a worker: %s", strerror(errno));
        close_pair(down);
        return false;
    }
    pid_t pid = fork_child(SIGKILL);
    if (pid < 0) {
        status_set(status, STATUS_FAILED, "no worker process: %s", strerror(errno));
        close_pair(down);
        close_pair(up);
        return false;
    }
    if (pid == 0) {
        worker_settle();
        worker_close_others(pool);
        close(down[1]);
        close(up[0]);
        worker_main(pool, &pool->places[worker - pool->workers], down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    worker->pid = pid;
    worker->to = down[1];
    worker->from = up[0];
    return true;
}

/* Returns the wait status. */
static int worker_end(Worker *worker, bool by_force)
{
    if (worker->pid <= 0)
        return 0;
    if (by_force)
        kill(worker->pid, SIGKILL);
    close(worker->to);
    close(worker->from);
    int how = fork_await(worker->pid);
    worker->pid = 0;
    return how;
}

bool pool_give(Pool *pool, int index_of_worker, int index, Status *status)
{
    Worker *worker = &pool->workers[index_of_worker];
    /* One that died at rest (out of memory, a stray kill) costs nothing: another takes its place. */
    for (int attempt = 0; attempt < 2; attempt++) {
        if (worker->pid > 0 && write_all(worker->to, &index, sizeof index)) {
            worker->index = index;
            worker->deadline = clock_now() + pool->work.seconds_limit;
            return true;
        }
        worker_end(worker, true);
        if (!worker_start(pool, worker, status))
            return false;
    }
    return status_set(status, STATUS_FAILED, "worker processes do not stay alive");
}

/* The worker whose deadline comes first; NULL: all are idle. */
static Worker *pool_most_urgent(const Pool *pool)
{
    Worker *first = NULL;
    for (int i = 0; i < pool->size; i++) {
        Worker *worker = &pool->workers[i];
        if (worker->index != IDLE && (!first || worker->deadline < first->deadline))
            first = worker;
    }
    return first;
}

/* The worker from whom something came, after at most so many seconds; NULL: none. */
static Worker *pool_poll(Pool *pool, double seconds)
{
    for (int i = 0; i < pool->size; i++) {
        bool busy = pool->workers[i].index != IDLE;
        pool->polls[i] = (struct pollfd){.fd = busy ? pool->workers[i].from : -1, .events = POLLIN};
    }
    int milliseconds = (int)ceil(1e3 * fmin(fmax(seconds, 0.0), 1e5));
    if (poll(pool->polls, (nfds_t)pool->size, milliseconds) > 0)
        for (int i = 0; i < pool->size; i++)
            if (pool->polls[i].revents)
                return &pool->workers[i];
    return NULL;
}

bool pool_take(Pool *pool, double seconds, PoolAnswer *answer, void *result, Status *status)
{
    Worker *urgent = pool_most_urgent(pool);
    *answer = (PoolAnswer){POOL_NOTHING};
    if (urgent)
        seconds = fmin(seconds, urgent->deadline - clock_now());
    Worker *answered = pool_poll(pool, seconds), *worker = answered;
    if (!answered && urgent && clock_now() >= urgent->deadline)
        worker = urgent;
    if (!worker)
        return true;
    answer->worker = (int)(worker - pool->workers);
    answer->index = worker->index;
    worker->index = IDLE;
    if (answered && read_all(worker->from, result, pool->work.result_size)) {
        answer->event = POOL_DONE;
        return true;
    }
    answer->event = answered ? POOL_DIED : POOL_LATE;
    answer->how = worker_end(worker, !answered);
    place_text(&pool->places[answer->worker], answer->where);
    return worker_start(pool, worker, status);
}

void pool_destroy(Pool *pool)
{
    if (!pool)
        return;
    for (int i = 0; pool->workers && i < pool->size; i++)
        worker_end(&pool->workers[i], pool->workers[i].index != IDLE);
    free(pool->workers);
    free(pool->polls);
    free(pool->result);
    places_destroy(pool->places, pool->size);
    free(pool);
}

Pool *pool_create(const PoolWork *work, int size, Status *status)
{
    Pool *pool = calloc(1, sizeof *pool);
    bool ok = pool != NULL;
    if (ok) {
        *pool = (Pool){.work = *work, .size = size};
        pool->workers = calloc((size_t)size, sizeof *pool->workers);
        pool->polls = calloc((size_t)size, sizeof *pool->polls);
        pool->result = malloc(work->result_size + 1);
        pool->places = places_create(size);
        ok = pool->workers && pool->polls && pool->result && pool->places;
    }
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    signal(SIGPIPE, SIG_IGN); /* write() reports a dead worker */
    for (int i = 0; ok && i < size; i++)
        ok = worker_start(pool, &pool->workers[i], status);
    if (ok)
        return pool;
    pool_destroy(pool);
    return NULL;
}
