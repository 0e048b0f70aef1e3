/* SPDX-License-Identifier: MIT */
/* The whole figure: layout, legends, and gnuplot, which draws the same script to SVG, PDF and PNG.
 */
#include "reports/draw/draw.h"
#include "bench/files/text_file.h"
#include "bench/files/write_file.h"
#include "reports/draw/gnuplot.h"
#include "reports/draw/typeset.h"
#include "reports/html/colours.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* px */
static const double LEFT = 104.0, RIGHT = 22.0, TOP_TITLE = 42.0, TOP = 18.0, BOTTOM = 64.0, COLOURBOX = 104.0;

typedef struct Layout {
    double width, height, panel_width, panel_height;
    bool slide;
} Layout;

/* Of a slide: type of 16 px is as large on it as 48 px on a projector of 1920. */
static const double SLIDE_WIDTH = 640.0, SLIDE_HEIGHT = 360.0;

static Layout layout_of_slide(void)
{
    return (Layout){.width = SLIDE_WIDTH,
                    .height = SLIDE_HEIGHT,
                    .panel_width = SLIDE_WIDTH,
                    .panel_height = SLIDE_HEIGHT,
                    .slide = true};
}

/* px: a row of names, and what stands above and below the rows. */
static const double NAMED_ROW = 19.0, AROUND_ROWS = 210.0;

static Layout layout_of(const Figure *figure, const PanelCurves *curves)
{
    static const double WIDTHS[] = {960.0, 480.0, 440.0, 400.0}, HEIGHTS[] = {460.0, 370.0, 330.0};
    int c = figure->columns < 4 ? figure->columns : 4, r = figure->rows < 3 ? figure->rows : 3;
    Layout layout = {.panel_width = WIDTHS[c - 1], .panel_height = HEIGHTS[r - 1]};
    if (figure->columns == 1 && figure->rows > 1)
        layout.panel_width = 760.0;
    for (int p = 0; p < figure->panel_count; p++)
        if (curves[p].y.count > 0)
            layout.panel_height = fmax(layout.panel_height, curves[p].y.count * NAMED_ROW + AROUND_ROWS);
    layout.width = layout.panel_width * figure->columns;
    layout.height = layout.panel_height * figure->rows;
    return layout;
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

/* For the names of categories, which may be longer than numbers. */
static void panel_make_room(PanelDrawing *drawing)
{
    const PanelCurves *curves = drawing->curves;
    drawing->names_left = fmax(categories_widest(&drawing->panel->y, &curves->y) - 50.0, 0.0);
    drawing->frame.left += drawing->names_left;
    double width = drawing->frame.right - drawing->frame.left;
    drawing->turn = categories_turn(&drawing->panel->x, &curves->x, width, RIGHT);
}

static void panel_turn_names(PanelDrawing *drawing)
{
    const Axis *axis = &drawing->panel->x;
    const Categories *names = &drawing->curves->x;
    const double DOWN[] = {0.0, CATEGORY_SLANT, 1.0}; /* of the widest name, by its turn */
    drawing->names_below = DOWN[drawing->turn] * categories_widest(axis, names);
    drawing->frame.bottom -= drawing->names_below;
    if (drawing->turn == TURN_SLANTED)
        drawing->frame.right -= categories_overhang(axis, names, drawing->frame.right - drawing->frame.left, RIGHT);
}

/* Names that cannot stand side by side are turned alike in all panels. */
static void panels_turn_names(PanelDrawing *drawings, int count)
{
    CategoryTurn most = TURN_FLAT;
    for (int p = 0; p < count; p++)
        most = drawings[p].turn > most ? drawings[p].turn : most;
    for (int p = 0; p < count; p++) {
        PanelDrawing *d = &drawings[p];
        d->turn = d->turn == TURN_FLAT ? TURN_FLAT : most;
        panel_turn_names(d);
        if (d->panel->kind == PANEL_IMAGE)
            panel_make_square(d);
        else if (d->panel->equal)
            panel_make_equal(d);
    }
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
    if (curves->x.count > 0 && panel->kind != PANEL_MAP)
        drawing.x = (Range){-0.6, curves->x.count - 0.4, false, false};
    panel_make_room(&drawing);
    if (panel->kind == PANEL_IMAGE || curves->y.count > 0)
        drawing.y.reversed = true;
    return drawing;
}

static bool panel_needs_labels(const PanelDrawing *drawing)
{
    const Legend *legend = &drawing->legend;
    return drawing->curves->count > 1 || legend->count > 1 || (legend->count == 1 && legend->entries[0].category);
}

static void panel_label_curves(PanelDrawing *drawing)
{
    drawing->labels_at_curves = true;
    drawing->frame.right -= fmax(labels_room(drawing) - RIGHT + 8.0, 0.0);
    legend_clear(&drawing->legend);
}

/* One legend with the labels of all panels, if each panel has at least half of them: then it is worth searching. */
static bool panels_common_legend(const PanelDrawing *drawings, int count, Legend *common)
{
    for (int p = 0; p < count; p++)
        if (panel_needs_labels(&drawings[p]) && !legend_add_legend(common, &drawings[p].legend))
            return false;
    for (int p = 0; p < count; p++)
        if (panel_needs_labels(&drawings[p]) && 2 * drawings[p].legend.count < common->count)
            return false;
    return true;
}

/* Labels at the curves if they fit in every panel that needs them; else one legend for all, given to the first panel,
 * if panels have much in common; else each has its own, at its curves or below it. True: one for all. */
static bool panels_label(PanelDrawing *drawings, int count)
{
    bool fit = true;
    Legend common = {0};
    for (int p = 0; p < count; p++)
        fit = fit && (!panel_needs_labels(&drawings[p]) || labels_room(&drawings[p]) > 0.0);
    bool shared = !fit && panels_common_legend(drawings, count, &common);
    for (int p = 0; p < count; p++) {
        bool needs = panel_needs_labels(&drawings[p]);
        if (needs && !shared && labels_room(&drawings[p]) > 0.0)
            panel_label_curves(&drawings[p]);
        else if (!needs || shared)
            legend_clear(&drawings[p].legend);
    }
    if (shared)
        drawings[0].legend = common;
    else
        legend_clear(&common);
    return shared;
}

static void head_script(Text *script)
{
    text_add(script, "set encoding utf8\nset minussign\nset multiplot\n"
                     "set border 3 lw 1 lc rgb '#555555'\nset tics nomirror out scale 0.5 tc rgb '#333333'\n"
                     "unset key\nset boxwidth 0.1\nset xtics nomirror\nset ytics nomirror\n");
}

/* One legend goes below all panels; others below theirs, and the rows of panels move down for them. */
static void legends_place(PanelDrawing *drawings, const Figure *figure, Layout *layout, bool shared)
{
    double moved = 0.0;
    for (int row = 0; row < figure->rows; row++) {
        double tallest = 0.0;
        for (int p = 0; p < figure->panel_count; p++) {
            PanelDrawing *d = &drawings[p];
            if (p / figure->columns != row)
                continue;
            d->frame.top += moved;
            d->frame.bottom += moved;
            d->legend_left = shared ? 0.0 : (p % figure->columns) * layout->panel_width + 8.0;
            d->legend_top = (row + 1) * layout->panel_height + moved;
            legend_lay_out(&d->legend, shared ? layout->width : layout->panel_width - 16.0);
            tallest = fmax(tallest, shared ? 0.0 : d->legend.height);
        }
        moved += tallest;
    }
    layout->height += moved;
    for (int p = 0; p < figure->panel_count && shared; p++) {
        drawings[p].legend_top = layout->height;
        moved = fmax(moved, drawings[p].legend.height);
    }
    layout->height += shared ? moved : 0.0;
}

static bool panels_script(Text *script, PanelDrawing *drawings, const Figure *figure, const Layout *layout,
                          Status *status)
{
    bool ok = true;
    head_script(script);
    for (int p = 0; ok && p < figure->panel_count; p++) {
        drawings[p].width = layout->width;
        drawings[p].height = layout->height;
        text_add(script, "set boxwidth %.4f\n", 0.8 / drawings[p].curves->count * 0.92);
        ok = panel_script(script, &drawings[p], status);
    }
    legends_open(script, layout->width, layout->height);
    for (int p = 0; p < figure->panel_count; p++)
        legend_script(script, &drawings[p].legend, drawings[p].legend_left, drawings[p].legend_top);
    text_add(script, "unset multiplot\n");
    return ok;
}

/* Where panels and legends of a whole figure lie; NULL with a message. */
static PanelDrawing *drawings_lay_out(const Figure *figure, const PanelCurves *panels, Layout *layout, Status *status)
{
    PanelDrawing *drawings = calloc((size_t)figure->panel_count, sizeof *drawings);
    bool ok = drawings || status_set(status, STATUS_FAILED, "out of memory");
    for (int p = 0; ok && p < figure->panel_count; p++) {
        drawings[p] = panel_lay_out(figure, &panels[p], p, layout);
        ok = legend_add_panel(&drawings[p].legend, &figure->panels[p], &panels[p]) ||
             status_set(status, STATUS_FAILED, "out of memory");
    }
    if (!ok) {
        drawings_destroy(drawings, drawings ? figure->panel_count : 0);
        return NULL;
    }
    panels_turn_names(drawings, figure->panel_count);
    bool shared = panels_label(drawings, figure->panel_count);
    legends_place(drawings, figure, layout, shared);
    return drawings;
}

PanelDrawing *figure_lay_out(const Figure *figure, const PanelCurves *panels, Status *status)
{
    Layout layout = layout_of(figure, panels);
    return drawings_lay_out(figure, panels, &layout, status);
}

void drawings_destroy(PanelDrawing *drawings, int count)
{
    for (int p = 0; p < count; p++)
        legend_clear(&drawings[p].legend);
    free(drawings);
}

/* Everything between `set output` and the next terminal. */
static bool figure_script(Text *script, const Figure *figure, const PanelCurves *panels, Layout *layout, Status *status)
{
    PanelDrawing *drawings = drawings_lay_out(figure, panels, layout, status);
    bool ok = drawings && panels_script(script, drawings, figure, layout, status);
    drawings_destroy(drawings, drawings ? figure->panel_count : 0);
    return ok && (!script->failed || status_set(status, STATUS_FAILED, "out of memory"));
}

static const char *const EXTENSIONS[] = {"svg", "png", "pdf"};
enum { EXTENSION_COUNT = 3 };

/* The same drawing three times. Sizes: SVG in px; PNG at twice that, slides at three times; PDF at 96 px to the inch,
 * slides at 48, fonts in points. */
static void terminals_script(Text *script, const char *body, const Layout *layout)
{
    double more = layout->slide ? 3.0 : 2.0, inch = layout->slide ? 48.0 : 96.0;
    text_add(script, "set terminal svg size %.0f,%.0f dynamic enhanced font 'sans-serif,%d' background '#ffffff'\n",
             layout->width, layout->height, FONT);
    text_add(script, "POINT = 0.75\nFACE = 'sans-serif'\nset output 'figure.svg'\n%sunset output\nreset\n", body);
    text_add(script,
             "set terminal pngcairo size %.0f,%.0f enhanced font 'sans,%d' fontscale %g linewidth %g pointscale %g "
             "background '#ffffff'\n",
             more * layout->width, more * layout->height, FONT, 0.75 * more, more, more);
    text_add(script, "POINT = 1\nFACE = 'sans'\nset output 'figure.png'\n%sunset output\nreset\n", body);
    text_add(script,
             "set terminal pdfcairo size %.4fin,%.4fin enhanced font 'sans,%d' fontscale %g linewidth %g "
             "pointscale %g background '#ffffff'\n",
             layout->width / inch, layout->height / inch, FONT, 54.0 / inch, 153.6 / inch, 72.0 / inch);
    text_add(script, "POINT = 1\nFACE = 'sans'\nset output 'figure.pdf'\n%sunset output\n", body);
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

/* Out of the folder in which gnuplot drew: all to `base` with their endings, or the one of that ending. */
static bool drawings_collect(const char *folder, const char *base, const char *only, Status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < EXTENSION_COUNT; i++) {
        Text from = {0}, to = {0};
        if (only && strcmp(only, EXTENSIONS[i]) != 0)
            continue;
        text_add(&from, "%s/figure.%s", folder, EXTENSIONS[i]);
        text_add(&to, only ? "%s" : "%s.%s", base, EXTENSIONS[i]);
        ok = (!from.failed && !to.failed && rename(from.data, to.data) == 0) ||
             status_set(status, STATUS_FAILED, "%s: was not drawn", to.failed ? base : to.data);
        free(from.data);
        free(to.data);
    }
    return ok;
}

/* gnuplot works in a folder of its own beside the drawings. */
static bool drawings_make(const char *script, const char *base, const char *only, Status *status)
{
    static const char *const FILES[] = {GNUPLOT_SCRIPT, "figure.svg", "figure.png", "figure.pdf", NULL};
    WorkFolder folder;
    Text path = {0};
    if (!work_folder_make(&folder, base, FILES, status))
        return false;
    text_add(&path, "%s/" GNUPLOT_SCRIPT, folder.path);
    bool ok = path.failed ? status_set(status, STATUS_FAILED, "out of memory")
                          : file_write_text(path.data, script, status) && gnuplot_run(folder.path, status) &&
                                drawings_collect(folder.path, base, only, status);
    work_folder_remove(&folder);
    free(path.data);
    return ok;
}

void figure_drawing_path(Text *path, const Figure *figure, const Workshop *workshop, int panel)
{
    text_add(path, "%s/%s", workshop->directory, figure->name);
    if (workshop->slide)
        text_add(path, "-%d", panel + 1);
    text_add(path, "%s", workshop->dark ? "-dark" : "");
}

/* The legend takes its room from the panel: a slide keeps its shape. */
static bool slide_script(Text *body, const Figure *figure, const PanelCurves *curves, Layout *layout, Status *status)
{
    Text trial = {0};
    bool ok = figure_script(&trial, figure, curves, layout, status);
    double legend = layout->height - SLIDE_HEIGHT;
    free(trial.data);
    *layout = layout_of_slide();
    layout->panel_height -= legend;
    layout->height -= legend;
    return ok && figure_script(body, figure, curves, layout, status);
}

static bool script_darken(Text *script, Status *status)
{
    json_t *palette = palette_read(status);
    Text dark = {0};
    if (palette)
        colours_darken_script(&dark, script->data, palette);
    free(script->data);
    *script = dark;
    json_decref(palette);
    return palette != NULL;
}

/* One drawing; it is left as it is if its script did not change. */
static bool drawing_make(const Figure *figure, const PanelCurves *curves, const Workshop *workshop, int panel,
                         Status *status)
{
    Layout layout = workshop->slide ? layout_of_slide() : layout_of(figure, curves);
    Text body = {0}, script = {0}, base = {0};
    figure_drawing_path(&base, figure, workshop, panel);
    const char *name = base.failed ? "" : base.data + strlen(workshop->directory) + 1;
    char *record = workshop_cache_path(workshop, name, "gp");
    bool ok = workshop->slide ? slide_script(&body, figure, curves, &layout, status)
                              : figure_script(&body, figure, curves, &layout, status);
    if (ok)
        terminals_script(&script, body.data, &layout);
    if (ok && workshop->dark)
        ok = script_darken(&script, status);
    if (ok && (!record || script.failed || base.failed))
        ok = status_set(status, STATUS_FAILED, "out of memory");
    if (ok && !drawing_is_there(base.data, record, script.data)) {
        unlink(record); /* until what lies there was drawn from it */
        ok = drawings_make(script.data, base.data, NULL, status) && file_write_text(record, script.data, status);
    }
    free(record);
    free(body.data);
    free(script.data);
    free(base.data);
    return ok;
}

bool figure_draw(const Figure *figure, const Workshop *workshop, Status *status)
{
    PanelCurves *panels = figure_curves(figure, status);
    bool ok = panels != NULL;
    if (ok && !workshop->slide)
        ok = drawing_make(figure, panels, workshop, 0, status);
    for (int p = 0; ok && workshop->slide && p < figure->panel_count; p++) {
        Panel panel = figure->panels[p];
        Figure alone = *figure;
        panel.title = panel.title ? panel.title : figure->title;
        alone.panels = &panel;
        alone.panel_count = alone.rows = alone.columns = 1;
        ok = drawing_make(&alone, &panels[p], workshop, p, status);
    }
    figure_curves_destroy(panels, figure->panel_count);
    return ok;
}

bool figure_draw_file(const Figure *figure, const char *path, Status *status)
{
    const char *ending = strrchr(path, '.');
    PanelCurves *panels = figure_curves(figure, status);
    Text body = {0}, script = {0};
    bool ok = panels != NULL;
    if (ok) {
        Layout layout = layout_of(figure, panels);
        ok = figure_script(&body, figure, panels, &layout, status);
        terminals_script(&script, ok ? body.data : "", &layout);
    }
    if (ok && script.failed)
        ok = status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && drawings_make(script.data, path, ending ? ending + 1 : "", status);
    figure_curves_destroy(panels, figure->panel_count);
    free(body.data);
    free(script.data);
    return ok;
}
