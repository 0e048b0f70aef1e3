/* SPDX-License-Identifier: MIT */
/* The colours of drawings within the page: those that would not be read on a dark ground become variables, which have
 * another value there. */
#ifndef RIGOR_REPORTS_HTML_COLOURS_H
#define RIGOR_REPORTS_HTML_COLOURS_H

#include "scenes/file/file.h"

typedef struct Colour {
    int red, green, blue; /* 0..255 */
} Colour;

/* Of numbers in a map, from the least to the most, evenly: cividis, even in lightness, the same to the colour-blind. */
enum { RAMP_STOPS = 9 };
extern const char *const RAMP[RAMP_STOPS];

/* From #rrggbb; false: it is none. */
bool colour_read(const char *text, Colour *colour);

/* As #rrggbb. */
void colour_write(char text[8], Colour colour);

/* `part` of the way from one to the other. */
Colour colour_mix(Colour from, Colour to, double part);

/* W3C's: 1 for the same, 21 for black and white. */
double colour_contrast(Colour a, Colour b);

/* `dark` gets the colour on a dark ground; false: it is the same. The palette may name it. Those of the ramp stay,
 * since they tell more from less by their lightness. */
bool colour_on_dark(const json_t *palette, Colour colour, Colour *dark);

/* The SVG with its colours as variables, which are noted in `used`, an object. */
void colours_as_variables(Text *out, const char *svg, const json_t *palette, json_t *used);

/* The values of all variables used, on either ground; on paper as on the light one. */
void colours_write_style(Text *page, const json_t *used);

/* A script of gnuplot's with every '#rrggbb' as it is on a dark ground. */
void colours_darken_script(Text *out, const char *script, const json_t *palette);

#endif
