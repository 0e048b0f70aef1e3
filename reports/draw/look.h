/* SPDX-License-Identifier: MIT */
/* The look of curves, from reports/palette.json: each solver has one colour, marker and dash, everywhere. */
#ifndef RIGOR_REPORTS_DRAW_LOOK_H
#define RIGOR_REPORTS_DRAW_LOOK_H

#include "model/status.h"

#include <jansson.h>

typedef struct Look {
    char colour[8]; /* #rrggbb */
    int point;      /* gnuplot's point type */
    char dash[64];  /* gnuplot's dashtype */
    bool band;      /* as a line it is wide and pale, below the others: what is exact */
    char pale[8];   /* then its colour */
} Look;

/* NULL with a message. */
json_t *palette_read(Status *status);

/* The solver's own; `variant` > 0: another curve of the same solver, of another shade, with other dash and marker. */
Look look_of_solver(const json_t *palette, const char *solver, int variant);

/* For curves that no solver tells apart: the palette's colours in turn. */
Look look_of_index(int index);

/* Its colour for a text beside the curve: as dark as a text must be. */
void look_ink(const Look *look, char ink[8]);

#endif
