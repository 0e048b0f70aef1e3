/* SPDX-License-Identifier: MIT */
/* What stands beside the curves: labels at their ends, slope triangles, the round-off floor, and marks. */
#include "bench/fits/fit.h"
#include "reports/draw/draw.h"
#include "reports/draw/text_width.h"
#include "reports/draw/typeset.h"

#include <stdlib.h>
#include <string.h>

/* A label may stand this far, in lines, from where its curve ends, and still be read as its curve's. */
static const double SHIFT = 1.2;

/* Labels at the ends need the ends to be at the right: within this part of the axis. */
static const double AT_THE_RIGHT = 0.94;

/* px from the frame to a label: 0.7 of a character, as gnuplot counts them. */
static const double BEFORE_LABEL = 6.0;

typedef struct EndLabel {
    const Curve *curve;
    double wanted, at; /* px from the top of the frame */
} EndLabel;

static int end_order(const void *a, const void *b)
{
    double x = ((const EndLabel *)a)->wanted, y = ((const EndLabel *)b)->wanted;
    return (x > y) - (x < y);
}

/* The labels from top to bottom, pushed apart; false: they do not fit. `ends` has room for all curves. */
static bool ends_place(const PanelDrawing *drawing, EndLabel *ends)
{
    double height = drawing->frame.bottom - drawing->frame.top;
    int n = drawing->curves->count;
    for (int i = 0; i < n; i++) {
        const Curve *curve = &drawing->curves->curves[i];
        if (curve->count == 0 || !curve_is_named(curve))
            return false;
        const CurvePoint *last = &curve->points[curve->count - 1];
        double y = range_part(&drawing->y, last->y);
        if (range_part(&drawing->x, last->x) < AT_THE_RIGHT || y < -0.01 || y > 1.01)
            return false;
        ends[i] = (EndLabel){curve, height * (1.0 - y), height * (1.0 - y)};
    }
    qsort(ends, (size_t)n, sizeof *ends, end_order);
    for (int pass = 0; pass < 50; pass++)
        for (int i = 0; i + 1 < n; i++) {
            double overlap = LINE - (ends[i + 1].at - ends[i].at);
            if (overlap > 0.0) {
                ends[i].at -= 0.5 * overlap;
                ends[i + 1].at += 0.5 * overlap;
            }
        }
    for (int i = 0; i < n; i++)
        if (fabs(ends[i].at - ends[i].wanted) > SHIFT * LINE || ends[i].at < -LINE || ends[i].at > height + LINE ||
            (i + 1 < n && ends[i + 1].at - ends[i].at < 0.8 * LINE))
            return false;
    return true;
}

double labels_room(const PanelDrawing *drawing)
{
    const PanelCurves *curves = drawing->curves;
    double widest = 0.0;
    for (int i = 0; i < curves->count; i++) {
        PanelKind kind = curves->curves[i].kind;
        if (kind != PANEL_LINES)
            return 0.0;
        widest = fmax(widest, label_width(curves->curves[i].label, FONT));
    }
    if (widest > 0.35 * (drawing->frame.right - drawing->frame.left))
        return 0.0;
    EndLabel *ends = malloc(sizeof *ends * (size_t)(curves->count + 1));
    bool fit = ends && ends_place(drawing, ends);
    free(ends);
    return fit ? widest + 14.0 : 0.0;
}

int labels_places(const PanelDrawing *drawing, NamePlace *names)
{
    int n = drawing->curves->count;
    EndLabel *ends = malloc(sizeof *ends * (size_t)(n + 1));
    bool placed = ends && drawing->labels_at_curves && ends_place(drawing, ends);
    for (int i = 0; i < n && placed; i++)
        names[i] = (NamePlace){ends[i].curve, drawing->frame.right + BEFORE_LABEL, drawing->frame.top + ends[i].at,
                               label_width(ends[i].curve->label, FONT)};
    free(ends);
    return placed ? n : 0;
}

void labels_script(Text *script, const PanelDrawing *drawing)
{
    int n = drawing->curves->count;
    EndLabel *ends = malloc(sizeof *ends * (size_t)(n + 1));
    double height = drawing->frame.bottom - drawing->frame.top;
    if (ends && ends_place(drawing, ends))
        for (int i = 0; i < n; i++) {
            char ink[8];
            look_ink(&ends[i].curve->look, ink);
            text_add(script, "set label '");
            typeset_gnuplot(script, ends[i].curve->label);
            text_add(script, "' at graph 1, graph %.4f left offset character 0.7,0 tc rgb '%s'\n",
                     1.0 - ends[i].at / height, ink);
        }
    free(ends);
}

/* From (x, y) to the line between two points, all as parts of the axes. */
static double segment_distance(const PanelDrawing *drawing, const CurvePoint points[2], double x, double y)
{
    double ax = range_part(&drawing->x, points[0].x) - x, ay = range_part(&drawing->y, points[0].y) - y;
    double dx = range_part(&drawing->x, points[1].x) - x - ax, dy = range_part(&drawing->y, points[1].y) - y - ay;
    double square = dx * dx + dy * dy, along = square > 0.0 ? -(ax * dx + ay * dy) / square : 0.0;
    along = fmin(fmax(along, 0.0), 1.0);
    return hypot(ax + along * dx, ay + along * dy);
}

/* How far a place (as parts of the axes) is from any curve. */
static double clearance(const PanelDrawing *drawing, double x, double y)
{
    double nearest = INFINITY;
    for (int i = 0; i < drawing->curves->count; i++) {
        const Curve *curve = &drawing->curves->curves[i];
        for (int k = 0; k + 1 < curve->count; k++)
            nearest = fmin(nearest, segment_distance(drawing, &curve->points[k], x, y));
    }
    return nearest;
}

typedef struct Triangle {
    double x, y; /* centre, as parts of the axes */
    double room;
    int side; /* +1 above its curve, -1 below; 0: none found */
} Triangle;

/* Beside a stretch of a curve that has the slope, where most room is. */
static Triangle triangle_place(const PanelDrawing *drawing, double slope)
{
    static const double NEAR = 0.3, BESIDE = 0.075;
    Triangle best = {0.5, 0.5, -1.0, 0};
    for (int i = 0; i < drawing->curves->count; i++) {
        const Curve *curve = &drawing->curves->curves[i];
        for (int k = 0; k + 1 < curve->count; k++) {
            const CurvePoint *a = &curve->points[k], *b = &curve->points[k + 1];
            if (fabs(log(b->y / a->y) / log(b->x / a->x) - slope) > NEAR)
                continue;
            double x = 0.5 * (range_part(&drawing->x, a->x) + range_part(&drawing->x, b->x));
            double y = 0.5 * (range_part(&drawing->y, a->y) + range_part(&drawing->y, b->y));
            for (int side = -1; side <= 1; side += 2) {
                double at = y + side * BESIDE * 1.6, room = clearance(drawing, x, at);
                bool inside = x > 0.1 && x < 0.9 && at > 0.12 && at < 0.9;
                if (inside && room > best.room)
                    best = (Triangle){x, at, room, side};
            }
        }
    }
    return best;
}

void slopes_script(Text *script, const PanelDrawing *drawing)
{
    static const double HALF = 0.05; /* of the axis */
    double decades_x = log10(drawing->x.max / drawing->x.min), decades_y = log10(drawing->y.max / drawing->y.min);
    for (int i = 0; i < drawing->panel->slope_count; i++) {
        double slope = drawing->panel->slopes[i], rise = slope * decades_x / decades_y; /* in parts of the axes */
        double half = fmin(HALF, 0.09 / fmax(fabs(rise), 1e-9));
        Triangle t = triangle_place(drawing, slope);
        if (t.side == 0)
            continue;
        double x0 = t.x - half, x1 = t.x + half, y0 = t.y - rise * half, y1 = t.y + rise * half;
        /* The right angle lies away from the curve. */
        bool right = (t.side < 0) == (slope > 0);
        double cx = right ? x1 : x0, cy = right ? y0 : y1;
        text_add(script,
                 "set object polygon from graph %.4f,%.4f to graph %.4f,%.4f to graph %.4f,%.4f to graph %.4f,%.4f "
                 "fs empty border rgb '#333333' lw 1.3 front\n",
                 x0, y0, x1, y1, cx, cy, x0, y0);
        bool low = cy < 0.5 * (y0 + y1);
        text_add(script, "set label '1' at graph %.4f,%.4f center offset 0,%s font FACE.',13' tc rgb '#333333' front\n",
                 t.x, cy, low ? "-0.6" : "0.6");
        text_add(script, "set label '%g' at graph %.4f,%.4f %s offset %s,0 font FACE.',13' tc rgb '#333333' front\n",
                 fabs(slope), cx, 0.5 * (y0 + y1), right ? "left" : "right", right ? "0.4" : "-0.4");
    }
}

/* px: type of a floor's label, from its line to the label's middle, and from the frame's side to the label. */
static const double SMALL = 13.0, OVER_LINE = 10.0, ASIDE = 4.0;

/* Where the label of a line at `value` begins, as a part of the axis: the place along it with most room from curves;
 * the further left, where that is the same. */
static double floor_label_place(const PanelDrawing *drawing, double value, const char *label)
{
    const PanelFrame *f = &drawing->frame;
    double width = f->right - f->left, wide = label_width(label, SMALL) / width, aside = ASIDE / width;
    double y = range_part(&drawing->y, value) + OVER_LINE / (f->bottom - f->top), best = aside, most = -1.0;
    for (double at = aside; at + wide + aside <= 1.0; at += 0.5 * wide) {
        double room = INFINITY;
        for (int k = 0; k <= 4; k++)
            room = fmin(room, clearance(drawing, at + 0.25 * k * wide, y));
        if (room > most + 0.02)
            best = at, most = room;
    }
    return best;
}

static void floor_line_script(Text *script, const PanelDrawing *drawing, double value, const char *label)
{
    text_add(script,
             "set arrow from graph 0, first %.17g to graph 1, first %.17g nohead lc rgb '#777777' dt (2,3) lw 1.2\n",
             value, value);
    text_add(script, "set label '%s' at graph %.4f, first %.17g left offset 0,0.6 font FACE.',13' tc rgb '#555555'\n",
             label, floor_label_place(drawing, value, label), value);
}

static void floor_script(Text *script, const PanelDrawing *drawing)
{
    double floor_value = NAN;
    for (int i = 0; i < drawing->curves->count; i++) {
        const Curve *curve = &drawing->curves->curves[i];
        double x[FIT_MAX_POINTS], y[FIT_MAX_POINTS];
        int n = curve->count < FIT_MAX_POINTS ? curve->count : FIT_MAX_POINTS;
        for (int k = 0; k < n; k++)
            x[k] = curve->points[k].x, y[k] = curve->points[k].y;
        double found = fit_order(x, y, n).floor;
        floor_value = isnan(found) ? floor_value : fmin(found, isnan(floor_value) ? found : floor_value);
    }
    if (!isnan(floor_value))
        floor_line_script(script, drawing, floor_value, "floor");
}

static bool mark_value(const PanelDrawing *drawing, const json_t *value, double *number, Status *status)
{
    *number = NAN;
    if (json_is_number(value))
        *number = json_number_value(value);
    return !json_is_string(value) || figure_value(drawing->figure->data, json_string_value(value), NAN, number, status);
}

static bool mark_script(Text *script, const PanelDrawing *drawing, const json_t *mark, Status *status)
{
    double x, y;
    const char *label = json_string_value(json_object_get(mark, "label"));
    if (!mark_value(drawing, json_object_get(mark, "x"), &x, status) ||
        !mark_value(drawing, json_object_get(mark, "y"), &y, status))
        return false;
    static const char LINE_LOOK[] = "nohead lc rgb '#555555' dt (4,3) lw 1.4";
    bool vertical = !isnan(x) && isnan(y), horizontal = isnan(x) && !isnan(y);
    if (vertical)
        text_add(script, "set arrow from first %.17g, graph 0 to first %.17g, graph 1 %s\n", x, x, LINE_LOOK);
    if (horizontal)
        text_add(script, "set arrow from graph 0, first %.17g to graph 1, first %.17g %s\n", y, y, LINE_LOOK);
    if (!label)
        return true;
    text_add(script, "set label '");
    typeset_gnuplot(script, label);
    text_add(script, "' at ");
    if (vertical) {
        bool left = range_part(&drawing->x, x) > 0.7;
        text_add(script, "first %.17g, graph 0.97 %s offset %s,0", x, left ? "right" : "left", left ? "-0.5" : "0.5");
    } else if (horizontal) {
        bool below = range_part(&drawing->y, y) > 0.93;
        text_add(script, "graph 0.98, first %.17g right offset 0,%s", y, below ? "-0.7" : "0.6");
    } else {
        text_add(script, "first %.17g, first %.17g left offset 0.5,0.4", x, y);
    }
    text_add(script, " font FACE.',14' tc rgb '#333333' front\n");
    return true;
}

bool marks_script(Text *script, const PanelDrawing *drawing, Status *status)
{
    size_t i;
    json_t *mark;
    if (drawing->panel->floor)
        floor_script(script, drawing);
    double least = drawing->panel->y.floor;
    if (least > 0.0 && drawing->y.log && drawing->y.min <= least)
        floor_line_script(script, drawing, least, "round-off");
    json_array_foreach (drawing->panel->marks, i, mark)
        if (!mark_script(script, drawing, mark, status))
            return false;
    return true;
}
