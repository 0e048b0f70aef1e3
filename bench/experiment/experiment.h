/* SPDX-License-Identifier: MIT */
/* Experiment files (docs/reference/formats.md): a grid of scenes, parameters, solvers and options, expanded into runs.
 *
 * A dimension is a list, a range, or several lists that move together (zip). One that a solver (or a scene) does not
 * have is dropped for it; written with the solver's (the scene's) name before it, `pgs.iterations`, it is meant for
 * that one alone and replaces the plain one there. No run is in the grid twice. */
#ifndef RIGOR_BENCH_EXPERIMENT_EXPERIMENT_H
#define RIGOR_BENCH_EXPERIMENT_EXPERIMENT_H

#include "bench/files/hash.h"
#include "bench/files/sha256.h"
#include "bench/problems/problem.h"
#include "bench/run/run.h"
#include "bench/run/solver_set.h"

#include <jansson.h>
#include <stdint.h>

typedef struct ExperimentFrozen ExperimentFrozen;

/* A scene file that an experiment names, or a contact problem (bench/problems/problem.h), which stands in its place. */
typedef struct ExperimentScene {
    char *path;               /* relative ones start at the experiment file's folder */
    char *name;               /* as the file calls itself; a problem: the file's, without its folder */
    bool problem;             /* a contact problem: no time passes in it */
    ExperimentFrozen *frozen; /* a problem that is a step of one of our scenes; NULL: a file */
    double time;
    char hash[HASH_TEXT];  /* of the content */
    char sha[SHA256_TEXT]; /* the same, which nobody forges; "": frozen, of one of our scenes */
    struct ExperimentScene *next;
} ExperimentScene;

typedef struct ExperimentRun {
    const Scene *scene;          /* NULL: a scene file */
    const ExperimentScene *file; /* NULL: a built-in scene */
    const Solver *solver;
    unsigned char *params, *options; /* resolved; owned */
    double dt, time;                 /* s; time NaN: the scene cannot be built to tell its own; 0 of a problem */
    /* Content of the run without and with the version of the program: what `--diff` and the store go by. */
    char identity[HASH_TEXT], key[HASH_TEXT];
    char made_of[SHA256_TEXT]; /* scene, options, version, compiler, libraries: what makes its results */
} ExperimentRun;

typedef struct Experiment {
    char *name;
    int run_count, run_capacity;
    ExperimentRun *runs;
    int repeated;            /* runs that stood more than once in the grid */
    ExperimentScene *scenes; /* a list */
    SolverSet solvers;       /* with the file's own variants */
    uint32_t metrics;        /* bit i: keep all_metrics[i] */
    int repeats;
    double run_time_limit;   /* s, for each repeat */
    int threads;             /* of each run; 0: one */
    double row_solves_limit; /* of a run; 0: none */
} Experiment;

/* NULL with a message. The solvers must outlive the experiment; plugin_paths[i] is where plug-in i came from. */
Experiment *experiment_read(const char *path, const SolverSet *solvers, const char *const plugin_paths[],
                            Status *status);
void experiment_destroy(Experiment *experiment);

/* Is this document an experiment rather than a scene? */
bool experiment_is(const json_t *document);

/* Whether a run is an attempt at a contact problem, in which nothing moves. */
static inline bool experiment_run_is_problem(const ExperimentRun *run)
{
    return run->file && run->file->problem;
}

/* The problem of such a run: read from its file into `own`, or frozen, once a process. NULL with a message. `own` is
 * the caller's to free in any case. */
const ContactProblem *experiment_problem_open(const ExperimentScene *file, ContactProblem *own, Status *status);

/* The run as the harness makes it; of a problem its solver and options alone. */
void experiment_get(const Experiment *experiment, int index, Run *run);

/* As JSON on one line, to be freed; NULL: out of memory. */
char *experiment_params_text(const ExperimentRun *run);
char *experiment_options_text(const ExperimentRun *run);
const char *experiment_scene_name(const ExperimentRun *run);

#endif
