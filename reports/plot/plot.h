/* SPDX-License-Identifier: MIT */
/* Pictures of studies: the document of `rigor converge`, `limit`, `map` or `reality` becomes a figure as any other,
 * drawn to one file. */
#ifndef RIGOR_REPORTS_PLOT_PLOT_H
#define RIGOR_REPORTS_PLOT_PLOT_H

#include "model/status.h"

#include <jansson.h>

/* Draws the document that a command prints with --json; the path's ending says how: .svg, .pdf, .png. */
bool plot_draw(const char *command, const json_t *document, const char *path, Status *status);

/* The figure of a document: its panels, and the rows that they draw. NULL: out of memory. */
json_t *plot_converge_panels(const json_t *document, json_t *rows);
json_t *plot_limit_panels(const json_t *document, json_t *rows);
json_t *plot_map_panels(const json_t *document, json_t *rows);
json_t *plot_reality_panels(const json_t *document, json_t *rows);
json_t *plot_ecdf_panels(const json_t *document, json_t *rows);

#endif
