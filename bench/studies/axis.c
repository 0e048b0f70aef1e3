/* SPDX-License-Identifier: MIT */
#include "bench/studies/axis.h"

#include "model/suggest.h"

#include <string.h>

/* The text behind `prefix.`, or NULL. */
static const char *after_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

static bool axis_unknown(const char *name, const Run *runs, int run_count, Status *status)
{
    Suggestion near = suggestion_for(name);
    suggestion_offer(&near, "dt");
    for (int i = 0; runs[0].scene && i < runs[0].scene->setting_count; i++)
        suggestion_offer(&near, runs[0].scene->settings[i].name);
    for (int r = 0; r < run_count; r++)
        for (int i = 0; i < runs[r].solver->setting_count; i++)
            suggestion_offer(&near, runs[r].solver->settings[i].name);
    char text[SUGGESTION_TEXT];
    return status_set(status, STATUS_USAGE, "'%s' is neither dt, nor a parameter of the scene, nor a solver's option%s",
                      name, suggestion_text(&near, text));
}

static bool axis_resolve(Axis *axis, const char *typed, const Run *runs, int run_count, Status *status)
{
    const char *of_scene = after_prefix(typed, "scene"), *of_solver = after_prefix(typed, "solver");
    const char *name = of_scene ? of_scene : of_solver ? of_solver : typed;
    const Run *lacking = NULL;
    int having = 0;
    for (int i = 0; i < run_count; i++) {
        if (run_find_option(&runs[i], name))
            having++;
        else
            lacking = &runs[i];
    }
    bool scene = !of_solver && run_find_param(&runs[0], name), solver = !of_scene && having > 0;
    strcpy(axis->name, name);
    if (strcmp(typed, "dt") == 0) {
        axis->kind = AXIS_DT;
        return true;
    }
    if (scene && solver)
        return status_set(status, STATUS_USAGE, "both scene and solver have '%s': write scene.%s or solver.%s", name,
                          name, name);
    if (!scene && !solver)
        return axis_unknown(typed, runs, run_count, status);
    if (solver && lacking)
        return status_set(status, STATUS_USAGE, "solver %s has no option '%s'", lacking->solver->name, name);
    axis->kind = scene ? AXIS_SCENE : AXIS_SOLVER;
    return true;
}

bool axis_parse(Axis *axis, const char *text, const Run *runs, int run_count, Status *status)
{
    char typed[RUN_KEY];
    const char *values;
    *axis = (Axis){0};
    return assignment_split(text, typed, &values, status) && axis_resolve(axis, typed, runs, run_count, status) &&
           sequence_parse(&axis->sequence, values, status);
}

void axis_clear(Axis *axis)
{
    sequence_clear(&axis->sequence);
}

bool axis_apply(const Axis *axis, int i, Run *run, Status *status)
{
    const SequenceValue *value = &axis->sequence.values[i];
    if (axis->kind == AXIS_SCENE)
        return run_set_param(run, axis->name, value->text, status);
    if (axis->kind == AXIS_SOLVER)
        return run_set_option(run, axis->name, value->text, status);
    if (isnan(value->number))
        return status_set(status, STATUS_USAGE, "dt: '%s' is not a number", value->text);
    run->dt = value->number;
    return true;
}

/* NULL: the axis is dt. */
static const Setting *axis_setting(const Axis *axis, const Run *run)
{
    return axis->kind == AXIS_SCENE    ? run_find_param(run, axis->name)
           : axis->kind == AXIS_SOLVER ? run_find_option(run, axis->name)
                                       : NULL;
}

bool axis_apply_number(const Axis *axis, double number, Run *run, Status *status)
{
    const Setting *setting = axis_setting(axis, run);
    if (setting)
        return setting_set(setting, axis->kind == AXIS_SCENE ? run->params : run->options, number, status);
    run->dt = number;
    return true;
}

bool axis_is_numeric(const Axis *axis, const Run *run)
{
    const Setting *setting = axis_setting(axis, run);
    return !setting || setting->type == SETTING_REAL || setting->type == SETTING_INT;
}

bool axis_is_whole(const Axis *axis, const Run *run)
{
    const Setting *setting = axis_setting(axis, run);
    return setting && setting->type == SETTING_INT;
}
