/* The contact problems of an experiment: files, or folders of them. */
#include "bench/experiment_grid.h"
#include "bench/problems/problem.h"

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

static bool problem_load(ExperimentScene *file, Status *status)
{
    ContactProblem problem;
    if (!contact_problem_read(&problem, file->path, status))
        return false;
    file->problem = true;
    file->size = (double)cone_system_numbers(&problem.system);
    file->name = strdup(problem.name);
    contact_problem_free(&problem);
    return file->name ? hash_file(file->path, file->hash, status) : status_set(status, STATUS_FAILED, "out of memory");
}

/* Each file is read once. Takes the path over. */
static const ExperimentScene *problem_file(Experiment *experiment, char *path, Status *status)
{
    for (const ExperimentScene *known = experiment->scenes; path && known; known = known->next)
        if (known->problem && strcmp(known->path, path) == 0) {
            free(path);
            return known;
        }
    ExperimentScene *file = calloc(1, sizeof *file);
    if (!path || !file) {
        free(path);
        free(file);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    file->path = path;
    file->next = experiment->scenes;
    experiment->scenes = file;
    return problem_load(file, status) ? file : NULL;
}

static bool grid_add_problem(Grid *grid, Node node, char *path, Experiment *experiment)
{
    if (grid->scene_count == CHOICES_MAX) {
        free(path);
        return node_fail(node, "has more than %d problems", CHOICES_MAX);
    }
    const ExperimentScene *file = problem_file(experiment, path, node.reader->status);
    if (file)
        grid->scenes[grid->scene_count++] = (GridScene){.file = file};
    return file != NULL;
}

/* To be freed; NULL: out of memory. */
static char *path_join(const char *folder, const char *name)
{
    Text path = {0};
    text_add(&path, "%s/%s", folder, name);
    if (!path.failed)
        return path.data;
    free(path.data);
    return NULL;
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
    if (!node_text(node, &name))
        return false;
    char *path = experiment_path_beside(node.reader->path, name);
    if (!path)
        return node_fail(node, "out of memory");
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
        return grid_add_problem(grid, node, path, experiment);
    bool ok = grid_add_folder(grid, node, path, experiment);
    free(path);
    return ok;
}
