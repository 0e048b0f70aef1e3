/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "reports/draw/gnuplot.h"

#include "bench/files/write_file.h"
#include "bench/process/fork.h"
#include "bench/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#include <sys/prctl.h>
#define HAVE_LANDLOCK 1
#endif

/* A figure takes gnuplot a second, and its files a few MB. */
static const rlim_t SECONDS_MOST = 120, FILE_MOST = 256u << 20;

#ifdef HAVE_LANDLOCK
/* Of Landlock's first version: everything that changes files, and starting programs. */
static const uint64_t WRITES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                               LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM;
static const uint64_t OTHER_MAKES = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

static void allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd >= 0)
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

/* In the child, in its folder: from here on it starts `program` with the system's libraries, and writes here. */
static void confine(const char *program)
{
    static const char *const LIBRARIES[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64"};
    struct landlock_ruleset_attr handled = {.handled_access_fs = WRITES | OTHER_MAKES | LANDLOCK_ACCESS_FS_EXECUTE};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0)
        return;
    allow(rules, ".", WRITES);
    allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    allow(rules, program, LANDLOCK_ACCESS_FS_EXECUTE);
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof LIBRARIES[0]; i++)
        allow(rules, LIBRARIES[i], LANDLOCK_ACCESS_FS_EXECUTE); /* the loader is one of them */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

bool gnuplot_is_confined(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}
#else
static void confine(const char *program)
{
    (void)program;
}

bool gnuplot_is_confined(void)
{
    return false;
}
#endif

/* No settings of the user, no files of gnuplot's own path, nothing to read from. */
static void become_gnuplot(const char *program, const char *folder)
{
    struct rlimit seconds = {SECONDS_MOST, SECONDS_MOST}, bytes = {FILE_MOST, FILE_MOST};
    int nothing = open("/dev/null", O_RDONLY);
    setenv("LC_ALL", "C.UTF-8", 1); /* or gnuplot 6 says on every figure that ASCII has no degree sign */
    unsetenv("GNUPLOT_LIB");
    unsetenv("GNUPLOT_FIT_SCRIPT");
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || chdir(folder) != 0 || setrlimit(RLIMIT_CPU, &seconds) != 0 ||
        setrlimit(RLIMIT_FSIZE, &bytes) != 0)
        return;
    confine(program);
    execl(program, "gnuplot", "--default-settings", GNUPLOT_SCRIPT, (char *)NULL);
}

/* gnuplot's words go to standard error; its answer is its exit status. */
bool gnuplot_run(const char *folder, Status *status)
{
    char program[4096];
    if (!program_find("gnuplot", program, sizeof program))
        return status_set(status, STATUS_FAILED, "gnuplot cannot be run: is it installed?");
    pid_t child = fork_child(SIGKILL);
    if (child == 0) {
        become_gnuplot(program, folder);
        _exit(127);
    }
    parts_written_by(child > 0 ? child : 0);
    int end = fork_await(child);
    parts_written_by(0);
    if (child < 0 || (WIFEXITED(end) && WEXITSTATUS(end) == 127))
        return status_set(status, STATUS_FAILED, "gnuplot cannot be run: %s", child < 0 ? strerror(errno) : program);
    return (WIFEXITED(end) && WEXITSTATUS(end) == 0) ||
           status_set(status, STATUS_FAILED, "gnuplot does not understand the script of this figure");
}
