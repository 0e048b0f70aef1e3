/* SPDX-License-Identifier: MIT */
/* How wide a text is drawn, so that labels can be laid out before anything draws them. */
#ifndef RIGOR_REPORTS_DRAW_TEXT_WIDTH_H
#define RIGOR_REPORTS_DRAW_TEXT_WIDTH_H

/* Of a label with markup (reports/draw/typeset.h), in the unit of `size`. */
double label_width(const char *label, double size);

/* Of a text without markup. */
double text_width(const char *text, double size);

#endif
