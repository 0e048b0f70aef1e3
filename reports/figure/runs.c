/* SPDX-License-Identifier: MIT */
/* The rows of a figure's grid: each run's metrics, out of the store, which gets what it lacks first. */
#include "bench/experiment/crew.h"
#include "bench/experiment/grid.h"
#include "bench/experiment/sweep.h"
#include "reports/figure/entry.h"
#include "reports/figure/figure.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool runs_make(const Experiment *experiment, Workshop *workshop, Status *status)
{
    SweepPlan plan;
    SweepCounts counts = {0};
    bool ok = sweep_plan(&plan, experiment, workshop->store, false, (Shard){0, 0}, status);
    if (ok && plan.count > 0) {
        int size = workshop->jobs < plan.count ? workshop->jobs : plan.count;
        double limit = experiment->run_time_limit * experiment->repeats;
        Crew *crew = crew_create(experiment, size, outcome_of_run, limit, status);
        ok = crew && sweep_make(&plan, experiment, workshop->store, crew, &counts, status);
        if (crew)
            crew->dismiss(crew);
    }
    workshop->made += counts.made;
    sweep_plan_clear(&plan);
    return ok;
}

static json_t *column_json(sqlite3_stmt *statement, int i)
{
    switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, i));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(statement, i)); /* NULL where it is not finite: no field */
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(statement, i));
    default:
        return NULL;
    }
}

/* A column's name as expressions can write it: `iterations_1e-4` becomes `iterations_1e_4`. */
static void field_name(const char *column, char *name, size_t size)
{
    snprintf(name, size, "%s", column);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
}

/* One row of the store's view `results`, with parameters and options as fields of their own. */
static json_t *result_row(sqlite3_stmt *statement)
{
    json_t *row = json_pack("{s:s}", "from", "grid");
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        char name[64];
        field_name(sqlite3_column_name(statement, i), name, sizeof name);
        json_t *value = column_json(statement, i), *settings = NULL;
        if (strcmp(name, "params") == 0 || strcmp(name, "options") == 0)
            settings = json_loads(json_string_value(value), 0, NULL);
        if (settings)
            row_add(row, name, settings);
        else if (value)
            json_object_set(row, name, value);
        json_decref(settings);
        json_decref(value);
    }
    const char *said = json_string_value(json_object_get(row, "said"));
    if (said && engine_said_missing(said))
        json_object_set_new(row, "status", json_string("not_installed"));
    json_object_del(row, "said");
    return row;
}

static bool runs_collect(const Experiment *experiment, const json_t *set, const Workshop *workshop, json_t *rows,
                         Status *status)
{
    sqlite3_stmt *statement = NULL;
    bool ok =
        sqlite3_prepare_v2(store_database(workshop->store),
                           "SELECT *, (SELECT message FROM runs WHERE runs.key = results.key) AS said FROM results "
                           "WHERE key = ?",
                           -1, &statement, NULL) == SQLITE_OK;
    for (int i = 0; ok && i < experiment->run_count; i++) {
        sqlite3_bind_text(statement, 1, experiment->runs[i].key, -1, SQLITE_STATIC);
        ok = sqlite3_step(statement) == SQLITE_ROW;
        if (ok) {
            json_t *row = result_row(statement);
            row_add(row, "", set);
            ok = json_array_append_new(rows, row) == 0;
        }
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return ok || store_fail(workshop->store, "a run cannot be read", status);
}

/* What is known of a run before it is made. */
static void plan_add(const Entry *entry, json_t *plan)
{
    for (int i = 0; plan && i < entry->experiment->run_count; i++) {
        const ExperimentRun *of = &entry->experiment->runs[i];
        Run run;
        experiment_get(entry->experiment, i, &run);
        json_t *row = json_pack("{s:s,s:s,s:s,s:f}", "from", "grid", "scene", experiment_scene_name(of), "solver",
                                run.solver->name, "dt", run.dt);
        char *texts[] = {experiment_params_text(of), experiment_options_text(of)};
        for (int k = 0; k < 2; k++) {
            json_t *settings = texts[k] ? json_loads(texts[k], 0, NULL) : NULL;
            row_add(row, k ? "options" : "params", settings);
            json_decref(settings);
            free(texts[k]);
        }
        row_add(row, "", entry->set);
        json_array_append_new(plan, row);
    }
}

static bool grid_add(const Entry *entry, Node place, Workshop *workshop, json_t *rows)
{
    Status *status = place.reader->status;
    if (workshop->check) {
        workshop->made += entry->experiment->run_count;
        plan_add(entry, workshop->plan);
        return true;
    }
    return runs_make(entry->experiment, workshop, status) &&
           runs_collect(entry->experiment, entry->set, workshop, rows, status);
}

bool figure_add_grid(Figure *figure, Workshop *workshop, Status *status)
{
    return figure_add_entries(figure, "grid", grid_add, workshop, status);
}
