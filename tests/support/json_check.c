/* SPDX-License-Identifier: MIT */
/* Reads standard input: exactly one JSON document, without duplicate keys. Arguments are paths that must lead
 * somewhere: `runs.0.metrics.error_end`; `path=text` also compares the value as JSON prints it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *step_into(json_t *value, const char *key)
{
    return json_is_array(value) ? json_array_get(value, (size_t)atoi(key)) : json_object_get(value, key);
}

/* Modifies the path. */
static json_t *follow(json_t *value, char *path)
{
    char *rest = NULL;
    for (char *key = strtok_r(path, ".", &rest); key && value; key = strtok_r(NULL, ".", &rest))
        value = step_into(value, key);
    return value;
}

static int check(json_t *document, char *path)
{
    char *expected = strchr(path, '=');
    if (expected)
        *expected++ = '\0';
    char *name = strdup(path);
    json_t *value = follow(document, path);
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    int wrong = !value || (expected && strcmp(text, expected) != 0);
    if (wrong)
        fprintf(stderr, "%s is %s%s%s\n", name, text ? text : "missing", expected ? ", not " : "",
                expected ? expected : "");
    free(text);
    free(name);
    return wrong;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *document = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        fprintf(stderr, "line %d, column %d: %s\n", error.line, error.column, error.text);
        return 1;
    }
    int wrong = 0;
    for (int i = 1; i < argc; i++)
        wrong |= check(document, argv[i]);
    json_decref(document);
    return wrong;
}
