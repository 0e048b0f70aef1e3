/* SPDX-License-Identifier: MIT */
/* Contact problems of an experiment that are steps of our own scenes: brought to their time by `pgs`, frozen, written
 * as an FCLIB file and read back, so that they are what another program would get. Made where they are first needed. */
#include "bench/experiment/grid.h"
#include "bench/files/write_file.h"
#include "bench/frozen/fclib_dump.h"
#include "bench/frozen/freeze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const Solver pgs_solver;

static const char *const KEYS[] = {"scene", "params", "at", NULL};

struct ExperimentFrozen {
    Run run;   /* the scene with its parameters, and who brings it there */
    double at; /* s */
    bool made;
    ContactProblem problem;
};

void experiment_frozen_destroy(ExperimentFrozen *frozen)
{
    if (frozen)
        contact_problem_free(&frozen->problem);
    free(frozen);
}

/* `stack boxes=5 at 0.5 s`: what was said of it, as a name. */
static bool frozen_name(Node node, const char *scene, double at, char **name)
{
    Node params = node_get(&node, "params");
    Text text = {0};
    const char *key;
    json_t *value;
    text_add(&text, "%s", scene);
    json_object_foreach (params.value, key, value) {
        text_add(&text, " %s=", key);
        text_add_json(&text, value);
    }
    text_add(&text, " at %g s", at);
    *name = text.data;
    return !text.failed || node_fail(node, "out of memory");
}

static bool frozen_read_params(Node params, Run *run)
{
    const char *key;
    json_t *value;
    if (params.value && !json_is_object(params.value))
        return node_wrong_type(params, "an object");
    json_object_foreach (params.value, key, value) {
        Text text = {0};
        Status status = {0};
        if (json_is_string(value))
            text_add(&text, "%s", json_string_value(value));
        else
            text_add_json(&text, value);
        bool ok = !text.failed && run_set_param(run, key, text.data, &status);
        free(text.data);
        if (!ok)
            return node_fail(node_get(&params, key), "%s", text.failed ? "out of memory" : status.message);
    }
    return true;
}

bool experiment_read_frozen(ExperimentScene *file, Node node)
{
    Node scene = node_get(&node, "scene"), params = node_get(&node, "params");
    const char *name = NULL;
    Status status = {0};
    ExperimentFrozen *frozen = file->frozen = calloc(1, sizeof *frozen);
    if (!frozen)
        return node_fail(node, "out of memory");
    frozen->run.dt = RUN_DEFAULT_DT;
    frozen->run.time = NAN;
    if (!node_object(node, KEYS) || !node_required(scene) || !node_text(scene, &name) ||
        !node_at_least(node_get(&node, "at"), 0.0, &frozen->at))
        return false;
    if (!run_choose_scene(&frozen->run, name, &status) || !frozen->run.scene)
        return node_fail(scene, "%s", frozen->run.file ? "a built-in scene belongs here" : status.message);
    run_choose_solver(&frozen->run, &pgs_solver);
    if (!frozen_read_params(params, &frozen->run) || !frozen_name(node, name, frozen->at, &file->name))
        return false;
    Hash hash = hash_begin();
    hash_add_text(&hash, "a frozen step");
    hash_add_text(&hash, file->name);
    hash_add(&hash, &frozen->at, sizeof frozen->at);
    hash_text(&hash, file->hash);
    file->path = strdup(file->name);
    return file->path || node_fail(node, "out of memory");
}

/* Through a file of its own folder, which is removed. */
static bool frozen_write_and_read(ExperimentFrozen *frozen, const FrozenSystem *system, const char *name,
                                  Status *status)
{
    const char *root = getenv("TMPDIR");
    static const char *const FILES[] = {"step.h5", NULL};
    char path[WRITE_PATH + 16];
    WorkFolder folder;
    snprintf(path, sizeof path, "%.400s/rigor_frozen", root && root[0] ? root : "/tmp");
    if (!work_folder_make(&folder, path, FILES, status))
        return false;
    snprintf(path, sizeof path, "%s/%s", folder.path, FILES[0]);
    bool ok = fclib_dump(path, system, name, status) && contact_problem_read(&frozen->problem, path, status);
    work_folder_remove(&folder);
    return ok;
}

static bool frozen_make(ExperimentFrozen *frozen, const char *name, Status *status)
{
    Problem *problem = freeze_problem(&frozen->run, frozen->at, NULL, status);
    FrozenSystem system = {0};
    Run like = frozen->run;
    bool ok = problem && run_set_option(&like, "position", "none", status) &&
              stepper_find_contacts(problem->world, frozen->run.dt, status) &&
              frozen_system_init(&system, problem->world, &like, frozen->run.dt, status) &&
              frozen_write_and_read(frozen, &system, name, status);
    frozen_system_free(&system);
    problem_destroy(problem);
    frozen->made = ok;
    if (ok)
        snprintf(frozen->problem.name, sizeof frozen->problem.name, "%s", name);
    return ok;
}

const ContactProblem *experiment_problem_open(const ExperimentScene *file, ContactProblem *own, Status *status)
{
    *own = (ContactProblem){0};
    if (!file->frozen)
        return contact_problem_read(own, file->path, status) ? own : NULL;
    if (!file->frozen->made && !frozen_make(file->frozen, file->name, status))
        return NULL;
    return &file->frozen->problem;
}
