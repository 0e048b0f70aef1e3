/* SPDX-License-Identifier: MIT */
/* One entry of an experiment's grid while it is read: its dimensions, before they are expanded into runs. */
#ifndef RIGOR_BENCH_EXPERIMENT_GRID_H
#define RIGOR_BENCH_EXPERIMENT_GRID_H

#include "bench/experiment/experiment.h"
#include "scenes/file/file.h"

typedef enum Target { TARGET_PARAM, TARGET_OPTION, TARGET_DT, TARGET_TIME } Target;

/* What one list sets. */
typedef struct Member {
    Node place; /* where it stands in the file */
    Target target;
    char owner[RUN_KEY]; /* the scene or solver it is meant for; empty: all that have it */
    char name[RUN_KEY];
    json_t *values; /* an array; owned */
    bool range;     /* made by a range: whole-number settings round */
} Member;

enum { ZIP_MAX = 16, DIMENSIONS_MAX = 64, CHOICES_MAX = 4096 };

typedef struct Dimension {
    int count; /* of values */
    int member_count;
    Member members[ZIP_MAX];
} Dimension;

typedef struct GridScene {
    const Scene *scene;
    const ExperimentScene *file;
} GridScene;

typedef struct Grid {
    Node place, params, options, params_zip, options_zip, zip;
    bool problems; /* its scenes are contact problems */
    int scene_count, solver_count, dimension_count;
    GridScene scenes[CHOICES_MAX];
    const Solver *solvers[CHOICES_MAX];
    Dimension dimensions[DIMENSIONS_MAX];
} Grid;

/* Adds the problem files that a text names: one file, or a folder with those in it, in the order of their names, $NAME
 * at its beginning being a variable of the environment; or the step of a scene that an object describes. */
bool grid_add_problems(Grid *grid, Node node, Experiment *experiment);

/* The step {"scene", "params", "at"} as a problem; on failure too the file owns what was made. */
bool experiment_read_frozen(ExperimentScene *file, Node node);
void experiment_frozen_destroy(ExperimentFrozen *frozen);

/* A path as the experiment file means it: relative to its own folder. To be freed; NULL: out of memory. */
char *experiment_path_beside(const char *experiment_path, const char *path);

/* The values of a list, a range or a single value, as a new array; NULL with a message. */
json_t *values_read(Node node, bool *range);

/* The plug-in's content belongs to a run's key: its version is not the program's. */
typedef struct PluginHash {
    const Solver *solver;
    char hash[HASH_TEXT];
} PluginHash;

typedef struct Expansion {
    Experiment *experiment;
    json_t *keys; /* of the runs so far */
    int plugin_count;
    PluginHash plugins[PLUGINS_MAX];
    /* The scene that was built last, for its time. */
    const Scene *built;
    unsigned char built_params[SETTINGS_MAX_BYTES];
    double built_time;
} Expansion;

bool grid_read(Grid *grid, Node node, Experiment *experiment, const SolverSet *solvers);
void grid_clear(Grid *grid);

/* The runs of one entry alone, with the metrics, repeats and run_time_limit of the root; for files that hold such
 * entries beside other things. NULL with a message. */
Experiment *experiment_read_entry(const Node *root, Node entry, const SolverSet *solvers,
                                  const char *const plugin_paths[]);

/* Adds the runs of an entry. */
bool grid_expand(const Grid *grid, Expansion *expansion);

#endif
