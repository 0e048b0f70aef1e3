/* SPDX-License-Identifier: MIT */
/* A command of the program, for a host that wants no output of its own: the program works in a process of its own, and
 * what it says is handed over. */
#define _GNU_SOURCE /* pipe2 */
#include "bench/files/folder.h"
#include "bench/process/clock.h"
#include "library/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ms: how often a listener is asked whether to go on. */
enum { ASKED_EVERY = 50 };

/* s: what a stopped command may take to store what it has, before it is killed. */
static const double STOP_PATIENCE = 5.0;

typedef struct Text {
    char *bytes; /* ends with a zero */
    size_t length, capacity;
} Text;

typedef struct Child {
    pid_t pid;
    int out, said; /* its standard output and error; -1: at its end */
    Text output, words;
    size_t told;    /* of its words, what the listener has */
    double stopped; /* when it was; 0: it was not */
    RigorListener *listener;
    void *context;
} Child;

static bool text_add(Text *text, const char *bytes, size_t count)
{
    if (text->length + count + 1 > text->capacity) {
        size_t capacity = 2 * (text->length + count) + 256;
        char *grown = realloc(text->bytes, capacity);
        if (!grown)
            return false;
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return true;
}

/* What there is to read; closes at the end, or where there is no memory for it. */
static void child_read(int *end, Text *text)
{
    char bytes[4096];
    ssize_t count = read(*end, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR)
        return;
    if (count > 0 && text_add(text, bytes, (size_t)count))
        return;
    close(*end);
    *end = -1;
}

static void child_stop(Child *child)
{
    if (child->stopped == 0.0)
        child->stopped = clock_now();
    kill(child->pid, clock_now() - child->stopped > STOP_PATIENCE ? SIGKILL : SIGINT);
}

/* Its words line by line, and NULL when there are none. */
static void child_tell(Child *child)
{
    bool goes_on = true;
    char *end = NULL;
    if (!child->listener)
        return;
    while (child->words.bytes && (end = strchr(child->words.bytes + child->told, '\n'))) {
        *end = '\0';
        goes_on = child->listener(child->context, child->words.bytes + child->told) == 0 && goes_on;
        *end = '\n';
        child->told = (size_t)(end + 1 - child->words.bytes);
    }
    goes_on = child->listener(child->context, NULL) == 0 && goes_on;
    if (!goes_on || child->stopped > 0.0)
        child_stop(child);
}

static int child_wait(Child *child)
{
    int end = 0;
    while (child->out >= 0 || child->said >= 0) {
        struct pollfd ends[2] = {{child->out, POLLIN, 0}, {child->said, POLLIN, 0}};
        int ready = poll(ends, 2, ASKED_EVERY);
        if (ready > 0 && ends[0].revents)
            child_read(&child->out, &child->output);
        if (ready > 0 && ends[1].revents)
            child_read(&child->said, &child->words);
        child_tell(child);
    }
    while (waitpid(child->pid, &end, 0) < 0 && errno == EINTR)
        continue;
    return end;
}

/* Its input is empty; the host's signals that are blocked or ignored are not so there. */
static int child_spawn(Child *child, const char *program, char *const *words, const int out[2], const int said[2])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, said[1], STDERR_FILENO);
    int wrong = posix_spawn(&child->pid, program, &files, &how, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return wrong;
}

/* The last of its words that is a message of the command, without the program's name. */
static void child_message(Status *status, const Child *child, StatusCode code)
{
    char *words = child->words.bytes ? child->words.bytes : "", *line = words;
    for (char *at = words; (at = strstr(at, "rigor ")); at++)
        if (at == words || at[-1] == '\n')
            line = at;
    char *colon = strncmp(line, "rigor ", 6) == 0 ? strstr(line, ": ") : NULL;
    char text[sizeof status->message];
    size_t length = 0;
    for (const char *c = colon ? colon + 2 : line; *c && length + 1 < sizeof text; c++) /* folded lines are joined */
        if (*c != '\n')
            text[length++] = *c;
        else if (c[1] == ' ' || c[1] == '\0')
            continue;
        else
            text[length++] = ' ';
    text[length] = '\0';
    status_set(status, code, "%s", length > 0 ? text : "the program ended without a word");
}

static RigorStatus child_outcome(Rigor *rigor, const Child *child, int end)
{
    if (child->stopped > 0.0) {
        status_set(&rigor->status, STATUS_FAILED, "stopped");
        return RIGOR_FAILED;
    }
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0)
        return RIGOR_OK;
    int code = WIFEXITED(end) ? WEXITSTATUS(end) : STATUS_FAILED;
    child_message(&rigor->status, child, code >= STATUS_FAILED && code <= STATUS_UNSUPPORTED ? code : STATUS_FAILED);
    return library_failed(rigor);
}

static bool child_begin(Child *child, const char *const *arguments, Status *status)
{
    char program[FOLDER_TEXT];
    int out[2] = {-1, -1}, said[2] = {-1, -1}, count = 0;
    while (arguments[count])
        count++;
    const char **words = calloc((size_t)count + 2, sizeof *words);
    folder_path(FOLDER_PROGRAM, "rigor", program);
    bool ok = words && pipe2(out, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC) == 0;
    int wrong = ok ? 0 : errno;
    if (ok) {
        words[0] = program;
        memcpy(words + 1, arguments, sizeof *words * (size_t)count);
        wrong = child_spawn(child, program, (char *const *)words, out, said);
    }
    free(words);
    if (out[1] >= 0)
        close(out[1]);
    if (said[1] >= 0)
        close(said[1]);
    child->out = out[0];
    child->said = said[0];
    if (ok && wrong == 0)
        return true;
    if (out[0] >= 0)
        close(out[0]);
    if (said[0] >= 0)
        close(said[0]);
    return status_set(status, STATUS_FAILED, "%s cannot be started: %s", program, strerror(wrong));
}

RigorStatus rigor_command(Rigor *rigor, const char *const *arguments, RigorListener *listener, void *context)
{
    LIBRARY_CALL;
    Child child = {.listener = listener, .context = context};
    if (!rigor || !arguments)
        return RIGOR_FAILED;
    if (!child_begin(&child, arguments, &rigor->status))
        return library_failed(rigor);
    int end = child_wait(&child);
    RigorStatus status = child_outcome(rigor, &child, end);
    free(child.words.bytes);
    free(rigor->output);
    rigor->output = child.output.bytes;
    return status;
}

const char *rigor_output(const Rigor *rigor)
{
    return rigor && rigor->output ? rigor->output : "";
}
