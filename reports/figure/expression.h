/* SPDX-License-Identifier: MIT */
/* Expressions in figure files: numbers, names, + - * / ^, parentheses and calls.
 *
 * A name is a field of a row, as `options.substeps` or `box10.y`; what it stands for is the scope's affair. Calls are
 * the functions of mathematics (sqrt, abs, exp, log, log10, log2, sin, cos, tan, asin, acos, atan, floor, round, and of
 * two arguments min, max, atan2), and what the scope adds. pi is known. */
#ifndef RIGOR_REPORTS_FIGURE_EXPRESSION_H
#define RIGOR_REPORTS_FIGURE_EXPRESSION_H

#include "model/status.h"

typedef struct Scope Scope;
struct Scope {
    /* False: there is no such name. */
    bool (*name)(const Scope *scope, const char *name, double *value);
    /* A call with the text between its parentheses; *known false: there is no such function. NULL: no calls. */
    bool (*call)(const Scope *scope, const char *function, const char *arguments, bool *known, double *value,
                 Status *status);
    const void *context;
};

bool expression_evaluate(const char *text, const Scope *scope, double *value, Status *status);

/* Is the syntax right, whatever the names stand for? */
bool expression_check(const char *text, Status *status);

/* Splits at `separator` outside parentheses: the part at *text is copied to `part` without blanks at its ends, and
 * *text moves on; false at the end. */
enum { EXPRESSION_TEXT = 512, EXPRESSION_NAME = 96 };
bool expression_next_part(const char **text, char separator, char part[EXPRESSION_TEXT]);

#endif
