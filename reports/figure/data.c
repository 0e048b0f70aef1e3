/* SPDX-License-Identifier: MIT */
/* The rows of a figure's data: what a command of this program prints with --json, taken apart by a path, or what a
 * generator gives. A path `solvers[].residuals[]` goes through every element at each []; a row has the scalars of all
 * objects on the way, `index` counts the last [] from 1, and an element that is no object is the field `value` (or as
 * `name` says). Answers of commands are kept in the cache under the command and the version of the program. */
#include "bench/build.h"
#include "bench/files/hash.h"
#include "bench/run/solver_set_file.h"
#include "reports/figure/entry.h"
#include "reports/figure/read_command.h"
#include "reports/generate/generators.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const COMMAND_KEYS[] = {"command", "rows", "name", "set", "needs", NULL};
static const char *const GENERATOR_KEYS[] = {"generator", "arguments", "set", "needs", NULL};

/* With the plug-ins that the user named and the figure's variants; NULL with a message. */
static const Command *command_parse(Arguments *arguments, char **words, int count, const Workshop *workshop,
                                    Node variants, Status *status)
{
    const Command *command = reading_command(arguments, words, count, status);
    if (!command)
        return NULL;
    for (int i = 0; workshop->plugin_paths && i < OPTION_MOST && workshop->plugin_paths[i]; i++)
        arguments->values[OPTION_PLUGIN][arguments->given[OPTION_PLUGIN]++] = workshop->plugin_paths[i];
    if (!arguments_load_plugins(arguments, status))
        return NULL;
    if (solver_set_read(&arguments->solvers, variants))
        return command;
    *status = *variants.reader->status;
    return NULL;
}

static char *command_path(const Workshop *workshop, char **words, int count, const json_t *variants)
{
    Hash hash = hash_begin();
    char text[HASH_TEXT];
    hash_add_text(&hash, build_version());
    hash_add_text(&hash, build_commit());
    for (int i = 0; i < count; i++)
        hash_add_text(&hash, words[i]);
    char *defined = variants ? json_dumps(variants, JSON_COMPACT) : NULL;
    hash_add_text(&hash, defined ? defined : "");
    free(defined);
    hash_text(&hash, text);
    return workshop_cache_path(workshop, text, "json");
}

/* The command's answer in the cache's file: made if it is not there, but not in a check. */
static bool command_answer(Node node, Workshop *workshop, Node variants, char **words, int count, const char *path)
{
    Status status = {0};
    Arguments arguments;
    const Command *command = command_parse(&arguments, words, count, workshop, variants, &status);
    bool ok = command || node_fail(node, "%s", status.message);
    if (ok && (workshop->check || access(path, R_OK) != 0)) {
        ok = workshop->check || command_print(command, &arguments, path, &status) ||
             node_fail(node, "%s", status.message);
        workshop->made++;
    }
    arguments_clear(&arguments);
    return ok;
}

/* The command's document, or `null` in a check; NULL with a message. */
static json_t *command_document(Node node, Workshop *workshop, Node variants)
{
    const char *command = NULL;
    char *words[COMMAND_WORDS];
    int count = 0;
    Status status = {0};
    if (!node_text(node, &command))
        return NULL;
    char *text = strdup(command), *path = NULL;
    bool ok = text ? command_words(text, words, &count, &status) || node_fail(node, "%s", status.message)
                   : node_fail(node, "out of memory");
    if (ok && !workshop->check && !(path = command_path(workshop, words, count, variants.value)))
        ok = node_fail(node, "out of memory");
    ok = ok && command_answer(node, workshop, variants, words, count, path);
    json_t *document = !ok ? NULL : workshop->check ? json_null() : json_load_file(path, JSON_DECODE_ANY, NULL);
    if (ok && !document)
        node_fail(node, "the command printed no JSON");
    free(text);
    free(path);
    return document;
}

/* What the path is taken apart into. */
typedef struct Walk {
    json_t *rows;
    const json_t *set;
    const char *name;
    int added;
} Walk;

static void walk_end(Walk *walk, const json_t *value, const json_t *fields)
{
    json_t *row = json_copy((json_t *)fields);
    if (json_is_object(value))
        row_add(row, "", value);
    else if (!json_is_null(value))
        json_object_set(row, walk->name, (json_t *)value);
    row_add(row, "", walk->set);
    json_object_set_new(row, "from", json_string("data"));
    json_array_append_new(walk->rows, row);
    walk->added++;
}

static void walk_path(Walk *walk, const char *path, json_t *value, const json_t *fields)
{
    if (!*path) {
        walk_end(walk, value, fields);
        return;
    }
    json_t *own = json_copy((json_t *)fields), *element;
    const char *key;
    size_t i;
    json_object_foreach (value, key, element)
        if (!json_is_object(element) && !json_is_array(element) && !json_is_null(element))
            json_object_set(own, key, element);
    if (strncmp(path, "[]", 2) == 0) {
        const char *rest = path[2] == '.' ? path + 3 : path + 2;
        json_array_foreach (value, i, element) {
            json_object_set_new(own, "index", json_integer((json_int_t)i + 1));
            walk_path(walk, rest, element, own);
        }
    } else {
        char name[128];
        size_t length = strcspn(path, ".[");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        walk_path(walk, path[length] == '.' ? path + length + 1 : path + length, json_object_get(value, name), own);
    }
    json_decref(own);
}

static bool add_command(const Node *entry, Node variants, Workshop *workshop, json_t *rows)
{
    const char *path = "", *name = "value";
    Node set = node_get(entry, "set"), place = node_get(entry, "rows");
    if (!node_object(*entry, COMMAND_KEYS) || !node_text(place, &path) || !node_text(node_get(entry, "name"), &name) ||
        !entry_check_set(set))
        return false;
    json_t *document = command_document(node_get(entry, "command"), workshop, variants);
    if (!document || workshop->check)
        return document != NULL;
    json_t *fields = json_object();
    Walk walk = {.rows = rows, .set = set.value, .name = name};
    walk_path(&walk, path, document, fields);
    bool ok = (walk.added > 0 || node_fail(place, "there is no '%s' in what the command prints", path));
    json_decref(fields);
    json_decref(document);
    return ok;
}

/* `rows` NULL: a check, which runs nothing. */
static bool add_generated(const Node *entry, json_t *rows)
{
    Node set = node_get(entry, "set");
    if (!node_object(*entry, GENERATOR_KEYS) || !entry_check_set(set))
        return false;
    const Generator *generator = generator_find(node_get(entry, "generator"));
    size_t first = json_array_size(rows);
    if (!generator || !generator->make(node_get(entry, "arguments"), rows))
        return false;
    for (size_t i = first; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        row_add(row, "", set.value);
        json_object_set_new(row, "from", json_string("data"));
    }
    return true;
}

bool figure_add_data(Figure *figure, Workshop *workshop, Status *status)
{
    Reader reader = {.path = figure->path, .status = status};
    Node root = {.reader = &reader, .value = figure->document}, list = node_get(&root, "data");
    bool ok = node_array(list);
    for (size_t i = 0; ok && i < json_array_size(list.value); i++) {
        Node entry = node_at(&list, i), command = node_get(&entry, "command"),
             generator = node_get(&entry, "generator");
        bool wanted;
        if (!command.value == !generator.value)
            return node_fail(entry, "must have a command or a generator");
        if (!(ok = entry_is_wanted(entry, workshop, &wanted)) || !wanted)
            continue;
        ok = command.value ? add_command(&entry, node_get(&root, "variants"), workshop, figure->data)
                           : add_generated(&entry, workshop->check ? NULL : figure->data);
    }
    return ok;
}
