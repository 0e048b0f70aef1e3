/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2 */
#include "bench/process/program.h"

#include "bench/process/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool program_find(const char *name, char *place, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int length = (int)strcspn(at, ":");
        if (length > 0 && snprintf(place, size, "%.*s/%s", length, at, name) < (int)size && access(place, X_OK) == 0)
            return true;
    }
    return false;
}

/* In the child, between fork and exec. */
static void become_program(const char *place, char *const *words, int in)
{
    if (dup2(in, STDIN_FILENO) < 0)
        return;
    signal(SIGPIPE, SIG_DFL);
    execv(place, words);
}

bool program_start(Program *program, const char *place, char *const *words, Status *status)
{
    int ends[2] = {-1, -1};
    *program = (Program){0};
    if (pipe2(ends, O_CLOEXEC) != 0 || (program->pid = fork_child(SIGKILL)) < 0) {
        status_set(status, STATUS_FAILED, "%s cannot be started: %s", place, strerror(errno));
    } else if (program->pid == 0) {
        become_program(place, words, ends[0]);
        _exit(127);
    }
    if (ends[0] >= 0)
        close(ends[0]);
    if (program->pid > 0)
        program->in = fdopen(ends[1], "wb");
    if (program->in)
        return true;
    if (ends[1] >= 0)
        close(ends[1]);
    if (program->pid > 0) {
        status_set(status, STATUS_FAILED, "out of memory");
        program_end(program);
    }
    return false;
}

bool program_end(Program *program)
{
    bool told = program->in && fclose(program->in) == 0;
    program->in = NULL;
    if (program->pid <= 0)
        return false;
    int end = fork_await(program->pid);
    program->pid = 0;
    return told && WIFEXITED(end) && WEXITSTATUS(end) == 0;
}
