/* SPDX-License-Identifier: MIT */
/* One panel: its axes, its data blocks and its plot command. */
#include "reports/draw/draw.h"
#include "reports/draw/levels.h"
#include "reports/draw/typeset.h"
#include "reports/html/colours.h"

#include <stdlib.h>
#include <string.h>

/* px from the frame to the middle of the axes' labels. */
static const double X_LABEL = 48.0, Y_LABEL = 82.0, Z_LABEL = 92.0, TITLE = 20.0;

/* Not in a map, whose cells that are empty would show it. */
static const char GRID[] = "set grid xtics ytics back lt 1 lc rgb '#e2e2e2' lw 1, lt 1 lc rgb '#e2e2e2' lw 1";

/* A curve has about so many markers, however many points. */
enum { MARKERS = 12 };

/* Of categories in a map, in the order in which the figure names them: the first three from light to dark, so that they
 * differ in grey too, then what says nothing. */
static const char *const CATEGORY_COLOURS[] = {"#BFD9EA", "#D55E00", "#4A1030", "#E6E6E6", "#009E73", "#0072B2"};

const char *category_colour(const char *label, int index)
{
    if (strcmp(label, "not installed") == 0)
        return "#A9A9A9";
    return CATEGORY_COLOURS[index % (int)(sizeof CATEGORY_COLOURS / sizeof CATEGORY_COLOURS[0])];
}

bool panel_has_map(const PanelCurves *curves)
{
    for (int i = 0; i < curves->count; i++)
        if (curves->curves[i].kind == PANEL_MAP || curves->curves[i].kind == PANEL_IMAGE)
            return true;
    return false;
}

bool curve_has_markers(const Curve *curve)
{
    return curve->kind == PANEL_POINTS || (curve->kind == PANEL_LINES && !curve->plain && !curve_is_band(curve));
}

void curve_line_style(Text *script, const Curve *curve)
{
    const Look *look = &curve->look;
    if (curve_is_band(curve))
        text_add(script, "with lines lc rgb '%s' lw 8 dt solid", curve_colour(curve));
    else
        text_add(script, "with lines lc rgb '%s' lw 2.2 dt %s", look->colour, look->dash);
}

/* Points without a line are as small as letters: larger, stronger, and as dark as text. */
void curve_point_style(Text *script, const Curve *curve)
{
    bool alone = curve->kind == PANEL_POINTS;
    char ink[8];
    look_ink(&curve->look, ink);
    text_add(script, "with points lc rgb '%s' pt %d ps %g*POINT lw %g", alone ? ink : curve->look.colour,
             curve->look.point, alone ? 1.1 : 1.0, alone ? 1.8 : 1.0);
}

void curve_style(Text *script, const Curve *curve)
{
    const Look *look = &curve->look;
    int interval = curve->count > 3 * MARKERS ? curve->count / MARKERS : 1;
    if (curve->kind == PANEL_BARS)
        text_add(script, "with boxes lc rgb '%s' fs solid 0.85 border lc rgb '#333333'", look->colour);
    else if (curve->kind == PANEL_ARROWS && curve->plain)
        text_add(script, "with vectors nohead lc rgb '%s' lw 1.5", look->colour);
    else if (curve->kind == PANEL_ARROWS)
        text_add(script, "with vectors filled head size screen 0.012,20 lc rgb '%s' lw 2.2", look->colour);
    else if (curve->kind == PANEL_POINTS)
        curve_point_style(script, curve);
    else if (!curve_has_markers(curve))
        curve_line_style(script, curve);
    else
        text_add(script, "with linespoints lc rgb '%s' lw 2.2 dt %s pt %d ps POINT pi %d", look->colour, look->dash,
                 look->point, interval);
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different x (or y) of a map in ascending order; to be freed. */
static double *map_values(const Curve *curve, bool x, int *count)
{
    double *values = malloc(sizeof *values * (size_t)(curve->count + 1));
    for (int i = 0; values && i < curve->count; i++)
        values[i] = x ? curve->points[i].x : curve->points[i].y;
    *count = 0;
    if (!values)
        return NULL;
    qsort(values, (size_t)curve->count, sizeof *values, number_order);
    for (int i = 0; i < curve->count; i++)
        if (*count == 0 || values[i] - values[*count - 1] > 1e-9 * fabs(values[i]))
            values[(*count)++] = values[i];
    return values;
}

/* The cell of a value reaches half way to its neighbours; alone it has a width of its own. */
static void map_cell(const double *values, int count, double value, bool logarithmic, double cell[2])
{
    int at = 0;
    while (at + 1 < count && values[at] < value - 1e-9 * fabs(value))
        at++;
    double here = logarithmic ? log(value) : value, step[2];
    for (int side = 0; side < 2; side++) {
        int next = side ? at + 1 : at - 1;
        bool there = next >= 0 && next < count;
        step[side] = there ? 0.5 * fabs((logarithmic ? log(values[next]) : values[next]) - here) : NAN;
    }
    for (int side = 0; side < 2; side++)
        step[side] = isnan(step[side]) ? step[1 - side] : step[side];
    for (int side = 0; side < 2; side++) {
        double edge = here + (side ? 1 : -1) * (isnan(step[side]) ? 0.5 : step[side]);
        cell[side] = logarithmic ? exp(edge) : edge;
    }
}

bool map_edges(const Curve *curve, bool x, bool logarithmic, double edges[2])
{
    int count;
    double *values = map_values(curve, x, &count), cell[2];
    if (!values || count == 0) {
        free(values);
        return false;
    }
    for (int side = 0; side < 2; side++) {
        double value = values[side ? count - 1 : 0];
        map_cell(values, count, value, logarithmic, cell);
        edges[side] = curve->kind == PANEL_IMAGE ? value + side - 0.5 : cell[side];
    }
    free(values);
    return true;
}

static void map_data(Text *script, const PanelDrawing *drawing, const Curve *curve)
{
    int nx, ny;
    double *xs = map_values(curve, true, &nx), *ys = map_values(curve, false, &ny);
    for (int i = 0; xs && ys && i < curve->count; i++) {
        const CurvePoint *p = &curve->points[i];
        double x[2] = {p->x - 0.5, p->x + 0.5}, y[2] = {p->y - 0.5, p->y + 0.5};
        if (curve->kind == PANEL_MAP) {
            map_cell(xs, nx, p->x, drawing->x.log, x);
            map_cell(ys, ny, p->y, drawing->y.log, y);
        }
        text_add(script, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", p->x, p->y, x[0], x[1], y[0], y[1], p->z);
    }
    free(xs);
    free(ys);
}

static void curve_data(Text *script, const PanelDrawing *drawing, int index)
{
    const Curve *curve = &drawing->curves->curves[index];
    int n = drawing->curves->count;
    double width = 0.8 / n;
    text_add(script, "$p%dc%d << EOD\n", drawing->index, index);
    if (curve->kind == PANEL_MAP || curve->kind == PANEL_IMAGE)
        map_data(script, drawing, curve);
    else
        for (int i = 0; i < curve->count; i++) {
            const CurvePoint *p = &curve->points[i];
            double x = curve->kind == PANEL_BARS ? p->x + (index - 0.5 * (n - 1)) * width : p->x;
            text_add(script, "%.9g %.9g", x, p->y);
            if (curve->kind == PANEL_ARROWS)
                text_add(script, " %.9g %.9g", p->z, p->dy);
            text_add(script, "\n");
        }
    text_add(script, "EOD\n");
}

static void map_plot(Text *script, const PanelDrawing *drawing, int index, const char **comma)
{
    const json_t *labels = drawing->panel->z.labels;
    const char *key;
    json_t *label;
    int i = 0;
    if (json_object_size(labels) == 0) {
        bool coloured = drawing->panel->z.field != NULL;
        text_add(script, "%s$p%dc%d using 1:2:3:4:5:6%s with boxxyerror %s fs solid 1 noborder notitle", *comma,
                 drawing->index, index, coloured ? ":7" : "", coloured ? "lc palette" : "lc rgb '#0072B2'");
        *comma = ", \\\n  ";
        return;
    }
    /* A cell of another category has no x: a NaN edge would be drawn, up to the frame. */
    const char *border = drawing->curves->y.count > 0 ? "border lc rgb '#ffffff'" : "noborder";
    json_object_foreach ((json_t *)labels, key, label) {
        text_add(script,
                 "%s$p%dc%d using (abs($7-(%.17g))<1e-6?$1:NaN):2:3:4:5:6 with boxxyerror lc rgb '%s' fs solid 1 "
                 "%s notitle",
                 *comma, drawing->index, index, strtod(key, NULL), category_colour(json_string_value(label), i),
                 border);
        *comma = ", \\\n  ";
        i++;
    }
}

static void curve_plot(Text *script, const PanelDrawing *drawing, int index, const char **comma)
{
    const Curve *curve = &drawing->curves->curves[index];
    if (curve->kind == PANEL_MAP || curve->kind == PANEL_IMAGE) {
        map_plot(script, drawing, index, comma);
        return;
    }
    if (curve->truth && !curve_is_band(curve)) {
        /* Over a map: a light rim keeps the line apart from dark cells. */
        text_add(script, "%s$p%dc%d using 1:2 with lines lc rgb '#FFFFFF' lw 5 notitle", *comma, drawing->index, index);
        *comma = ", \\\n  ";
    }
    text_add(script, "%s$p%dc%d using 1:2%s ", *comma, drawing->index, index,
             curve->kind == PANEL_ARROWS ? ":3:4" : "");
    curve_style(script, curve);
    text_add(script, " notitle");
    *comma = ", \\\n  ";
}

/* What is exact is a wide pale band below what is measured; over a map it is a line. */
static void panel_plot(Text *script, const PanelDrawing *drawing)
{
    const char *comma = "";
    const PanelCurves *curves = drawing->curves;
    text_add(script, "plot ");
    levels_plot(script, drawing, &comma);
    for (int layer = 0; layer < 3; layer++)
        for (int i = 0; i < curves->count; i++)
            if (layer == (curve_is_band(&curves->curves[i]) ? 0 : curves->curves[i].truth ? 2 : 1))
                curve_plot(script, drawing, i, &comma);
    text_add(script, "\n");
}

static void colourbox_script(Text *script, const PanelDrawing *drawing)
{
    const PanelFrame *f = &drawing->frame;
    if (!panel_has_map(drawing->curves) || !drawing->panel->z.field || json_object_size(drawing->panel->z.labels) > 0) {
        text_add(script, "unset colorbox\n");
        return;
    }
    text_add(script, "set palette defined (");
    for (int i = 0; i < RAMP_STOPS; i++)
        text_add(script, "%s%d '%s'", i > 0 ? ", " : "", i, RAMP[i]);
    text_add(script, ")\n");
    text_add(script, "set colorbox vertical user origin screen %.5f,%.5f size screen %.5f,%.5f noborder\n",
             (f->right + 12.0) / drawing->width, 1.0 - f->bottom / drawing->height, 14.0 / drawing->width,
             (f->bottom - f->top) / drawing->height);
    axis_script(script, &drawing->panel->z, &drawing->z, "cb", f->bottom - f->top, drawing->curves, TURN_FLAT);
    axis_label_script(script, &drawing->panel->z, &drawing->z, (f->right + Z_LABEL) / drawing->width,
                      1.0 - 0.5 * (f->top + f->bottom) / drawing->height, true);
}

bool panel_script(Text *script, const PanelDrawing *drawing, Status *status)
{
    const PanelFrame *f = &drawing->frame;
    const Panel *panel = drawing->panel;
    for (int i = 0; i < drawing->curves->count; i++)
        curve_data(script, drawing, i);
    if (!levels_data(script, drawing, status))
        return false;
    text_add(script, "unset label\nunset arrow\nunset object\nunset key\n");
    text_add(script, "%s\n", panel_has_map(drawing->curves) ? "unset grid" : GRID);
    text_add(script, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", f->left / drawing->width,
             f->right / drawing->width);
    text_add(script, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1.0 - f->top / drawing->height,
             1.0 - f->bottom / drawing->height);
    if (panel->title) {
        text_add(script, "set label '{/:Bold ");
        typeset_gnuplot(script, panel->title);
        text_add(script, "}' at screen %.5f, screen %.5f left tc rgb '#222222'\n", f->left / drawing->width,
                 1.0 - (f->top - TITLE) / drawing->height);
    }
    double middle_x = 0.5 * (f->left + f->right), middle_y = 0.5 * (f->top + f->bottom);
    axis_script(script, &panel->x, &drawing->x, "x", f->right - f->left, drawing->curves, drawing->turn);
    axis_script(script, &panel->y, &drawing->y, "y", f->bottom - f->top, drawing->curves, TURN_FLAT);
    axis_label_script(script, &panel->x, &drawing->x, middle_x / drawing->width,
                      1.0 - (f->bottom + X_LABEL + drawing->names_below) / drawing->height, false);
    axis_label_script(script, &panel->y, &drawing->y, (f->left - Y_LABEL - drawing->names_left) / drawing->width,
                      1.0 - middle_y / drawing->height, true);
    colourbox_script(script, drawing);
    if (drawing->labels_at_curves)
        labels_script(script, drawing);
    slopes_script(script, drawing);
    if (!marks_script(script, drawing, status))
        return false;
    panel_plot(script, drawing);
    return true;
}
