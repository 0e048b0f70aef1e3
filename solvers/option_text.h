/* SPDX-License-Identifier: MIT */
/* Words about a solver with the values of its options in them: what `rigor show` and `rigor read` print of a variant is
 * what the variant does. */
#ifndef RIGOR_SOLVERS_OPTION_TEXT_H
#define RIGOR_SOLVERS_OPTION_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct Solver;

/* Whether the option has this value, as it is typed; `!0`: any but that, `!?`: there is such an option. NULL:
 * always. */
bool option_holds(const struct Solver *solver, const void *options, const char *option, const char *value);

/* Copies the text, each `{option}` as its value; an option that there is none of becomes `?`. */
void option_fill(const struct Solver *solver, const void *options, const char *from, char *text, size_t size);

#endif
