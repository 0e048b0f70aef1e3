/* SPDX-License-Identifier: MIT */
/* How near each run of the figure's grid came to what its scene asks for, by one metric of the scene's own: the grid
 * says which (`set`: measure, and scale: what it is a share of), so that scenes of different units share a map. */
#include "reports/generate/generators.h"

#include "bench/outcome/verdict.h"
#include "bench/run/json.h"

#include <string.h>

static const char *const KEYS[] = {"good", "fair", NULL};

/* In the order of `standing`. */
enum { GOOD, FAIR, POOR, REFUSED, NOT_INSTALLED };

/* The measured share; NaN: there is none. */
static double row_share(const json_t *row)
{
    const char *measure = json_string_value(json_object_get(row, "measure"));
    return measure ? row_number(row, measure) / row_number(row, "scale") : NAN;
}

static int row_standing(const json_t *row, double share, double good, double fair)
{
    const char *status = json_string_value(json_object_get(row, "status"));
    if (strcmp(status, "unsupported") == 0)
        return REFUSED;
    if (strcmp(status, "not_installed") == 0)
        return NOT_INSTALLED;
    if (strcmp(status, "ok") != 0 || verdict_find(json_string_value(json_object_get(row, "verdict"))) == VERDICT_FALLS)
        return POOR;
    return share <= good ? GOOD : share <= fair ? FAIR : POOR;
}

/* A run that was given up for its time says nothing of where it would have come. */
static bool row_stands(const json_t *row)
{
    return row_is_run(row) && json_object_get(row, "measure") &&
           strcmp(json_string_value(json_object_get(row, "status")), "timed_out") != 0;
}

static bool standing_make(Node arguments, json_t *rows)
{
    double good = 0.01, fair = 0.1;
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "good"), &good) ||
        !node_positive(node_get(&arguments, "fair"), &fair))
        return false;
    json_t *all = json_array(), *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        if (!row_stands(row))
            continue;
        json_t *told = json_copy(row);
        double share = row_share(row);
        json_object_set(told, "ended", json_object_get(row, "status"));
        json_object_del(told, "status"); /* rows that have one are left out where it is not ok */
        json_object_set_new(told, "standing", json_integer(row_standing(row, share, good, fair)));
        json_object_set_new(told, "share", json_number(share));
        json_array_append_new(all, told);
    }
    if (rows)
        json_array_extend(rows, all);
    json_decref(all);
    return true;
}

const Generator generator_standing = {
    .name = "standing",
    .about =
        "how near each run of the figure's grid came, by the metric that its grid sets as `measure`, as a share of its "
        "`scale`; arguments: good (0.01), fair (0.1), the largest such shares; fields: those of the run (its status is "
        "`ended`), share, standing (0 good, 1 fair, 2 poor: more than fair, not settled or blown up, 3 refused, 4 the "
        "engine is not installed); runs "
        "that timed out are left out",
    .make = standing_make,
};
