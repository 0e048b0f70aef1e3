/* SPDX-License-Identifier: MIT */
#include "reports/draw/gnuplot.h"

#include "tests/support/scratch.h"

#include <sys/stat.h>

static bool there(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

/* A script of somebody else's, run in the folder `work` of the scratch. */
static bool run(Scratch *scratch, const char *script, Status *status)
{
    char folder[128];
    snprintf(folder, sizeof folder, "%s/work", scratch->folder);
    mkdir(folder, 0777);
    scratch_write(scratch, "work/" GNUPLOT_SCRIPT, script);
    *status = (Status){0};
    return gnuplot_run(folder, status);
}

static void gnuplot_draws_in_its_folder(void **state)
{
    Status status;
    if (!run(*state, "set terminal svg\nset output 'figure.svg'\nplot x\nunset output\n", &status) &&
        strstr(status.message, "is it installed"))
        skip();
    assert_int_equal(status.code, STATUS_OK);
    assert_true(there(scratch_path(*state, "work/figure.svg")));
    assert_false(run(*state, "no such command\n", &status));
}

static void gnuplot_does_no_harm_outside(void **state)
{
    Scratch *scratch = *state;
    char script[512];
    Status status;
    if (!gnuplot_is_confined())
        skip();
    snprintf(script, sizeof script,
             "set terminal svg\nset output 'figure.svg'\nplot x\nset output '../escaped.svg'\nplot x\n");
    run(scratch, script, &status);
    assert_false(there(scratch_path(scratch, "escaped.svg")));
    run(scratch, "system 'touch ../touched; touch touched_here'\nx = system('touch ../touched_too')\n", &status);
    assert_false(there(scratch_path(scratch, "touched")));
    assert_false(there(scratch_path(scratch, "work/touched_here")));
    assert_false(there(scratch_path(scratch, "touched_too")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gnuplot_draws_in_its_folder, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(gnuplot_does_no_harm_outside, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
