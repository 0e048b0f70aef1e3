/* SPDX-License-Identifier: MIT */
#include "bench/process/child.h"

#include "bench/files/plain_file.h"
#include "bench/process/confine.h"
#include "bench/process/fork.h"
#include "bench/process/sanitized.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Task {
    ChildWork *work;
    void *context;
    const char *path;
    bool reads;     /* within bounds */
    int in;         /* what it reads first; -1: nothing */
    int further[2]; /* and what beside it */
    unsigned long long bytes;
} Task;

/* Bytes of memory that the process has now. */
static rlim_t memory_now(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The file itself is mapped. */
static void child_limit(const Task *task)
{
    struct rlimit seconds = {READ_SECONDS, READ_SECONDS + 1};
    struct rlimit bytes = {memory_now() + READ_BYTES + task->bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &seconds);
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &bytes);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL); /* the parent has gone */
}

/* Data on one pipe, then the status on the other. A part file of its own goes when the parent is ended. */
static void child_run(const Task *task, int data, int answer)
{
    Status status = {0};
    FILE *out = fdopen(data, "wb");
    if (task->reads) {
        child_limit(task);
        confine_descriptors((int[]){task->in, task->further[0], task->further[1], data, answer}, 5);
        confine_calls(false);
    }
    if (!out || !task->work(out, task->in, task->context, &status) || fflush(out) != 0) {
        if (status.code == STATUS_OK)
            status_set(&status, STATUS_FAILED, "out of memory");
    }
    ssize_t told = write(answer, &status, sizeof status);
    _exit(told == (ssize_t)sizeof status ? 0 : 1);
}

/* How the child's data ended: all of it, nothing for too long, more than it may give, no room here. */
typedef enum Copied { COPY_WHOLE, COPY_SILENT, COPY_TOO_MUCH, COPY_FAILED } Copied;

static Copied copy_data(const Task *task, int from, FILE *out)
{
    char piece[1 << 16];
    unsigned long long given = 0;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, task->reads ? 2 * READ_SECONDS * 1000 : -1);
        if (ready == 0)
            return COPY_SILENT;
        ssize_t size = ready > 0 ? read(from, piece, sizeof piece) : -1;
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size == 0 ? COPY_WHOLE : COPY_FAILED;
        given += (unsigned long long)size;
        if (task->reads && given > READ_BYTES)
            return COPY_TOO_MUCH;
        if (out && fwrite(piece, 1, (size_t)size, out) != (size_t)size)
            return COPY_FAILED;
    }
}

static bool child_ended(const Task *task, int end, Copied copied, Status *status)
{
    const char *how = WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "no answer";
    if (!task->reads)
        return status_set(status, STATUS_FAILED, "%s: cannot be written: the library crashed (%s)", task->path, how);
    if (copied == COPY_FAILED)
        return status_set(status, STATUS_FAILED, "what was read of %s cannot be written", task->path);
    if (copied == COPY_TOO_MUCH)
        return status_set(status, STATUS_BAD_FILE, "%s: holds more than %llu GB: the file is damaged, or too large",
                          task->path, READ_BYTES >> 30);
    if (copied == COPY_SILENT || (WIFSIGNALED(end) && (WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL)))
        return status_set(status, STATUS_BAD_FILE, "%s: is not read within %d s: the file is damaged, or too large",
                          task->path, READ_SECONDS);
    return status_set(status, STATUS_BAD_FILE, "%s: reading it crashed (%s): the file is damaged", task->path, how);
}

/* A child whose data is no longer read would wait for ever, and is not asked. */
static bool child_answer(const Task *task, int from, pid_t child, Copied copied, Status *status)
{
    Status answer = {0};
    bool told = copied == COPY_WHOLE && read(from, &answer, sizeof answer) == (ssize_t)sizeof answer &&
                answer.code >= STATUS_OK && answer.code <= STATUS_UNSUPPORTED;
    answer.message[sizeof answer.message - 1] = '\0';
    if (!told)
        kill(child, SIGKILL);
    int end = fork_await(child);
    if (told && answer.code == STATUS_OK)
        return true;
    return told ? status_set(status, answer.code, "%s", answer.message) : child_ended(task, end, copied, status);
}

static void close_ends(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    ends[0] = ends[1] = -1;
}

static void close_end(int ends[2], int which)
{
    if (ends[which] >= 0)
        close(ends[which]);
    ends[which] = -1;
}

static bool in_child(const Task *task, FILE *out, Status *status)
{
    int data[2] = {-1, -1}, answer[2] = {-1, -1};
    bool piped = pipe(data) == 0 && pipe(answer) == 0;
    pid_t child = piped ? fork_child(SIGTERM) : -1;
    if (child == 0) {
        close_end(data, 0);
        close_end(answer, 0);
        child_run(task, data[1], answer[1]);
    }
    int error = errno;
    bool ok = false;
    close_end(data, 1);
    close_end(answer, 1);
    if (child > 0)
        ok = child_answer(task, answer[0], child, copy_data(task, data[0], out), status);
    else
        status_set(status, STATUS_FAILED, "%s: no process to %s it: %s", task->path, task->reads ? "read" : "write",
                   strerror(error));
    close_ends(data);
    close_ends(answer);
    return ok;
}

bool read_in_child(FILE *out, ChildWork *read, void *context, const char *path, Status *status)
{
    unsigned long long bytes = 0;
    int in = plain_file_open(path, &bytes, status);
    bool ok = in >= 0 && read_descriptors_in_child(out, read, context, path, &in, 1, bytes, status);
    if (in >= 0)
        close(in);
    return ok;
}

bool read_descriptors_in_child(FILE *out, ChildWork *read, void *context, const char *path, const int *descriptors,
                               int count, unsigned long long bytes, Status *status)
{
    assert(count >= 1 && count <= 3);
    return in_child(&(Task){.work = read,
                            .context = context,
                            .path = path,
                            .reads = true,
                            .in = descriptors[0],
                            .further = {count > 1 ? descriptors[1] : -1, count > 2 ? descriptors[2] : -1},
                            .bytes = bytes},
                    out, status);
}

bool write_in_child(ChildWork *write, void *context, const char *path, Status *status)
{
    return in_child(&(Task){write, context, path, false, -1, {-1, -1}, 0}, NULL, status);
}
