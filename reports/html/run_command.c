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

/* Settings of the row, `params.x` or `options.x`, that are not as `values` has them. */
static void add_settings(Text *out, const json_t *row, const char *prefix, const char *flag, const Setting *table,
                         int count, const unsigned char *values)
{
    _Alignas(16) unsigned char own[SETTINGS_MAX_BYTES];
    for (int i = 0; i < count; i++) {
        char field[128], buffer[64];
        Status status = {0};
        snprintf(field, sizeof field, "%s.%s", prefix, table[i].name);
        const char *text = setting_text(row, field, buffer);
        memcpy(own, values, sizeof own);
        if (text && setting_parse(&table[i], own, text, &status) &&
            !same(setting_get(&table[i], own), setting_get(&table[i], values)))
            text_add(out, " %s %s=%s", flag, table[i].name, text);
    }
}

void run_command(Text *out, const json_t *row, const SolverSet *solvers)
{
    const char *file = json_string_value(json_object_get(row, "scene_file"));
    const char *scene = file ? file : json_string_value(json_object_get(row, "scene"));
    const char *solver = json_string_value(json_object_get(row, "solver"));
    Run run = {0};
    Status status = {0};
    text_add(out, "rigor run %s %s", scene, solver);
    if (run_choose_scene(&run, scene, &status) && run.scene)
        add_settings(out, row, "params", "-p", run.scene->settings, run.scene->setting_count, run.params);
    const Solver *found = solver_set_find(solvers, solver, &status);
    if (found) {
        run_choose_solver(&run, found);
        add_settings(out, row, "options", "-s", found->settings, found->setting_count, run.options);
    }
    double dt = row_number(row, "dt"), time = row_number(row, "time");
    if (isfinite(dt) && fabs(dt - RUN_DEFAULT_DT) > 1e-12)
        text_add(out, " --dt %.17g", dt);
    if (isfinite(time))
        text_add(out, " --time %g", time);
}
