/* SPDX-License-Identifier: MIT */
/* Level curves f(x, y) = c of a panel: what is exact in a phase portrait. */
#ifndef RIGOR_REPORTS_DRAW_LEVELS_H
#define RIGOR_REPORTS_DRAW_LEVELS_H

#include "reports/draw/draw.h"

/* The panel's `levels` as segments in data blocks $p0l, and their part of the plot command; false with a message. */
bool levels_data(Text *script, const PanelDrawing *drawing, Status *status);
void levels_plot(Text *script, const PanelDrawing *drawing, const char **comma);

#endif
