/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2 */
#include "solvers/engines/process.h"

#include "bench/process/clock.h"
#include "bench/process/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* s, for a child to end by itself once its input is closed: enough to leave a file whole, short beside a run. */
static const double GRACE = 1.0;

/* Files above this number are not inherited by chance: this program has a few dozen at most. */
enum { HIGHEST_FILE = 1024 };

/* What a pipe holds at most, unless somebody widens it. */
enum { PIPE_BYTES = 1 << 16 };

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* In the bridge's process, between fork and exec: as after fork in a program with threads, calls of the kernel alone.
 */
static void bridge_run(const char *line, const int pipes[3])
{
    static const int SIGNALS[] = {SIGPIPE, SIGINT, SIGTERM, SIGCHLD};
    sigset_t none;
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++)
        signal(SIGNALS[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fork_end_with(getppid(), SIGKILL);
    for (int i = 0; i < 3; i++)
        dup2(pipes[i], i);
    for (int fd = 3; fd < HIGHEST_FILE; fd++)
        close(fd);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

/* Ends every child that this process has. Where it is a subreaper, what those had started is its own child then, also
 * from another session: until there is none. */
static void keeper_end_all(pid_t bridge)
{
    kill(bridge, SIGKILL);
#ifdef __linux__
    do {
        char list[4096];
        int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
        ssize_t size = file >= 0 ? read(file, list, sizeof list) : 0;
        if (file < 0)
            return; /* a kernel that does not tell */
        pid_t child = 0;
        for (ssize_t i = 0; i < size; i++) {
            if (list[i] >= '0' && list[i] <= '9') {
                child = 10 * child + (list[i] - '0');
            } else {
                if (child > 0)
                    kill(child, SIGKILL);
                child = 0;
            }
        }
        close(file);
    } while (waitpid(-1, NULL, 0) > 0);
#endif
}

/* Ends like the bridge did, so that whoever waits learns how. */
static void keeper_end_like(int how)
{
    if (WIFSIGNALED(how)) {
        struct rlimit none = {0, 0};
        sigset_t own;
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(how), SIG_DFL);
        sigemptyset(&own);
        sigaddset(&own, WTERMSIG(how));
        sigprocmask(SIG_UNBLOCK, &own, NULL);
        kill(getpid(), WTERMSIG(how));
    }
    _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 127);
}

/* Between us and the bridge stands a process that outlives neither: it ends with the bridge, by SIGTERM, or when this
 * program is killed, and whatever the bridge has started ends with it. */
static void keeper_run(const char *line, const int pipes[3], pid_t parent)
{
    sigset_t awaited;
    int how = 0;
    setpgid(0, 0);
    sigfillset(&awaited); /* SIGKILL aside, nothing ends it early */
    sigprocmask(SIG_SETMASK, &awaited, NULL);
    signal(SIGCHLD, SIG_DFL); /* one that is ignored is not sent */
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
    if (!fork_end_with(parent, SIGTERM))
        _exit(127);
    pid_t bridge = fork();
    if (bridge == 0)
        bridge_run(line, pipes);
    for (int fd = 0; fd < HIGHEST_FILE; fd++)
        close(fd); /* a pipe is at its end when the bridge closes it */
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    if (bridge < 0)
        _exit(127);
    pid_t ended = -1;
    for (int came = 0; ended != bridge && came != SIGTERM;) {
        sigwait(&awaited, &came);
        while ((ended = waitpid(-1, &how, WNOHANG)) > 0 && ended != bridge)
            continue;
    }
    keeper_end_all(bridge);
    keeper_end_like(ended == bridge ? how : SIGKILL);
}

bool process_start(EngineProcess *process, const char *command, double limit, Status *status)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    char line[4096];
    *process = (EngineProcess){.to = -1, .from = -1, .errors = -1, .limit = limit};
    bool ok = snprintf(line, sizeof line, "exec %s", command) < (int)sizeof line;
    for (int i = 0; ok && i < 3; i++)
        ok = pipe2(pipes[i], O_CLOEXEC) == 0;
    pid_t parent = getpid(), pid = ok ? fork() : -1;
    if (pid == 0)
        keeper_run(line, (int[]){pipes[0][0], pipes[1][1], pipes[2][1]}, parent);
    if (pid < 0)
        status_set(status, STATUS_FAILED, "no process for an engine: %s", strerror(errno));
    close_file(&pipes[0][0]);
    close_file(&pipes[1][1]);
    close_file(&pipes[2][1]);
    process->to = pipes[0][1];
    process->from = pipes[1][0];
    process->errors = pipes[2][0];
    process->pid = pid > 0 ? pid : 0;
    if (pid < 0) {
        process_end(process);
        return false;
    }
    setpgid(pid, pid);
    fcntl(process->errors, F_SETFL, O_NONBLOCK);
    fcntl(process->to, F_SETFL, O_NONBLOCK); /* a child that does not read must not hold us */
    return true;
}

/* write() to a child that may have ended: it tells so, without the signal, and without a handler in a host program. */
static ssize_t write_quietly(int fd, const char *data, size_t size)
{
    sigset_t pipe, before, waiting;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t done = write(fd, data, size);
    int error = errno;
    if (done < 0 && error == EPIPE && !sigismember(&waiting, SIGPIPE))
        sigtimedwait(&pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return done;
}

/* Keeps the end of what the child said to standard error; one read a call, or a child that never stops would hold us.
 */
static void process_listen(EngineProcess *process)
{
    char chunk[PIPE_BYTES];
    ssize_t got = process->errors >= 0 ? read(process->errors, chunk, sizeof chunk) : -1;
    if (got == 0)
        close_file(&process->errors);
    if (got <= 0)
        return;
    size_t size = (size_t)got, kept = strlen(process->words);
    if (size > PROCESS_LAST_WORDS)
        size = PROCESS_LAST_WORDS;
    size_t drop = kept + size > PROCESS_LAST_WORDS ? kept + size - PROCESS_LAST_WORDS : 0;
    memmove(process->words, process->words + drop, kept - drop);
    memcpy(process->words + kept - drop, chunk + got - size, size);
    process->words[kept - drop + size] = '\0';
}

/* How the child ended, if it has. */
static void process_ending(EngineProcess *process, char *text, size_t size)
{
    int how = 0;
    text[0] = '\0';
    /* Its pipe may close a moment before it has ended. */
    for (int i = 0; i < 20 && process->pid > 0; i++) {
        pid_t ended = waitpid(process->pid, &how, WNOHANG);
        if (ended == process->pid) {
            process->pid = 0;
            if (WIFSIGNALED(how))
                snprintf(text, size, "; it was ended by signal %d, %s", WTERMSIG(how), strsignal(WTERMSIG(how)));
            else
                snprintf(text, size, "; it ended with status %d", WEXITSTATUS(how));
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

bool process_fail(EngineProcess *process, Status *status, const char *format, ...)
{
    char what[200], ending[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    process_ending(process, ending, sizeof ending);
    process_listen(process);
    char *words = process->words;
    for (char *at = words; *at; at++) /* one line, whatever it wrote */
        if (*at == '\n' || *at == '\r' || (unsigned char)*at < ' ')
            *at = ' ';
    size_t length = strlen(words);
    while (length > 0 && words[length - 1] == ' ')
        words[--length] = '\0';
    return status_set(status, STATUS_FAILED, "%s%s%s%s%s", what, ending, length > 0 ? "; its last words: `" : "", words,
                      length > 0 ? "`" : "");
}

/* Waits until the child has something to say (POLLIN) or listens (POLLOUT); false when it is late. */
static bool process_wait(EngineProcess *process, int fd, short events, double deadline)
{
    for (;;) {
        struct pollfd polls[2] = {{.fd = fd, .events = events}, {.fd = process->errors, .events = POLLIN}};
        double left = deadline - clock_now();
        if (left <= 0.0)
            return false;
        int ready = poll(polls, 2, (int)ceil(1e3 * fmin(left, 1e5)));
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0 && polls[1].revents)
            process_listen(process); /* or a child that writes a lot would block */
        if (ready > 0 && polls[0].revents)
            return true;
    }
}

/* Some more bytes into the buffer, which is empty. */
static bool process_fill(EngineProcess *process, double deadline, Status *status)
{
    if (!process_wait(process, process->from, POLLIN, deadline))
        return process_fail(process, status, "the engine did not answer within %g s", process->limit);
    ssize_t got;
    do
        got = read(process->from, process->buffer, sizeof process->buffer);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return process_fail(process, status, "the engine's process ended");
    process->begin = 0;
    process->end = (size_t)got;
    return true;
}

bool process_write(EngineProcess *process, const void *data, size_t size, Status *status)
{
    double deadline = clock_now() + process->limit;
    for (size_t done = 0; done < size;) {
        ssize_t more = write_quietly(process->to, (const char *)data + done, size - done);
        bool full = more < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (full && !process_wait(process, process->to, POLLOUT, deadline))
            return process_fail(process, status, "the engine did not read within %g s", process->limit);
        if (more < 0 && !full && errno != EINTR)
            return process_fail(process, status, "the engine's process ended");
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}

bool process_read(EngineProcess *process, void *data, size_t size, Status *status)
{
    double deadline = clock_now() + process->limit;
    for (size_t done = 0; done < size;) {
        if (process->begin == process->end && !process_fill(process, deadline, status))
            return false;
        size_t part = process->end - process->begin;
        if (part > size - done)
            part = size - done;
        memcpy((char *)data + done, process->buffer + process->begin, part);
        process->begin += part;
        done += part;
    }
    return true;
}

char *process_read_line(EngineProcess *process, size_t most, Status *status)
{
    double deadline = clock_now() + process->limit;
    size_t length = 0, room = 0;
    char *line = NULL;
    for (;;) {
        if (length + 1 >= room) {
            room = 2 * room + 256;
            char *longer = realloc(line, room);
            if (!longer) {
                free(line);
                status_set(status, STATUS_FAILED, "out of memory");
                return NULL;
            }
            line = longer;
        }
        if (length > most || (process->begin == process->end && !process_fill(process, deadline, status))) {
            if (length > most)
                process_fail(process, status, "the engine's first line has more than %zu bytes", most);
            free(line);
            return NULL;
        }
        char c = process->buffer[process->begin++];
        line[length] = c == '\n' ? '\0' : c;
        if (c == '\n')
            return line;
        length++;
    }
}

void process_end(EngineProcess *process)
{
    close_file(&process->to);
    double deadline = clock_now() + GRACE;
    while (process->pid > 0) {
        pid_t ended = waitpid(process->pid, NULL, WNOHANG);
        bool late = clock_now() > deadline;
        if (late) {
            kill(process->pid, SIGTERM); /* its keeper ends it, and what it has started */
            waitpid(process->pid, NULL, 0);
        }
        if (ended == process->pid || late) {
            process->pid = 0;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
    close_file(&process->from);
    close_file(&process->errors);
}
