/* SPDX-License-Identifier: MIT */
/* Values of a scene file: their types, their ranges, and the place that an error names. */
#include "scenes/file/file.h"

#include "model/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A quaternion typed with three decimals is still meant as one; it is made unit. */
static const double QUAT_TOLERANCE = 1e-3;
/* Unit to within the round-off of some tens of operations: kept as it is, so that what was written reads back. */
static const double QUAT_ROUND_OFF = 1e-14;
/* Outside this range the square of a length is no longer safe from under- or overflow. */
static const double LENGTH_MIN = 1e-100, LENGTH_MAX = 1e100;

Node node_get(const Node *object, const char *key)
{
    return (Node){object->reader, object, key, 0, json_object_get(object->value, key)};
}

Node node_at(const Node *array, size_t index)
{
    return (Node){array->reader, array, NULL, index, json_array_get(array->value, index)};
}

static void node_add_path(const Node *node, Text *path)
{
    if (!node->parent)
        return;
    node_add_path(node->parent, path);
    if (node->key)
        text_add(path, path->length ? ".%s" : "%s", node->key);
    else
        text_add(path, "[%zu]", node->index);
}

bool node_fail(Node node, const char *format, ...)
{
    char what[sizeof node.reader->status->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    Text path = {0};
    node_add_path(&node, &path);
    status_set(node.reader->status, STATUS_BAD_FILE, "%s: %s%s%s", node.reader->path, path.data ? path.data : "",
               path.data ? ": " : "", what);
    free(path.data);
    return false;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "a truth value";
    }
}

bool node_wrong_type(Node node, const char *wanted)
{
    return node_fail(node, "must be %s, not %s", wanted, type_name(node.value));
}

bool node_required(Node node)
{
    return node.value || node_fail(node, "is missing");
}

/* The nearest key, and those that there are, as far as a message goes. */
static bool node_unknown_key(Node node, const char *const keys[])
{
    Suggestion near = suggestion_for(node.key);
    char text[SUGGESTION_TEXT], known[256] = "";
    for (int i = 0; keys[i]; i++) {
        size_t used = strlen(known);
        suggestion_offer(&near, keys[i]);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", keys[i]);
    }
    return node_fail(node, "unknown key%s%s here: %s", suggestion_text(&near, text), near.best ? " Known" : "; known",
                     known);
}

bool node_object(Node node, const char *const keys[])
{
    if (!node.value)
        return true;
    if (!json_is_object(node.value))
        return node_wrong_type(node, "an object");
    const char *key;
    json_t *value;
    json_object_foreach (node.value, key, value) {
        int i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i])
            return node_unknown_key(node_get(&node, key), keys);
    }
    return true;
}

bool node_document(Node root, DocumentKind wanted)
{
    static const struct {
        const char *mark, *name, *use;
    } KINDS[DOCUMENT_KINDS] = {
        {"panels", "a figure", "report FILE` draws it"}, /* may have a grid, too */
        {"grid", "an experiment", "sweep FILE` runs it"},
        {"bodies", "a scene", "run FILE SOLVER` runs it"},
    };
    for (int i = 0; i < DOCUMENT_KINDS; i++)
        if (json_object_get(root.value, KINDS[i].mark))
            return i == (int)wanted ||
                   node_fail(root, "is %s, not %s: `rigor %s", KINDS[i].name, KINDS[wanted].name, KINDS[i].use);
    return true;
}

bool node_array(Node node)
{
    return !node.value || json_is_array(node.value) || node_wrong_type(node, "an array");
}

bool node_array_of(Node node, size_t count)
{
    if (!node.value)
        return true;
    if (!node_array(node))
        return false;
    size_t size = json_array_size(node.value);
    return size == count || node_fail(node, "must have %zu elements, not %zu", count, size);
}

bool node_real(Node node, double *value)
{
    if (!node.value)
        return true;
    if (!json_is_number(node.value))
        return node_wrong_type(node, "a number");
    *value = json_number_value(node.value);
    return true;
}

bool node_at_least(Node node, double least, double *value)
{
    if (!node_real(node, value))
        return false;
    if (!node.value || *value >= least)
        return true;
    return least == 0.0 ? node_fail(node, "must not be negative") : node_fail(node, "must be at least %g", least);
}

bool node_positive(Node node, double *value)
{
    return node_real(node, value) && (!node.value || *value > 0.0 || node_fail(node, "must be positive"));
}

bool node_bool(Node node, bool *value)
{
    if (!node.value)
        return true;
    if (!json_is_boolean(node.value))
        return node_wrong_type(node, "true or false");
    *value = json_is_true(node.value);
    return true;
}

bool node_vec3(Node node, Vec3 *value)
{
    return !node.value || (node_array_of(node, 3) && node_real(node_at(&node, 0), &value->x) &&
                           node_real(node_at(&node, 1), &value->y) && node_real(node_at(&node, 2), &value->z));
}

bool node_direction(Node node, Vec3 *value)
{
    if (!node_vec3(node, value))
        return false;
    if (!node.value)
        return true;
    if (vec3_is_zero(*value))
        return node_fail(node, "must not be zero");
    double length = vec3_norm(*value);
    return (length > LENGTH_MIN && length < LENGTH_MAX) || node_fail(node, "has no usable length");
}

bool node_quat(Node node, Quat *value)
{
    if (!node.value)
        return true;
    double c[4];
    if (!node_array_of(node, 4))
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!node_real(node_at(&node, i), &c[i]))
            return false;
    double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3];
    if (!(fabs(sqrt(square) - 1.0) <= QUAT_TOLERANCE))
        return node_fail(node, "must be a unit quaternion [w, x, y, z]; its length is %g", sqrt(square));
    *value = (Quat){c[0], c[1], c[2], c[3]};
    if (fabs(square - 1.0) > QUAT_ROUND_OFF)
        *value = quat_unit(*value);
    return true;
}

bool node_text(Node node, const char **value)
{
    if (!node.value)
        return true;
    if (!json_is_string(node.value))
        return node_wrong_type(node, "a string");
    *value = json_string_value(node.value);
    return (**value || node_fail(node, "must not be empty")) && node_printable(node, *value);
}

bool node_printable(Node node, const char *text)
{
    if (strnlen(text, TEXT_BYTES + 1) > TEXT_BYTES)
        return node_fail(node, "a text has at most %d bytes", TEXT_BYTES);
    for (const char *c = text; *c; c++)
        if (text_control(c))
            return node_fail(node, "has a control character (byte %d)", (int)(c - text) + 1);
    return true;
}

bool node_name(Node node, const char *name)
{
    size_t characters = 0;
    for (const char *c = name; *c; c++)
        characters += (*c & 0xC0) != 0x80; /* not within a character */
    return (characters <= NAME_MOST || node_fail(node, "a name has at most %d characters", NAME_MOST)) &&
           node_printable(node, name);
}

bool node_choice(Node node, const char *const names[], int *value)
{
    const char *text = NULL;
    if (!node_text(node, &text))
        return false;
    if (!text)
        return true;
    Text known = {0};
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *value = i;
            free(known.data);
            return true;
        }
        text_add(&known, i ? ", %s" : "%s", names[i]);
    }
    node_fail(node, "\"%s\" is none of %s", text, known.data ? known.data : "those known");
    free(known.data);
    return false;
}

bool node_define(Node node, json_t *names, const char *name, int index)
{
    if (!node_name(node, name))
        return false;
    if (json_object_get(names, name))
        return node_fail(node, "the name \"%s\" is taken", name);
    return file_put(names, name, json_integer(index)) || node_fail(node, "out of memory");
}

bool node_lookup(Node node, json_t *names, const char *what, int *index)
{
    const char *name = NULL;
    if (!node_text(node, &name))
        return false;
    if (!name)
        return true;
    json_t *found = json_object_get(names, name);
    if (!found) {
        Suggestion near = suggestion_for(name);
        char nearest[SUGGESTION_TEXT];
        const char *other;
        json_object_foreach (names, other, found)
            suggestion_offer(&near, other);
        return node_fail(node, "there is no %s \"%s\"%s", what, name, suggestion_text(&near, nearest));
    }
    *index = (int)json_integer_value(found);
    return true;
}
