/* SPDX-License-Identifier: MIT */
/* Figure files: their reading and checking. Unknown keys are errors, and every error names its place. */
#include "reports/figure/expression.h"
#include "reports/figure/figure.h"
#include "reports/figure/list.h"

#include <stdlib.h>
#include <string.h>

/* More are no longer seen, and cost gnuplot its memory. */
enum { PANELS_MOST = 64 };

static const char *const ROOT_KEYS[] = {
    "rigor",   "name",     "title", "slide",     "question", "finding", "holds",          "caption",
    "grid",    "series",   "data",  "panels",    "layout",   "metrics", "run_time_limit", "row_solves_limit",
    "repeats", "variants", "needs", "stated_if", NULL};
static const char *const PANEL_KEYS[] = {
    "title",  "kind",   "from",  "x",     "y",       "z",     "dx",          "dy",    "by",     "where",  "label",
    "curves", "slopes", "floor", "equal", "markers", "truth", "truth_label", "marks", "reduce", "levels", NULL};
static const char *const AXIS_KEYS[] = {"field", "label",  "unit",     "log",   "min",
                                        "max",   "labels", "reversed", "floor", NULL};
static const char *const CURVE_KEYS[] = {"label", "from", "x",       "y",        "where",
                                         "like",  "kind", "markers", "optional", NULL};
static const char *const MARK_KEYS[] = {"x", "y", "label", NULL};
static const char *const KINDS[] = {"lines", "points", "arrows", "map", "image", "bars", NULL};
static const char *const SOURCES[] = {"grid", "series", "data", NULL};

static bool read_expression(Node node, const char **value)
{
    Status status = {0};
    return node_text(node, value) &&
           (!node.value || expression_check(*value, &status) || node_fail(node, "%s", status.message));
}

/* As in captions; a truth is one of x. */
static bool read_caption_expression(Node node, bool has_x, const char **value)
{
    Status status = {0};
    return node_text(node, value) &&
           (!node.value || caption_check_expression(*value, has_x, &status) || node_fail(node, "%s", status.message));
}

static bool read_labels(Node node, json_t **value)
{
    const char *key;
    json_t *label;
    if (node.value && !json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach (node.value, key, label)
        if (!json_is_string(label))
            return node_wrong_type(node_get(&node, key), "a string");
        else if (!node_printable(node_get(&node, key), key) ||
                 !node_printable(node_get(&node, key), json_string_value(label)))
            return false;
    *value = node.value;
    return true;
}

/* "" is no unit. */
static bool read_unit(Node node, const char **unit)
{
    if (node.value && !json_is_string(node.value))
        return node_wrong_type(node, "a string");
    const char *text = json_string_value(node.value);
    if (text && !node_printable(node, text))
        return false;
    *unit = text && text[0] ? text : NULL;
    return true;
}

static bool read_axis(Node node, Axis *axis)
{
    *axis = (Axis){.label = "", .min = NAN, .max = NAN};
    Node field = node_get(&node, "field");
    if (!node.value)
        return true;
    return node_object(node, AXIS_KEYS) && node_required(field) && read_expression(field, &axis->field) &&
           node_text(node_get(&node, "label"), &axis->label) && read_unit(node_get(&node, "unit"), &axis->unit) &&
           node_bool(node_get(&node, "log"), &axis->log) && node_bool(node_get(&node, "reversed"), &axis->reversed) &&
           node_real(node_get(&node, "min"), &axis->min) && node_real(node_get(&node, "max"), &axis->max) &&
           node_positive(node_get(&node, "floor"), &axis->floor) &&
           read_labels(node_get(&node, "labels"), &axis->labels);
}

static bool read_reduce(Node node, Reduce *reduce)
{
    static const char *const WORDS[] = {"not", "median", "max", "min", "sum", NULL};
    int index = (int)*reduce;
    if (!node_choice(node, WORDS, &index))
        return false;
    *reduce = (Reduce)index;
    return true;
}

static bool read_kind(Node node, PanelKind *kind)
{
    int index = (int)*kind;
    if (!node_choice(node, KINDS, &index))
        return false;
    *kind = (PanelKind)index;
    return true;
}

/* The source that `from` names; without it the one of the panel, or the only one. */
static bool read_source(const Node *root, Node node, const char **from)
{
    int source = -1, given = 0;
    if (!node.value && *from)
        return true;
    for (int i = 0; SOURCES[i]; i++)
        if (json_object_get(root->value, SOURCES[i])) {
            source = i;
            given++;
        }
    if (given > 1 && !node.value)
        return node_fail(node, "is missing: this figure has several sources");
    if (!node_choice(node, SOURCES, &source))
        return false;
    if (source < 0 || !json_object_get(root->value, SOURCES[source]))
        return node_fail(node, "this figure has no such source");
    *from = SOURCES[source];
    return true;
}

static bool read_curve(const Node *root, Node node, const Panel *panel, CurveRequest *curve)
{
    bool markers = !panel->plain;
    *curve = (CurveRequest){.from = panel->from, .x = panel->x.field, .y = panel->y.field, .kind = panel->kind};
    Node where = node_get(&node, "where");
    bool ok = node_object(node, CURVE_KEYS) && (panel->by || node_required(node_get(&node, "label"))) &&
              node_text(node_get(&node, "label"), &curve->label) &&
              read_source(root, node_get(&node, "from"), &curve->from) &&
              read_expression(node_get(&node, "x"), &curve->x) && read_expression(node_get(&node, "y"), &curve->y) &&
              node_text(node_get(&node, "like"), &curve->like) && read_kind(node_get(&node, "kind"), &curve->kind) &&
              node_bool(node_get(&node, "markers"), &markers) &&
              node_bool(node_get(&node, "optional"), &curve->optional) && where_check(where);
    curve->where = where.value;
    curve->plain = !markers;
    return ok;
}

static bool read_curves(const Node *root, Node node, Panel *panel)
{
    if (!node.value)
        return true;
    if (!node_array(node))
        return false;
    if (json_array_size(node.value) > CURVES_MOST)
        return node_fail(node, "at most %d curves", CURVES_MOST);
    panel->curve_count = (int)json_array_size(node.value);
    panel->curves = calloc((size_t)panel->curve_count + 1, sizeof *panel->curves);
    if (!panel->curves)
        return node_fail(node, "out of memory");
    for (int i = 0; i < panel->curve_count; i++)
        if (!read_curve(root, node_at(&node, (size_t)i), panel, &panel->curves[i]))
            return false;
    return panel->curve_count > 0 || node_fail(node, "must not be empty");
}

static bool read_slopes(Node node, Panel *panel)
{
    if (!node.value)
        return true;
    if (!node_array(node))
        return false;
    size_t most = sizeof panel->slopes / sizeof panel->slopes[0];
    if (json_array_size(node.value) > most)
        return node_fail(node, "at most %zu", most);
    for (size_t i = 0; i < json_array_size(node.value); i++)
        if (!node_real(node_at(&node, i), &panel->slopes[panel->slope_count++]))
            return false;
    return true;
}

/* A field, or a list of fields. */
static bool read_by(Node node, Panel *panel)
{
    panel->by = node.value;
    if (!node.value || json_is_string(node.value))
        return true;
    for (size_t i = 0; i < json_array_size(node.value); i++)
        if (!json_is_string(json_array_get(node.value, i)))
            return node_wrong_type(node_at(&node, i), "a string");
    return json_is_array(node.value) || node_wrong_type(node, "a field or a list of fields");
}

/* A number, or a caption's expression. */
static bool read_mark_value(Node node)
{
    const char *expression;
    if (json_is_string(node.value))
        return read_caption_expression(node, false, &expression);
    return !node.value || json_is_number(node.value) || node_wrong_type(node, "a number or an expression");
}

static bool read_marks(Node node, Panel *panel)
{
    if (!node_array(node))
        return false;
    if (json_array_size(node.value) > CURVES_MOST)
        return node_fail(node, "at most %d marks", CURVES_MOST);
    for (size_t i = 0; i < json_array_size(node.value); i++) {
        Node mark = node_at(&node, i);
        const char *label = NULL;
        if (!node_object(mark, MARK_KEYS) || !node_text(node_get(&mark, "label"), &label) ||
            !read_mark_value(node_get(&mark, "x")) || !read_mark_value(node_get(&mark, "y")))
            return false;
    }
    panel->marks = node.value;
    return true;
}

static bool read_levels(Node node, Panel *panel)
{
    static const char *const LEVEL_KEYS[] = {"of", "at", NULL};
    Node of = node_get(&node, "of"), at = node_get(&node, "at");
    if (!node.value)
        return true;
    if (!node_object(node, LEVEL_KEYS) || !node_required(of) || !read_expression(of, &panel->levels) ||
        !node_required(at) || !node_array(at))
        return false;
    for (size_t i = 0; i < json_array_size(at.value); i++) {
        double value;
        if (!node_real(node_at(&at, i), &value))
            return false;
    }
    panel->level_values = at.value;
    return true;
}

/* The categories of a map are numbers. */
static bool categories_check(Node node)
{
    const char *key;
    json_t *label;
    Node z = node_get(&node, "z"), labels = node_get(&z, "labels");
    json_object_foreach (labels.value, key, label) {
        char *end;
        if (!isfinite(strtod(key, &end)) || end == key || *end)
            return node_fail(node_get(&labels, key), "the category of a map must be a number");
    }
    return true;
}

static bool panel_check(Node node, const Panel *panel)
{
    if (panel->kind == PANEL_MAP && !panel->z.field)
        return node_fail(node_get(&node, "z"), "is missing: a map has a third quantity");
    if (panel->slope_count > 0 && !(panel->x.log && panel->y.log))
        return node_fail(node_get(&node, "slopes"), "both axes must be logarithmic");
    if (panel->kind == PANEL_ARROWS && (!panel->dx || !panel->dy))
        return node_fail(node, "arrows need dx and dy");
    return categories_check(node);
}

static bool read_panel(const Node *root, Node node, Panel *panel)
{
    Node where = node_get(&node, "where"), x = node_get(&node, "x"), y = node_get(&node, "y");
    bool markers = true;
    bool ok = node_required(node) && node_object(node, PANEL_KEYS) &&
              node_text(node_get(&node, "title"), &panel->title) && read_kind(node_get(&node, "kind"), &panel->kind) &&
              read_source(root, node_get(&node, "from"), &panel->from) && node_required(x) && read_axis(x, &panel->x) &&
              node_required(y) && read_axis(y, &panel->y) && read_axis(node_get(&node, "z"), &panel->z) &&
              read_expression(node_get(&node, "dx"), &panel->dx) &&
              read_expression(node_get(&node, "dy"), &panel->dy) && where_check(where) &&
              read_labels(node_get(&node, "label"), &panel->labels) && read_by(node_get(&node, "by"), panel) &&
              node_bool(node_get(&node, "floor"), &panel->floor) &&
              node_bool(node_get(&node, "equal"), &panel->equal) && node_bool(node_get(&node, "markers"), &markers) &&
              read_caption_expression(node_get(&node, "truth"), true, &panel->truth) &&
              node_text(node_get(&node, "truth_label"), &panel->truth_label) &&
              read_slopes(node_get(&node, "slopes"), panel) && read_marks(node_get(&node, "marks"), panel) &&
              read_reduce(node_get(&node, "reduce"), &panel->reduce) && read_levels(node_get(&node, "levels"), panel);
    panel->where = where.value;
    panel->plain = !markers;
    return ok && read_curves(root, node_get(&node, "curves"), panel) && panel_check(node, panel);
}

static bool read_layout(Node node, Figure *figure)
{
    double rows = 1.0, columns = figure->panel_count;
    if (figure->panel_count > 3) {
        columns = figure->panel_count == 4 ? 2.0 : 3.0;
        rows = ceil(figure->panel_count / columns);
    }
    if (node.value && (!node_array_of(node, 2) || !node_positive(node_at(&node, 0), &rows) ||
                       !node_positive(node_at(&node, 1), &columns)))
        return false;
    if (rows > PANELS_MOST || columns > PANELS_MOST)
        return node_fail(node, "at most %d rows and columns", PANELS_MOST);
    figure->rows = (int)rows;
    figure->columns = (int)columns;
    return rows * columns >= figure->panel_count || node_fail(node, "has no room for %d panels", figure->panel_count);
}

static bool read_panels(const Node *root, Figure *figure)
{
    Node list = node_get(root, "panels");
    if (!node_required(list) || !node_array(list))
        return false;
    figure->panel_count = (int)json_array_size(list.value);
    if (figure->panel_count == 0)
        return node_fail(list, "must not be empty");
    if (figure->panel_count > PANELS_MOST)
        return node_fail(list, "at most %d panels", PANELS_MOST);
    figure->panels = calloc((size_t)figure->panel_count, sizeof *figure->panels);
    if (!figure->panels)
        return node_fail(list, "out of memory");
    for (int i = 0; i < figure->panel_count; i++)
        if (!read_panel(root, node_at(&list, (size_t)i), &figure->panels[i]))
            return false;
    return read_layout(node_get(root, "layout"), figure);
}

/* A list of a caption's expressions. */
static bool read_conditions(Node node, json_t **conditions)
{
    const char *expression;
    if (!node_array(node))
        return false;
    for (size_t i = 0; i < json_array_size(node.value); i++)
        if (!read_caption_expression(node_at(&node, i), false, &expression))
            return false;
    *conditions = node.value;
    return true;
}

/* What it says: the finding, what that rests on, and the caption. */
static bool read_texts(const Node *root, Figure *figure)
{
    Status status = {0};
    Node finding = node_get(root, "finding"), caption = node_get(root, "caption");
    return node_required(finding) && node_text(finding, &figure->finding) &&
           (finding_check(figure->finding, &status) || node_fail(finding, "%s", status.message)) &&
           read_conditions(node_get(root, "holds"), &figure->holds) &&
           read_conditions(node_get(root, "stated_if"), &figure->stated_if) && node_text(caption, &figure->caption) &&
           (caption_check(figure->caption, &status) || node_fail(caption, "%s", status.message));
}

static bool read_root(const Node *root, Figure *figure)
{
    Node name = node_get(root, "name");
    figure->title = figure->slide = figure->question = figure->caption = "";
    return node_object(*root, ROOT_KEYS) && file_read_version(root) && node_required(name) &&
           node_text(name, &figure->name) && node_file_name(name, figure->name) &&
           node_required(node_get(root, "title")) && node_text(node_get(root, "title"), &figure->title) &&
           node_text(node_get(root, "needs"), &figure->needs) && node_text(node_get(root, "slide"), &figure->slide) &&
           node_text(node_get(root, "question"), &figure->question) && read_texts(root, figure) &&
           read_panels(root, figure);
}

Figure *figure_read(const char *path, Status *status)
{
    json_t *document = file_parse(path, status);
    return document ? figure_of_document(path, document, status) : NULL;
}

Figure *figure_of_document(const char *path, json_t *document, Status *status)
{
    Figure *figure = document ? calloc(1, sizeof *figure) : NULL;
    if (figure) {
        figure->path = strdup(path);
        figure->document = document;
    }
    if (!figure || !figure->path) {
        status_set(status, STATUS_FAILED, "out of memory");
        if (!figure)
            json_decref(document);
        figure_destroy(figure);
        return NULL;
    }
    Reader reader = {.path = path, .status = status};
    Node root = {.reader = &reader, .value = document};
    bool experiment = root.value && json_object_get(root.value, "grid") && !json_object_get(root.value, "panels");
    if (experiment && !figure_add_default_panels(root.value))
        node_fail(root, "out of memory");
    else if (root.value && read_root(&root, figure))
        return figure;
    figure_destroy(figure);
    return NULL;
}

void figure_destroy(Figure *figure)
{
    if (!figure)
        return;
    for (int i = 0; i < figure->panel_count && figure->panels; i++)
        free(figure->panels[i].curves);
    free(figure->panels);
    json_decref(figure->data);
    json_decref(figure->document);
    free(figure->path);
    free(figure->told_finding);
    free(figure->told_caption);
    free(figure);
}
