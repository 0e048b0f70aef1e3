/* SPDX-License-Identifier: MIT */
/* One solver on one published problem: iterations of its method from r = 0, and what is left after each. */
#ifndef RIGOR_BENCH_PROBLEMS_ATTEMPT_H
#define RIGOR_BENCH_PROBLEMS_ATTEMPT_H

#include "bench/problems/problem.h"
#include "bench/run/run.h"

/* The residuals that are asked after, from loose to tight, and their names. */
enum { ATTEMPT_GOALS = 4 };
extern const double attempt_goals[ATTEMPT_GOALS];
extern const char *const attempt_goal_names[ATTEMPT_GOALS];

/* Iterations where nobody asks for another number; they end sooner at the option `stop_residual`, or at round-off. */
enum { ATTEMPT_ITERATIONS = 1000 };

typedef struct Attempt {
    Status status;     /* code not OK: the method does not apply to this problem */
    ConeLaw law;       /* that it is judged by */
    int iterations;    /* made */
    double *residuals; /* after each, by its own law; owned */
    double residual, residual_scaled;
    double residual_coulomb; /* the same point judged by Coulomb's law */
    long long row_solves;
    double seconds;                      /* of the iterations alone */
    int iterations_to[ATTEMPT_GOALS];    /* -1: never */
    double row_solves_to[ATTEMPT_GOALS]; /* NaN: never */
    double seconds_to[ATTEMPT_GOALS];
} Attempt;

/* Before anybody asks for a number: ATTEMPT_ITERATIONS, or what a variant sets, into the solver's options. */
void attempt_choose_iterations(const Solver *solver, void *options);
/* What the options ask for; 1 where the solver has no such option: it solves at once. */
int attempt_iterations(const Solver *solver, const void *options);

/* At most `iterations`. False with a message when out of memory; what the method refuses is in attempt->status. */
bool attempt_make(Attempt *attempt, const ContactProblem *problem, const Solver *solver, const void *options,
                  int iterations, Status *status);
void attempt_free(Attempt *attempt);

#endif
