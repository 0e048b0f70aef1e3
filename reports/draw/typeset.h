/* SPDX-License-Identifier: MIT */
/* Text of labels and captions for gnuplot and for HTML. In both, *x* is italic, _x or _{xy} a subscript, ^x or ^{xy} a
 * superscript. A name that must stand as it is (a solver's, a field's) goes through typeset_name first. */
#ifndef RIGOR_REPORTS_DRAW_TYPESET_H
#define RIGOR_REPORTS_DRAW_TYPESET_H

#include "scenes/file/file.h"

/* A number for readers: so many significant digits, powers of ten as 1.2 x 10^{-5}. */
void typeset_number(Text *out, double value, int digits);

/* A name with what would be markup taken out of it: as text of a label. */
void typeset_name(Text *out, const char *name);

/* A label as the inside of a single-quoted string in gnuplot's enhanced text; of a tic, where % has a meaning. */
void typeset_gnuplot(Text *out, const char *label);
void typeset_gnuplot_tic(Text *out, const char *label);

/* Text without markup as HTML, between tags or in an attribute: the escapes of all pages. */
void html_escape(Text *out, const char *text);

/* A label or caption as HTML. */
void typeset_html(Text *out, const char *label);

/* The letters alone, as gnuplot draws them. */
void typeset_bare(Text *out, const char *label);

/* Text for a terminal. */
void typeset_text(Text *out, const char *label);

/* Plain text, as alternative texts and attributes need it, for HTML. */
void typeset_plain(Text *out, const char *label);

#endif
