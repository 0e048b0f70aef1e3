/* SPDX-License-Identifier: MIT */
#include "reports/figure/figure.h"

#include "bench/verify/gate.h"
#include "reports/figure/curves.h"

#include <stdlib.h>
#include <string.h>

char *workshop_cache_path(const Workshop *workshop, const char *hash, const char *extension)
{
    Text path = {0};
    text_add(&path, "%s/cache/%s.%s", workshop->directory, hash, extension);
    if (!path.failed)
        return path.data;
    free(path.data);
    return NULL;
}

bool figure_need_is_met(const char *variable)
{
    const char *value = variable ? getenv(variable) : NULL;
    return !variable || (value && value[0]);
}

bool figure_is_possible(const Figure *figure)
{
    return figure_need_is_met(figure->needs);
}

static const char *row_string(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* Two scene files may call themselves alike: then each is called by its path besides, and no curve mixes them. */
static void scenes_tell_apart(json_t *rows)
{
    json_t *hashes = json_object(), *shared = json_object(), *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        const char *name = row_string(row, "scene"), *hash = row_string(row, "scene_hash");
        const char *known = name ? row_string(hashes, name) : NULL;
        if (known && hash && strcmp(known, hash) != 0)
            json_object_set_new(shared, name, json_true());
        else if (name && hash)
            json_object_set_new(hashes, name, json_string(hash));
    }
    json_array_foreach (rows, i, row) {
        const char *name = row_string(row, "scene"), *file = row_string(row, "scene_file");
        if (name && file && json_object_get(shared, name))
            json_object_set_new(row, "scene", json_sprintf("%s (%s)", name, file));
    }
    json_decref(hashes);
    json_decref(shared);
}

static const char *row_kind(const json_t *row, const char *solver)
{
    const char *status = row_string(row, "status"), *ended = row_string(row, "ended");
    bool missing = strcmp(ended ? ended : status ? status : "", "not_installed") == 0;
    return missing ? "missing" : gate_engine(solver) ? "engine" : "ours";
}

/* Who is an engine: `kind`, where a row says nothing else of itself; `missing`: one that is not installed. */
static void engines_mark(json_t *rows)
{
    json_t *row;
    size_t i;
    json_array_foreach (rows, i, row) {
        const char *solver = row_string(row, "solver");
        if (solver && !json_object_get(row, "kind"))
            json_object_set_new(row, "kind", json_string(row_kind(row, solver)));
    }
}

bool figure_check(Figure *figure, const Workshop *workshop, int *made, Status *status)
{
    Workshop look = *workshop;
    look.check = true;
    look.made = 0;
    look.plan = json_array();
    bool ok = figure_gather(figure, &look, status) && figure_plan_fits(figure, look.plan, status);
    json_decref(look.plan);
    *made = look.made;
    return ok;
}

bool figure_gather(Figure *figure, Workshop *workshop, Status *status)
{
    json_decref(figure->data);
    figure->data = json_array();
    if (!figure->data)
        return status_set(status, STATUS_FAILED, "out of memory");
    if (!figure_add_grid(figure, workshop, status) || !figure_add_series(figure, workshop, status) ||
        !figure_add_data(figure, workshop, status))
        return false;
    scenes_tell_apart(figure->data);
    engines_mark(figure->data);
    return true;
}
