/* SPDX-License-Identifier: MIT */
#include "reports/html/run_command.h"

#include "bench/run/run.h"
#include "reports/figure/rows.h"

#include <stdlib.h>
#include <string.h>

/* As it would be typed, with the fewest digits that give the number again. */
static const char *setting_text(const json_t *row, const char *field, char buffer[64])
{
    const json_t *cell = json_object_get(row, field);
    if (!json_is_number(cell))
        return row_text(row, field, buffer);
    double value = json_number_value(cell);
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, 64, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

/* NaN stands for `auto`. */
static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Settings of the row, `params.x` or `options.x`, that are not as `values` has them: name -> as it would be typed. */
static json_t *differing(const json_t *row, const char *prefix, const Setting *table, int count,
                         const unsigned char *values)
{
    _Alignas(16) unsigned char own[SETTINGS_MAX_BYTES];
    json_t *settings = json_object();
    for (int i = 0; i < count; i++) {
        char field[128], buffer[64];
        Status status = {0};
        snprintf(field, sizeof field, "%s.%s", prefix, table[i].name);
        const char *text = setting_text(row, field, buffer);
        memcpy(own, values, sizeof own);
        if (text && setting_parse(&table[i], own, text, &status) &&
            !same(setting_get(&table[i], own), setting_get(&table[i], values)))
            json_object_set_new(settings, table[i].name, json_string(text));
    }
    return settings;
}

json_t *run_described(const json_t *row, const SolverSet *solvers)
{
    const char *file = json_string_value(json_object_get(row, "scene_file"));
    const char *scene = file ? file : json_string_value(json_object_get(row, "scene"));
    const char *solver = json_string_value(json_object_get(row, "solver"));
    Run run = {0};
    Status status = {0};
    if (!scene || !solver)
        return NULL;
    json_t *told = json_pack("{s:s,s:s}", "scene", scene, "solver", solver);
    if (run_choose_scene(&run, scene, &status) && run.scene)
        json_object_set_new(told, "params",
                            differing(row, "params", run.scene->settings, run.scene->setting_count, run.params));
    const Solver *found = solver_set_find(solvers, solver, &status);
    if (found) {
        run_choose_solver(&run, found);
        json_object_set_new(told, "options",
                            differing(row, "options", found->settings, found->setting_count, run.options));
    }
    double dt = row_number(row, "dt");
    if (isfinite(dt) && fabs(dt - RUN_DEFAULT_DT) > 1e-12)
        json_object_set_new(told, "dt", json_real(dt));
    return told;
}

static void add_settings(Text *out, const json_t *settings, const char *flag)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)settings, name, value)
        text_add(out, " %s %s=%s", flag, name, json_string_value(value));
}

void run_command(Text *out, const json_t *row, const SolverSet *solvers)
{
    json_t *told = run_described(row, solvers);
    double time = row_number(row, "time");
    text_add(out, "rigor run %s %s", json_string_value(json_object_get(told, "scene")),
             json_string_value(json_object_get(told, "solver")));
    add_settings(out, json_object_get(told, "params"), "-p");
    add_settings(out, json_object_get(told, "options"), "-s");
    if (json_object_get(told, "dt"))
        text_add(out, " --dt %.17g", json_number_value(json_object_get(told, "dt")));
    if (isfinite(time))
        text_add(out, " --time %g", time);
    json_decref(told);
}
