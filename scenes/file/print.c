/* SPDX-License-Identifier: MIT */
/* A JSON document as text for people: an array or object stands on one line if it fits, a list of numbers always. */
#include "scenes/file/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 110, INDENT = 2 };

static void text_grow(Text *text, size_t more)
{
    size_t capacity = 2 * text->capacity + more + 64;
    char *grown = realloc(text->data, capacity);
    text->failed = !grown;
    if (grown) {
        text->data = grown;
        text->capacity = capacity;
    }
}

void text_add(Text *text, const char *format, ...)
{
    /* A second time only if the first did not find room. */
    while (!text->failed) {
        size_t room = text->capacity - text->length;
        va_list arguments;
        va_start(arguments, format);
        size_t length = (size_t)vsnprintf(room ? text->data + text->length : NULL, room, format, arguments);
        va_end(arguments);
        if (length < room) {
            text->length += length;
            return;
        }
        text_grow(text, length);
    }
}

void text_add_real(Text *text, double x)
{
    char digits[32];
    /* 17 significant digits always read back; 0.1 takes fewer. */
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, x);
        if (strtod(digits, NULL) == x)
            break;
    }
    /* `-0` would read back as the integer 0. */
    text_add(text, "%s", x == 0.0 && signbit(x) ? "-0.0" : digits);
}

static void print_string(Text *text, const char *string)
{
    json_t *value = json_string(string);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY);
    if (quoted)
        text_add(text, "%s", quoted);
    else
        text->failed = true;
    free(quoted);
    json_decref(value);
}

static void print_value(Text *text, const json_t *value, size_t indent);

static void print_scalar(Text *text, const json_t *value)
{
    if (json_is_string(value))
        print_string(text, json_string_value(value));
    else if (json_is_real(value))
        text_add_real(text, json_real_value(value));
    else if (json_is_integer(value))
        text_add(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        text_add(text, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}

void text_add_json(Text *text, const json_t *value)
{
    const char *key, *separator = "";
    json_t *member;
    size_t i;
    if (json_is_object(value)) {
        text_add(text, "{");
        json_object_foreach ((json_t *)value, key, member) {
            text_add(text, "%s", separator);
            print_string(text, key);
            text_add(text, ": ");
            text_add_json(text, member);
            separator = ", ";
        }
        text_add(text, "}");
    } else if (json_is_array(value)) {
        text_add(text, "[");
        json_array_foreach (value, i, member) {
            text_add(text, "%s", separator);
            text_add_json(text, member);
            separator = ", ";
        }
        text_add(text, "]");
    } else {
        print_scalar(text, value);
    }
}

/* One member a line. */
static void print_broken(Text *text, const json_t *value, size_t indent)
{
    const char *key, *separator = "";
    json_t *member;
    size_t i;
    int inner = (int)indent + INDENT;
    text_add(text, json_is_object(value) ? "{" : "[");
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member) {
            text_add(text, "%s\n%*s", separator, inner, "");
            print_string(text, key);
            text_add(text, ": ");
            print_value(text, member, (size_t)inner);
            separator = ",";
        }
    } else {
        json_array_foreach (value, i, member) {
            text_add(text, "%s\n%*s", separator, inner, "");
            print_value(text, member, (size_t)inner);
            separator = ",";
        }
    }
    text_add(text, "\n%*s%s", (int)indent, "", json_is_object(value) ? "}" : "]");
}

static bool is_numbers(const json_t *value)
{
    size_t i;
    json_t *member;
    json_array_foreach (value, i, member)
        if (!json_is_number(member))
            return false;
    return json_is_array(value);
}

static void print_value(Text *text, const json_t *value, size_t indent)
{
    size_t start = text->length;
    text_add_json(text, value);
    bool container = json_is_object(value) || json_is_array(value);
    if (text->failed || !container || is_numbers(value) || indent + text->length - start <= LINE_WIDTH)
        return;
    text->length = start;
    print_broken(text, value, indent);
}

char *file_print(const json_t *root)
{
    Text text = {0};
    print_broken(&text, root, 0);
    text_add(&text, "\n");
    if (text.failed) {
        free(text.data);
        return NULL;
    }
    return text.data;
}
