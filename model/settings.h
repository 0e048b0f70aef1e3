/* SPDX-License-Identifier: MIT */
/* Named settings: one table per solver or scene says which options it has; command line, JSON and `rigor show` all read
 * that table, and the code reads a plain typed struct that the table's offsets point into. */
#ifndef RIGOR_MODEL_SETTINGS_H
#define RIGOR_MODEL_SETTINGS_H

#include "model/status.h"

#include <stddef.h>

typedef enum SettingType {
    SETTING_REAL,   /* double */
    SETTING_INT,    /* int */
    SETTING_BOOL,   /* int: 0 or 1 */
    SETTING_CHOICE, /* int: index into choices */
} SettingType;

typedef struct Setting {
    const char *name;
    const char *meaning; /* with its unit */
    SettingType type;
    size_t offset;              /* of the field in the settings struct */
    double initial, min, max;   /* initial: the default (an index for a choice) */
    const char *const *choices; /* NULL-terminated, for SETTING_CHOICE */
    bool angle;                 /* radians; `30deg` is understood everywhere; this only helps `show` */
    unsigned words;             /* of SettingWord: values that a real may have beside the numbers from min to max */
} Setting;

typedef enum SettingWord {
    WORD_INF = 1 << 0,  /* `inf`: INFINITY in the struct */
    WORD_AUTO = 1 << 1, /* `auto`: NaN in the struct; its owner computes the value */
} SettingWord;

/* Rows of a table; each is named as the field that it fills. */
/* clang-format off */
#define PARAM_REAL(Struct, field, meaning, initial, min, max) \
    {#field, meaning, SETTING_REAL, offsetof(Struct, field), initial, min, max, NULL, false, 0}
#define PARAM_REAL_OR(Struct, field, meaning, initial, min, max, words) \
    {#field, meaning, SETTING_REAL, offsetof(Struct, field), initial, min, max, NULL, false, words}
#define PARAM_ANGLE(Struct, field, meaning, initial, min, max) \
    {#field, meaning, SETTING_REAL, offsetof(Struct, field), initial, min, max, NULL, true, 0}
#define PARAM_INT(Struct, field, meaning, initial, min, max) \
    {#field, meaning, SETTING_INT, offsetof(Struct, field), initial, min, max, NULL, false, 0}
#define PARAM_BOOL(Struct, field, meaning, initial) \
    {#field, meaning, SETTING_BOOL, offsetof(Struct, field), initial, 0, 1, NULL, false, 0}
#define PARAM_CHOICE(Struct, field, meaning, initial, last, names) \
    {#field, meaning, SETTING_CHOICE, offsetof(Struct, field), initial, 0, last, names, false, 0}
/* clang-format on */

/* Largest settings struct: the harness keeps settings in buffers of this size. */
enum { SETTINGS_MAX_BYTES = 512 };

/* Writes every default into the struct. */
void settings_init(const Setting *table, int count, void *values);

const Setting *settings_find(const Setting *table, int count, const char *name);

double setting_get(const Setting *setting, const void *values);

/* The name of the current choice; NULL if the setting is no choice. */
const char *setting_get_choice(const Setting *setting, const void *values);

/* `inf` or `auto` if that is the value; NULL: a number. */
const char *setting_word(double value);

/* Sets a field; fails with a message if the value is not finite, not whole where it must be, or out of range. */
bool setting_set(const Setting *setting, void *values, double value, Status *status);

/* The same from text: a number as number_parse reads it, true/false/on/off for a bool, a choice by its name, `inf` and
 * `auto` where the setting takes them. */
bool setting_parse(const Setting *setting, void *values, const char *text, Status *status);

/* `0.5`, `1/60`, `30deg`: the whole text must be a number. */
bool number_parse(const char *text, double *value);

#endif
