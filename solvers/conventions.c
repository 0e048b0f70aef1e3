#include "solvers/conventions.h"

#include "solvers/solver.h"

#include <stdio.h>
#include <string.h>

const char *const convention_names[CONVENTION_COUNT] = {
    [CONVENTION_LAW] = "friction_law",        [CONVENTION_NORMALS] = "normals",
    [CONVENTION_ORDER] = "friction_order",    [CONVENTION_SLOP] = "slop",
    [CONVENTION_PUSH] = "overlap_taken_back", [CONVENTION_RESTITUTION] = "restitution",
    [CONVENTION_WARM_START] = "warm_start"};

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

static bool convention_holds(const Solver *solver, const void *options, const Convention *convention)
{
    char value[VALUE_TEXT];
    if (!convention->option)
        return true;
    option_text(solver, options, convention->option, value);
    return strcmp(value, convention->value) == 0;
}

/* Copies the text, each {option} as its value. */
static void convention_fill(const Solver *solver, const void *options, const char *from, char *text, size_t size)
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

bool convention_text(const Solver *solver, const void *options, ConventionTopic topic, char *text, size_t size)
{
    for (int i = 0; i < solver->convention_count; i++) {
        const Convention *convention = &solver->conventions[i];
        if (convention->topic != topic || !convention_holds(solver, options, convention))
            continue;
        convention_fill(solver, options, convention->text, text, size);
        return true;
    }
    return false;
}
