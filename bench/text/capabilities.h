/* SPDX-License-Identifier: MIT */
/* Who can do what: backends, variants and engines against joints by type, capabilities, law of friction, precision and
 * what is missing to run them. */
#ifndef RIGOR_BENCH_TEXT_CAPABILITIES_H
#define RIGOR_BENCH_TEXT_CAPABILITIES_H

#include "bench/run/solver_set.h"

#include <jansson.h>

/* A bit a JointType: whether the solver takes a plain joint of it between two bodies. Of a backend this is tried out;
 * of an engine it is what its bridge refuses by name. */
unsigned solver_joint_types(const Solver *solver);

/* One row a solver: {"name", "variant_of", "joints": {type: bool}, "can": {capability: bool}, "friction", "precision",
 * "needs"}. `solvers` are the descriptions of `rigor list solvers`, in the set's order. */
json_t *matrix_describe(const SolverSet *set, const json_t *solvers);

/* As a table has it: a letter for each type of joint that is taken, '-' for one that is not. */
enum { MATRIX_LETTERS = 16 };
const char *matrix_letters(const json_t *joints, char text[MATRIX_LETTERS]);

/* Columns of a table that are capabilities; those that joints or the law of friction tell are left out. */
typedef struct MatrixColumn {
    unsigned capability; /* of Capability */
    const char *head;
} MatrixColumn;

enum { MATRIX_COLUMN_COUNT = 7 };
extern const MatrixColumn matrix_columns[MATRIX_COLUMN_COUNT];
bool matrix_has(const json_t *row, unsigned capability);

/* What the letters stand for. */
extern const char MATRIX_KEY[];

#endif
