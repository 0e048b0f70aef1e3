/* SPDX-License-Identifier: MIT */
/* The solvers at hand: the built-in backends and engines, each with its named variants, those that --plugin and
 * --engine brought, those that a file defines, and any of them with options written in place,
 * `pgs:iterations=50:warm_start=false`. */
#ifndef RIGOR_BENCH_RUN_SOLVER_SET_H
#define RIGOR_BENCH_RUN_SOLVER_SET_H

#include "solvers/variants.h"

/* SOLVER_LABEL: room for a name with its options in place. */
enum { PLUGINS_MAX = 16, SOLVERS_MAX = 256, SOLVER_LABEL = 192 };

typedef struct SolverSet {
    int count; /* of those that have a name; a backend's variants follow it */
    const Solver *solvers[SOLVERS_MAX];
    int plugin_count;
    void *handles[PLUGINS_MAX]; /* of dlopen; NULL: another set's */
    const Solver *plugins[PLUGINS_MAX];
    int engine_count;
    struct CustomEngine *engines[PLUGINS_MAX]; /* of --engine; NULL: another set's */
    struct VariantKeep *keep;                  /* every variant made for this set, until it is closed */
} SolverSet;

/* The built-in ones; false with a message. */
bool solver_set_open(SolverSet *set, Status *status);

/* All that another set has, which must outlive this one: what is added here stays unknown there. */
bool solver_set_extend(SolverSet *set, const SolverSet *outer, Status *status);
void solver_set_close(SolverSet *set); /* copes with one that was never opened */

/* Loads `const Solver rigor_solver` from a shared object and checks it. */
bool solver_set_load(SolverSet *set, const char *path, Status *status);

/* Adds a solver of the host's own, which must outlive the set. */
bool solver_set_add_own(SolverSet *set, const Solver *solver, Status *status);

/* Asks a bridge to describe itself, and adds it. */
bool solver_set_add_engine(SolverSet *set, const char *command, Status *status);

/* Adds a variant of a solver that is there. */
bool solver_set_define(SolverSet *set, const Variant *variant, Status *status);

/* By name, or with options in place: the same label gives the same solver. NULL with a message. */
const Solver *solver_set_find(const SolverSet *set, const char *name, Status *status);

/* Whether it is a plug-in, or a variant of one. */
bool solver_set_is_plugin(const SolverSet *set, const Solver *solver);

#endif
