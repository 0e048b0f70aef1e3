/* SPDX-License-Identifier: MIT */
/* Real tosses of a cube on a board (data: starts.csv, tosses.csv.gz, after Pfrommer, Halm and Posa 2020): each starts
 * from the state at frame 0 that fits its free flight best, not from the file's velocities, which are backward
 * differences. */
#ifndef RIGOR_BENCH_REALITY_TOSSES_H
#define RIGOR_BENCH_REALITY_TOSSES_H

#include "bench/reality/suite.h"

typedef struct Toss {
    int number; /* of the source's file */
    int frames; /* that were measured: 0 .. frames - 1 */
    bool test;  /* half that scores; else that which fits */
    bool quick; /* of the training half: one of those for a quick fit */
    Pose start;
    Velocity speed; /* at frame 0, angular in world axes */
    const Pose *measured;
} Toss;

typedef struct Tosses {
    int count;
    Toss *list;
    Pose *poses; /* of all frames */
} Tosses;

static const double TOSS_FRAME = 1.0 / 148.0;             /* s */
static const double TOSS_EDGE = 0.1048, TOSS_MASS = 0.37; /* m, kg */
static const double TOSS_INERTIA = 0.00081;               /* kg m^2 about every axis */
static const double TOSS_GRAVITY = 9.81;                  /* m/s^2 */

/* Means over the frames 1 .. frames - 1, at the end, and at some frames. */
enum {
    TOSS_POS,    /* % of the edge */
    TOSS_ROT,    /* degrees */
    TOSS_END,    /* mm, horizontal, at the last frame */
    TOSS_FACE,   /* %: the same face is up at the end */
    TOSS_TRAVEL, /* mm, horizontal, from the first frame to the last */
    TOSS_MEASURED,
    TOSS_POS_AT,
    TOSS_ROT_AT = TOSS_POS_AT + 4,
    TOSS_MEASURES = TOSS_ROT_AT + 4
};

bool tosses_read(Tosses *tosses, Status *status);
void tosses_clear(Tosses *tosses);

/* The cube and its contact; lengths in m, along the cube's axes. As published it has friction and restitution alone, an
 * inertia of 1, and zeros. */
typedef struct TossCube {
    double friction, restitution;
    double inertia; /* over TOSS_INERTIA */
    double patch;   /* radius of the patch that resists spinning */
    Vec3 centre;    /* of mass, from the middle, which is what was measured */
    Vec3 edges;     /* beyond TOSS_EDGE */
    Vec3 skew;      /* how far faces +y, +z, +x lie along z, x, y before those across */
} TossCube;

/* The cube on the plane y = 0, as it starts; NULL with a message. */
Problem *toss_problem(const Toss *toss, const TossCube *cube, Status *status);

/* A toss with the run's solver and options, and by how much it misses. False with a message: the solver cannot. */
bool toss_measure(const Toss *toss, const Run *run, const TossCube *cube, Score *score, Status *status);

#endif
