/* SPDX-License-Identifier: MIT */
/* From the dimensions of a grid entry to its runs: for every scene and solver the product of the dimensions that this
 * pair has. The key of a run is the hash of what it is. */
#include "bench/build.h"
#include "bench/experiment/grid.h"
#include "bench/problems/attempt.h"
#include "bench/run/json.h"

#include <stdlib.h>
#include <string.h>

/* About 300 bytes each. More is a slip, not a study. */
static const double MAX_RUNS = 1e6;

/* The part of an entry that one scene and one solver have. */
typedef struct Pair {
    const Grid *grid;
    const GridScene *scene;
    const Solver *solver;
    int count; /* of dimensions */
    int dimensions[DIMENSIONS_MAX];
    int at[DIMENSIONS_MAX]; /* which value of each */
} Pair;

static const Setting *pair_setting(const Pair *pair, const Member *member)
{
    if (member->target == TARGET_OPTION)
        return settings_find(pair->solver->settings, pair->solver->setting_count, member->name);
    const Scene *scene = pair->scene->scene;
    return scene ? settings_find(scene->settings, scene->setting_count, member->name) : NULL;
}

static bool pair_owns(const Pair *pair, const Member *member)
{
    if (!pair_setting(pair, member))
        return false;
    const char *name = member->target == TARGET_OPTION ? pair->solver->name : pair->scene->scene->name;
    return strcmp(member->owner, name) == 0;
}

/* Is there a member of the same name that is meant for this pair alone? */
static bool pair_overrides(const Pair *pair, const Member *plain)
{
    for (int d = 0; d < pair->grid->dimension_count; d++)
        for (int m = 0; m < pair->grid->dimensions[d].member_count; m++) {
            const Member *member = &pair->grid->dimensions[d].members[m];
            if (member->target == plain->target && member->owner[0] && strcmp(member->name, plain->name) == 0 &&
                pair_owns(pair, member))
                return true;
        }
    return false;
}

static bool pair_has(const Pair *pair, const Member *member)
{
    if (member->target == TARGET_DT || member->target == TARGET_TIME)
        return true;
    if (member->owner[0])
        return pair_owns(pair, member);
    return pair_setting(pair, member) && !pair_overrides(pair, member);
}

static void pair_choose_dimensions(Pair *pair)
{
    for (int d = 0; d < pair->grid->dimension_count; d++) {
        const Dimension *dimension = &pair->grid->dimensions[d];
        bool has = false;
        for (int m = 0; m < dimension->member_count; m++)
            has = has || pair_has(pair, &dimension->members[m]);
        if (has)
            pair->dimensions[pair->count++] = d;
    }
}

/* Where the i-th value stands: in a list it has a place of its own. */
static Node member_place(const Member *member, int i)
{
    return json_is_array(member->place.value) ? node_at(&member->place, (size_t)i) : member->place;
}

static bool apply_seconds(const Member *member, int i, double *seconds)
{
    json_t *value = json_array_get(member->values, (size_t)i);
    const char *text = json_string_value(value);
    *seconds = NAN;
    if (text ? !number_parse(text, seconds) : !json_is_number(value))
        return node_fail(member_place(member, i), "must be a number of seconds, as 0.01 or \"1/60\"");
    if (!text)
        *seconds = json_number_value(value);
    return *seconds > 0.0 || node_fail(member_place(member, i), "must be positive");
}

static bool apply_setting(const Setting *setting, const Member *member, int i, void *values)
{
    json_t *value = json_array_get(member->values, (size_t)i);
    Status status = {0};
    bool ok;
    if (json_is_string(value))
        ok = setting_parse(setting, values, json_string_value(value), &status);
    else if (json_is_boolean(value) != (setting->type == SETTING_BOOL) || setting->type == SETTING_CHOICE)
        return node_fail(member_place(member, i), setting->type == SETTING_BOOL     ? "must be true or false"
                                                  : setting->type == SETTING_CHOICE ? "must be the name of a choice"
                                                                                    : "must be a number");
    else {
        double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
        bool rounds = member->range && setting->type == SETTING_INT;
        ok = setting_set(setting, values, rounds ? round(number) : number, &status);
    }
    /* The place says which setting: its name need not stand twice. */
    size_t prefix = strlen(setting->name) + 2;
    bool named = strncmp(status.message, setting->name, prefix - 2) == 0 && strlen(status.message) > prefix;
    return ok || node_fail(member_place(member, i), "%s", status.message + (named ? prefix : 0));
}

static bool pair_apply(const Pair *pair, Run *run)
{
    for (int k = 0; k < pair->count; k++) {
        const Dimension *dimension = &pair->grid->dimensions[pair->dimensions[k]];
        for (int m = 0; m < dimension->member_count; m++) {
            const Member *member = &dimension->members[m];
            if (!pair_has(pair, member))
                continue;
            bool ok = member->target == TARGET_DT ? apply_seconds(member, pair->at[k], &run->dt)
                      : member->target == TARGET_TIME
                          ? apply_seconds(member, pair->at[k], &run->time)
                          : apply_setting(pair_setting(pair, member), member, pair->at[k],
                                          member->target == TARGET_PARAM ? run->params : run->options);
            if (!ok)
                return false;
        }
    }
    return true;
}

/* The scene's own time; NaN if it cannot be built with these parameters: the run will tell why. */
static double scene_time(Expansion *expansion, const Run *run)
{
    bool same =
        expansion->built == run->scene && memcmp(expansion->built_params, run->params, run->scene->params_size) == 0;
    if (same)
        return expansion->built_time;
    Status status = {0};
    Problem *problem = scene_build(run->scene, run->params, &status);
    expansion->built = run->scene;
    memcpy(expansion->built_params, run->params, run->scene->params_size);
    expansion->built_time = problem ? problem->time : NAN;
    problem_destroy(problem);
    return expansion->built_time;
}

const char *experiment_scene_name(const ExperimentRun *run)
{
    return run->scene ? run->scene->name : run->file->name;
}

static char *settings_text(const Setting *settings, int count, const void *values)
{
    json_t *object = json_settings(settings, count, values);
    Text text = {0};
    text_add_json(&text, object);
    json_decref(object);
    if (!text.failed)
        return text.data;
    free(text.data);
    return NULL;
}

char *experiment_params_text(const ExperimentRun *run)
{
    return run->scene ? settings_text(run->scene->settings, run->scene->setting_count, run->params) : strdup("{}");
}

char *experiment_options_text(const ExperimentRun *run)
{
    return settings_text(run->solver->settings, run->solver->setting_count, run->options);
}

/* identity: what the run is; key: also which program made it. */
static bool run_hash(const Expansion *expansion, ExperimentRun *run)
{
    char *params = experiment_params_text(run), *options = experiment_options_text(run), times[64];
    bool ok = params && options;
    if (ok) {
        Hash hash = hash_begin();
        snprintf(times, sizeof times, "%.17g %.17g", run->dt, run->time);
        hash_add_text(&hash, run->scene ? run->scene->name : run->file->hash);
        hash_add_text(&hash, params);
        hash_add_text(&hash, run->solver->name);
        hash_add_text(&hash, options);
        hash_add_text(&hash, times);
        hash_text(&hash, run->identity);
        /* The commit is the version that tells: any line of code may change a number, and no release number would. */
        hash_add_text(&hash, build_version());
        hash_add_text(&hash, build_commit());
        for (int i = 0; i < expansion->plugin_count; i++)
            if (expansion->plugins[i].solver == solver_backend(run->solver))
                hash_add_text(&hash, expansion->plugins[i].hash);
        hash_text(&hash, run->key);
        const char *parts[] = {run->scene ? run->scene->name : run->file->sha,
                               params,
                               run->solver->name,
                               options,
                               times,
                               build_version(),
                               build_commit(),
                               build_compiler(),
                               build_libraries()};
        Sha256 made_of = sha256_begin();
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            sha256_add_text(&made_of, parts[i]);
        sha256_add_text(&made_of, run->key); /* a plug-in's content, and a frozen step's */
        sha256_text(&made_of, run->made_of);
    }
    free(params);
    free(options);
    return ok;
}

static unsigned char *copy_bytes(const void *bytes, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (copy)
        memcpy(copy, bytes, size);
    return copy;
}

static ExperimentRun *experiment_grow(Experiment *experiment)
{
    if (experiment->run_count == experiment->run_capacity) {
        int capacity = 2 * experiment->run_capacity + 64;
        ExperimentRun *grown = realloc(experiment->runs, sizeof *grown * (size_t)capacity);
        if (!grown)
            return NULL;
        experiment->runs = grown;
        experiment->run_capacity = capacity;
    }
    return &experiment->runs[experiment->run_count];
}

static bool pair_add_run(const Pair *pair, Expansion *expansion, const Run *made)
{
    Experiment *experiment = expansion->experiment;
    ExperimentRun *run = experiment_grow(experiment);
    if (!run)
        return node_fail(pair->grid->place, "out of memory");
    *run = (ExperimentRun){.scene = made->scene, .file = pair->scene->file, .solver = made->solver, .dt = made->dt};
    run->time = made->time;
    run->params = copy_bytes(made->params, made->scene ? made->scene->params_size : 0);
    run->options = copy_bytes(made->options, made->solver->options_size);
    bool ok = run->params && run->options && run_hash(expansion, run);
    bool known = ok && json_object_get(expansion->keys, run->key);
    ok = ok && (known || json_object_set_new(expansion->keys, run->key, json_true()) == 0);
    if (!ok || known) {
        free(run->params);
        free(run->options);
        experiment->repeated += known;
        return ok || node_fail(pair->grid->place, "out of memory");
    }
    experiment->run_count++;
    return true;
}

static bool pair_make_run(const Pair *pair, Expansion *expansion)
{
    Status status = {0};
    bool problem = pair->grid->problems;
    Run run = {.scene = pair->scene->scene, .dt = problem ? 0.0 : RUN_DEFAULT_DT, .time = problem ? 0.0 : NAN};
    if (run.scene)
        settings_init(run.scene->settings, run.scene->setting_count, run.params);
    run_choose_solver(&run, pair->solver);
    if (problem)
        attempt_choose_iterations(pair->solver, run.options);
    if (!pair_apply(pair, &run))
        return false;
    if (problem)
        return pair_add_run(pair, expansion, &run);
    if (isnan(run.time))
        run.time = run.scene ? scene_time(expansion, &run) : pair->scene->file->time;
    if (!isnan(run.time) && run_frame_count(run.time, run.dt, &status) == 0)
        return node_fail(pair->grid->place, "%s", status.message);
    return pair_add_run(pair, expansion, &run);
}

/* The last dimension moves fastest; false when all have been through. */
static bool pair_advance(Pair *pair)
{
    for (int k = pair->count - 1; k >= 0; k--) {
        if (++pair->at[k] < pair->grid->dimensions[pair->dimensions[k]].count)
            return true;
        pair->at[k] = 0;
    }
    return false;
}

static bool pair_expand(Pair *pair, Expansion *expansion)
{
    pair_choose_dimensions(pair);
    double product = 1.0;
    for (int k = 0; k < pair->count; k++)
        product *= pair->grid->dimensions[pair->dimensions[k]].count;
    if (expansion->experiment->run_count + product > MAX_RUNS)
        return node_fail(pair->grid->place, "makes more than %g runs", MAX_RUNS);
    do
        if (!pair_make_run(pair, expansion))
            return false;
    while (pair_advance(pair));
    return true;
}

bool grid_expand(const Grid *grid, Expansion *expansion)
{
    for (int s = 0; s < grid->scene_count; s++)
        for (int k = 0; k < grid->solver_count; k++) {
            Pair pair = {.grid = grid, .scene = &grid->scenes[s], .solver = grid->solvers[k]};
            if (!pair_expand(&pair, expansion))
                return false;
        }
    return true;
}
