/* SPDX-License-Identifier: MIT */
/* A folder for a test's files, gone with the test. */
#ifndef RIGOR_TESTS_SUPPORT_SCRATCH_H
#define RIGOR_TESTS_SUPPORT_SCRATCH_H

#include "bench/experiment/experiment.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Scratch {
    char folder[64], path[128];
} Scratch;

static inline int scratch_setup(void **state)
{
    Scratch *scratch = calloc(1, sizeof *scratch);
    strcpy(scratch->folder, "/tmp/rigor_test_XXXXXX");
    *state = scratch;
    return mkdtemp(scratch->folder) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    Scratch *scratch = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", scratch->folder);
    int left = system(command);
    free(scratch);
    return left;
}

/* The path of a file in the folder; valid until the next call. */
static inline const char *scratch_path(Scratch *scratch, const char *name)
{
    snprintf(scratch->path, sizeof scratch->path, "%s/%s", scratch->folder, name);
    return scratch->path;
}

static inline const char *scratch_write(Scratch *scratch, const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(scratch, name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return scratch->path;
}

/* The experiment of a text, in which ' stands for "; NULL with a message. */
static inline Experiment *scratch_read(Scratch *scratch, const char *text, Status *status)
{
    static SolverSet built_in;
    char quoted[2048];
    snprintf(quoted, sizeof quoted, "%s", text);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    *status = (Status){0};
    assert_true(built_in.count > 0 || solver_set_open(&built_in, status));
    return experiment_read(scratch_write(scratch, "experiment.json", quoted), &built_in, NULL, status);
}

static inline Experiment *scratch_experiment(Scratch *scratch, const char *text)
{
    Status status;
    Experiment *experiment = scratch_read(scratch, text, &status);
    if (!experiment)
        fail_msg("%s", status.message);
    return experiment;
}

#endif
