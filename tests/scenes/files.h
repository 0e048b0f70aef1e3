/* Scene files for tests: texts put into a temporary folder, and the files that lie beside the tests (TEST_DATA). */
#ifndef RIGOR_TESTS_SCENES_FILES_H
#define RIGOR_TESTS_SCENES_FILES_H

#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A fresh folder that holds the path of one file in it. */
typedef struct Scratch {
    char folder[64], path[96];
} Scratch;

static inline void scratch_open(Scratch *scratch)
{
    strcpy(scratch->folder, "/tmp/rigor_test_XXXXXX");
    assert_non_null(mkdtemp(scratch->folder));
    snprintf(scratch->path, sizeof scratch->path, "%s/scene.json", scratch->folder);
}

static inline void scratch_close(Scratch *scratch)
{
    remove(scratch->path);
    rmdir(scratch->folder);
}

static inline void scratch_write(const Scratch *scratch, const char *bytes, size_t count)
{
    FILE *file = fopen(scratch->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The scene's text with its mesh where it can be found from anywhere; to be freed. */
static inline char *read_rich_text(void)
{
    static const char mesh[] = "wedge.obj";
    FILE *file = fopen(TEST_DATA "/rich.json", "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    size_t size = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    char *at = strstr(text, mesh);
    assert_non_null(at);
    memmove(at + strlen(TEST_DATA) + 1, at, size - (size_t)(at - text) + 1);
    memcpy(at, TEST_DATA "/", strlen(TEST_DATA) + 1);
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
