/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* sigaltstack */
#include "bench/process/crash.h"

#include "bench/files/write_file.h"
#include "bench/process/place.h"
#include "bench/process/sanitized.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} FAULTS[] = {
    {SIGSEGV, "segmentation fault"}, {SIGBUS, "bus error"}, {SIGFPE, "arithmetic fault"},
    {SIGILL, "illegal instruction"}, {SIGABRT, "aborted"},
};
enum { FAULT_COUNT = sizeof FAULTS / sizeof FAULTS[0], STACK_BYTES = 1 << 16 };

/* A child inherits the handlers, and leaves the telling to its parent. */
static pid_t watched;

static void say(const char *text)
{
    ssize_t told = write(STDERR_FILENO, text, strlen(text));
    (void)told;
}

static void on_fault(int number)
{
    char place[PLACE_TEXT];
    parts_remove();
    if (getpid() != watched) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    say("rigor: crashed");
    say(place_text(NULL, place));
    for (int i = 0; i < FAULT_COUNT; i++)
        if (FAULTS[i].number == number) {
            say(": ");
            say(FAULTS[i].name);
        }
    say("\n");
    _exit(STATUS_FAILED);
}

void crash_watch(void)
{
    static char stack[STACK_BYTES]; /* a stack that overflowed cannot carry the handler */
    place_keep();
    if (SANITIZED)
        return;
    watched = getpid();
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FAULT_COUNT; i++)
        sigaction(FAULTS[i].number, &action, NULL);
}
