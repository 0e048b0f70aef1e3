#include "reports/read_child.h"

#include "bench/sanitized.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file's pages that the process has now, in bytes. */
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

static void child_limit(void)
{
    struct rlimit seconds = {READ_SECONDS, READ_SECONDS + 1}, none = {0, 0};
    struct rlimit bytes = {memory_now() + READ_BYTES, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &bytes);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL); /* the parent has gone */
}

/* Data on one pipe, then the status on the other. */
static void child_run(int data, int answer, ReadFile *read, void *context)
{
    Status status = {0};
    FILE *out = fdopen(data, "wb");
    child_limit();
    if (!out || !read(out, context, &status) || fflush(out) != 0) {
        if (status.code == STATUS_OK)
            status_set(&status, STATUS_FAILED, "out of memory");
    }
    ssize_t told = write(answer, &status, sizeof status);
    _exit(told == (ssize_t)sizeof status ? 0 : 1);
}

/* Everything that the child gives; false: it gave nothing for too long, or it cannot be kept. */
static bool copy_data(int from, FILE *out, bool *silent)
{
    char piece[1 << 16];
    struct pollfd wait = {.fd = from, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, 2 * READ_SECONDS * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        *silent = ready == 0;
        ssize_t size = ready > 0 ? read(from, piece, sizeof piece) : -1;
        if (size < 0 && ready > 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size == 0;
        if (fwrite(piece, 1, (size_t)size, out) != (size_t)size)
            return false;
    }
}

static bool child_answer(int from, pid_t child, bool silent, const char *path, Status *status)
{
    Status answer = {0};
    bool told = read(from, &answer, sizeof answer) == (ssize_t)sizeof answer;
    int end = 0;
    if (!told)
        kill(child, SIGKILL);
    while (waitpid(child, &end, 0) < 0 && errno == EINTR)
        continue;
    if (told && answer.code == STATUS_OK)
        return true;
    if (told)
        return status_set(status, answer.code, "%s", answer.message);
    bool slow = silent || (WIFSIGNALED(end) && (WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL));
    if (slow)
        return status_set(status, STATUS_BAD_FILE, "%s: is not read within %d s: the file is damaged, or too large",
                          path, READ_SECONDS);
    return status_set(status, STATUS_BAD_FILE, "%s: reading it crashed (%s): the file is damaged", path,
                      WIFSIGNALED(end) ? strsignal(WTERMSIG(end)) : "no answer");
}

bool read_in_child(FILE *out, ReadFile *read, void *context, const char *path, Status *status)
{
    int data[2] = {-1, -1}, answer[2] = {-1, -1};
    fflush(NULL);
    bool piped = pipe(data) == 0 && pipe(answer) == 0;
    pid_t child = piped ? fork() : -1;
    if (child == 0) {
        close(data[0]);
        close(answer[0]);
        child_run(data[1], answer[1], read, context);
    }
    int error = errno;
    bool silent = false, copied = true, ok = false;
    if (data[1] >= 0)
        close(data[1]);
    if (answer[1] >= 0)
        close(answer[1]);
    if (child > 0) {
        copied = copy_data(data[0], out, &silent);
        ok = child_answer(answer[0], child, silent, path, status);
    } else {
        status_set(status, STATUS_FAILED, "%s: no process to read it: %s", path, strerror(error));
    }
    if (data[0] >= 0)
        close(data[0]);
    if (answer[0] >= 0)
        close(answer[0]);
    return ok && (copied || status_set(status, STATUS_FAILED, "what was read of %s cannot be written", path));
}
