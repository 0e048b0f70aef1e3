/* SPDX-License-Identifier: MIT */
/* Ranges and tics. Tics of logarithmic axes are set here: powers of two where the data are such, decades as
 * superscripts, and 1, 2, 5 where there are few decades. */
#include "reports/draw/draw.h"
#include "reports/draw/text_width.h"
#include "reports/draw/typeset.h"

#include <stdlib.h>

/* Room around the data, as a part of the axis. */
static const double PADDING = 0.04;

double range_part(const Range *range, double value)
{
    double part = range->log ? log(value / range->min) / log(range->max / range->min)
                             : (value - range->min) / (range->max - range->min);
    return range->reversed ? 1.0 - part : part;
}

static void range_include(Range *range, double value)
{
    range->min = fmin(range->min, value);
    range->max = fmax(range->max, value);
}

static void range_pad(Range *range)
{
    if (range->log) {
        double pad = pow(range->max / range->min, PADDING);
        pad = pad > 1.0 ? pad : 2.0;
        range->min /= pad;
        range->max *= pad;
        return;
    }
    double width = range->max - range->min;
    /* What begins near zero is shown from zero. */
    bool from_zero = range->min >= 0.0 && range->min < 0.3 * range->max;
    width = width > 0.0 ? width : fmax(fabs(range->max), 1.0);
    range->max += PADDING * width;
    range->min = from_zero ? 0.0 : range->min - PADDING * width;
}

/* A map reaches to the edges of its outermost cells. */
static bool range_of_cells(Range *range, const PanelCurves *curves, int which)
{
    bool cells = false;
    for (int i = 0; i < curves->count && which < 2; i++) {
        double edges[2];
        if ((curves->curves[i].kind != PANEL_MAP && curves->curves[i].kind != PANEL_IMAGE) ||
            !map_edges(&curves->curves[i], which == 0, range->log, edges))
            continue;
        range_include(range, edges[0]);
        range_include(range, edges[1]);
        cells = true;
    }
    return cells;
}

Range range_from_curves(const Axis *axis, const PanelCurves *curves, int which)
{
    Range range = {INFINITY, -INFINITY, axis->log, axis->reversed};
    for (int i = 0; i < curves->count; i++) {
        const Curve *curve = &curves->curves[i];
        for (int k = 0; k < curve->count && !curve->truth; k++) {
            const CurvePoint *p = &curve->points[k];
            bool arrow = curve->kind == PANEL_ARROWS;
            if (which == 2 && curve->kind != PANEL_MAP && curve->kind != PANEL_IMAGE)
                continue;
            range_include(&range, which == 0 ? p->x : which == 1 ? p->y : p->z);
            if (arrow && which < 2)
                range_include(&range, which == 0 ? p->x + p->z : p->y + p->dy);
            if (curve->kind == PANEL_BARS && which == 1 && !axis->log)
                range_include(&range, 0.0);
        }
    }
    if (!(range.min <= range.max))
        range.min = 0.0, range.max = 1.0;
    if (which == 2 && range.min == range.max)
        range.max += 1.0;
    if (which < 2 && !range_of_cells(&range, curves, which))
        range_pad(&range);
    if (axis->floor > 0.0 && range.log && range.min < axis->floor)
        range.min = axis->floor / pow(range.max / axis->floor, PADDING);
    range.min = isnan(axis->min) ? range.min : axis->min;
    range.max = isnan(axis->max) ? range.max : axis->max;
    return range;
}

static void tic_add(Text *script, double value, int *count)
{
    int exponent = (int)floor(log10(value) + 1e-9);
    double mantissa = value / pow(10.0, exponent);
    text_add(script, "%s", *count ? ", " : "");
    if (exponent >= -2 && exponent <= 3)
        text_add(script, "'%g' %.17g", value, value);
    else if (fabs(mantissa - 1.0) < 1e-6)
        text_add(script, "'10^{%s%d}' %.17g", exponent < 0 ? "−" : "", abs(exponent), value);
    else
        text_add(script, "'%.3g·10^{%s%d}' %.17g", mantissa, exponent < 0 ? "−" : "", abs(exponent), value);
    ++*count;
}

static bool power_of_two(double value)
{
    double exponent = log2(value);
    return value > 0.0 && fabs(exponent - round(exponent)) < 1e-9;
}

static bool all_powers_of_two(const PanelCurves *curves, int which)
{
    for (int i = 0; i < curves->count; i++)
        for (int k = 0; k < curves->curves[i].count && !curves->curves[i].truth; k++)
            if (!power_of_two(which == 0 ? curves->curves[i].points[k].x : curves->curves[i].points[k].y))
                return false;
    return true;
}

/* At most so many tics on an axis, so that their labels keep apart. */
static int tics_most(const char *name, double pixels)
{
    return (int)(pixels / (name[0] == 'x' ? 55.0 : 36.0)) + 1;
}

static void tics_log(Text *script, const Range *range, const char *name, double pixels, bool twos)
{
    int most = tics_most(name, pixels), count = 0;
    double decades = log10(range->max / range->min);
    text_add(script, "set %stics (", name);
    if (twos && decades < 4.0) {
        int step = (int)ceil((decades / log10(2.0) + 1.0) / most);
        int first = (int)ceil(log2(range->min) / step - 1e-9) * step;
        for (int k = first; exp2(k) <= range->max * (1 + 1e-9); k += step)
            tic_add(script, exp2(k), &count);
    } else {
        static const double FEW[] = {1.0, 2.0, 5.0};
        int each = decades < 1.7 ? 3 : 1;
        int step = (int)ceil((decades + 1.0) / most);
        step = step < 1 ? 1 : step;
        int first = (int)floor(log10(range->min) / step) * step;
        for (int k = first; pow(10.0, k) <= range->max; k += step)
            for (int m = 0; m < each; m++) {
                double value = FEW[m] * pow(10.0, k);
                if (value >= range->min * (1 - 1e-9) && value <= range->max * (1 + 1e-9))
                    tic_add(script, value, &count);
            }
    }
    text_add(script, ")\n");
}

static void category_name(Text *name, const Axis *axis, const char *category)
{
    const char *label = json_string_value(json_object_get(axis->labels, category));
    if (label)
        text_add(name, "%s", label);
    else
        typeset_name(name, category);
}

double categories_widest(const Axis *axis, const Categories *categories)
{
    double widest = 0.0;
    for (int i = 0; i < categories->count; i++) {
        Text name = {0};
        category_name(&name, axis, categories->names[i]);
        widest = fmax(widest, label_width(name.failed ? "" : name.data, FONT));
        free(name.data);
    }
    return widest;
}

double categories_overhang(const Axis *axis, const Categories *categories, double pixels, double room)
{
    static const double ALONG = 0.906, ACROSS = 0.423; /* cos and sin of 25 degrees */
    double half = 0.5 / categories->count;             /* of a category, of what is left for all of them */
    double wide = ALONG * categories_widest(axis, categories) + ACROSS * FONT;
    return fmax((wide - room - half * pixels) / (1.0 - half), 0.0);
}

CategoryTurn categories_turn(const Axis *axis, const Categories *categories, double pixels, double room)
{
    int count = categories->count;
    if (count == 0 || categories_widest(axis, categories) <= pixels / count - 6.0)
        return TURN_FLAT;
    double left = pixels - categories_overhang(axis, categories, pixels, room);
    return CATEGORY_SLANT * left / count < FONT ? TURN_UPRIGHT : TURN_SLANTED;
}

static void tics_categories(Text *script, const Axis *axis, const Categories *categories, const char *axis_name,
                            CategoryTurn turn)
{
    text_add(script, "set %stics (", axis_name);
    for (int i = 0; i < categories->count; i++) {
        Text name = {0};
        category_name(&name, axis, categories->names[i]);
        text_add(script, i ? ", '" : "'");
        typeset_gnuplot_tic(script, name.failed ? "" : name.data);
        text_add(script, "' %d", i);
        free(name.data);
    }
    static const char *const TURNS[] = {" norotate", " rotate by -25 left", " rotate by 90 right"};
    text_add(script, ")%s\n", TURNS[turn]);
}

/* 1, 2 or 5 times a power of ten, so that no more than `most` steps fill the range. */
static double nice_step(double width, int most)
{
    double decade = pow(10.0, floor(log10(width / most))), step = decade;
    while (width / step > most)
        step = step < 1.5 * decade ? 2.0 * decade : step < 3.0 * decade ? 5.0 * decade : 10.0 * decade;
    return step;
}

/* Numbers that would need many digits are shown over a power of ten, which stands with the unit; 0: as they are. */
static int range_exponent(const Range *range)
{
    double largest = fmax(fabs(range->min), fabs(range->max));
    bool long_numbers = largest >= 1e5 || range->min <= -1e4;
    return !range->log && (long_numbers || largest < 2e-3) ? (int)floor(log10(largest)) : 0;
}

static void tics_linear(Text *script, const Range *range, const char *name, double pixels)
{
    int most = (int)(pixels / (name[0] == 'x' ? 56.0 : 45.0)) + 1, count = 0;
    double step = nice_step(range->max - range->min, most < 8 ? most : 8), scale = pow(10.0, range_exponent(range));
    text_add(script, "set %stics (", name);
    for (double k = ceil(range->min / step - 1e-9); k * step <= range->max + 1e-9 * step; k++, count++)
        text_add(script, "%s'%s%.6g' %.12g", count ? ", " : "", k < 0.0 ? "−" : "", fabs(k * step / scale), k * step);
    text_add(script, ") norotate\n");
}

/* Label and unit. */
static void axis_text(Text *script, const Axis *axis, const Range *range)
{
    int exponent = range_exponent(range);
    typeset_gnuplot(script, axis->label);
    if (!axis->unit && exponent == 0)
        return;
    text_add(script, axis->label[0] ? "  [" : "[");
    if (exponent != 0)
        text_add(script, "10^{%s%d}%s", exponent < 0 ? "−" : "", abs(exponent), axis->unit ? " " : "");
    typeset_gnuplot(script, axis->unit ? axis->unit : "");
    text_add(script, "]");
}

void axis_label_script(Text *script, const Axis *axis, const Range *range, double x, double y, bool upright)
{
    text_add(script, "set label '");
    axis_text(script, axis, range);
    text_add(script, "' at screen %.5f, screen %.5f center%s tc rgb '#222222'\n", x, y, upright ? " rotate by 90" : "");
}

void axis_script(Text *script, const Axis *axis, const Range *range, const char *name, double pixels,
                 const PanelCurves *curves, CategoryTurn turn)
{
    bool x = name[0] == 'x';
    text_add(script, "unset logscale %s\n", name);
    /* Not gnuplot's `reverse`: it turns autoscaled axes only. Before the logarithm, which warns of a negative range. */
    text_add(script, "set %srange [%.17g:%.17g]\n", name, range->reversed ? range->max : range->min,
             range->reversed ? range->min : range->max);
    if (range->log)
        text_add(script, "set logscale %s\n", name);
    const Categories *categories = x ? &curves->x : &curves->y;
    if (name[0] != 'c' && categories->count > 0)
        tics_categories(script, axis, categories, name, turn);
    else if (range->log)
        tics_log(script, range, name, pixels, name[0] != 'c' && all_powers_of_two(curves, x ? 0 : 1));
    else
        tics_linear(script, range, name, pixels);
}
