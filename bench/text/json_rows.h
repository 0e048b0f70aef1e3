/* SPDX-License-Identifier: MIT */
/* A list of JSON objects as a table for other programs: the keys of the first are the columns; what is no number, text
 * or list of numbers is left out, a list becomes columns NAME_0, NAME_1 .. */
#ifndef RIGOR_BENCH_TEXT_JSON_ROWS_H
#define RIGOR_BENCH_TEXT_JSON_ROWS_H

#include <jansson.h>
#include <stdio.h>

/* Comma-separated, numbers with 17 digits, null as nothing. */
void json_rows_csv(const json_t *rows, FILE *file);

/* A tabular of booktabs; numbers with four significant digits, null as a dash. */
void json_rows_latex(const json_t *rows, FILE *file);

#endif
