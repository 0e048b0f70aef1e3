/* The backends of the playground: those that need neither LAPACK nor GSL (solvers_plain in solvers/meson.build). */
#include "solvers/solver.h"

extern const Solver naive_solver, naive_avg_solver, pgs_solver, pbd_solver, xpbd_solver;
extern const Solver penalty_solver, featherstone_solver, direct_solver;

const Solver *const all_solvers[] = {
    &naive_solver, &naive_avg_solver, &penalty_solver,      &pgs_solver,
    &pbd_solver,   &xpbd_solver,      &featherstone_solver, &direct_solver,
};

const int solver_count = sizeof all_solvers / sizeof all_solvers[0];
