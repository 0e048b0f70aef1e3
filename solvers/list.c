/* All backends: a new one is its file and its line here. */
#include "solvers/solver.h"

extern const Solver naive_solver, naive_avg_solver, pgs_solver, pbd_solver, xpbd_solver;
extern const Solver pgs_dense_solver, kkt_solver, lcp_solver, reference_solver;
extern const Solver nncg_solver, jacobi_split_solver, apgd_solver, admm_solver, newton_solver;
extern const Solver penalty_solver, featherstone_solver, direct_solver;

/* clang-format off */
const Solver *const all_solvers[] = {
    &naive_solver,
    &naive_avg_solver,
    &penalty_solver,
    &pgs_solver,
    &pgs_dense_solver,
    &nncg_solver,
    &jacobi_split_solver,
    &apgd_solver,
    &admm_solver,
    &newton_solver,
    &pbd_solver,
    &xpbd_solver,
    &kkt_solver,
    &lcp_solver,
    &featherstone_solver,
    &direct_solver,
    &reference_solver,
};
/* clang-format on */

const int solver_count = sizeof all_solvers / sizeof all_solvers[0];
