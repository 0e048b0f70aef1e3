/* SPDX-License-Identifier: MIT */
#include "bench/experiment/experiment.h"

#include "bench/experiment/grid.h"
#include "bench/run/solver_set_file.h"
#include "model/suggest.h"

#include <stdlib.h>
#include <string.h>

static const char *const ROOT_KEYS[] = {
    "rigor", "name", "grid", "metrics", "repeats", "run_time_limit", "row_solves_limit", "variants", NULL};

static const double DEFAULT_TIME_LIMIT = 60.0; /* s, of a run */

/* The same where work is limited: only a net below what never ends a frame. */
static const double NET_TIME_LIMIT = 600.0;

/* More repeats tell nothing more about a median. */
static const double MAX_REPEATS = 1000.0;

bool experiment_is(const json_t *document)
{
    return json_object_get(document, "grid") != NULL;
}

static bool read_metric(Node node, uint32_t *metrics)
{
    const char *name = NULL;
    if (!node_text(node, &name))
        return false;
    int index = metric_find(name);
    if (index >= 0) {
        *metrics |= UINT32_C(1) << index;
        return true;
    }
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < metric_count; i++)
        suggestion_offer(&near, all_metrics[i]->name);
    char text[SUGGESTION_TEXT];
    return node_fail(node, "unknown metric '%s'%s", name, suggestion_text(&near, text));
}

static bool read_metrics(const Node *root, Experiment *experiment)
{
    Node list = node_get(root, "metrics");
    if (!list.value) {
        experiment->metrics = (uint32_t)((UINT64_C(1) << metric_count) - 1);
        return true;
    }
    if (!node_array(list))
        return false;
    if (json_array_size(list.value) == 0)
        return node_fail(list, "must not be empty");
    for (size_t i = 0; i < json_array_size(list.value); i++)
        if (!read_metric(node_at(&list, i), &experiment->metrics))
            return false;
    return true;
}

static bool read_repeats(const Node *root, Experiment *experiment)
{
    Node node = node_get(root, "repeats");
    double repeats = 1.0;
    if (!node_real(node, &repeats))
        return false;
    if (repeats != floor(repeats) || repeats < 1.0 || repeats > MAX_REPEATS)
        return node_fail(node, "must be a whole number, 1 .. %g", MAX_REPEATS);
    experiment->repeats = (int)repeats;
    return true;
}

static bool read_name(const Node *root, Experiment *experiment)
{
    const char *name = root->reader->path;
    if (!node_text(node_get(root, "name"), &name) || !node_name(node_get(root, "name"), name))
        return false;
    experiment->name = strdup(name);
    return experiment->name || node_fail(*root, "out of memory");
}

static bool hash_plugins(Expansion *expansion, const SolverSet *solvers, const char *const paths[], Status *status)
{
    for (int i = 0; i < solvers->plugin_count; i++) {
        PluginHash *plugin = &expansion->plugins[expansion->plugin_count++];
        plugin->solver = solvers->plugins[i];
        if (!hash_file(paths[i], plugin->hash, status))
            return false;
    }
    return true;
}

static bool read_settings(const Node *root, Experiment *experiment)
{
    Node work = node_get(root, "row_solves_limit");
    experiment->run_time_limit = work.value ? NET_TIME_LIMIT : DEFAULT_TIME_LIMIT;
    return read_name(root, experiment) && read_metrics(root, experiment) && read_repeats(root, experiment) &&
           node_positive(work, &experiment->row_solves_limit) &&
           node_positive(node_get(root, "run_time_limit"), &experiment->run_time_limit);
}

static bool read_entry(Node entry, Expansion *expansion, const SolverSet *solvers)
{
    Grid *grid = malloc(sizeof *grid);
    if (!grid)
        return node_fail(entry, "out of memory");
    bool ok = grid_read(grid, entry, expansion->experiment, solvers) && grid_expand(grid, expansion);
    grid_clear(grid);
    free(grid);
    return ok;
}

static bool read_grid(const Node *root, Expansion *expansion, const SolverSet *solvers)
{
    Node list = node_get(root, "grid");
    if (!node_required(list) || !node_array(list))
        return false;
    if (json_array_size(list.value) == 0)
        return node_fail(list, "must not be empty");
    for (size_t i = 0; i < json_array_size(list.value); i++)
        if (!read_entry(node_at(&list, i), expansion, solvers))
            return false;
    return true;
}

/* Of the whole grid, or of one entry. */
static Experiment *experiment_expand(const Node *root, const Node *entry, const SolverSet *solvers,
                                     const char *const plugin_paths[], Status *status)
{
    Expansion expansion = {.experiment = calloc(1, sizeof(Experiment)), .keys = json_object()};
    bool ok = expansion.experiment && expansion.keys;
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    SolverSet *own = ok ? &expansion.experiment->solvers : NULL;
    ok = ok && solver_set_extend(own, solvers, status) && solver_set_read(own, node_get(root, "variants")) &&
         hash_plugins(&expansion, own, plugin_paths, status) && read_settings(root, expansion.experiment) &&
         (entry ? read_entry(*entry, &expansion, own) : read_grid(root, &expansion, own));
    json_decref(expansion.keys);
    if (ok)
        return expansion.experiment;
    experiment_destroy(expansion.experiment);
    return NULL;
}

Experiment *experiment_read_entry(const Node *root, Node entry, const SolverSet *solvers,
                                  const char *const plugin_paths[])
{
    return experiment_expand(root, &entry, solvers, plugin_paths, root->reader->status);
}

Experiment *experiment_read(const char *path, const SolverSet *solvers, const char *const plugin_paths[],
                            Status *status)
{
    Reader reader = {.path = path, .status = status};
    Node root = {.reader = &reader, .value = file_parse(path, status)};
    Experiment *experiment = NULL;
    if (root.value && node_document(root, DOCUMENT_EXPERIMENT) && node_object(root, ROOT_KEYS) &&
        file_read_version(&root))
        experiment = experiment_expand(&root, NULL, solvers, plugin_paths, status);
    json_decref(root.value);
    return experiment;
}

void experiment_destroy(Experiment *experiment)
{
    if (!experiment)
        return;
    for (int i = 0; i < experiment->run_count; i++) {
        free(experiment->runs[i].params);
        free(experiment->runs[i].options);
    }
    for (ExperimentScene *scene = experiment->scenes, *next; scene; scene = next) {
        next = scene->next;
        free(scene->path);
        free(scene->name);
        experiment_frozen_destroy(scene->frozen);
        free(scene);
    }
    solver_set_close(&experiment->solvers);
    free(experiment->runs);
    free(experiment->name);
    free(experiment);
}

static bool experiment_reads_truth(const Experiment *experiment)
{
    for (int i = 0; i < metric_count; i++)
        if ((experiment->metrics >> i & 1) && all_metrics[i]->of_truth)
            return true;
    return false;
}

void experiment_get(const Experiment *experiment, int index, Run *run)
{
    const ExperimentRun *from = &experiment->runs[index];
    *run = (Run){.scene = from->scene,
                 .solver = from->solver,
                 .dt = from->dt,
                 .time = from->time,
                 .row_solves_limit = experiment->row_solves_limit,
                 .refuses_truth = !experiment_reads_truth(experiment)};
    if (from->scene)
        memcpy(run->params, from->params, from->scene->params_size);
    else
        run->file = from->file->path;
    memcpy(run->options, from->options, from->solver->options_size);
}
