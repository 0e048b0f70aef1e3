/* SPDX-License-Identifier: MIT */
#include "model/settings.h"

#include "model/math3.h"

#include <stdlib.h>
#include <string.h>

static const double DEGREES = 180.0 / PI;

static void *setting_field(const Setting *setting, void *values)
{
    return (char *)values + setting->offset;
}

static void setting_write(const Setting *setting, void *values, double value)
{
    if (setting->type == SETTING_REAL)
        *(double *)setting_field(setting, values) = value;
    else
        *(int *)setting_field(setting, values) = (int)value;
}

void settings_init(const Setting *table, int count, void *values)
{
    for (int i = 0; i < count; i++)
        setting_write(&table[i], values, table[i].initial);
}

const Setting *settings_find(const Setting *table, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

double setting_get(const Setting *setting, const void *values)
{
    const char *field = (const char *)values + setting->offset;
    return setting->type == SETTING_REAL ? *(const double *)field : *(const int *)field;
}

const char *setting_get_choice(const Setting *setting, const void *values)
{
    return setting->type == SETTING_CHOICE ? setting->choices[(int)setting_get(setting, values)] : NULL;
}

const char *setting_word(double value)
{
    return value == INFINITY ? "inf" : isnan(value) ? "auto" : NULL;
}

static bool setting_takes_word(const Setting *setting, double value)
{
    return (value == INFINITY && setting->words & WORD_INF) || (isnan(value) && setting->words & WORD_AUTO);
}

bool setting_set(const Setting *setting, void *values, double value, Status *status)
{
    if (setting_takes_word(setting, value)) {
        setting_write(setting, values, value);
        return true;
    }
    if (!isfinite(value))
        return status_set(status, STATUS_USAGE, "%s: not a finite number", setting->name);
    if (setting->type != SETTING_REAL && value != floor(value))
        return status_set(status, STATUS_USAGE, "%s: %g is not a whole number", setting->name, value);
    if (setting->angle && (value < setting->min || value > setting->max))
        return status_set(status, STATUS_USAGE,
                          "%s: %g is outside %gdeg .. %gdeg; angles are radians: did you mean %gdeg?", setting->name,
                          value, setting->min * DEGREES, setting->max * DEGREES, value);
    if (value < setting->min || value > setting->max)
        return status_set(status, STATUS_USAGE, "%s: %.12g is outside %.12g .. %.12g", setting->name, value,
                          setting->min, setting->max);
    setting_write(setting, values, value);
    return true;
}

static bool setting_parse_choice(const Setting *setting, void *values, const char *text, Status *status)
{
    char known[256] = "";
    for (int i = 0; setting->choices[i]; i++) {
        if (strcmp(setting->choices[i], text) == 0) {
            setting_write(setting, values, i);
            return true;
        }
        if (strlen(known) + strlen(setting->choices[i]) + 4 < sizeof known) {
            strcat(known, i > 0 ? ", " : "");
            strcat(known, setting->choices[i]);
        }
    }
    return status_set(status, STATUS_USAGE, "%s: '%s' is not one of %s", setting->name, text, known);
}

static bool text_is_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* A number with something behind it: its unit, or a second setting. */
static const char *number_hint(const char *text)
{
    char *end;
    strtod(text, &end);
    return end == text          ? ""
           : strchr(end, '=')   ? ": each setting is given by itself"
           : (*end & 0x80) != 0 ? ": degrees are written 90deg"
                                : ": a number stands alone, without a unit but deg";
}

bool setting_parse(const Setting *setting, void *values, const char *text, Status *status)
{
    static const char *const YES[] = {"true", "on", "yes", "1", NULL}, *const NO[] = {"false", "off", "no", "0", NULL};
    double value;
    if (setting->type == SETTING_CHOICE)
        return setting_parse_choice(setting, values, text, status);
    if (setting->type == SETTING_BOOL) {
        if (!text_is_any(text, YES) && !text_is_any(text, NO))
            return status_set(status, STATUS_USAGE, "%s: '%s' is not true or false", setting->name, text);
        setting_write(setting, values, text_is_any(text, YES));
        return true;
    }
    if (setting->words & WORD_INF && strcmp(text, "inf") == 0)
        value = INFINITY;
    else if (setting->words & WORD_AUTO && strcmp(text, "auto") == 0)
        value = NAN;
    else if (!number_parse(text, &value))
        return status_set(status, STATUS_USAGE, "%s: '%s' is not a number%s%s%s", setting->name, text,
                          setting->words & WORD_INF ? ", nor inf" : "", setting->words & WORD_AUTO ? ", nor auto" : "",
                          number_hint(text));
    return setting_set(setting, values, value, status);
}

bool number_parse(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == '/') {
        const char *below = end + 1;
        double divisor = strtod(below, &end);
        if (end == below || divisor == 0.0 || !isfinite(divisor))
            return false;
        *value /= divisor;
    }
    if (strcmp(end, "deg") == 0) {
        *value *= PI / 180.0;
        end += 3;
    }
    return *end == '\0' && isfinite(*value);
}
