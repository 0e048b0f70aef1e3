/* SPDX-License-Identifier: MIT */
/* Generators: data of a figure that no run gives. A generator is a `const Generator` at the end of its file here and
 * a line in the list of generators.c. It reads its arguments from the figure file and adds rows. */
#ifndef RIGOR_REPORTS_GENERATE_GENERATORS_H
#define RIGOR_REPORTS_GENERATE_GENERATORS_H

#include "bench/run/run.h"
#include "reports/figure/rows.h"

typedef struct Generator {
    const char *name;
    const char *about;                          /* its arguments and the fields of its rows */
    bool (*make)(Node arguments, json_t *rows); /* rows NULL: the arguments are checked, and nothing is made */
} Generator;

extern const Generator *const all_generators[];
extern const int generator_count;

/* Most steps that a generator makes. */
enum { GENERATOR_STEPS = 1000000 };

/* NULL with a message at the node. */
const Generator *generator_find(Node name);

/* The scene of the arguments `scene` and `params` becomes the run's. False with a message. */
bool generator_choose_scene(Node arguments, Run *run);

/* The same, built (a scene file is named from the figure's folder); NULL with a message. */
Problem *generator_build_scene(Node arguments);

#endif
