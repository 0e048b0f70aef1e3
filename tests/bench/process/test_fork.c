/* SPDX-License-Identifier: MIT */
/* Every child process of the program begins and ends in one way. */
#include "bench/process/fork.h"
#include "tests/support/check.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is buffered when a child begins belongs to the parent: it stands in the file once, before what the child says.
 */
static void what_was_buffered_is_written_once(void **state)
{
    (void)state;
    char said[64] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs("parent ", file);
    pid_t child = fork_child(SIGKILL);
    if (child == 0) {
        fputs("child ", file);
        fflush(file);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(fork_await(child), 0);
    rewind(file);
    assert_non_null(fgets(said, sizeof said, file));
    assert_string_equal(said, "parent child ");
    fclose(file);
}

static void a_child_leaves_no_core_file(void **state)
{
    (void)state;
    pid_t child = fork_child(SIGTERM);
    if (child == 0) {
        struct rlimit core = {1, 1};
        getrlimit(RLIMIT_CORE, &core);
        _exit(core.rlim_cur == 0 && core.rlim_max == 0 ? 7 : 1);
    }
    int end = fork_await(child);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 7);
}

/* The wait status is that of this child, also when it is ended by force; who has no child does not wait. */
static void how_a_child_ended_is_told(void **state)
{
    (void)state;
    pid_t child = fork_child(SIGTERM);
    if (child == 0)
        for (;;)
            pause();
    assert_int_equal(kill(child, SIGKILL), 0);
    int end = fork_await(child);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    assert_int_equal(fork_await(0), 0);
    assert_int_equal(fork_await(child), 0);
}

/* A child and its own child: the second holds a pipe open as long as it lives, and waits for ever. */
static void a_child_ends_when_its_parent_is_killed(void **state)
{
    (void)state;
#ifndef __linux__
    skip();
#endif
    static const int SIGNALS[] = {SIGTERM, SIGKILL};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        int alive[2];
        char byte = 0;
        assert_int_equal(pipe(alive), 0);
        pid_t parent = fork_child(SIGKILL);
        if (parent == 0) {
            close(alive[0]);
            if (fork_child(SIGNALS[i]) == 0 && write(alive[1], "a", 1) != 1)
                _exit(1);
            for (;;)
                pause();
        }
        close(alive[1]);
        assert_int_equal(read(alive[0], &byte, 1), 1);
        assert_int_equal(kill(parent, SIGKILL), 0);
        fork_await(parent);
        struct pollfd wait = {.fd = alive[0], .events = POLLIN};
        assert_int_equal(poll(&wait, 1, 20000), 1); /* an end that takes 20 s on any machine is none */
        assert_int_equal(read(alive[0], &byte, 1), 0);
        close(alive[0]);
    }
}

/* Its parent may be gone before it can ask to be told. */
static void a_parent_that_is_gone_is_noticed(void **state)
{
    (void)state;
    pid_t child = fork_child(SIGKILL);
    if (child == 0)
        _exit(!fork_end_with(getppid() + 1, SIGKILL) && fork_end_with(getppid(), SIGKILL) ? 0 : 1);
    assert_int_equal(fork_await(child), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_buffered_is_written_once), cmocka_unit_test(a_child_leaves_no_core_file),
        cmocka_unit_test(how_a_child_ended_is_told),         cmocka_unit_test(a_child_ends_when_its_parent_is_killed),
        cmocka_unit_test(a_parent_that_is_gone_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
