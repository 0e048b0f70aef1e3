/* SPDX-License-Identifier: MIT */
#include "reports/recording/viewer.h"

#include "bench/experiment/grid.h"
#include "bench/run/recording.h"
#include "reports/film/strip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const KEYS[] = {"name", "title", "slide", "see", "runs", NULL};

static bool recording_make(const Experiment *experiment, int index, const char *path, Node place)
{
    Run run;
    experiment_get(experiment, index, &run);
    bool ok = run_make_recorded(&run, path) || node_fail(place, "%s", run.status.message);
    if (!ok)
        unlink(path); /* what is in the cache is whole */
    run_clear(&run);
    return ok;
}

static void viewer_note_run(Viewer *viewer, const Experiment *experiment, int index)
{
    Run run;
    experiment_get(experiment, index, &run);
    snprintf(viewer->runs[viewer->count], sizeof viewer->runs[0], "%s %s", run.scene ? run.scene->name : run.file,
             run.solver->name);
    run_clear(&run);
}

bool viewer_shows(const Viewer *viewer, const char *scene, const char *solver)
{
    char wanted[sizeof viewer->runs[0]];
    snprintf(wanted, sizeof wanted, "%s %s", scene, solver);
    for (int i = 0; i < viewer->count; i++)
        if (strcmp(viewer->runs[i], wanted) == 0)
            return true;
    return false;
}

static bool viewer_record(Viewer *viewer, const Experiment *experiment, Workshop *workshop, Node place)
{
    for (int i = 0; i < experiment->run_count; i++) {
        char *path = workshop_cache_path(workshop, experiment->runs[i].key, "h5");
        if (!path)
            return node_fail(place, "out of memory");
        if (viewer->count == VIEWER_MOST) {
            free(path);
            return node_fail(place, "more than %d runs", VIEWER_MOST);
        }
        viewer_note_run(viewer, experiment, i);
        viewer->recordings[viewer->count++] = path;
        if (access(path, R_OK) == 0)
            continue;
        if (!recording_make(experiment, i, path, place))
            return false;
        workshop->made++;
    }
    return true;
}

static bool viewer_read_texts(Viewer *viewer, Node node)
{
    Node title = node_get(&node, "title"), see = node_get(&node, "see"), runs = node_get(&node, "runs");
    *viewer = (Viewer){.slide = ""};
    return node_object(node, KEYS) && node_text(node_get(&node, "name"), &viewer->name) && node_required(title) &&
           node_text(title, &viewer->title) && node_text(node_get(&node, "slide"), &viewer->slide) &&
           node_required(see) && node_text(see, &viewer->see) && node_required(runs) && node_array(runs) &&
           (json_array_size(runs.value) > 0 || node_fail(runs, "must not be empty"));
}

/* `made` NULL: the entries are read, and nothing is run. */
static bool viewer_read(Viewer *viewer, const Contents *contents, const ContentsItem *item, const Workshop *workshop,
                        Workshop *made, Status *status)
{
    Reader reader = {.path = contents->path, .status = status};
    Node root = {.reader = &reader, .value = contents->document}, sections = node_get(&root, "sections");
    Node section = node_at(&sections, item->section), list = node_get(&section, "contents");
    Node node = node_at(&list, item->index), runs = node_get(&node, "runs");
    bool ok = viewer_read_texts(viewer, node);
    for (size_t i = 0; ok && i < json_array_size(runs.value); i++) {
        Node place = node_at(&runs, i);
        Experiment *experiment = experiment_read_entry(&root, place, workshop->solvers, workshop->plugin_paths);
        ok = experiment && (!made || viewer_record(viewer, experiment, made, place));
        experiment_destroy(experiment);
    }
    return ok;
}

/* Its runs as a filmstrip beside the page, for slides and paper. */
static bool viewer_write_strips(const Viewer *viewer, const Workshop *workshop, Status *status)
{
    static const char *const ENDINGS[] = {"pdf", "png"};
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s", workshop->directory, viewer->name, ENDINGS[i]);
        ok = strip_write(viewer->recordings, viewer->count, path, status);
    }
    return ok;
}

bool viewer_make(Viewer *viewer, const Contents *contents, const ContentsItem *item, Workshop *workshop, Status *status)
{
    return viewer_read(viewer, contents, item, workshop, workshop, status) &&
           viewer_write_strips(viewer, workshop, status);
}

bool viewer_check(const Contents *contents, const ContentsItem *item, const Workshop *workshop, Status *status)
{
    Viewer viewer;
    return viewer_read(&viewer, contents, item, workshop, NULL, status);
}

void viewer_clear(Viewer *viewer)
{
    for (int i = 0; i < viewer->count; i++)
        free(viewer->recordings[i]);
    viewer->count = 0;
}
