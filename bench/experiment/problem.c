/* SPDX-License-Identifier: MIT */
/* The contact problems of an experiment: files, or folders of them. */
#include "bench/problems/problem.h"
#include "bench/experiment/grid.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The names of problem files; a folder may hold other things beside them. */
static int is_problem_name(const struct dirent *entry)
{
    static const char *const ENDINGS[] = {".dat", ".hdf5", ".h5"};
    size_t length = strlen(entry->d_name);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        size_t ending = strlen(ENDINGS[i]);
        if (length > ending && entry->d_name[0] != '.' && strcmp(entry->d_name + length - ending, ENDINGS[i]) == 0)
            return 1;
    }
    return 0;
}

static int by_name(const struct dirent **one, const struct dirent **two)
{
    return strcmp((*one)->d_name, (*two)->d_name);
}

/* To be freed; NULL: out of memory. */
static char *path_join(const char *folder, const char *name)
{
    Text path = {0};
    text_add(&path, name[0] == '/' || !name[0] ? "%s%s" : "%s/%s", folder, name);
    if (!path.failed)
        return path.data;
    free(path.data);
    return NULL;
}

static bool problem_load(ExperimentScene *file, Status *status)
{
    ContactProblem problem;
    if (!contact_problem_read(&problem, file->path, status))
        return false;
    file->name = strdup(problem.name);
    contact_problem_free(&problem);
    if (!file->name)
        return status_set(status, STATUS_FAILED, "out of memory");
    return sha256_file(file->path, file->sha, status) && hash_file(file->path, file->hash, status);
}

/* The experiment owns it; NULL: out of memory. */
static ExperimentScene *problem_new(Experiment *experiment)
{
    ExperimentScene *file = calloc(1, sizeof *file);
    if (file) {
        file->problem = true;
        file->next = experiment->scenes;
        experiment->scenes = file;
    }
    return file;
}

/* Each file is read once. Takes the path over. */
static const ExperimentScene *problem_file(Experiment *experiment, char *path, Status *status)
{
    for (const ExperimentScene *known = experiment->scenes; path && known; known = known->next)
        if (known->problem && strcmp(known->path, path) == 0) {
            free(path);
            return known;
        }
    ExperimentScene *file = path ? problem_new(experiment) : NULL;
    if (!file) {
        free(path);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    file->path = path;
    return problem_load(file, status) ? file : NULL;
}

static bool grid_put_problem(Grid *grid, Node node, const ExperimentScene *file)
{
    if (file && grid->scene_count == CHOICES_MAX)
        return node_fail(node, "has more than %d problems", CHOICES_MAX);
    if (file)
        grid->scenes[grid->scene_count++] = (GridScene){.file = file};
    return file != NULL;
}

/* Takes the path over. */
static bool grid_add_problem(Grid *grid, Node node, char *path, Experiment *experiment)
{
    return grid_put_problem(grid, node, problem_file(experiment, path, node.reader->status));
}

static bool grid_add_frozen(Grid *grid, Node node, Experiment *experiment)
{
    ExperimentScene *file = problem_new(experiment);
    if (!file)
        return node_fail(node, "out of memory");
    return experiment_read_frozen(file, node) && grid_put_problem(grid, node, file);
}

/* $NAME at the beginning is a variable of the environment. To be freed; NULL with a message. */
static char *problem_path(Node node, const char *text)
{
    char name[64], *path;
    size_t length = text[0] == '$' ? strcspn(text + 1, "/") : 0;
    snprintf(name, sizeof name, "%.*s", (int)length, text + 1);
    const char *value = length > 0 ? getenv(name) : NULL;
    if (length > 0 && !(value && value[0])) {
        node_fail(node, "the environment variable %s is not set: it names a folder of problems", name);
        return NULL;
    }
    path = value ? path_join(value, text + 1 + length) : experiment_path_beside(node.reader->path, text);
    if (!path)
        node_fail(node, "out of memory");
    return path;
}

static bool grid_add_folder(Grid *grid, Node node, const char *folder, Experiment *experiment)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_problem_name, by_name);
    bool ok = count > 0;
    if (count < 0)
        node_fail(node, "%s: %s", folder, strerror(errno));
    else if (count == 0)
        node_fail(node, "the folder %s has no problem files (.dat, .hdf5, .h5)", folder);
    for (int i = 0; i < count; i++) {
        ok = ok && grid_add_problem(grid, node, path_join(folder, entries[i]->d_name), experiment);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

bool grid_add_problems(Grid *grid, Node node, Experiment *experiment)
{
    const char *name = NULL;
    struct stat about;
    if (json_is_object(node.value))
        return grid_add_frozen(grid, node, experiment);
    if (!node_text(node, &name))
        return false;
    char *path = problem_path(node, name);
    if (!path)
        return false;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return grid_add_problem(grid, node, path, experiment);
    bool ok = grid_add_folder(grid, node, path, experiment);
    free(path);
    return ok;
}
