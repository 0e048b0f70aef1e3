/* SPDX-License-Identifier: MIT */
/* A bridge that is in no list, named on the command line with --engine. */
#ifndef RIGOR_SOLVERS_ENGINES_CUSTOM_H
#define RIGOR_SOLVERS_ENGINES_CUSTOM_H

#include "solvers/engines/engine.h"

typedef struct CustomEngine CustomEngine;

/* Asks the command to describe itself (`COMMAND --describe`); NULL with a message. */
CustomEngine *engine_custom_create(const char *command, Status *status);
void engine_custom_destroy(CustomEngine *custom); /* copes with NULL */

/* It as a solver, as long as it lives. */
const Solver *engine_custom_solver(const CustomEngine *custom);

#endif
