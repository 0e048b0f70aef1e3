/* SPDX-License-Identifier: MIT */
/* What a caption says by itself of the engines among a figure's runs: which are not installed, and which checks of
 * `rigor verify` the others fail. */
#ifndef RIGOR_REPORTS_FIGURE_ENGINE_NOTES_H
#define RIGOR_REPORTS_FIGURE_ENGINE_NOTES_H

#include "reports/figure/rows.h"

void engine_notes(Text *caption, const json_t *rows);

#endif
