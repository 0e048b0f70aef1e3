/* SPDX-License-Identifier: MIT */
/* Reads a drawing of gnuplot's as a reader sees it: is every text inside, in the font asked for and clear of the
 * others, and is every curve named? */
#ifndef RIGOR_REPORTS_DRAW_CHECK_H
#define RIGOR_REPORTS_DRAW_CHECK_H

#include "reports/figure/curves.h"

/* `labels`, with markup, must stand in a legend or at a curve's end: a title or an axis of the same name does not
 * count. False: the status says what is wrong first. */
bool drawing_check(const char *svg, const char *const *labels, int count, Status *status);

/* The figure's SVG in the workshop, against the labels of its curves and categories. */
bool figure_check_drawing(const Figure *figure, const Workshop *workshop, Status *status);

#endif
