/* Four small systems side by side. */
#ifndef RIGOR_SOLVERS_POSITION_FOUR_SMALL_H
#define RIGOR_SOLVERS_POSITION_FOUR_SMALL_H

#include "model/wide.h"
#include "solvers/linear/small.h"

SMALL_SOLVE_SYMMETRIC(four_solve_symmetric, Wide)

#endif
