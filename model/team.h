/* SPDX-License-Identifier: MIT */
/* A team of threads that share a loop: each takes chunks of it, and all are done when team_share returns. A loop whose
 * turns do not touch each other's data gives the same bits with any number of members. Nothing is allocated between
 * team_create and team_destroy. NULL is a team of one: the caller. */
#ifndef RIGOR_MODEL_TEAM_H
#define RIGOR_MODEL_TEAM_H

#include "model/status.h"

/* Far more than the cores of a machine. */
enum { TEAM_MOST = 64 };

typedef struct Team Team;

/* Turns [from, to) of a loop; returns what it counts there. */
typedef long TeamWork(void *context, int from, int to);

/* A team of 1 is NULL without a message; NULL with a message: its threads could not be started. */
Team *team_create(int members, Status *status);
void team_destroy(Team *team); /* copes with NULL */

int team_size(const Team *team);

/* Runs all turns [0, count) in chunks of at least `least` turns. The caller runs them alone if there are fewer than two
 * chunks. Returns the sum of the counts. */
long team_share(Team *team, int count, int least, TeamWork *work, void *context);

/* In how many parts of at least `least` turns a team of this size takes a loop whose parts keep something of their own:
 * one if the caller runs it alone. */
int team_parts(const Team *team, int count, int least);

/* Numbers [from, to) of `count` that part p of `parts` has. */
typedef struct PartRange {
    int from, to;
} PartRange;

static inline PartRange part_range(int count, int p, int parts)
{
    return (PartRange){(int)((long long)count * p / parts), (int)((long long)count * (p + 1) / parts)};
}

#endif
