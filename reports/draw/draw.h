/* SPDX-License-Identifier: MIT */
/* Drawing: a figure as a gnuplot script. Panels lie at places counted in pixels of the SVG, so that the script knows
 * where a curve ends and a label fits. */
#ifndef RIGOR_REPORTS_DRAW_DRAW_H
#define RIGOR_REPORTS_DRAW_DRAW_H

#include "reports/figure/curves.h"

enum { FONT = 16, LINE = 22 }; /* px: of text, and from line to line */

typedef struct Range {
    double min, max;
    bool log, reversed;
} Range;

/* Where a value lies, 0 at min .. 1 at max. */
double range_part(const Range *range, double value);

/* From the points' x (axis 0), y (1) or z (2), or as the axis says. */
Range range_from_curves(const Axis *axis, const PanelCurves *curves, int which);

/* px that the widest name takes. */
double categories_widest(const Axis *axis, const Categories *categories);

/* How names stand below an axis so long, with `room` px to its right: side by side; slanted by 25 degrees, if they are
 * too wide for that; upright, if they are too close even so. */
typedef enum CategoryTurn { TURN_FLAT, TURN_SLANTED, TURN_UPRIGHT } CategoryTurn;
static const double CATEGORY_SLANT = 0.43; /* sin 25 degrees */
CategoryTurn categories_turn(const Axis *axis, const Categories *categories, double pixels, double room);

/* px by which the last slanted name reaches beyond that room. */
double categories_overhang(const Axis *axis, const Categories *categories, double pixels, double room);

/* `set xrange`, `set logscale` and tics; `name` is x, y or cb, `pixels` the axis's length, `turn` that of names. */
void axis_script(Text *script, const Axis *axis, const Range *range, const char *name, double pixels,
                 const PanelCurves *categories, CategoryTurn turn);

/* The axis's label at a place of the screen: where gnuplot would put it depends on the terminal. */
void axis_label_script(Text *script, const Axis *axis, const Range *range, double x, double y, bool upright);

/* Where the cells of a map or an image begin and end along x (or y); false: out of memory. */
bool map_edges(const Curve *curve, bool x, bool logarithmic, double edges[2]);

/* Whether a panel is one of cells. */
bool panel_has_map(const PanelCurves *curves);

/* An entry is a curve, or a category of a map. */
typedef struct LegendEntry {
    const Curve *curve;
    const Curve *marker; /* a curve of the same label whose markers it shows; NULL: none has any */
    const char *category, *colour;
    double x, y; /* px from the legend's left and top: where the sample begins, and the text's middle */
} LegendEntry;

typedef struct Legend {
    int count;
    LegendEntry *entries; /* each label once; owned */
    double height;        /* px */
} Legend;

typedef struct PanelFrame {
    double left, right, top, bottom; /* px from the figure's left and top */
} PanelFrame;

typedef struct PanelDrawing {
    const Figure *figure;
    const Panel *panel;
    const PanelCurves *curves;
    int index;
    PanelFrame frame;
    Range x, y, z;
    double names_left, names_below; /* px more than numbers need */
    CategoryTurn turn;              /* of the names below */
    bool labels_at_curves;
    Legend legend;                  /* of its own, or of all panels; none: empty */
    double legend_left, legend_top; /* px */
    double width, height;           /* px, of the figure */
} PanelDrawing;

/* Where everything of a figure lies that is drawn as a whole, a panel each; NULL with a message. */
PanelDrawing *figure_lay_out(const Figure *figure, const PanelCurves *panels, Status *status);
void drawings_destroy(PanelDrawing *drawings, int count);

/* A text that names a curve: where it begins, its middle and its width, px of the figure. */
typedef struct NamePlace {
    const Curve *curve;
    double x, y, width;
} NamePlace;

/* Of an entry of the panel's legend, from its sample on. */
NamePlace legend_name_place(const PanelDrawing *drawing, const LegendEntry *entry);

/* Of labels at the curves' ends, which are so many; `names` has room for all curves. */
int labels_places(const PanelDrawing *drawing, NamePlace *names);

/* Decides whether labels fit at the curves' ends; the room in px that they need to the right, or 0: they do not fit. */
double labels_room(const PanelDrawing *drawing);

/* The panel's part of the script; false with a message. */
bool panel_script(Text *script, const PanelDrawing *drawing, Status *status);

/* Labels at the ends of curves, slope triangles, floor and marks: `set label`, `set arrow`. */
void labels_script(Text *script, const PanelDrawing *drawing);
void slopes_script(Text *script, const PanelDrawing *drawing);
bool marks_script(Text *script, const PanelDrawing *drawing, Status *status);

/* The colour of a map's category, in the order in which the figure names them; `not installed` has its own. */
const char *category_colour(const char *label, int index);

/* Whether a cell of a map is of this category: a legend speaks of what is drawn. */
bool curves_have_category(const PanelCurves *curves, double category);

/* `with ...` of a curve; its line or its marker alone. */
void curve_style(Text *script, const Curve *curve);
void curve_line_style(Text *script, const Curve *curve);
void curve_point_style(Text *script, const Curve *curve);
bool curve_has_markers(const Curve *curve);

/* False: out of memory. */
bool legend_add_panel(Legend *legend, const Panel *panel, const PanelCurves *curves);

bool legend_add_legend(Legend *legend, const Legend *other);
void legend_lay_out(Legend *legend, double width);
void legend_clear(Legend *legend);

/* After the panels: axes that count the figure's pixels, for all legends. */
void legends_open(Text *script, double width, double height);
void legend_script(Text *script, const Legend *legend, double left, double top);

#endif
