/* SPDX-License-Identifier: MIT */
#include "bench/process/fork.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

bool fork_end_with(pid_t parent, int signal)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signal);
#else
    (void)signal;
#endif
    return getppid() == parent;
}

pid_t fork_child(int signal)
{
    struct rlimit none = {0, 0};
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    setrlimit(RLIMIT_CORE, &none);
    if (!fork_end_with(parent, signal))
        _exit(1);
    return 0;
}

int fork_await(pid_t child)
{
    int end = 0;
    while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
        continue;
    return end;
}
