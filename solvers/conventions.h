/* SPDX-License-Identifier: MIT */
/* How a backend treats contacts, declared for its reader: `rigor show` prints one row a topic, with the values of the
 * solver's options in it, so that a variant's table says what the variant does. */
#ifndef RIGOR_SOLVERS_CONVENTIONS_H
#define RIGOR_SOLVERS_CONVENTIONS_H

#include "model/settings.h"

#include <stddef.h>

typedef enum ConventionTopic {
    CONVENTION_LAW,         /* the set of friction forces: cone, pyramid of n facets, box, convex relaxation */
    CONVENTION_NORMALS,     /* by row, or which of them together */
    CONVENTION_ORDER,       /* of friction: when it is solved, and against which load */
    CONVENTION_SLOP,        /* overlap that is left alone */
    CONVENTION_PUSH,        /* how overlap is taken back, and how fast at most */
    CONVENTION_RESTITUTION, /* its law and its threshold */
    CONVENTION_WARM_START,  /* which multipliers are warm started */
    CONVENTION_COUNT
} ConventionTopic;

extern const char *const convention_names[CONVENTION_COUNT];

/* The first row of a topic that holds is the one that counts. */
typedef struct Convention {
    ConventionTopic topic;
    const char *option, *value; /* holds while this option has this value; NULL: always */
    const char *text;           /* `{slop}` stands for the value of that option */
} Convention;

struct Solver;

/* Writes what the solver does with these options. False: it says nothing about this topic. */
bool convention_text(const struct Solver *solver, const void *options, ConventionTopic topic, char *text, size_t size);

#endif
