/* SPDX-License-Identifier: MIT */
/* From rows to what is drawn: the curves of a panel, each with its points, its label and its look. */
#ifndef RIGOR_REPORTS_FIGURE_CURVES_H
#define RIGOR_REPORTS_FIGURE_CURVES_H

#include "reports/draw/look.h"
#include "reports/figure/figure.h"

typedef struct CurvePoint {
    double x, y;
    double z;          /* map: the third quantity; arrows: dx */
    double dy;         /* arrows */
    const json_t *row; /* it comes from; NULL: the truth */
} CurvePoint;

typedef struct Curve {
    char *label; /* with markup; owned */
    PanelKind kind;
    bool plain; /* a line without markers */
    bool truth; /* the analytic curve: its points come from no row */
    Look look;
    int count;
    CurvePoint *points; /* lines: by x, where x is given by the order of runs; owned */
} Curve;

/* Texts on an axis, counted from 0. */
typedef struct Categories {
    int count;
    char **names;
} Categories;

typedef struct PanelCurves {
    int count;
    Curve *curves;
    Categories x, y; /* x: of bars and texts; y: of a map's texts */
} PanelCurves;

/* The truth, or the reference's motion, a line without markers: drawn wide and pale below the others. */
bool curve_is_band(const Curve *curve);

/* Is its label shown? One that ends in a blank is not: such a curve has the look of the label without the blank, as
 * bars beside their points. */
bool curve_is_named(const Curve *curve);
const char *curve_colour(const Curve *curve);

/* One for each panel; NULL with a message. A label has the same look in all panels. */
PanelCurves *figure_curves(const Figure *figure, Status *status);
void figure_curves_destroy(PanelCurves *panels, int count);

/* Can the panels show what the rows of a plan, which lack what only a run gives, will be? */
bool figure_plan_fits(const Figure *figure, const json_t *plan, Status *status);

/* Does some row have each field that the panel names? False, with a message that has the nearest. */
bool panel_fields_known(const Figure *figure, const Panel *panel, int index, Status *status);

#endif
