/* SPDX-License-Identifier: MIT */
/* Long lines are folded at words: on a terminal at its width, elsewhere only where COLUMNS is exported. */
#ifndef RIGOR_BENCH_TEXT_WRAP_H
#define RIGOR_BENCH_TEXT_WRAP_H

#include <stdio.h>

/* Places a line may take; INT_MAX: any number. */
int fold_width(FILE *file);

/* The text and a line's end. `used` places of the first line are taken; those after it are indented. Lines of the text
 * that begin with a blank stay as they are, others are filled anew where lines are folded at all. */
void fold_print(FILE *file, const char *text, int used, int indent);

/* The same in lines of at most so many places. */
void fold_within(FILE *file, int width, const char *text, int used, int indent);

/* One line made as printf does, without its end: folded, its rest indented. */
void fold_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
