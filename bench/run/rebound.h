/* SPDX-License-Identifier: MIT */
/* Whether limits of joints throw back what runs into them: a limit stops without a bounce. Seen at the ends of frames,
 * from poses and velocities alone, so of every solver alike. */
#ifndef RIGOR_BENCH_RUN_REBOUND_H
#define RIGOR_BENCH_RUN_REBOUND_H

#include "model/world.h"

/* What stopped at a limit not long ago. */
typedef struct Stop {
    double arrival, leaves; /* m/s: towards the limit as it came; away from it, a frame ago */
    int frames;             /* for which it is kept in mind; 0: there is none */
} Stop;

typedef struct Rebound {
    double *arrival; /* of each joint's block: the speed of what is at its limit, towards it; 0: nothing arrived */
    Stop *stop;      /* of each joint's block; NULL: others may push it, so who leaves later has other reasons */
    double least;    /* m/s: what arrives more slowly does not count */
    double share;    /* the largest speed away from a limit, over that of the arrival */
    int joint;       /* of it; -1: none */
} Rebound;

/* Bounds of the least arrival: ten times what gravity gives in a frame, lest a fall away from a limit be called a
 * rebound; a thousandth of the scene's speed where there is none. False when out of memory; free copes with that. */
bool rebound_begin(Rebound *rebound, const World *world, double dt, double speed_scale);
void rebound_free(Rebound *rebound);

/* A frame has ended. */
void rebound_note(Rebound *rebound, const World *world, double dt);

#endif
