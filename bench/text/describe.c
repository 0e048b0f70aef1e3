/* SPDX-License-Identifier: MIT */
#include "bench/text/describe.h"

#include "bench/run/json.h"
#include "bench/run/solver_set.h"
#include "bench/text/lecture.h"
#include "bench/text/table.h"

#include <stdio.h>
#include <string.h>

static const char *const TYPE_NAMES[] = {"real", "int", "bool", "choice"};

/* The default is what settings_init would write: read it back from a struct of one's own. */
static json_t *describe_default(const Setting *setting)
{
    _Alignas(16) unsigned char values[SETTINGS_MAX_BYTES] = {0};
    settings_init(setting, 1, values);
    json_t *defaults = json_settings(setting, 1, values);
    json_t *value = json_incref(json_object_get(defaults, setting->name));
    json_decref(defaults);
    return value;
}

static json_t *describe_setting(const Setting *setting)
{
    json_t *object = json_pack("{s:s,s:s,s:s,s:o}", "name", setting->name, "meaning", setting->meaning, "type",
                               TYPE_NAMES[setting->type], "default", describe_default(setting));
    if (setting->type == SETTING_CHOICE) {
        json_t *choices = json_array();
        for (int i = 0; setting->choices[i]; i++)
            json_array_append_new(choices, json_string(setting->choices[i]));
        json_object_set_new(object, "choices", choices);
    } else if (setting->type != SETTING_BOOL) {
        json_object_set_new(object, "min", json_number(setting->min));
        json_object_set_new(object, "max", json_number(setting->max));
    }
    return object;
}

static json_t *describe_settings(const Setting *settings, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, describe_setting(&settings[i]));
    return array;
}

json_t *describe_scene(const Scene *scene)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:o}", "name", scene->name, "summary", scene->question, "about", scene->about,
                     "lectures", scene->lectures, "params", describe_settings(scene->settings, scene->setting_count));
}

/* The options that a variant sets, with their values. */
static json_t *describe_sets(const Solver *variant)
{
    json_t *object = json_object();
    for (const char *rest = variant->sets; rest; rest = strchr(rest, ':') ? strchr(rest, ':') + 1 : NULL) {
        char key[SOLVER_LABEL];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(rest, "="), rest);
        const Setting *setting = settings_find(variant->settings, variant->setting_count, key);
        json_object_set_new(object, key, describe_default(setting));
    }
    return object;
}

json_t *describe_contacts(const Solver *solver)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    settings_init(solver->settings, solver->setting_count, options);
    json_t *object = json_object();
    for (ConventionTopic topic = 0; topic < CONVENTION_COUNT; topic++) {
        char text[256];
        if (convention_text(solver, options, topic, text, sizeof text))
            json_object_set_new(object, convention_names[topic], json_string(text));
    }
    return object;
}

json_t *describe_solver(const Solver *solver)
{
    json_t *capabilities = json_array();
    for (int i = 0; i < CAPABILITY_COUNT; i++)
        if (solver->capabilities & (1u << i))
            json_array_append_new(capabilities, json_string(capability_names[i]));
    json_t *reports = json_array();
    if (solver->stable_step)
        json_array_append_new(reports, json_string("stable_step"));
    if (solver->error_estimate)
        json_array_append_new(reports, json_string("error_estimate"));
    json_t *object = json_pack("{s:s,s:s,s:s,s:o,s:o,s:o}", "name", solver->name, "summary", solver->summary,
                               "reference", solver->reference, "capabilities", capabilities, "reports", reports,
                               "options", describe_settings(solver->settings, solver->setting_count));
    const Solver *text = lecture_solver(solver);
    if (solver->text_of)
        json_object_set_new(object, "text_of", json_string(solver->text_of));
    else if (text)
        json_object_set_new(object, "text", json_string(text->name));
    if (solver->conventions)
        json_object_set_new(object, "contacts", describe_contacts(solver));
    if (solver->variant_of) {
        json_object_set_new(object, "variant_of", json_string(solver->variant_of->name));
        json_object_set_new(object, "sets", describe_sets(solver));
    }
    return object;
}

json_t *describe_metric(const Metric *metric)
{
    return json_pack("{s:s,s:s,s:s}", "name", metric->name, "summary", metric->definition, "unit", metric->unit);
}

static const double DEGREES = 180.0 / PI;

static void number_text(const Setting *setting, double value, char *text, size_t size)
{
    if (setting_word(value))
        snprintf(text, size, "%s", setting_word(value));
    else if (setting->angle)
        snprintf(text, size, "%.6gdeg", value * DEGREES);
    else
        snprintf(text, size, "%.6g", value);
}

static void default_text(const Setting *setting, char *text, size_t size)
{
    if (setting->type == SETTING_CHOICE)
        snprintf(text, size, "%s", setting->choices[(int)setting->initial]);
    else if (setting->type == SETTING_BOOL)
        snprintf(text, size, "%s", setting->initial != 0.0 ? "true" : "false");
    else
        number_text(setting, setting->initial, text, size);
}

static void range_text(const Setting *setting, char *text, size_t size)
{
    char low[32], high[32];
    text[0] = '\0';
    if (setting->type == SETTING_BOOL) {
        snprintf(text, size, "true, false");
    } else if (setting->type == SETTING_CHOICE) {
        for (int i = 0; setting->choices[i]; i++)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", i > 0 ? ", " : "", setting->choices[i]);
    } else {
        number_text(setting, setting->min, low, sizeof low);
        number_text(setting, setting->max, high, sizeof high);
        snprintf(text, size, "%s .. %s%s%s", low, high, setting->words & WORD_INF ? ", inf" : "",
                 setting->words & WORD_AUTO ? ", auto" : "");
    }
}

void print_settings(const Setting *settings, int count)
{
    Table *table = table_create();
    table_add_column(table, "name", "", BEST_NONE);
    table_add_column(table, "default", "", BEST_NONE);
    table_add_column(table, "range", "", BEST_NONE);
    table_add_column(table, "meaning", "", BEST_NONE);
    for (int i = 0; i < count; i++) {
        char initial[64], range[256];
        default_text(&settings[i], initial, sizeof initial);
        range_text(&settings[i], range, sizeof range);
        table_add_text(table, settings[i].name);
        table_add_text(table, initial);
        table_add_text(table, range);
        table_add_text(table, settings[i].meaning);
    }
    table_print(table, stdout);
    table_destroy(table);
}
