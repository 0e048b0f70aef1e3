/* The backends of the playground: those that need neither LAPACK nor GSL. */
#include "solvers/solver.h"

#define SOLVER(name) extern const Solver name##_solver;
#define SOLVER_NUMERIC(name)
#include "solvers/list.def"
#undef SOLVER

const Solver *const all_solvers[] = {
#define SOLVER(name) &name##_solver,
#include "solvers/list.def"
};

const int solver_count = sizeof all_solvers / sizeof all_solvers[0];
