/* SPDX-License-Identifier: MIT */
/* Reads an entry of the grid: which scenes, which solvers, and the dimensions with what each of them sets. */
#include "bench/experiment/grid.h"

#include "model/suggest.h"
#include "scenes/robot/robot.h"

#include <stdlib.h>
#include <string.h>

static const char *const GRID_KEYS[] = {"scene", "problem", "params", "solver", "options", "dt", "time", "zip", NULL};

char *experiment_path_beside(const char *experiment_path, const char *path)
{
    const char *slash = strrchr(experiment_path, '/');
    Text text = {0};
    if (path[0] != '/' && slash)
        text_add(&text, "%.*s", (int)(slash - experiment_path) + 1, experiment_path);
    text_add(&text, "%s", path);
    if (text.failed) {
        free(text.data);
        return NULL;
    }
    return text.data;
}

/* Meshes that the file names belong to its content. */
static void scene_add_meshes(const World *world, char text[HASH_TEXT], char sha_text[SHA256_TEXT])
{
    Hash hash = hash_begin();
    Sha256 sha = sha256_begin();
    hash_add_text(&hash, text);
    sha256_add_text(&sha, sha_text);
    for (int i = 1; i < world->body_count; i++) {
        const Mesh *mesh = world->bodies[i].shape.mesh;
        if (!mesh)
            continue;
        hash_add(&hash, mesh->vertices, sizeof *mesh->vertices * (size_t)mesh->vertex_count);
        hash_add(&hash, mesh->triangles, sizeof *mesh->triangles * (size_t)mesh->triangle_count);
        sha256_add(&sha, mesh->vertices, sizeof *mesh->vertices * (size_t)mesh->vertex_count);
        sha256_add(&sha, mesh->triangles, sizeof *mesh->triangles * (size_t)mesh->triangle_count);
    }
    sha256_text(&sha, sha_text);
    hash_text(&hash, text);
}

/* What a robot file includes belongs to its content: all of it stands in the scene that it becomes. */
static bool scene_add_parts(const Problem *problem, ExperimentScene *scene)
{
    if (!robot_is_file(scene->path))
        return true;
    char *text = problem_write(problem);
    Hash hash = hash_begin();
    Sha256 sha = sha256_begin();
    hash_add_text(&hash, scene->hash);
    sha256_add_text(&sha, scene->sha);
    if (text) {
        hash_add_text(&hash, text);
        sha256_add_text(&sha, text);
    }
    sha256_text(&sha, scene->sha);
    hash_text(&hash, scene->hash);
    free(text);
    return text;
}

static bool scene_load(ExperimentScene *scene, Node node)
{
    Status *status = node.reader->status;
    Problem *problem = problem_read(scene->path, status);
    if (!problem)
        return false;
    scene->time = problem->time;
    scene->name = strdup(problem->name);
    bool ok = scene->name ? hash_file(scene->path, scene->hash, status) : node_fail(node, "out of memory");
    ok = ok && sha256_file(scene->path, scene->sha, status);
    if (ok)
        scene_add_meshes(problem->world, scene->hash, scene->sha);
    ok = ok && (scene_add_parts(problem, scene) || node_fail(node, "out of memory"));
    problem_destroy(problem);
    return ok;
}

/* Each file is read once. */
static const ExperimentScene *scene_file(Experiment *experiment, Node node, const char *name)
{
    char *path = experiment_path_beside(node.reader->path, name);
    for (const ExperimentScene *known = experiment->scenes; path && known; known = known->next)
        if (strcmp(known->path, path) == 0) {
            free(path);
            return known;
        }
    ExperimentScene *scene = calloc(1, sizeof *scene);
    if (!path || !scene) {
        free(path);
        free(scene);
        node_fail(node, "out of memory");
        return NULL;
    }
    scene->path = path;
    scene->next = experiment->scenes;
    experiment->scenes = scene;
    return scene_load(scene, node) ? scene : NULL;
}

static bool grid_add_scene(Grid *grid, Node node, Experiment *experiment)
{
    const char *name = NULL;
    Run run = {0};
    Status status = {0};
    if (!node_text(node, &name))
        return false;
    if (!run_choose_scene(&run, name, &status))
        return node_fail(node, "%s", status.message);
    GridScene *scene = &grid->scenes[grid->scene_count++];
    scene->scene = run.scene;
    scene->file = run.file ? scene_file(experiment, node, name) : NULL;
    return scene->scene || scene->file;
}

static bool grid_add_solver(Grid *grid, Node node, const SolverSet *solvers)
{
    const char *name = NULL;
    Status status = {0};
    if (!node_text(node, &name))
        return false;
    const Solver *solver = solver_set_find(solvers, name, &status);
    if (!solver)
        return node_fail(node, "%s", status.message);
    grid->solvers[grid->solver_count++] = solver;
    return true;
}

/* How many names a string or a list of strings has; 0 with a message if it is neither. */
static size_t names_count(Node node)
{
    if (!node_required(node))
        return 0;
    if (json_is_string(node.value) || json_is_object(node.value))
        return 1;
    if (!json_is_array(node.value))
        return (size_t)node_wrong_type(node, "a name or a list of names");
    size_t count = json_array_size(node.value);
    if (count == 0)
        return (size_t)node_fail(node, "must not be empty");
    return count <= CHOICES_MAX ? count : (size_t)node_fail(node, "has more than %d names", CHOICES_MAX);
}

static Node names_at(const Node *node, size_t i)
{
    return json_is_array(node->value) ? node_at(node, i) : *node;
}

static bool grid_read_names(Grid *grid, Experiment *experiment, const SolverSet *solvers)
{
    Node scene = node_get(&grid->place, "scene"), problem = node_get(&grid->place, "problem"),
         solver = node_get(&grid->place, "solver");
    grid->problems = problem.value != NULL;
    if (grid->problems && scene.value)
        return node_fail(problem, "stands in place of 'scene': an entry has one of them");
    const Node *given = grid->problems ? &problem : &scene;
    size_t scenes = names_count(*given), solver_names = scenes ? names_count(solver) : 0;
    bool ok = scenes && solver_names;
    for (size_t i = 0; ok && i < scenes; i++)
        ok = grid->problems ? grid_add_problems(grid, names_at(given, i), experiment)
                            : grid_add_scene(grid, names_at(given, i), experiment);
    for (size_t i = 0; ok && i < solver_names; i++)
        ok = grid_add_solver(grid, names_at(&solver, i), solvers);
    return ok;
}

static bool member_unknown(const Member *member, Suggestion *near, const char *what)
{
    char text[SUGGESTION_TEXT];
    return node_fail(member->place, "%s '%s'%s", what, near->word, suggestion_text(near, text));
}

static void offer_settings(Suggestion *near, const Setting *settings, int count)
{
    for (int i = 0; i < count; i++)
        suggestion_offer(near, settings[i].name);
}

/* A parameter or option must belong to somebody: to its owner, or to at least one of the entry. */
static bool member_check(const Grid *grid, const Member *member)
{
    bool param = member->target == TARGET_PARAM, owner_found = !member->owner[0], found = false;
    Suggestion near = suggestion_for(member->name), near_owner = suggestion_for(member->owner);
    for (int i = 0; i < (param ? grid->scene_count : grid->solver_count); i++) {
        const Scene *scene = param ? grid->scenes[i].scene : NULL;
        if (param && !scene)
            continue;
        const char *name = param ? scene->name : grid->solvers[i]->name;
        const Setting *settings = param ? scene->settings : grid->solvers[i]->settings;
        int count = param ? scene->setting_count : grid->solvers[i]->setting_count;
        suggestion_offer(&near_owner, name);
        if (member->owner[0] && strcmp(member->owner, name) != 0)
            continue;
        owner_found = true;
        found = found || settings_find(settings, count, member->name);
        offer_settings(&near, settings, count);
    }
    if (!owner_found)
        return member_unknown(member, &near_owner, param ? "among the scenes is no" : "among the solvers is no");
    return found ||
           member_unknown(member, &near, param ? "no scene here has a parameter" : "no solver here has an option");
}

static bool member_read(const Grid *grid, Member *member, Node place, Target target, const char *key)
{
    const char *dot = strrchr(key, '.'), *name = dot ? dot + 1 : key;
    *member = (Member){.place = place, .target = target};
    if (strlen(name) >= RUN_KEY || (size_t)(name - key) >= RUN_KEY)
        return node_fail(place, "the name is too long");
    strcpy(member->name, name);
    if (dot)
        memcpy(member->owner, key, (size_t)(dot - key));
    if (grid->problems && target != TARGET_OPTION)
        return node_fail(place, target == TARGET_PARAM ? "a problem has no parameters: it is one system"
                                                       : "a problem has no frames: it is one system");
    if ((target == TARGET_PARAM || target == TARGET_OPTION) && !member_check(grid, member))
        return false;
    member->values = values_read(place, &member->range);
    return member->values != NULL;
}

static Dimension *grid_add_dimension(Grid *grid, Node place)
{
    if (grid->dimension_count == DIMENSIONS_MAX) {
        node_fail(place, "more than %d dimensions", DIMENSIONS_MAX);
        return NULL;
    }
    return &grid->dimensions[grid->dimension_count++];
}

static bool dimension_add(const Grid *grid, Dimension *dimension, Node place, Target target, const char *key)
{
    if (dimension->member_count == ZIP_MAX)
        return node_fail(place, "more than %d lists move together", ZIP_MAX);
    Member *member = &dimension->members[dimension->member_count++];
    if (!member_read(grid, member, place, target, key))
        return false;
    int count = (int)json_array_size(member->values);
    if (dimension->member_count > 1 && count != dimension->count)
        return node_fail(place, "has %d values, but '%s' has %d: lists that move together are equally long", count,
                         dimension->members[0].place.key, dimension->count);
    dimension->count = count;
    return true;
}

static bool grid_add_single(Grid *grid, Node place, Target target)
{
    if (!place.value)
        return true;
    Dimension *dimension = grid_add_dimension(grid, place);
    return dimension && dimension_add(grid, dimension, place, target, place.key);
}

/* A zip of an entry names what it sets in full: dt, time, params.links, options.pgs.iterations. */
static bool zip_target(Node place, Target *target, const char **name)
{
    if (strcmp(place.key, "dt") == 0 || strcmp(place.key, "time") == 0) {
        *target = place.key[0] == 'd' ? TARGET_DT : TARGET_TIME;
        return true;
    }
    bool param = strncmp(place.key, "params.", 7) == 0;
    if (!param && strncmp(place.key, "options.", 8) != 0)
        return node_fail(place, "is none of dt, time, params.NAME, options.NAME");
    *target = param ? TARGET_PARAM : TARGET_OPTION;
    *name = place.key + (param ? 7 : 8);
    return true;
}

static bool grid_add_zip(Grid *grid, const Node *zip, bool in_full, Target target)
{
    if (!zip->value)
        return true;
    if (!json_is_object(zip->value))
        return node_wrong_type(*zip, "an object of lists");
    if (json_object_size(zip->value) == 0)
        return node_fail(*zip, "must not be empty");
    Dimension *dimension = grid_add_dimension(grid, *zip);
    const char *key;
    json_t *value;
    json_object_foreach (zip->value, key, value) {
        Node place = node_get(zip, key);
        const char *name = key;
        if (!dimension || (in_full && !zip_target(place, &target, &name)) ||
            !dimension_add(grid, dimension, place, target, name))
            return false;
    }
    return true;
}

static bool grid_add_settings(Grid *grid, const Node *settings, const Node *zip, Target target)
{
    if (!settings->value)
        return true;
    if (!json_is_object(settings->value))
        return node_wrong_type(*settings, "an object");
    const char *key;
    json_t *value;
    json_object_foreach (settings->value, key, value) {
        bool zipped = strcmp(key, "zip") == 0;
        Dimension *dimension = zipped ? NULL : grid_add_dimension(grid, *settings);
        if (zipped ? !grid_add_zip(grid, zip, false, target)
                   : !dimension || !dimension_add(grid, dimension, node_get(settings, key), target, key))
            return false;
    }
    return true;
}

bool grid_read(Grid *grid, Node node, Experiment *experiment, const SolverSet *solvers)
{
    *grid = (Grid){.place = node};
    grid->params = node_get(&grid->place, "params");
    grid->options = node_get(&grid->place, "options");
    grid->zip = node_get(&grid->place, "zip");
    grid->params_zip = node_get(&grid->params, "zip");
    grid->options_zip = node_get(&grid->options, "zip");
    return node_object(node, GRID_KEYS) && grid_read_names(grid, experiment, solvers) &&
           grid_add_settings(grid, &grid->params, &grid->params_zip, TARGET_PARAM) &&
           grid_add_single(grid, node_get(&grid->place, "dt"), TARGET_DT) &&
           grid_add_single(grid, node_get(&grid->place, "time"), TARGET_TIME) &&
           grid_add_settings(grid, &grid->options, &grid->options_zip, TARGET_OPTION) &&
           grid_add_zip(grid, &grid->zip, true, TARGET_DT);
}

void grid_clear(Grid *grid)
{
    for (int d = 0; d < grid->dimension_count; d++)
        for (int m = 0; m < grid->dimensions[d].member_count; m++)
            json_decref(grid->dimensions[d].members[m].values);
}
