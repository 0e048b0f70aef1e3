/* SPDX-License-Identifier: MIT */
#include "reports/figure/curves.h"

#include "reports/draw/typeset.h"
#include "reports/figure/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gathering {
    const Figure *figure;
    const Panel *panel;
    PanelCurves *out;
    Status *status;
    int index; /* of the panel */
} Gathering;

static bool gathering_fail(const Gathering *gathering, const char *what, const char *detail)
{
    return status_set(gathering->status, STATUS_FAILED, "%s: panels[%d]: %s%s", gathering->figure->path,
                      gathering->index, what, detail);
}

static const char *label_of(const json_t *labels, const char *key)
{
    return json_string_value(json_object_get(labels, key));
}

/* `solver=xpbd` fields become "xpbd"; other fields become "substeps 4", unless `label` renames the value. */
static void label_add(Text *label, const Panel *panel, const json_t *row, const char *field, bool named)
{
    char buffer[64], key[160];
    const char *value = row_text(row, field, buffer), *dot = strrchr(field, '.');
    if (!value)
        return;
    snprintf(key, sizeof key, "%s=%s", field, value);
    const char *renamed = label_of(panel->labels, key);
    renamed = renamed ? renamed : label_of(panel->labels, value);
    if (label->length > 0)
        text_add(label, ", ");
    if (renamed) {
        text_add(label, "%s", renamed);
        return;
    }
    if (!json_is_string(json_object_get(row, field)) || named) {
        const char *name = label_of(panel->labels, field);
        if (name)
            text_add(label, "%s", name);
        else
            typeset_name(label, dot ? dot + 1 : field);
        text_add(label, " ");
    }
    typeset_name(label, value);
}

/* Options have choices by name: `friction cone`. The label is what the row has of the panel's `by`. */
static char *row_label(const Panel *panel, const json_t *row)
{
    Text label = {0};
    text_add(&label, "%s", "");
    const char *one = json_string_value(panel->by);
    if (one)
        label_add(&label, panel, row, one, strchr(one, '.') != NULL);
    for (size_t i = 0; i < json_array_size(panel->by); i++) {
        const char *field = json_string_value(json_array_get(panel->by, i));
        label_add(&label, panel, row, field, strchr(field, '.') != NULL);
    }
    return label.data;
}

/* Each curve of a panel that takes them from `by` alone has a label of its own, which is known before anything is run.
 */
static bool plan_fits_panel(const Figure *figure, const json_t *plan, int index, Status *status)
{
    const Panel *panel = &figure->panels[index];
    json_t *labels = json_object(), *row;
    size_t i;
    json_array_foreach (plan, i, row) {
        char *label = row_label(panel, row);
        json_object_set_new(labels, label ? label : "", json_true());
        free(label);
    }
    size_t count = json_object_size(labels);
    json_decref(labels);
    return count <= CURVES_MOST ||
           status_set(status, STATUS_BAD_FILE, "%s: panels[%d]: %zu curves, and a panel shows at most %d", figure->path,
                      index, count, CURVES_MOST);
}

bool figure_plan_fits(const Figure *figure, const json_t *plan, Status *status)
{
    for (int p = 0; p < figure->panel_count; p++) {
        const Panel *panel = &figure->panels[p];
        bool known = panel->curve_count == 0 && !panel->where && strcmp(panel->from, "grid") == 0;
        if (known && !plan_fits_panel(figure, plan, p, status))
            return false;
    }
    return true;
}

static Curve *curve_add(Gathering *gathering, const char *label, const CurveRequest *request)
{
    PanelCurves *out = gathering->out;
    Curve *grown = realloc(out->curves, sizeof *grown * (size_t)(out->count + 1));
    if (!grown)
        return NULL;
    out->curves = grown;
    Curve *curve = &out->curves[out->count++];
    *curve = (Curve){.label = strdup(label), .kind = request->kind, .plain = request->plain};
    return curve->label ? curve : NULL;
}

static Curve *curve_find(PanelCurves *out, const char *label)
{
    for (int i = 0; i < out->count; i++)
        if (strcmp(out->curves[i].label, label) == 0)
            return &out->curves[i];
    return NULL;
}

static bool curve_append(Curve *curve, CurvePoint point)
{
    if ((curve->count & (curve->count - 1)) == 0) {
        CurvePoint *grown = realloc(curve->points, sizeof *grown * (size_t)(curve->count ? 2 * curve->count : 1));
        if (!grown)
            return false;
        curve->points = grown;
    }
    curve->points[curve->count++] = point;
    return true;
}

/* The place of a text on an axis; new ones come at the end. -1: out of memory. */
static int category_index(Categories *out, const char *text)
{
    for (int i = 0; i < out->count; i++)
        if (strcmp(out->names[i], text) == 0)
            return i;
    char **grown = realloc(out->names, sizeof *grown * (size_t)(out->count + 1));
    if (grown)
        out->names = grown;
    char *copy = grown ? strdup(text) : NULL;
    if (!copy)
        return -1;
    out->names[out->count] = copy;
    return out->count++;
}

/* Bars stand at categories, whatever their type; other kinds where x is a text. */
static double point_x(Gathering *gathering, const json_t *row, const char *field)
{
    char buffer[64];
    bool text = gathering->panel->kind == PANEL_BARS || json_is_string(json_object_get(row, field));
    const char *category = text ? row_text(row, field, buffer) : NULL;
    if (!text)
        return row_number(row, field);
    return category ? category_index(&gathering->out->x, category) : NAN;
}

static double point_y(Gathering *gathering, const json_t *row, const char *field)
{
    const json_t *cell = json_object_get(row, field);
    if (gathering->panel->kind == PANEL_MAP && json_is_string(cell))
        return category_index(&gathering->out->y, json_string_value(cell));
    return row_number(row, field);
}

static bool axis_shows(const Axis *axis, double value)
{
    return isfinite(value) && !(axis->log && value <= 0.0);
}

/* A curve's conditions add to its panel's; either may ask for the `status`. */
static bool row_wanted(const Panel *panel, const CurveRequest *request, const json_t *row)
{
    return (row_matches(row, panel->where) && row_meets(row, request->where)) ||
           (row_meets(row, panel->where) && row_matches(row, request->where));
}

static bool gather_row(Gathering *gathering, const CurveRequest *request, const json_t *row)
{
    const Panel *panel = gathering->panel;
    const char *from = json_string_value(json_object_get(row, "from"));
    if (strcmp(from, request->from) != 0 || !row_wanted(panel, request, row))
        return true;
    CurvePoint point = {.row = row, .y = point_y(gathering, row, request->y)};
    if (panel->y.floor > 0.0 && point.y < panel->y.floor)
        point.y = panel->y.floor;
    if (!axis_shows(&panel->y, point.y))
        return true;
    point.x = point_x(gathering, row, request->x);
    point.z = request->kind == PANEL_ARROWS ? row_number(row, panel->dx)
              : panel->z.field              ? row_number(row, panel->z.field)
                                            : 1.0;
    point.dy = request->kind == PANEL_ARROWS ? row_number(row, panel->dy) : 0.0;
    if (!axis_shows(&panel->x, point.x) || isnan(point.z) || isnan(point.dy))
        return true;
    char *label = request->label ? strdup(request->label) : row_label(panel, row);
    Curve *curve = label ? curve_find(gathering->out, label) : NULL;
    bool room = curve || gathering->out->count < CURVES_MOST;
    if (label && !curve && room)
        curve = curve_add(gathering, label, request);
    free(label);
    if (!room)
        return gathering_fail(gathering, "more curves than a panel shows", "");
    return (curve && curve_append(curve, point)) || gathering_fail(gathering, "out of memory", "");
}

static int point_order(const void *a, const void *b)
{
    double x = ((const CurvePoint *)a)->x, y = ((const CurvePoint *)b)->x;
    return (x > y) - (x < y);
}

/* Points of a grid lie in the order of its dimensions: a line goes through them from left to right. Those of a series
 * lie in the order of time, which a path in the plane must keep. */
static void curves_sort(Gathering *gathering)
{
    bool path = strcmp(gathering->panel->from, "grid") != 0;
    for (int i = 0; i < gathering->out->count && !path; i++)
        qsort(gathering->out->curves[i].points, (size_t)gathering->out->curves[i].count, sizeof(CurvePoint),
              point_order);
}

/* By place, then by what is reduced: y, of a map z. */
static int line_order(const void *a, const void *b)
{
    const CurvePoint *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static int cell_order(const void *a, const void *b)
{
    const CurvePoint *p = a, *q = b;
    return p->x != q->x || p->y != q->y ? line_order(a, b) : (p->z > q->z) - (p->z < q->z);
}

/* One point of those at the same place, which follow each other in order. */
static void curve_reduce(Curve *curve, Reduce reduce)
{
    bool cells = curve->kind == PANEL_MAP;
    int kept = 0;
    qsort(curve->points, (size_t)curve->count, sizeof(CurvePoint), cells ? cell_order : line_order);
    for (int from = 0, to; from < curve->count; from = to) {
        const CurvePoint *first = &curve->points[from];
        double sum = 0.0;
        for (to = from;
             to < curve->count && curve->points[to].x == first->x && (!cells || curve->points[to].y == first->y); to++)
            sum += cells ? curve->points[to].z : curve->points[to].y;
        int pick = reduce == REDUCE_MAX ? to - 1 : reduce == REDUCE_MEDIAN ? from + (to - from) / 2 : from;
        CurvePoint point = curve->points[pick];
        if (reduce == REDUCE_SUM)
            *(cells ? &point.z : &point.y) = sum;
        curve->points[kept++] = point;
    }
    curve->count = kept;
}

static void curves_reduce(Gathering *gathering)
{
    PanelCurves *out = gathering->out;
    for (int i = 0; i < out->count && gathering->panel->reduce != REDUCE_NOT; i++)
        curve_reduce(&out->curves[i], gathering->panel->reduce);
}

static bool panel_gather(Gathering *gathering)
{
    const Panel *panel = gathering->panel;
    CurveRequest all = {
        .from = panel->from, .x = panel->x.field, .y = panel->y.field, .kind = panel->kind, .plain = panel->plain};
    int requests = panel->curve_count ? panel->curve_count : 1;
    if (!panel_fields_known(gathering->figure, panel, gathering->index, gathering->status))
        return false;
    for (int r = 0; r < requests; r++) {
        const CurveRequest *request = panel->curve_count ? &panel->curves[r] : &all;
        size_t i;
        json_t *row;
        int before = gathering->out->count;
        json_array_foreach (gathering->figure->data, i, row)
            if (!gather_row(gathering, request, row))
                return false;
        if (panel->curve_count && gathering->out->count == before && !request->optional)
            return gathering_fail(gathering, "no row has a point for ", request->label ? request->label : "`by`");
    }
    curves_sort(gathering);
    curves_reduce(gathering);
    return gathering->out->count > 0 || gathering_fail(gathering, "nothing to draw", "");
}

enum { TRUTH_POINTS = 200 };

/* The analytic curve, over the x of the points. */
static bool panel_add_truth(Gathering *gathering)
{
    const Panel *panel = gathering->panel;
    double least = INFINITY, most = -INFINITY;
    if (!panel->truth)
        return true;
    for (int i = 0; i < gathering->out->count; i++)
        for (int k = 0; k < gathering->out->curves[i].count; k++) {
            least = fmin(least, gathering->out->curves[i].points[k].x);
            most = fmax(most, gathering->out->curves[i].points[k].x);
        }
    CurveRequest request = {.kind = PANEL_LINES, .plain = true};
    Curve *curve = curve_add(gathering, panel->truth_label ? panel->truth_label : "exact", &request);
    for (int i = 0; curve && i <= TRUTH_POINTS; i++) {
        double part = (double)i / TRUTH_POINTS;
        CurvePoint point = {.x = panel->x.log ? least * pow(most / least, part) : least + (most - least) * part};
        if (!figure_value(gathering->figure->data, panel->truth, point.x, &point.y, gathering->status))
            return false;
        if (axis_shows(&panel->y, point.y) && !curve_append(curve, point))
            curve = NULL;
    }
    if (curve)
        curve->truth = true;
    return curve || gathering_fail(gathering, "out of memory", "");
}

/* The solver that all points of a curve have in common; NULL: none. */
static const char *curve_solver(const Curve *curve)
{
    const char *common = NULL;
    for (int i = 0; i < curve->count; i++) {
        const json_t *row = curve->points[i].row;
        const char *solver = row ? json_string_value(json_object_get(row, "solver")) : NULL;
        if (!solver || (common && strcmp(solver, common) != 0))
            return NULL;
        common = solver;
    }
    return common;
}

static const char *curve_like(const Figure *figure, int panel, const Curve *curve)
{
    const Panel *p = &figure->panels[panel];
    for (int i = 0; i < p->curve_count; i++)
        if (p->curves[i].like && p->curves[i].label && strcmp(p->curves[i].label, curve->label) == 0)
            return p->curves[i].like;
    return curve_solver(curve);
}

/* Labels seen so far, each with its solver and its look. */
typedef struct LookBook {
    json_t *looks;    /* label -> index */
    json_t *variants; /* solver -> how many labels */
    json_t *palette;
    Look *list;
    int count;
    bool by_solver;
} LookBook;

/* Solvers tell curves apart only if there is more than one of them in the figure. */
static bool figure_has_solvers(const Figure *figure, const PanelCurves *panels)
{
    const char *first = NULL;
    for (int p = 0; p < figure->panel_count; p++)
        for (int i = 0; i < panels[p].count; i++) {
            const char *solver = curve_like(figure, p, &panels[p].curves[i]);
            if (solver && first && strcmp(solver, first) != 0)
                return true;
            first = solver ? solver : first;
        }
    int labels = 0;
    for (int p = 0; p < figure->panel_count; p++)
        labels = panels[p].count > labels ? panels[p].count : labels;
    return labels == 1;
}

static Look look_new(LookBook *book, const char *solver)
{
    if (!solver || !book->by_solver)
        return look_of_index((int)json_object_size(book->looks));
    int variant = (int)json_integer_value(json_object_get(book->variants, solver));
    json_object_set_new(book->variants, solver, json_integer(variant + 1));
    return look_of_solver(book->palette, solver, variant);
}

/* The truth is a band, over a map a line. */
static Look look_of_truth(const LookBook *book, bool over_map)
{
    Look look = look_of_solver(book->palette, "reference", 0);
    look.band = look.band && !over_map;
    return look;
}

/* What a look is known by: the label without the blank of one that is not shown. */
enum { LOOK_NAME = 512 };

static void look_name(const Curve *curve, char name[LOOK_NAME])
{
    snprintf(name, LOOK_NAME, "%s", curve->label);
    name[strlen(name) - (name[0] && !curve_is_named(curve))] = '\0';
}

static bool look_assign(LookBook *book, Curve *curve, const char *solver, bool over_map)
{
    if (curve->truth) {
        curve->look = look_of_truth(book, over_map);
        return true;
    }
    char name[LOOK_NAME];
    look_name(curve, name);
    json_t *known = json_object_get(book->looks, name);
    if (!known) {
        Look *grown = realloc(book->list, sizeof *grown * (size_t)(book->count + 1));
        if (!grown)
            return false;
        book->list = grown;
        book->list[book->count] = look_new(book, solver);
        json_object_set_new(book->looks, name, json_integer(book->count));
        known = json_object_get(book->looks, name);
        book->count++;
    }
    curve->look = book->list[json_integer_value(known)];
    return true;
}

static bool figure_assign_looks(const Figure *figure, PanelCurves *panels, Status *status)
{
    LookBook book = {.looks = json_object(), .variants = json_object(), .palette = palette_read(status)};
    book.by_solver = figure_has_solvers(figure, panels);
    bool ok = book.palette != NULL;
    for (int p = 0; ok && p < figure->panel_count; p++)
        for (int i = 0; ok && i < panels[p].count; i++) {
            Curve *curve = &panels[p].curves[i];
            bool over_map = panels[p].curves[0].kind == PANEL_MAP || panels[p].curves[0].kind == PANEL_IMAGE;
            ok = look_assign(&book, curve, curve_like(figure, p, curve), over_map) ||
                 status_set(status, STATUS_FAILED, "out of memory");
        }
    json_decref(book.looks);
    json_decref(book.variants);
    json_decref(book.palette);
    free(book.list);
    return ok;
}

bool curve_is_named(const Curve *curve)
{
    size_t length = strlen(curve->label);
    return length > 0 && curve->label[length - 1] != ' ';
}

bool curve_is_band(const Curve *curve)
{
    return curve->look.band && curve->kind == PANEL_LINES && (curve->truth || curve->plain);
}

const char *curve_colour(const Curve *curve)
{
    return curve_is_band(curve) ? curve->look.pale : curve->look.colour;
}

PanelCurves *figure_curves(const Figure *figure, Status *status)
{
    PanelCurves *panels = calloc((size_t)figure->panel_count, sizeof *panels);
    bool ok = panels || status_set(status, STATUS_FAILED, "out of memory");
    for (int p = 0; ok && p < figure->panel_count; p++) {
        Gathering gathering = {figure, &figure->panels[p], &panels[p], status, p};
        ok = panel_gather(&gathering) && panel_add_truth(&gathering);
    }
    if (ok && figure_assign_looks(figure, panels, status))
        return panels;
    figure_curves_destroy(panels, figure->panel_count);
    return NULL;
}

static void categories_clear(Categories *categories)
{
    for (int i = 0; i < categories->count; i++)
        free(categories->names[i]);
    free(categories->names);
}

void figure_curves_destroy(PanelCurves *panels, int count)
{
    for (int p = 0; panels && p < count; p++) {
        for (int i = 0; i < panels[p].count; i++) {
            free(panels[p].curves[i].label);
            free(panels[p].curves[i].points);
        }
        categories_clear(&panels[p].x);
        categories_clear(&panels[p].y);
        free(panels[p].curves);
    }
    free(panels);
}
