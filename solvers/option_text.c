/* SPDX-License-Identifier: MIT */
#include "solvers/option_text.h"

#include "solvers/solver.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_TEXT = 64 };

/* The value as it is typed: a number, `inf`, true or false, the name of a choice. */
static void setting_text(const Setting *setting, const void *values, char *text, size_t size)
{
    double value = setting_get(setting, values);
    const char *word = setting->type == SETTING_CHOICE ? setting_get_choice(setting, values)
                       : setting->type == SETTING_BOOL ? (value != 0.0 ? "true" : "false")
                                                       : setting_word(value);
    if (word)
        snprintf(text, size, "%s", word);
    else
        snprintf(text, size, "%.6g", value);
}

static void option_text(const Solver *solver, const void *options, const char *name, char text[VALUE_TEXT])
{
    const Setting *setting = settings_find(solver->settings, solver->setting_count, name);
    snprintf(text, VALUE_TEXT, "?");
    if (setting)
        setting_text(setting, options, text, VALUE_TEXT);
}

bool option_holds(const Solver *solver, const void *options, const char *option, const char *value)
{
    char has[VALUE_TEXT];
    if (!option)
        return true;
    option_text(solver, options, option, has);
    return value[0] == '!' ? strcmp(has, value + 1) != 0 : strcmp(has, value) == 0;
}

void option_fill(const Solver *solver, const void *options, const char *from, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    while (*from && used + 1 < size) {
        size_t plain = strcspn(from, "{"), name = from[plain] ? strcspn(from + plain + 1, "}") : 0;
        char key[VALUE_TEXT], value[VALUE_TEXT] = "";
        if (from[plain]) {
            snprintf(key, sizeof key, "%.*s", (int)name, from + plain + 1);
            option_text(solver, options, key, value);
        }
        snprintf(text + used, size - used, "%.*s%s", (int)plain, from, value);
        used += strlen(text + used);
        from += plain + (from[plain] ? name + 2 : 0);
    }
}
