/* SPDX-License-Identifier: MIT */
#include "bench/studies/stability_map.h"

#include "bench/process/clock.h"
#include "bench/process/workers.h"

#include <stdlib.h>

typedef struct MapWork {
    const MapStudy *study;
    const StabilityMap *map;
} MapWork;

typedef struct Deadline {
    double limit, end; /* s */
} Deadline;

static bool deadline_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    const Deadline *deadline = context;
    (void)problem, (void)frame, (void)metrics;
    return clock_now() < deadline->end || status_set(status, STATUS_FAILED, "took longer than %g s", deadline->limit);
}

/* One run, whether it was stable and what it says of itself. */
static bool map_judge(const MapStudy *study, Run *run, MapProbe *probe, Status *status)
{
    run->without_truth = !predicate_reads_truth(&study->predicate);
    Deadline deadline = {study->run_time_limit, clock_now() + study->run_time_limit};
    RunWatch watch = {.frame = deadline_frame, .context = &deadline};
    bool made = run_make(run, study->run_time_limit > 0.0 ? &watch : NULL);
    if (!made)
        *status = run->status;
    else
        probe->said = remarks_of(run);
    bool judged = made && predicate_judge(&study->predicate, &run->result, &probe->stability, status);
    run_clear(run);
    return judged;
}

/* What a row's search needs to know. */
typedef struct RowSearch {
    const MapStudy *study;
    const Run *base; /* with the row's value set */
    MapCell *cell;
} RowSearch;

static bool row_probe(void *context, double value, bool *stable, Status *status)
{
    RowSearch *row = context;
    Run run = *row->base;
    MapProbe probe = {.value = value, .stability = STABILITY_FAILED};
    if (!axis_apply_number(row->study->across, value, &run, status) || !map_judge(row->study, &run, &probe, status))
        return false;
    *stable = probe.stability == STABILITY_OK;
    if (row->cell->runs == MAP_MAX_PROBES)
        return status_set(status, STATUS_USAGE, "--tolerance: %g is too small", row->study->tolerance);
    row->cell->probes[row->cell->runs++] = probe;
    return true;
}

static void map_item(void *context, int index, void *result)
{
    const MapWork *work = context;
    const MapStudy *study = work->study;
    const StabilityMap *map = work->map;
    MapCell *cell = result;
    Run run = map->base;
    bool ok = axis_apply(study->up, index / map->columns, &run, &cell->status);
    if (ok && map->limits) {
        RowSearch row = {.study = study, .base = &run, .cell = cell};
        ok = search_limit(&map->range, study->tolerance, row_probe, &row, &cell->limit, &cell->status);
        cell->stability = isnan(cell->limit.stable) ? cell->probes[0].stability : STABILITY_OK;
    } else if (ok) {
        MapProbe *probe = &cell->probes[0];
        probe->said = remarks_none();
        ok = axis_apply(study->across, index % map->columns, &run, &cell->status) &&
             map_judge(study, &run, probe, &cell->status);
        cell->stability = probe->stability;
        cell->runs = 1;
    }
    if (!ok)
        cell->stability = STABILITY_FAILED;
}

static void map_progress(void *context, int done)
{
    const MapWork *work = context;
    work->study->progress(done, work->map->columns * work->map->rows, work->map->base.solver->name);
}

/* A wrong value or an unsupported scene is the whole map's failure; a crash or what else went wrong only a cell's. */
static bool map_collect(StabilityMap *map, const WorkResults *results, Status *status)
{
    for (int i = 0; i < map->columns * map->rows; i++) {
        const MapCell *cell = work_result(results, i);
        map->cells[i] = cell ? *cell : (MapCell){.stability = STABILITY_FAILED};
        if (!cell)
            status_set(&map->cells[i].status, STATUS_FAILED, "crashed");
        StatusCode code = map->cells[i].status.code;
        if (code != STATUS_OK && code != STATUS_FAILED) {
            *status = map->cells[i].status;
            return false;
        }
    }
    return true;
}

bool stability_map_make(StabilityMap *map, const MapStudy *study, const Run *base, Status *status)
{
    const Sequence *across = &study->across->sequence;
    *map = (StabilityMap){.base = *base, .limits = across->range, .rows = study->up->sequence.count};
    map->columns = map->limits ? 1 : across->count;
    if (map->limits)
        map->range = range_of(across->values[0].number, across->values[1].number, axis_is_whole(study->across, base));
    size_t count = (size_t)map->columns * (size_t)map->rows;
    map->cells = calloc(count, sizeof *map->cells);
    if (!map->cells)
        return status_set(status, STATUS_FAILED, "out of memory");
    MapWork context = {study, map};
    Work work = {.count = (int)count,
                 .result_size = sizeof(MapCell),
                 .item = map_item,
                 .context = &context,
                 .progress = study->progress ? map_progress : NULL};
    WorkResults *results = workers_run(&work, study->jobs, status);
    bool ok = results && map_collect(map, results, status);
    work_results_destroy(results);
    return ok;
}

Stability stability_map_at(const StabilityMap *map, int row, double fraction)
{
    const MapCell *cell = &map->cells[row];
    double nearest = INFINITY;
    Stability stability = cell->stability;
    for (int i = 0; cell->stability != STABILITY_FAILED && i < cell->runs; i++) {
        double distance = fabs(range_fraction(&map->range, cell->probes[i].value) - fraction);
        if (distance < nearest) {
            nearest = distance;
            stability = cell->probes[i].stability;
        }
    }
    return stability;
}

void stability_map_clear(StabilityMap *map)
{
    free(map->cells);
    map->cells = NULL;
}
