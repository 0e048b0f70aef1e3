/* SPDX-License-Identifier: MIT */
/* Legends are laid out here, entry by entry: gnuplot's own key guesses widths, and drops what it thinks does not fit.
 * Samples are drawn by one plot over the whole figure, whose axes count its pixels. */
#include "reports/draw/draw.h"
#include "reports/draw/text_width.h"
#include "reports/draw/typeset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* px: of a sample, from it to its text, between entries, above the first line. */
static const double SAMPLE = 34.0, GAP = 8.0, BETWEEN = 26.0, ABOVE = 8.0;

static const char *entry_label(const LegendEntry *entry)
{
    return entry->curve ? entry->curve->label : entry->category;
}

static bool legend_add(Legend *legend, LegendEntry entry)
{
    for (int i = 0; i < legend->count; i++)
        if (strcmp(entry_label(&legend->entries[i]), entry_label(&entry)) == 0) {
            if (!legend->entries[i].marker)
                legend->entries[i].marker = entry.marker;
            if (entry.curve && entry.curve->kind == PANEL_LINES && legend->entries[i].curve)
                legend->entries[i].curve = entry.curve;
            return true;
        }
    LegendEntry *grown = realloc(legend->entries, sizeof *grown * (size_t)(legend->count + 1));
    if (!grown)
        return false;
    legend->entries = grown;
    legend->entries[legend->count++] = entry;
    return true;
}

bool curves_have_category(const PanelCurves *curves, double category)
{
    bool found = false;
    for (int k = 0; k < curves->count; k++) {
        const Curve *curve = &curves->curves[k];
        bool cells = curve->kind == PANEL_MAP || curve->kind == PANEL_IMAGE;
        for (int i = 0; i < curve->count && cells && !found; i++)
            found = fabs(curve->points[i].z - category) < 1e-6;
    }
    return found;
}

bool legend_add_panel(Legend *legend, const Panel *panel, const PanelCurves *curves)
{
    bool ok = true;
    const char *key;
    json_t *label;
    int colour = 0;
    for (int k = 0; ok && k < curves->count; k++) {
        const Curve *curve = &curves->curves[k];
        if (curve_is_named(curve) && curve->kind != PANEL_MAP && curve->kind != PANEL_IMAGE)
            ok = legend_add(legend, (LegendEntry){.curve = curve, .marker = curve_has_markers(curve) ? curve : NULL});
    }
    json_object_foreach (panel->z.labels, key, label) {
        const char *text = json_string_value(label);
        LegendEntry entry = {.category = text, .colour = category_colour(text, colour++)};
        if (ok && curves_have_category(curves, strtod(key, NULL)))
            ok = legend_add(legend, entry);
    }
    return ok;
}

bool legend_add_legend(Legend *legend, const Legend *other)
{
    bool ok = true;
    for (int i = 0; ok && i < other->count; i++)
        ok = legend_add(legend, other->entries[i]);
    return ok;
}

static double entry_width(const LegendEntry *entry)
{
    return SAMPLE + GAP + label_width(entry_label(entry), FONT);
}

NamePlace legend_name_place(const PanelDrawing *drawing, const LegendEntry *entry)
{
    return (NamePlace){entry->curve, drawing->legend_left + entry->x, drawing->legend_top + entry->y,
                       entry_width(entry)};
}

/* Centred in one row, each as wide as it is; false: they need more. */
static bool legend_fill_row(Legend *legend, double width)
{
    double total = -BETWEEN;
    for (int i = 0; i < legend->count; i++)
        total += entry_width(&legend->entries[i]) + BETWEEN;
    double x = 0.5 * (width - total);
    for (int i = 0; i < legend->count; i++) {
        legend->entries[i].x = x;
        legend->entries[i].y = ABOVE + 0.5 * LINE;
        x += entry_width(&legend->entries[i]) + BETWEEN;
    }
    return total <= width;
}

/* Columns of one width, so that entries stand below each other; rows of even length. */
static int legend_fill_columns(Legend *legend, double width)
{
    double widest = 0.0;
    for (int i = 0; i < legend->count; i++)
        widest = fmax(widest, entry_width(&legend->entries[i]));
    int columns = (int)((width + BETWEEN) / (widest + BETWEEN));
    columns = columns < 1 ? 1 : columns;
    int rows = (legend->count + columns - 1) / columns;
    columns = (legend->count + rows - 1) / rows;
    double left = fmax(0.5 * (width - columns * (widest + BETWEEN) + BETWEEN), 0.0);
    for (int i = 0; i < legend->count; i++) {
        legend->entries[i].x = left + (i % columns) * (widest + BETWEEN);
        legend->entries[i].y = ABOVE + LINE * (i / columns) + 0.5 * LINE;
    }
    return rows;
}

void legend_lay_out(Legend *legend, double width)
{
    int rows = legend->count == 0 ? 0 : legend_fill_row(legend, width) ? 1 : legend_fill_columns(legend, width);
    legend->height = rows > 0 ? ABOVE + LINE * rows + 6.0 : 0.0;
}

void legend_clear(Legend *legend)
{
    free(legend->entries);
    *legend = (Legend){0};
}

void legends_open(Text *script, double width, double height)
{
    text_add(script,
             "unset label\nunset arrow\nunset object\nunset xlabel\nunset ylabel\nunset logscale\nunset tics\n");
    text_add(script, "unset border\nunset grid\nunset colorbox\nset xrange [0:%.0f]\nset yrange [%.0f:0]\n", width,
             height);
    text_add(script, "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at "
                     "screen 1\n");
}

/* Samples as gnuplot reads them: blocks of data by number, and the plot that names them. */
typedef struct Samples {
    Text data, plot;
    int count;
} Samples;

/* One more sample: its numbers, then the columns that are used; a style must follow. */
static void samples_add(Samples *samples, const char *columns, const char *numbers)
{
    text_add(&samples->data, "$legend%d << EOD\n%s\nEOD\n", samples->count, numbers);
    text_add(&samples->plot, "%s$legend%d using %s ", samples->count ? ", \\\n  " : "plot ", samples->count, columns);
    samples->count++;
}

/* A line of two points, its marker in the middle; a bar or a cell as a box. */
static void entry_script(Samples *samples, const LegendEntry *entry, double x, double y)
{
    const Curve *curve = entry->curve;
    double middle = x + 0.5 * SAMPLE;
    char numbers[160];
    if (!curve || curve->kind == PANEL_BARS) {
        snprintf(numbers, sizeof numbers, "%.2f %.2f %.2f %.2f %.2f %.2f", middle, y, x + 6.0, x + SAMPLE - 6.0,
                 y - 6.0, y + 6.0);
        samples_add(samples, "1:2:3:4:5:6", numbers);
        text_add(&samples->plot, "with boxxyerror lc rgb '%s' fs solid %s noborder notitle",
                 curve ? curve->look.colour : entry->colour, curve ? "0.85" : "1");
        return;
    }
    if (curve->kind == PANEL_ARROWS) {
        snprintf(numbers, sizeof numbers, "%.2f %.2f %.2f 0", x, y, SAMPLE);
        samples_add(samples, "1:2:3:4", numbers);
        curve_style(&samples->plot, curve);
        text_add(&samples->plot, " notitle");
        return;
    }
    if (curve->kind == PANEL_LINES) {
        snprintf(numbers, sizeof numbers, "%.2f %.2f\n%.2f %.2f", x, y, x + SAMPLE, y);
        samples_add(samples, "1:2", numbers);
        curve_line_style(&samples->plot, curve);
        text_add(&samples->plot, " notitle");
    }
    if (entry->marker) {
        snprintf(numbers, sizeof numbers, "%.2f %.2f", middle, y);
        samples_add(samples, "1:2", numbers);
        curve_point_style(&samples->plot, entry->marker);
        text_add(&samples->plot, " notitle");
    }
}

void legend_script(Text *script, const Legend *legend, double left, double top)
{
    Samples samples = {0};
    for (int i = 0; i < legend->count; i++) {
        const LegendEntry *entry = &legend->entries[i];
        double x = left + entry->x, y = top + entry->y;
        text_add(script, "set label '");
        typeset_gnuplot(script, entry_label(entry));
        text_add(script, "' at first %.2f, first %.2f left tc rgb '#222222'\n", x + SAMPLE + GAP, y);
        entry_script(&samples, entry, x, y);
    }
    if (samples.count > 0)
        text_add(script, "%s%s\nunset label\n", samples.data.data, samples.plot.data);
    script->failed = script->failed || samples.data.failed || samples.plot.failed;
    free(samples.data.data);
    free(samples.plot.data);
}
