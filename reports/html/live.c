/* SPDX-License-Identifier: MIT */
/* What a figure's drawing needs to answer a hand: where its panels lie, what their axes say, each curve's points, and
 * of each point the run that it is of. reports/html/live.js reads it. */
#include "reports/draw/draw.h"
#include "reports/draw/typeset.h"
#include "reports/html/html.h"
#include "reports/html/run_command.h"

#include <stdlib.h>
#include <string.h>

/* The runs told so far, each once. */
typedef struct Runs {
    json_t *list, *known; /* known: as text -> its place */
    const SolverSet *solvers;
} Runs;

static json_t *plain_text(const char *label)
{
    Text text = {0};
    typeset_text(&text, label ? label : "");
    json_t *told = json_string(text.failed || !text.data ? "" : text.data);
    free(text.data);
    return told;
}

static void copy_number(json_t *run, const json_t *row, const char *field)
{
    double value = row_number(row, field);
    if (isfinite(value))
        json_object_set_new(run, field, json_real(value));
}

/* Its place in the list; -1: the row is of no run. Frames of one run are one, which lasts to the last of them. */
static int run_place(Runs *runs, const json_t *row)
{
    const char *from = row ? json_string_value(json_object_get(row, "from")) : NULL;
    bool grid = from && strcmp(from, "grid") == 0, series = from && strcmp(from, "series") == 0;
    json_t *run = grid || series ? run_described(row, runs->solvers) : NULL;
    if (!run)
        return -1;
    if (grid) {
        static const char *const COSTS[] = {"time", "row_solves", "us_per_frame"};
        for (size_t i = 0; i < sizeof COSTS / sizeof COSTS[0]; i++)
            copy_number(run, row, COSTS[i]);
    }
    char *text = json_dumps(run, JSON_COMPACT | JSON_SORT_KEYS);
    json_t *place = text ? json_object_get(runs->known, text) : NULL;
    int at = place ? (int)json_integer_value(place) : (int)json_array_size(runs->list);
    if (text && !place) {
        json_object_set_new(runs->known, text, json_integer(at));
        json_array_append(runs->list, run);
    }
    json_decref(run);
    free(text);
    json_t *kept = json_array_get(runs->list, (size_t)at);
    double time = series ? row_number(row, "time") : NAN;
    if (isfinite(time) && !(json_number_value(json_object_get(kept, "time")) >= time))
        json_object_set_new(kept, "time", json_real(time));
    return at;
}

static json_t *axis_told(const Axis *axis, const Range *range, const Categories *names)
{
    json_t *told = json_pack("{s:f,s:f,s:b,s:b,s:o,s:s}", "min", range->min, "max", range->max, "log", range->log,
                             "reversed", range->reversed, "label", plain_text(axis->label ? axis->label : axis->field),
                             "unit", axis->unit ? axis->unit : "");
    if (names && names->count > 0) {
        json_t *list = json_array();
        for (int i = 0; i < names->count; i++) {
            const char *renamed = json_string_value(json_object_get(axis->labels, names->names[i]));
            json_array_append_new(list, plain_text(renamed ? renamed : names->names[i]));
        }
        json_object_set_new(told, "names", list);
    }
    return told;
}

/* Six digits are finer than a pixel. */
static void add_number(json_t *list, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    json_array_append_new(list, json_real(strtod(text, NULL)));
}

/* Which plots of the panel draw a curve, counted from 1 as the drawing's groups are: a map may take several, and a line
 * over one has a rim. */
static json_t *plots_of(const char *script, int panel, int curve)
{
    static const char PLOT[] = "\nplot ", NEXT[] = ", \\\n  ";
    char data[48];
    json_t *plots = json_array();
    int length = snprintf(data, sizeof data, "$p%dc%d using ", panel, curve), plot = 1;
    const char *at = strstr(script, PLOT);
    for (at = at ? at + strlen(PLOT) : NULL; at; plot++) {
        if (strncmp(at, data, (size_t)length) == 0)
            json_array_append_new(plots, json_integer(plot));
        at = strstr(at, NEXT);
        at = at ? at + strlen(NEXT) : NULL;
    }
    return plots;
}

static json_t *curve_told(const PanelDrawing *drawing, int index, const char *script, Runs *runs)
{
    static const char *const KINDS[] = {"lines", "points", "arrows", "map", "map", "bars"};
    const Curve *curve = &drawing->curves->curves[index];
    int count = drawing->curves->count;
    json_t *points = json_array();
    for (int i = 0; i < curve->count; i++) {
        const CurvePoint *p = &curve->points[i];
        double beside = curve->kind == PANEL_BARS ? (index - 0.5 * (count - 1)) * 0.8 / count : 0.0;
        add_number(points, p->x + beside);
        add_number(points, p->y);
        add_number(points, p->z);
        add_number(points, p->dy);
        json_array_append_new(points, json_integer(run_place(runs, p->row)));
    }
    return json_pack("{s:o,s:s,s:s,s:o,s:o}", "label", plain_text(curve->label), "kind", KINDS[curve->kind], "colour",
                     curve_colour(curve), "plots", plots_of(script, drawing->index, index), "points", points);
}

static json_t *name_told(const NamePlace *place)
{
    return json_pack("[o,f,f,f]", plain_text(place->curve->label), place->x, place->y, place->width);
}

/* Texts that name curves, wherever they stand. */
static void names_tell(const PanelDrawing *drawing, json_t *names)
{
    NamePlace *ends = malloc(sizeof *ends * (size_t)(drawing->curves->count + 1));
    for (int i = 0; i < drawing->legend.count; i++)
        if (drawing->legend.entries[i].curve) {
            NamePlace place = legend_name_place(drawing, &drawing->legend.entries[i]);
            json_array_append_new(names, name_told(&place));
        }
    int count = ends ? labels_places(drawing, ends) : 0;
    for (int i = 0; i < count; i++)
        json_array_append_new(names, name_told(&ends[i]));
    free(ends);
}

static json_t *panel_told(const PanelDrawing *drawing, Runs *runs, Status *status)
{
    const PanelFrame *f = &drawing->frame;
    json_t *curves = json_array(), *names = json_array();
    Text script = {0};
    bool drawn = panel_script(&script, drawing, status) && !script.failed;
    for (int i = 0; i < drawing->curves->count; i++)
        json_array_append_new(curves, curve_told(drawing, i, drawn ? script.data : "", runs));
    free(script.data);
    names_tell(drawing, names);
    json_t *told = json_pack(
        "{s:[f,f,f,f],s:o,s:o,s:o,s:o,s:o}", "frame", f->left, f->top, f->right, f->bottom, "title",
        plain_text(drawing->panel->title), "x", axis_told(&drawing->panel->x, &drawing->x, &drawing->curves->x), "y",
        axis_told(&drawing->panel->y, &drawing->y, &drawing->curves->y), "curves", curves, "names", names);
    if (drawing->panel->z.field)
        json_object_set_new(told, "z", axis_told(&drawing->panel->z, &drawing->z, NULL));
    return told;
}

void html_write_live(Text *page, const Figure *figure, const Workshop *workshop)
{
    Status status = {0};
    PanelCurves *curves = figure_curves(figure, &status);
    PanelDrawing *drawings = curves ? figure_lay_out(figure, curves, &status) : NULL;
    Runs runs = {json_array(), json_object(), workshop->solvers};
    json_t *panels = json_array();
    for (int p = 0; drawings && p < figure->panel_count; p++)
        json_array_append_new(panels, panel_told(&drawings[p], &runs, &status));
    json_t *live = json_pack("{s:s,s:o,s:o,s:o,s:o}", "name", figure->name, "title", plain_text(figure->title),
                             "finding", plain_text(figure->told_finding), "panels", panels, "runs", runs.list);
    char *text = drawings && live ? json_dumps(live, JSON_COMPACT) : NULL;
    Text id = {0};
    text_add(&id, "%s-live", figure->name);
    if (text)
        html_write_part(page, id.failed ? "" : id.data, text);
    free(id.data);
    free(text);
    json_decref(live);
    json_decref(runs.known);
    drawings_destroy(drawings, drawings ? figure->panel_count : 0);
    figure_curves_destroy(curves, figure->panel_count);
}
