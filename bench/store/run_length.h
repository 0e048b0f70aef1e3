/* SPDX-License-Identifier: MIT */
/* How much work it takes to reach a target, over random instances, after COCO (Hansen et al. 2021): the part of all
 * pairs of problem and target that a solver reaches within so much work, its area as the score, and the order of
 * solvers that holds for other instances, too. A solver's runs of a problem that differ in options are the ladder of
 * its work; solvers are deterministic, so there are no restarts: what no run reaches takes forever. */
#ifndef RIGOR_BENCH_STORE_RUN_LENGTH_H
#define RIGOR_BENCH_STORE_RUN_LENGTH_H

#include "bench/fits/resample.h"

#include <stdbool.h>

enum { RUN_LENGTH_TARGETS = 51, RUN_LENGTH_DRAWS = 1000, RUN_LENGTH_WORKS = 41, RUN_LENGTH_MOST = 64 /* solvers */ };

/* A run: its work, in row solves a body (a body is one of the scene's n; of a contact problem, a row), and what is
 * left. */
typedef struct LadderRun {
    int problem, solver;
    double work, error;
} LadderRun;

/* A problem is an instance of a group; a group is a family with all parameters but the seed. */
typedef struct Instance {
    int group, family;
    long seed; /* -1: it has none */
} Instance;

typedef struct RunLengths {
    int solver_count, family_count, group_count, problem_count, run_count;
    char **solvers, **families, **groups, **problems; /* owned */
    Instance *instances;                              /* of the problems; owned */
    LadderRun *runs;                                  /* owned */
    double hardest, easiest;                          /* targets, log-uniform between */
    double least_work, most_work;                     /* of all runs */
    double *length; /* log10 of the least work, problem by solver by target; infinite: not reached */
    double *score;  /* area under the problem's own curve over log10 work, 0 to 1: problem by solver */
} RunLengths;

/* The runs of a store with a metric. False with a message; cleared in any case. */
bool run_lengths_read(RunLengths *lengths, const char *path, const char *metric, Status *status);
void run_lengths_clear(RunLengths *lengths);

/* The least work of each target. A run reaches it if its error is below, and that of every run with up to four times
 * its work. */
bool run_lengths_find(RunLengths *lengths, double easiest, double hardest, Status *status);

/* The part of problems and targets reached within the work, of one solver; with `drawn` (NULL: each once) how often
 * each problem counts. */
double run_lengths_share(const RunLengths *lengths, int solver, double log_work, const int *drawn);

/* Which instances count. */
typedef enum Seeds { SEEDS_ALL, SEEDS_ODD, SEEDS_EVEN } Seeds;

/* Scores, and who is ahead of whom: in 95 % of the draws of instances, with replacement, within each group. */
typedef struct RunRanking {
    double score[RUN_LENGTH_MOST];
    Interval interval[RUN_LENGTH_MOST];
    int order[RUN_LENGTH_MOST];                   /* best first */
    int ahead[RUN_LENGTH_MOST * RUN_LENGTH_MOST]; /* 1, -1, 0: not decided; row by row of solver_count */
} RunRanking;

/* Without one family (-1: with all). False with a message: no instance is left, or out of memory. */
bool run_lengths_rank(const RunLengths *lengths, Seeds seeds, int without, RunRanking *ranking, Status *status);

/* The 95 % band of a solver's curve at RUN_LENGTH_WORKS works, least to most; `share` is the curve itself. */
bool run_lengths_band(const RunLengths *lengths, int solver, double share[RUN_LENGTH_WORKS],
                      Interval band[RUN_LENGTH_WORKS], Status *status);
double run_lengths_work(const RunLengths *lengths, int index); /* log10 */

/* Below this tau between odd and even seeds there is no ranking. */
static const double RANKING_TAU = 0.9;

#endif
