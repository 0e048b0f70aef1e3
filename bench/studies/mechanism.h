/* SPDX-License-Identifier: MIT */
/* Mechanisms by a few numbers, for searches: links one behind the other from the world on, as in Denavit and
 * Hartenberg's notation, open or with the last one joined to the world again. Six right angles with twists of 90
 * degrees to and fro make Bricard's loop. */
#ifndef RIGOR_BENCH_STUDIES_MECHANISM_H
#define RIGOR_BENCH_STUDIES_MECHANISM_H

#include "model/random.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct Mechanism {
    int links;
    bool closed;       /* the last link's end is joined to the world: a loop */
    bool hinges;       /* hinges, their axes normal to the links; else ball joints */
    int bend;          /* degrees, from each link to the next, about the joint's axis */
    int twist;         /* degrees, of a joint's axis against the one before, about the link between them */
    bool alternate;    /* twists to and fro */
    bool upright;      /* the first joint's axis is along gravity, else level */
    double length;     /* m, of a link */
    double mass_ratio; /* last link to each of the others */
    double thickness;  /* of a link, over its length: the smaller, the further its inertias lie apart */
    double lever;      /* the links' centres lie so far beside the line of the joints, over the length */
    double spin;       /* rad/s, of the whole about the first joint's axis; 0: from rest */
    bool reversed;     /* joints are listed from the last: the order of rows */
} Mechanism;

/* Any, open or a loop. */
Mechanism mechanism_random(Random *random, bool closed);

/* One or two numbers changed; open stays open. */
Mechanism mechanism_mutate(const Mechanism *from, Random *random);

/* The next simpler ones, numbered from 0: with fewer links, or with one number nearer to a plain mechanism's. False:
 * there are no more. *simpler may equal `from`. */
bool mechanism_simplify(const Mechanism *from, int number, Mechanism *simpler);

/* Its scene file, of so many seconds; NULL: out of memory. */
json_t *mechanism_scene(const Mechanism *mechanism, const char *name, double time);

#endif
