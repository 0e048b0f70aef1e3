/* The whole figure: layout, one legend below all panels, and gnuplot, which draws the same script to SVG, PDF and PNG.
 */
#include "reports/draw.h"
#include "bench/write_file.h"
#include "reports/gnuplot.h"
#include "reports/text_file.h"
#include "reports/typeset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* px */
static const double LEFT = 96.0, RIGHT = 22.0, TOP_TITLE = 42.0, TOP = 18.0, BOTTOM = 64.0, COLOURBOX = 104.0;

typedef struct Layout {
    double width, height, panel_width, panel_height, legend_height;
} Layout;

static Layout layout_of(const Figure *figure)
{
    static const double WIDTHS[] = {960.0, 480.0, 440.0, 400.0}, HEIGHTS[] = {460.0, 370.0, 330.0};
    int c = figure->columns < 4 ? figure->columns : 4, r = figure->rows < 3 ? figure->rows : 3;
    Layout layout = {.panel_width = WIDTHS[c - 1], .panel_height = HEIGHTS[r - 1]};
    if (figure->columns == 1 && figure->rows > 1)
        layout.panel_width = 760.0;
    layout.width = layout.panel_width * figure->columns;
    layout.height = layout.panel_height * figure->rows;
    return layout;
}

/* An entry of the legend: each label once, whatever panels it stands in. */
typedef struct Legend {
    int count;
    const Curve **curves;
    const json_t *categories; /* of a map */
} Legend;

static bool legend_add(Legend *legend, const Curve *curve)
{
    if (!curve->label[0])
        return true;
    for (int i = 0; i < legend->count; i++)
        if (strcmp(legend->curves[i]->label, curve->label) == 0) {
            if (legend->curves[i]->plain && !curve->plain)
                legend->curves[i] = curve; /* where it has markers, the legend shows them */
            return true;
        }
    const Curve **grown = realloc(legend->curves, sizeof *grown * (size_t)(legend->count + 1));
    if (!grown)
        return false;
    legend->curves = grown;
    legend->curves[legend->count++] = curve;
    return true;
}

static double legend_widest(const Legend *legend)
{
    double widest = 40.0;
    const char *key;
    json_t *label;
    for (int i = 0; i < legend->count; i++)
        widest = fmax(widest, label_width(legend->curves[i]->label));
    json_object_foreach ((json_t *)legend->categories, key, label)
        widest = fmax(widest, label_width(json_string_value(label)));
    return widest;
}

static int legend_columns(const Legend *legend, double width)
{
    int entries = legend->count + (int)json_object_size(legend->categories);
    int columns = (int)(width / (legend_widest(legend) + 75.0));
    columns = columns < 1 ? 1 : columns;
    /* Rows of even length. */
    int rows = (entries + columns - 1) / columns;
    return rows > 0 ? (entries + rows - 1) / rows : 1;
}

static double legend_height(const Legend *legend, double width)
{
    int entries = legend->count + (int)json_object_size(legend->categories), columns = legend_columns(legend, width);
    return entries ? LINE * ((entries + columns - 1) / columns) + 14.0 : 0.0;
}

static void legend_script(Text *script, const Legend *legend, const Layout *layout)
{
    const char *comma = "", *key;
    json_t *label;
    int i = 0;
    if (layout->legend_height == 0.0)
        return;
    text_add(script,
             "unset label\nunset arrow\nunset object\nunset xlabel\nunset ylabel\nunset logscale\nunset tics\n");
    text_add(script, "unset border\nunset grid\nunset colorbox\nset xrange [0:1]\nset yrange [0:1]\n");
    text_add(script,
             "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen %.5f\n",
             layout->legend_height / layout->height);
    text_add(script,
             "set key center center horizontal Left reverse maxcols %d samplen 2.6 spacing 1.1 width 1 "
             "enhanced\n",
             legend_columns(legend, layout->width));
    text_add(script, "plot ");
    for (int c = 0; c < legend->count; c++) {
        text_add(script, "%sNaN ", comma);
        curve_style(script, legend->curves[c]);
        text_add(script, " title '");
        typeset_gnuplot(script, legend->curves[c]->label);
        text_add(script, "'");
        comma = ", \\\n  ";
    }
    json_object_foreach ((json_t *)legend->categories, key, label) {
        text_add(script, "%sNaN with boxes lc rgb '%s' fs solid 1 noborder title '", comma, category_colour(i++));
        typeset_gnuplot(script, json_string_value(label));
        text_add(script, "'");
        comma = ", \\\n  ";
    }
    text_add(script, "\n");
}

static bool panel_has_map(const PanelCurves *curves)
{
    for (int i = 0; i < curves->count; i++)
        if (curves->curves[i].kind == PANEL_MAP || curves->curves[i].kind == PANEL_IMAGE)
            return true;
    return false;
}

/* One unit has the same length on both axes: the shorter range grows. */
static void panel_make_equal(PanelDrawing *drawing)
{
    double width = drawing->frame.right - drawing->frame.left, height = drawing->frame.bottom - drawing->frame.top;
    double per_x = (drawing->x.max - drawing->x.min) / width, per_y = (drawing->y.max - drawing->y.min) / height;
    double unit = fmax(per_x, per_y), grow_x = 0.5 * (unit / per_x - 1.0) * (drawing->x.max - drawing->x.min);
    double grow_y = 0.5 * (unit / per_y - 1.0) * (drawing->y.max - drawing->y.min);
    drawing->x.min -= grow_x, drawing->x.max += grow_x;
    drawing->y.min -= grow_y, drawing->y.max += grow_y;
}

/* The same for an image, which has no cells beyond its range: the frame shrinks. */
static void panel_make_square(PanelDrawing *drawing)
{
    double width = drawing->frame.right - drawing->frame.left, height = drawing->frame.bottom - drawing->frame.top;
    double columns = drawing->x.max - drawing->x.min, rows = drawing->y.max - drawing->y.min;
    double cell = fmin(width / columns, height / rows);
    drawing->frame.right = drawing->frame.left + cell * columns;
    drawing->frame.bottom = drawing->frame.top + cell * rows;
}

static PanelDrawing panel_lay_out(const Figure *figure, const PanelCurves *curves, int index, const Layout *layout)
{
    const Panel *panel = &figure->panels[index];
    PanelDrawing drawing = {.figure = figure, .panel = panel, .curves = curves, .index = index};
    int row = index / figure->columns, column = index % figure->columns;
    bool box = panel_has_map(curves) && panel->z.field && json_object_size(panel->z.labels) == 0;
    drawing.frame = (PanelFrame){.left = column * layout->panel_width + LEFT,
                                 .right = (column + 1) * layout->panel_width - RIGHT - (box ? COLOURBOX : 0.0),
                                 .top = row * layout->panel_height + (panel->title ? TOP_TITLE : TOP),
                                 .bottom = (row + 1) * layout->panel_height - BOTTOM};
    drawing.x = range_from_curves(&panel->x, curves, 0);
    drawing.y = range_from_curves(&panel->y, curves, 1);
    drawing.z = range_from_curves(&panel->z, curves, 2);
    if (curves->category_count > 0)
        drawing.x = (Range){-0.6, curves->category_count - 0.4, false, false};
    if (panel->kind == PANEL_IMAGE)
        drawing.y.reversed = true;
    if (panel->kind == PANEL_IMAGE)
        panel_make_square(&drawing);
    else if (panel->equal)
        panel_make_equal(&drawing);
    return drawing;
}

/* Labels at the curves if they fit in every panel, else one legend for all. */
static void panels_label(PanelDrawing *drawings, int count)
{
    bool fit = true;
    for (int p = 0; p < count; p++)
        fit = fit && (labels_room(&drawings[p]) > 0.0 || drawings[p].curves->count == 1);
    for (int p = 0; p < count && fit; p++) {
        drawings[p].labels_at_curves = drawings[p].curves->count > 1;
        if (drawings[p].labels_at_curves)
            drawings[p].frame.right -= fmax(labels_room(&drawings[p]) - RIGHT + 8.0, 0.0);
    }
}

static void head_script(Text *script)
{
    text_add(script, "set encoding utf8\nset minussign\nset multiplot\n"
                     "set border 3 lw 1 lc rgb '#555555'\nset tics nomirror out scale 0.5 tc rgb '#333333'\n"
                     "set grid xtics ytics back lt 1 lc rgb '#e2e2e2' lw 1, lt 1 lc rgb '#e2e2e2' lw 1\n"
                     "unset key\nset boxwidth 0.1\nset xtics nomirror\nset ytics nomirror\n");
}

/* Everything between `set output` and the next terminal. */
static bool figure_script(Text *script, const Figure *figure, const PanelCurves *panels, Layout *layout, Status *status)
{
    PanelDrawing *drawings = malloc(sizeof *drawings * (size_t)figure->panel_count);
    Legend legend = {0};
    bool ok = drawings || status_set(status, STATUS_FAILED, "out of memory");
    for (int p = 0; ok && p < figure->panel_count; p++)
        drawings[p] = panel_lay_out(figure, &panels[p], p, layout);
    if (ok)
        panels_label(drawings, figure->panel_count);
    for (int p = 0; ok && p < figure->panel_count; p++) {
        bool alone = panels[p].count == 1 && !panels[p].curves[0].label[0];
        for (int i = 0; ok && i < panels[p].count && !drawings[p].labels_at_curves && !alone; i++)
            ok = legend_add(&legend, &panels[p].curves[i]) || status_set(status, STATUS_FAILED, "out of memory");
        if (panel_has_map(&panels[p]) && figure->panels[p].z.labels)
            legend.categories = figure->panels[p].z.labels;
    }
    layout->legend_height = legend_height(&legend, layout->width);
    layout->height += layout->legend_height;
    head_script(script);
    for (int p = 0; ok && p < figure->panel_count; p++) {
        drawings[p].width = layout->width;
        drawings[p].height = layout->height;
        text_add(script, "set boxwidth %.4f\n", 0.8 / panels[p].count * 0.92);
        ok = panel_script(script, &drawings[p], status);
    }
    if (ok)
        legend_script(script, &legend, layout);
    text_add(script, "unset multiplot\n");
    free(legend.curves);
    free(drawings);
    return ok && (!script->failed || status_set(status, STATUS_FAILED, "out of memory"));
}

static const char *const EXTENSIONS[] = {"svg", "png", "pdf"};
enum { EXTENSION_COUNT = 3 };

/* The same drawing three times. Sizes: SVG in px; PNG at twice that; PDF at 96 px to the inch, fonts in points. */
static void terminals_script(Text *script, const char *body, const Layout *layout)
{
    text_add(script, "set terminal svg size %.0f,%.0f dynamic enhanced font 'sans-serif,%d' background '#ffffff'\n",
             layout->width, layout->height, FONT);
    text_add(script, "POINT = 0.75\nset output 'figure.svg'\n%sunset output\nreset\n", body);
    text_add(script,
             "set terminal pngcairo size %.0f,%.0f enhanced font 'sans,%d' fontscale 1.5 linewidth 2 pointscale 2\n",
             2.0 * layout->width, 2.0 * layout->height, FONT);
    text_add(script, "POINT = 1\nset output 'figure.png'\n%sunset output\nreset\n", body);
    text_add(script,
             "set terminal pdfcairo size %.4fin,%.4fin enhanced font 'sans,%d' fontscale 0.5625 linewidth 1.6 "
             "pointscale 0.75\n",
             layout->width / 96.0, layout->height / 96.0, FONT);
    text_add(script, "POINT = 1\nset output 'figure.pdf'\n%sunset output\n", body);
}

static bool same_content(const char *path, const char *content)
{
    char *text = text_file_read(path);
    bool same = text && strcmp(text, content) == 0;
    free(text);
    return same;
}

static bool drawing_is_there(const char *base, const char *record, const char *script)
{
    bool there = same_content(record, script);
    for (int i = 0; there && i < EXTENSION_COUNT; i++) {
        Text path = {0};
        text_add(&path, "%s.%s", base, EXTENSIONS[i]);
        there = !path.failed && access(path.data, R_OK) == 0;
        free(path.data);
    }
    return there;
}

/* Out of the folder in which gnuplot drew; what is left there goes. */
static bool drawings_collect(const char *folder, const char *base, bool drawn, Status *status)
{
    bool ok = drawn;
    for (int i = 0; i < EXTENSION_COUNT; i++) {
        Text from = {0}, to = {0};
        text_add(&from, "%s/figure.%s", folder, EXTENSIONS[i]);
        text_add(&to, "%s.%s", base, EXTENSIONS[i]);
        bool named = !from.failed && !to.failed;
        if (ok && !(named && rename(from.data, to.data) == 0))
            ok = status_set(status, STATUS_FAILED, "%s: was not drawn", named ? to.data : base);
        if (named && !ok)
            unlink(from.data);
        free(from.data);
        free(to.data);
    }
    return ok;
}

/* gnuplot works in a folder of its own beside the drawings. */
static bool drawings_make(const char *script, const char *base, Status *status)
{
    Text folder = {0}, path = {0};
    text_add(&folder, "%s.XXXXXX", base);
    if (folder.failed || !mkdtemp(folder.data)) {
        free(folder.data);
        return status_set(status, STATUS_FAILED, "%s: no folder can be made: %s", base, strerror(errno));
    }
    text_add(&path, "%s/" GNUPLOT_SCRIPT, folder.data);
    bool ok =
        !path.failed ? file_write_text(path.data, script, status) : status_set(status, STATUS_FAILED, "out of memory");
    ok = drawings_collect(folder.data, base, ok && gnuplot_run(folder.data, status), status);
    if (!path.failed)
        unlink(path.data);
    rmdir(folder.data);
    free(folder.data);
    free(path.data);
    return ok;
}

bool figure_draw(const Figure *figure, const Workshop *workshop, Status *status)
{
    PanelCurves *panels = figure_curves(figure, status);
    if (!panels)
        return false;
    Layout layout = layout_of(figure);
    Text body = {0}, script = {0}, base = {0};
    char *record = workshop_cache_path(workshop, figure->name, "gp");
    text_add(&base, "%s/%s", workshop->directory, figure->name);
    bool ok = figure_script(&body, figure, panels, &layout, status);
    if (ok)
        terminals_script(&script, body.data, &layout);
    if (ok && (!record || script.failed || base.failed))
        ok = status_set(status, STATUS_FAILED, "out of memory");
    if (ok && !drawing_is_there(base.data, record, script.data)) {
        unlink(record); /* until what lies there was drawn from it */
        ok = drawings_make(script.data, base.data, status) && file_write_text(record, script.data, status);
    }
    free(record);
    free(body.data);
    free(script.data);
    free(base.data);
    figure_curves_destroy(panels, figure->panel_count);
    return ok;
}
