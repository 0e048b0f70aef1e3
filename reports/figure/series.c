/* SPDX-License-Identifier: MIT */
/* The rows of a figure's series: chosen quantities at the start and at the end of every frame of a run, kept as CSV in
 * the cache under the run's key. A column is a metric, `energy`, `BODY.c` (c: x y z, vx vy vz, wx wy wz, qw qx qy qz)
 * or `JOINT.c` (c: force, fx fy fz, torque, tx ty tz, angle, position, error). */
#include "bench/files/write_file.h"
#include "bench/process/workers.h"
#include "model/energy.h"
#include "reports/figure/entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Column {
    const char *name;
    int metric;      /* -1: none */
    int body, joint; /* -1: none */
    const char *part;
} Column;

enum { COLUMNS_MAX = 64 };

/* One run with its columns, as a worker writes it down. */
typedef struct SeriesRun {
    const Experiment *experiment;
    int run;
    const json_t *set, *names;
    char *path; /* of its CSV */
} SeriesRun;

typedef struct SeriesWriter {
    const SeriesRun *series;
    double dt;
    int column_count;
    Column columns[COLUMNS_MAX];
    FILE *file;
} SeriesWriter;

static const char *const BODY_PARTS[] = {"x",  "y",  "z",  "vx", "vy", "vz", "wx",
                                         "wy", "wz", "qw", "qx", "qy", "qz", NULL};
static const char *const JOINT_PARTS[] = {"force", "fx", "fy",    "fz",       "torque", "tx",
                                          "ty",    "tz", "angle", "position", "error",  NULL};

static bool part_known(const char *part, const char *const parts[])
{
    for (int i = 0; parts[i]; i++)
        if (strcmp(parts[i], part) == 0)
            return true;
    return false;
}

static int joint_find(const World *world, const char *name)
{
    for (int j = 0; j < world->joint_count; j++)
        if (world->joints[j].def.name && strcmp(world->joints[j].def.name, name) == 0)
            return j;
    return -1;
}

static bool column_find(Column *column, const char *name, const World *world, Status *status)
{
    char owner[128];
    const char *dot = strrchr(name, '.');
    *column = (Column){.name = name, .metric = metric_find(name), .body = -1, .joint = -1};
    if (column->metric >= 0 || strcmp(name, "energy") == 0)
        return true;
    if (dot) {
        column->part = dot + 1;
        snprintf(owner, sizeof owner, "%.*s", (int)(dot - name), name);
        column->body = part_known(column->part, BODY_PARTS) ? world_find_body(world, owner) : -1;
        column->joint = part_known(column->part, JOINT_PARTS) ? joint_find(world, owner) : -1;
    }
    return column->body >= 0 || column->joint >= 0 ||
           status_set(status, STATUS_BAD_FILE, "'%s' is no metric, nor a coordinate of a body or joint of this scene",
                      name);
}

static double vec3_part(Vec3 a, char axis)
{
    return axis == 'x' ? a.x : axis == 'y' ? a.y : a.z;
}

static double body_value(const World *world, const Column *column)
{
    const char *part = column->part;
    Quat q = world_reported_orientation(world, column->body);
    if (part[0] == 'q')
        return part[1] == 'w' ? q.w : vec3_part((Vec3){q.x, q.y, q.z}, part[1]);
    if (part[0] == 'v' || part[0] == 'w') {
        Velocity now = world_reported_velocity(world, column->body);
        return vec3_part(part[0] == 'v' ? now.v : now.w, part[1]);
    }
    return vec3_part(world_reported_position(world, column->body), part[0]);
}

/* The largest violation of the joint's blocks, m or rad. */
static double joint_error(const World *world, const Joint *joint)
{
    double largest = 0.0;
    for (int b = 0; b < joint->block_count; b++)
        largest = fmax(largest, block_violation(world, &world->blocks[joint->first_block + b]));
    return largest;
}

static double joint_value(const World *world, const Column *column, int frame, double dt)
{
    const Joint *joint = &world->joints[column->joint];
    const char *part = column->part;
    if (strcmp(part, "angle") == 0)
        return joint_angle(world, joint);
    if (strcmp(part, "position") == 0)
        return joint_position(world, joint);
    if (strcmp(part, "error") == 0)
        return joint_error(world, joint);
    if (frame == 0)
        return NAN; /* a reaction is the mean over a frame */
    Vec3 force, torque;
    world_reaction(world, column->joint, dt, &force, &torque);
    Vec3 wanted = part[0] == 'f' ? force : torque;
    return part[1] == 'o' ? vec3_norm(wanted) : vec3_part(wanted, part[1]);
}

static bool series_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    SeriesWriter *writer = context;
    const World *world = problem->world;
    for (int i = 0; frame == 0 && i < writer->column_count; i++) {
        const char *name = json_string_value(json_array_get(writer->series->names, (size_t)i));
        if (!column_find(&writer->columns[i], name, world, status))
            return false;
        fprintf(writer->file, i ? ",%s" : "time,%s", name);
    }
    fprintf(writer->file, "\n%.17g", frame * writer->dt);
    for (int i = 0; i < writer->column_count; i++) {
        const Column *column = &writer->columns[i];
        double value = column->metric >= 0  ? (metrics ? metrics[column->metric] : NAN)
                       : column->body >= 0  ? body_value(world, column)
                       : column->joint >= 0 ? joint_value(world, column, frame, writer->dt)
                                            : world_energy(world);
        fprintf(writer->file, isfinite(value) ? ",%.17g" : ",", value);
    }
    return true;
}

static bool series_reads_truth(const SeriesRun *series)
{
    for (size_t i = 0; i < json_array_size(series->names); i++) {
        int metric = metric_find(json_string_value(json_array_get(series->names, i)));
        if (metric >= 0 && all_metrics[metric]->of_truth)
            return true;
    }
    return false;
}

/* In a worker; its word about a failure goes back in the result. */
static void series_make(void *context, int index, void *result)
{
    const SeriesRun *series = (const SeriesRun *)context + index;
    Status *status = result;
    FileWriter writer;
    Run run;
    if (!writer_open(&writer, series->path, status))
        return;
    experiment_get(series->experiment, series->run, &run);
    run.refuses_truth = !series_reads_truth(series);
    SeriesWriter lines = {
        .series = series, .file = writer.file, .dt = run.dt, .column_count = (int)json_array_size(series->names)};
    RunWatch watch = {.frame = series_frame, .context = &lines};
    bool ok = run_make(&run, &watch);
    fputc('\n', writer.file);
    if (!ok)
        *status = run.status;
    writer_close(&writer, ok, status);
    run_clear(&run);
}

/* Makes the runs whose CSV is not there. */
static bool series_make_missing(SeriesRun *runs, int count, Workshop *workshop, Node place)
{
    SeriesRun *missing = malloc(sizeof *missing * (size_t)(count + 1));
    int missing_count = 0;
    for (int i = 0; missing && i < count; i++)
        if (access(runs[i].path, R_OK) != 0)
            missing[missing_count++] = runs[i];
    bool ok = missing || node_fail(place, "out of memory");
    if (ok && missing_count > 0) {
        Work work = {.count = missing_count, .result_size = sizeof(Status), .item = series_make, .context = missing};
        WorkResults *results = workers_run(&work, workshop->jobs, place.reader->status);
        ok = results != NULL;
        for (int i = 0; ok && i < missing_count; i++) {
            const Status *made = work_result(results, i);
            ok = made ? made->code == STATUS_OK || node_fail(place, "%s", made->message)
                      : node_fail(place, "a run crashed");
        }
        work_results_destroy(results);
        workshop->made += missing_count;
    }
    free(missing);
    return ok;
}

static json_t *series_fields(const SeriesRun *series)
{
    Run run;
    experiment_get(series->experiment, series->run, &run);
    json_t *fields = json_pack("{s:s,s:s,s:s,s:f}", "from", "series", "scene",
                               experiment_scene_name(&series->experiment->runs[series->run]), "solver",
                               run.solver->name, "dt", run.dt);
    const ExperimentScene *file = series->experiment->runs[series->run].file;
    json_object_set_new(fields, "scene_hash",
                        json_string(file ? file->hash : experiment_scene_name(&series->experiment->runs[series->run])));
    if (file)
        json_object_set_new(fields, "scene_file", json_string(file->path));
    char *params = experiment_params_text(&series->experiment->runs[series->run]);
    char *options = experiment_options_text(&series->experiment->runs[series->run]);
    json_t *parts[2] = {json_loads(params, 0, NULL), json_loads(options, 0, NULL)};
    row_add(fields, "params", parts[0]);
    row_add(fields, "options", parts[1]);
    row_add(fields, "", series->set);
    json_decref(parts[0]);
    json_decref(parts[1]);
    free(params);
    free(options);
    return fields;
}

/* A line of numbers, some of them empty, becomes fields. */
static void series_add_line(json_t *row, char *line, const json_t *names)
{
    char *cell = line;
    for (size_t i = 0; cell; i++) {
        char *comma = strchr(cell, ',');
        if (comma)
            *comma = '\0';
        if (*cell && *cell != '\n')
            json_object_set_new(row, i == 0 ? "time" : json_string_value(json_array_get(names, i - 1)),
                                json_real(strtod(cell, NULL)));
        cell = comma ? comma + 1 : NULL;
    }
}

static bool series_collect(const SeriesRun *series, json_t *rows, Status *status)
{
    FILE *file = fopen(series->path, "r");
    if (!file)
        return status_set(status, STATUS_FAILED, "%s: %s", series->path, strerror(errno));
    json_t *fields = series_fields(series);
    char *line = NULL;
    size_t size = 0;
    bool header = true;
    while (getline(&line, &size, file) > 0) {
        if (!header) {
            json_t *row = json_copy(fields);
            series_add_line(row, line, series->names);
            json_array_append_new(rows, row);
        }
        header = false;
    }
    free(line);
    fclose(file);
    json_decref(fields);
    return true;
}

static bool columns_check(Node columns)
{
    if (!node_required(columns) || !node_array(columns))
        return false;
    size_t count = json_array_size(columns.value);
    for (size_t i = 0; i < count; i++)
        if (!json_is_string(json_array_get(columns.value, i)))
            return node_wrong_type(node_at(&columns, i), "a string");
    return (count > 0 && count <= COLUMNS_MAX) || node_fail(columns, "1 .. %d columns", COLUMNS_MAX);
}

/* The run's key and the columns: what the CSV holds. */
static char *series_path(const Workshop *workshop, const ExperimentRun *run, const json_t *names)
{
    Hash hash = hash_begin();
    char text[HASH_TEXT];
    hash_add_text(&hash, run->key);
    for (size_t i = 0; i < json_array_size(names); i++)
        hash_add_text(&hash, json_string_value(json_array_get(names, i)));
    hash_text(&hash, text);
    return workshop_cache_path(workshop, text, "csv");
}

/* Does every scene of the entry have what the columns name? */
static bool entry_check_columns(const Entry *entry, Node place)
{
    Status status = {0};
    bool ok = true;
    for (int i = 0; ok && i < entry->experiment->run_count; i++) {
        Run run;
        Column column;
        experiment_get(entry->experiment, i, &run);
        Problem *problem = run_build(&run, &status);
        ok = problem || node_fail(place, "%s", status.message);
        for (size_t k = 0; ok && k < json_array_size(entry->columns.value); k++) {
            Node name = node_at(&entry->columns, k);
            ok = column_find(&column, json_string_value(name.value), problem->world, &status) ||
                 node_fail(name, "%s", status.message);
        }
        problem_destroy(problem);
    }
    return ok;
}

static bool entry_add_series(const Entry *entry, Workshop *workshop, Node place, json_t *rows)
{
    int count = entry->experiment->run_count;
    SeriesRun *runs = calloc((size_t)count + 1, sizeof *runs);
    bool ok = runs || node_fail(place, "out of memory");
    for (int i = 0; ok && i < count; i++) {
        runs[i] = (SeriesRun){.experiment = entry->experiment, .run = i, .set = entry->set};
        runs[i].names = entry->columns.value;
        runs[i].path = series_path(workshop, &entry->experiment->runs[i], entry->columns.value);
        ok = runs[i].path || node_fail(place, "out of memory");
    }
    ok = ok && series_make_missing(runs, count, workshop, place);
    for (int i = 0; i < count && runs; i++) {
        ok = ok && series_collect(&runs[i], rows, place.reader->status);
        free(runs[i].path);
    }
    free(runs);
    return ok;
}

static bool series_add(const Entry *entry, Node place, Workshop *workshop, json_t *rows)
{
    if (!columns_check(entry->columns))
        return false;
    if (!workshop->check)
        return entry_add_series(entry, workshop, place, rows);
    workshop->made += entry->experiment->run_count;
    return entry_check_columns(entry, place);
}

bool figure_add_series(Figure *figure, Workshop *workshop, Status *status)
{
    return figure_add_entries(figure, "series", series_add, workshop, status);
}
