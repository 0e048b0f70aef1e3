/* SPDX-License-Identifier: MIT */
/* Rows: everything that a figure draws or tells, whatever it comes from, as a JSON array of flat objects, one a row. A
 * field is a key of the row: `solver`, `options.substeps`, `error_end`, `box10.y`, ...; `from` says where the row comes
 * from (grid, series, data). Derived: `h` = dt / options.substeps. */
#ifndef RIGOR_REPORTS_FIGURE_ROWS_H
#define RIGOR_REPORTS_FIGURE_ROWS_H

#include "scenes/file/file.h"

/* An expression in a row's fields; NaN where a field is missing, null or no number. */
double row_number(const json_t *row, const char *expression);

/* A field as text: a string as it is, numbers as %g; NULL: the row has none. */
const char *row_text(const json_t *row, const char *field, char buffer[64]);

/* Does the row fulfil an object of conditions? A key is a field or an expression; its value a text, number or truth
 * value it equals, a list of such, or {"min": a, "max": b}, {"not": value}. NULL: no condition. Rows of runs that did
 * not come to their end fulfil nothing that does not ask for their `status`. */
bool row_matches(const json_t *row, const json_t *where);

/* The conditions alone, however the run ended. */
bool row_meets(const json_t *row, const json_t *where);

/* Is an object of conditions well formed? */
bool where_check(Node where);

/* Conditions as text, `solver=xpbd, options.substeps>=4`, added to such an object. */
bool where_parse(const char *text, json_t *where, Status *status);

/* Copies every scalar of `from` to the row; those in objects and short arrays as `prefix.key`. */
void row_add(json_t *row, const char *prefix, const json_t *from);

/* Is it a run of the figure's grid? */
bool row_is_run(const json_t *row);

/* All rows with the union of their fields, 17 digits; to a temporary file renamed when complete. */
bool rows_write_csv(const json_t *rows, const char *path, Status *status);

#endif
