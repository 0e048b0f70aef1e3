/* SPDX-License-Identifier: MIT */
#include "solvers/solver.h"

#define SOLVER(name) extern const Solver name##_solver;
#define SOLVER_NUMERIC SOLVER
#define LECTURE(name) SOLVER(lecture_##name)
#define LECTURE_NUMERIC LECTURE
#include "solvers/list.def"
#undef SOLVER

const Solver *const all_solvers[] = {
#define SOLVER(name) &name##_solver,
#include "solvers/list.def"
};

const int solver_count = sizeof all_solvers / sizeof all_solvers[0];
