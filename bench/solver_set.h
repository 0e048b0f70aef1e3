/* The solvers at hand: the built-in list, and those that --plugin loaded. */
#ifndef RIGOR_BENCH_SOLVER_SET_H
#define RIGOR_BENCH_SOLVER_SET_H

#include "solvers/solver.h"

enum { PLUGINS_MAX = 16 };

typedef struct SolverSet {
    int plugin_count;
    void *handles[PLUGINS_MAX]; /* of dlopen */
    const Solver *plugins[PLUGINS_MAX];
} SolverSet;

/* Loads `const Solver rigor_solver` from a shared object and checks it. */
bool solver_set_load(SolverSet *set, const char *path, Status *status);
void solver_set_close(SolverSet *set);

int solver_set_count(const SolverSet *set);
const Solver *solver_set_at(const SolverSet *set, int index);

/* NULL with a message if there is no such solver. */
const Solver *solver_set_find(const SolverSet *set, const char *name, Status *status);

#endif
