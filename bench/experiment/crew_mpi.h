/* SPDX-License-Identifier: MIT */
/* MPI ranks as a crew: `mpirun -n N rigor sweep ...`. Rank 0 owns the store and hands out runs; every other rank makes
 * one run at a time in a worker process of its own, so that a crash or a hang costs the run and not the rank. Where a
 * rank itself dies, MPI ends the whole job: what is stored stays, and the same command goes on from there. */
#ifndef RIGOR_BENCH_EXPERIMENT_CREW_MPI_H
#define RIGOR_BENCH_EXPERIMENT_CREW_MPI_H

#include "bench/experiment/crew.h"

typedef struct Ranks {
    int size, rank;
} Ranks;

/* Joins the others if a launcher started this process; without one there is a single rank 0. Fails if there are
 * several ranks and this program was built without MPI. */
bool ranks_join(Ranks *ranks, Status *status);
void ranks_leave(void);

/* All ranks come to this: true only if all are well and have read the same runs. *mine: is it this rank that tells what
 * is wrong? */
bool ranks_agree(const Ranks *ranks, const Experiment *experiment, bool well, bool *mine, Status *status);

/* Rank 0's crew: the other ranks. NULL with a message. */
Crew *ranks_crew(const Ranks *ranks, Status *status);

/* The other ranks: makes runs until sent home. */
bool ranks_serve(const Experiment *experiment, Status *status);

#endif
