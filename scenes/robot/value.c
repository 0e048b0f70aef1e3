/* SPDX-License-Identifier: MIT */
/* Attributes of XML elements: their values, and the place that an error names. */
#include "model/suggest.h"
#include "scenes/file/input.h"
#include "scenes/robot/xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shorter axes have no direction that round-off leaves alone; longer ones overflow when squared. */
static const double AXIS_MIN = 1e-10, AXIS_MAX = 1e100;

bool xml_fail(const XmlNode *node, const char *format, ...)
{
    char what[sizeof node->tree->status->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return status_set(node->tree->status, STATUS_BAD_FILE, "%s:%d:%d: <%.64s>: %s", node->file, node->line,
                      node->column, node->name, what);
}

const char *xml_get(const XmlNode *node, const char *name)
{
    for (int i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) == 0)
            return node->attributes[i].value;
    return NULL;
}

bool xml_is(const XmlNode *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

XmlNode *xml_child(const XmlNode *node, const char *name)
{
    XmlNode *child = node->first;
    while (child && !xml_is(child, name))
        child = child->next;
    return child;
}

static const char BLANKS[] = " \t\r\n";

bool xml_numbers(const XmlNode *node, const char *name, const char *text, int least, int most, double *values,
                 int *count)
{
    int found = 0;
    if (!text)
        return true;
    for (const char *at = text + strspn(text, BLANKS); *at; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);
        char *end = NULL;
        /* No hexadecimal, no "inf" and no "nan", which strtod takes. */
        double value = strspn(at, "+-.0123456789eE") >= length ? strtod(at, &end) : 0.0;
        if (end != at + length)
            return xml_fail(node, "%s: \"%.*s\" is not a number", name, (int)(length < 64 ? length : 64), at);
        if (!isfinite(value))
            return xml_fail(node, "%s: %.*s is beyond double precision", name, (int)(length < 64 ? length : 64), at);
        if (found >= most)
            return xml_fail(node, "%s: has more than %d number%s", name, most, most > 1 ? "s" : "");
        values[found++] = value;
        at += length;
    }
    if (found < least)
        return xml_fail(node, "%s: has %d number%s, needs %d", name, found, found == 1 ? "" : "s", least);
    if (count)
        *count = found;
    return true;
}

bool xml_real(const XmlNode *node, const char *name, const char *text, double *value)
{
    return xml_numbers(node, name, text, 1, 1, value, NULL);
}

bool xml_vec3(const XmlNode *node, const char *name, const char *text, Vec3 *value)
{
    double x[3] = {value->x, value->y, value->z};
    if (!xml_numbers(node, name, text, 3, 3, x, NULL))
        return false;
    *value = vec3(x[0], x[1], x[2]);
    return true;
}

bool xml_whole(const XmlNode *node, const char *name, const char *text, double least, double most, double *value)
{
    if (!xml_real(node, name, text, value))
        return false;
    return !text || (*value == floor(*value) && *value >= least && *value <= most) ||
           xml_fail(node, "%s: %g is no whole number from %g to %g", name, *value, least, most);
}

bool xml_choice(const XmlNode *node, const char *name, const char *text, const char *const words[], int *value)
{
    char nearest[SUGGESTION_TEXT];
    if (!text)
        return true;
    Suggestion near = suggestion_for(text);
    for (int i = 0; words[i]; i++) {
        suggestion_offer(&near, words[i]);
        if (strcmp(words[i], text) == 0) {
            *value = i;
            return true;
        }
    }
    return xml_fail(node, "%s: \"%.64s\" is not known here%s", name, text, suggestion_text(&near, nearest));
}

bool xml_bool(const XmlNode *node, const char *name, const char *text, bool *value)
{
    static const char *const words[] = {"false", "true", NULL};
    int index = *value;
    if (!xml_choice(node, name, text, words, &index))
        return false;
    *value = index == 1;
    return true;
}

bool xml_axis(const XmlNode *node, const char *name, const char *text, Vec3 *value)
{
    if (!xml_vec3(node, name, text, value))
        return false;
    double length = vec3_norm(*value);
    if (!(length > AXIS_MIN && length < AXIS_MAX))
        return xml_fail(node, "%s: has no usable length (%g)", name, length);
    *value = vec3_unit(*value);
    return true;
}

int xml_open(const XmlNode *node, const char *attribute, const char *beside, const char *name)
{
    Status why = {0};
    int fd = -1;
    if (name[0] == '/')
        xml_fail(node, "%s: \"%.200s\" is an absolute path: give one relative to the model's folder", attribute, name);
    else if (strstr(name, ".."))
        xml_fail(node, "%s: \"%.200s\": no \"..\" may stand in a path: what a model names lies in its folder or below",
                 attribute, name);
    else if ((fd = input_open_beside(beside, name, &why)) < 0)
        xml_fail(node, "%s: %.300s", attribute, why.message);
    return fd;
}
