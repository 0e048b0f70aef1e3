/* Worker processes. Each lives through many runs: it reads the index of a run from one pipe and writes the outcome to
 * another. The parent watches for an answer, for the end of a worker, and for the deadline of its run. */
#include "bench/clock.h"
#include "bench/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

_Static_assert(sizeof(Outcome) <= 4096, "an outcome goes through a pipe in one piece (PIPE_BUF)");

enum { IDLE = -1 };

typedef struct Worker {
    pid_t pid;
    int to, from; /* pipes */
    int run;      /* IDLE: none */
    double deadline;
} Worker;

typedef struct Pool {
    Crew crew;
    const Experiment *experiment;
    Work work;
    double seconds_limit;
    Worker *workers;
    struct pollfd *polls;
    char machine[OUTCOME_MACHINE];
} Pool;

/* Host, architecture and processor, as far as the system tells. */
static void machine_name(char text[OUTCOME_MACHINE])
{
    struct utsname system;
    char line[256], model[96] = "";
    if (uname(&system) != 0)
        return;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model[0] && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(model, sizeof model, ", %.90s", strchr(line, ':') + 2);
    if (file)
        fclose(file);
    model[strcspn(model, "\n")] = '\0';
    snprintf(text, OUTCOME_MACHINE, "%.64s %.16s%s", system.nodename, system.machine, model);
}

static bool write_all(int fd, const void *data, size_t size)
{
    ssize_t written;
    do
        written = write(fd, data, size);
    while (written < 0 && errno == EINTR);
    return written == (ssize_t)size;
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

/* A worker leaves interrupts to its parent (a terminal or a batch system sends them to all), leaves no core files, and
 * does not outlive the parent. */
static void worker_settle(pid_t parent)
{
    struct rlimit none = {0, 0};
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(0);
}

/* Ends with the process: by _exit, which leaves the parent's open files alone. */
static void worker_main(const Pool *pool, int from, int to)
{
    int run;
    while (read_all(from, &run, sizeof run)) {
        Outcome outcome;
        pool->work(pool->experiment, run, &outcome);
        outcome.run = run;
        if (!write_all(to, &outcome, sizeof outcome))
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
    for (int i = 0; i < pool->crew.size; i++)
        if (pool->workers[i].pid > 0) {
            close(pool->workers[i].to);
            close(pool->workers[i].from);
        }
}

static bool worker_start(Pool *pool, Worker *worker, Status *status)
{
    int down[2], up[2];
    *worker = (Worker){.run = IDLE};
    if (pipe(down) != 0)
        return status_set(status, STATUS_FAILED, "no pipe for a worker: %s", strerror(errno));
    if (pipe(up) != 0) {
        status_set(status, STATUS_FAILED, "no pipe for a worker: %s", strerror(errno));
        close_pair(down);
        return false;
    }
    fflush(NULL); /* or the worker would hold what is still to be written, a second time */
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        status_set(status, STATUS_FAILED, "no worker process: %s", strerror(errno));
        close_pair(down);
        close_pair(up);
        return false;
    }
    if (pid == 0) {
        worker_settle(parent);
        worker_close_others(pool);
        close(down[1]);
        close(up[0]);
        worker_main(pool, down[0], up[1]);
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
    int how = 0;
    if (worker->pid <= 0)
        return 0;
    if (by_force)
        kill(worker->pid, SIGKILL);
    close(worker->to);
    close(worker->from);
    while (waitpid(worker->pid, &how, 0) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    return how;
}

static bool pool_give(Crew *crew, int index, int run, Status *status)
{
    Pool *pool = (Pool *)crew;
    Worker *worker = &pool->workers[index];
    /* One that died at rest (out of memory, a stray kill) costs nothing: another takes its place. */
    for (int attempt = 0; attempt < 2; attempt++) {
        if (worker->pid > 0 && write_all(worker->to, &run, sizeof run)) {
            worker->run = run;
            worker->deadline = clock_now() + pool->seconds_limit;
            return true;
        }
        worker_end(worker, true);
        if (!worker_start(pool, worker, status))
            return false;
    }
    return status_set(status, STATUS_FAILED, "worker processes do not stay alive");
}

static void outcome_crashed(Outcome *outcome, int run, int how)
{
    *outcome = outcome_empty(run, OUTCOME_CRASHED);
    if (WIFSIGNALED(how))
        snprintf(outcome->message, sizeof outcome->message, "killed by signal %d (%s)", WTERMSIG(how),
                 strsignal(WTERMSIG(how)));
    else
        snprintf(outcome->message, sizeof outcome->message, "the process ended with status %d", WEXITSTATUS(how));
}

/* The worker answered or died. */
static bool pool_collect(Pool *pool, Worker *worker, Outcome *outcome, Status *status)
{
    int run = worker->run;
    worker->run = IDLE;
    if (read_all(worker->from, outcome, sizeof *outcome))
        return true;
    outcome_crashed(outcome, run, worker_end(worker, false));
    return worker_start(pool, worker, status);
}

static bool pool_stop_late(Pool *pool, Worker *worker, Outcome *outcome, Status *status)
{
    *outcome = outcome_empty(worker->run, OUTCOME_TIMED_OUT);
    snprintf(outcome->message, sizeof outcome->message, "not done after %g s", pool->seconds_limit);
    worker_end(worker, true);
    return worker_start(pool, worker, status);
}

/* The worker whose deadline comes first; NULL: all are idle. */
static Worker *pool_most_urgent(const Pool *pool)
{
    Worker *first = NULL;
    for (int i = 0; i < pool->crew.size; i++) {
        Worker *worker = &pool->workers[i];
        if (worker->run != IDLE && (!first || worker->deadline < first->deadline))
            first = worker;
    }
    return first;
}

/* The worker from whom something came, after at most so many seconds; NULL: none. */
static Worker *pool_poll(Pool *pool, double seconds)
{
    for (int i = 0; i < pool->crew.size; i++) {
        bool busy = pool->workers[i].run != IDLE;
        pool->polls[i] = (struct pollfd){.fd = busy ? pool->workers[i].from : -1, .events = POLLIN};
    }
    int milliseconds = (int)ceil(1e3 * fmin(fmax(seconds, 0.0), 1e5));
    if (poll(pool->polls, (nfds_t)pool->crew.size, milliseconds) > 0)
        for (int i = 0; i < pool->crew.size; i++)
            if (pool->polls[i].revents)
                return &pool->workers[i];
    return NULL;
}

static bool pool_take(Crew *crew, double seconds, int *index, Outcome *outcome, Status *status)
{
    Pool *pool = (Pool *)crew;
    Worker *urgent = pool_most_urgent(pool);
    *index = -1;
    if (urgent)
        seconds = fmin(seconds, urgent->deadline - clock_now());
    Worker *answered = pool_poll(pool, seconds), *late = urgent && clock_now() >= urgent->deadline ? urgent : NULL;
    if (!answered && !late)
        return true;
    *index = (int)((answered ? answered : late) - pool->workers);
    bool ok = answered ? pool_collect(pool, answered, outcome, status) : pool_stop_late(pool, late, outcome, status);
    strcpy(outcome->machine, pool->machine);
    return ok;
}

static void pool_dismiss(Crew *crew)
{
    Pool *pool = (Pool *)crew;
    for (int i = 0; pool->workers && i < crew->size; i++)
        worker_end(&pool->workers[i], pool->workers[i].run != IDLE);
    free(pool->workers);
    free(pool->polls);
    free(pool);
}

Crew *pool_create(const Experiment *experiment, int size, Work work, double seconds_limit, Status *status)
{
    Pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    pool->crew = (Crew){size, pool_give, pool_take, pool_dismiss};
    pool->experiment = experiment;
    pool->work = work;
    pool->seconds_limit = seconds_limit;
    pool->workers = calloc((size_t)size, sizeof *pool->workers);
    pool->polls = calloc((size_t)size, sizeof *pool->polls);
    bool ok = pool->workers && pool->polls;
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    machine_name(pool->machine);
    signal(SIGPIPE, SIG_IGN); /* a dead worker is told by write() */
    for (int i = 0; ok && i < size; i++)
        ok = worker_start(pool, &pool->workers[i], status);
    if (ok)
        return &pool->crew;
    pool_dismiss(&pool->crew);
    return NULL;
}
