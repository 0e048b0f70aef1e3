/* SPDX-License-Identifier: MIT */
/* Robot files for tests: texts put into a folder of their own, and what their reader makes of them. */
#ifndef RIGOR_TESTS_ROBOTS_FILES_H
#define RIGOR_TESTS_ROBOTS_FILES_H

#include "scenes/robot/robot.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static inline int open_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/rigor_robot_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int close_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static inline const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* The document of a text; parameters as "key=value", NULL: none. To be freed. */
static inline json_t *read_with(const char *name, const char *text, const char *parameter, char **notes)
{
    RobotParams params = {0};
    Status status = {0};
    char key[64];
    const char *equals = parameter ? strchr(parameter, '=') : NULL;
    if (equals) {
        snprintf(key, sizeof key, "%.*s", (int)(equals - parameter), parameter);
        assert_true(robot_params_set(&params, key, equals + 1, &status));
    }
    write_text(name, text);
    json_t *document = robot_document(path_of(name), &params, NULL, notes, &status);
    if (!document)
        fail_msg("%s", status.message);
    return document;
}

static inline json_t *read_robot_text(const char *name, const char *text)
{
    return read_with(name, text, NULL, NULL);
}

static inline json_t *named(const json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        const char *has = json_string_value(json_object_get(item, "name"));
        if (has && strcmp(has, name) == 0)
            return item;
    }
    fail_msg("there is no \"%s\"", name);
    return NULL;
}

static inline json_t *body(const json_t *document, const char *name)
{
    return named(json_object_get(document, "bodies"), name);
}

static inline json_t *joint(const json_t *document, const char *name)
{
    return named(json_object_get(document, "joints"), name);
}

static inline json_t *shape(const json_t *document, const char *name, size_t index)
{
    return json_array_get(json_object_get(body(document, name), "shapes"), index);
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("no number \"%s\"", key);
    return json_number_value(value);
}

static inline void assert_number(const json_t *object, const char *key, double expected)
{
    assert_near(number(object, key), expected, 1e-14);
}

static inline void assert_numbers(const json_t *object, const char *key, int count, const double *expected)
{
    const json_t *array = json_object_get(object, key);
    assert_int_equal((int)json_array_size(array), count);
    for (int i = 0; i < count; i++)
        assert_near(json_number_value(json_array_get(array, (size_t)i)), expected[i], 1e-14);
}

#define ASSERT_NUMBERS(object, key, ...)                                                                               \
    assert_numbers(object, key, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

#endif
