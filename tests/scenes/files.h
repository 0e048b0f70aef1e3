/* SPDX-License-Identifier: MIT */
/* Scene files for tests: texts put into a temporary folder, and the files that lie beside the tests (TEST_DATA). */
#ifndef RIGOR_TESTS_SCENES_FILES_H
#define RIGOR_TESTS_SCENES_FILES_H

#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A fresh folder with the path of one file in it, and the meshes that scenes name. */
typedef struct Scratch {
    char folder[64], path[96];
} Scratch;

static inline void scratch_open(Scratch *scratch)
{
    char copy[512];
    strcpy(scratch->folder, "/tmp/rigor_test_XXXXXX");
    assert_non_null(mkdtemp(scratch->folder));
    snprintf(scratch->path, sizeof scratch->path, "%s/scene.json", scratch->folder);
    snprintf(copy, sizeof copy, "cp '%s'/*.obj '%s'", TEST_DATA, scratch->folder);
    assert_int_equal(system(copy), 0);
}

static inline void scratch_close(Scratch *scratch)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", scratch->folder);
    assert_int_equal(system(command), 0);
}

static inline void scratch_write(const Scratch *scratch, const char *bytes, size_t count)
{
    FILE *file = fopen(scratch->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The scene's text; to be freed. */
static inline char *read_rich_text(void)
{
    FILE *file = fopen(TEST_DATA "/rich.json", "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The one folder of a test program, as its group's setup and teardown. */
static Scratch scratch;

static inline int open_scratch(void **state)
{
    (void)state;
    scratch_open(&scratch);
    return 0;
}

static inline int close_scratch(void **state)
{
    (void)state;
    scratch_close(&scratch);
    return 0;
}

#endif
