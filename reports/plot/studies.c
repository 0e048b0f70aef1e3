/* SPDX-License-Identifier: MIT */
/* The figures of studies: which panels, curves and rows a document becomes. */
#include "reports/plot/plot.h"

#include "bench/run/json.h"
#include "reports/figure/rows.h"

#include <math.h>
#include <string.h>

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A name as labels want it: an underscore is one. */
static json_t *label_of(const char *format, const char *name, const char *rest)
{
    Text escaped = {0}, label = {0};
    for (const char *c = name; *c; c++)
        text_add(&escaped, *c == '_' ? "\\_" : "%c", *c);
    text_add(&label, format, escaped.failed ? "" : escaped.data, rest);
    json_t *string = json_string(label.failed ? "" : label.data);
    free(escaped.data);
    free(label.data);
    return string;
}

/* Values of a field over rows: all above 0, and over so wide a range that their ratios matter. */
static bool rows_want_log(const json_t *rows, const char *field)
{
    static const double WIDE = 7.0;
    double least = INFINITY, most = 0.0;
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row) {
        double value = number_of(row, field);
        least = isnan(value) ? least : fmin(least, value);
        most = isnan(value) ? most : fmax(most, value);
    }
    return least > 0.0 && most > WIDE * least;
}

static json_t *axis_of(const char *field, json_t *label, const char *unit, bool log)
{
    return json_pack("{s:s,s:o,s:s,s:b}", "field", field, "label", label, "unit", unit, "log", log);
}

/* "1" is no unit to be shown. */
static const char *metric_unit(const char *name)
{
    int metric = metric_find(name);
    return metric >= 0 && strcmp(all_metrics[metric]->unit, "1") != 0 ? all_metrics[metric]->unit : "";
}

/* What stands across: the step, the cost, or the value itself. */
typedef struct Across {
    bool steps;
    const char *cost; /* a key of a run's `cost`; NULL: none */
    const char *unit;
    json_t *label;
} Across;

static Across across_of(const json_t *document)
{
    const char *over = text_of(document, "over"), *against = text_of(document, "against");
    if (strcmp(against, "time") == 0)
        return (Across){.cost = "wall_s", .unit = "s", .label = json_string("time in the solver")};
    if (against[0])
        return (Across){.cost = against, .unit = "", .label = json_string("row solves")};
    if (strcmp(over, "dt") == 0 || strcmp(over, "substeps") == 0)
        return (Across){.steps = true, .unit = "s", .label = json_string("substep *h*")};
    return (Across){.unit = "", .label = label_of("%s%s", over, "")};
}

static double across_value(const Across *across, const json_t *run)
{
    if (across->cost)
        return number_of(json_object_get(run, "cost"), across->cost);
    if (across->steps)
        return number_of(run, "dt") / number_of(json_object_get(run, "solver_options"), "substeps");
    return number_of(run, "value");
}

/* A run that blew up has no error at the end. */
static void converge_rows(const json_t *document, const Across *across, json_t *rows)
{
    size_t i;
    json_t *run;
    json_array_foreach (json_object_get(document, "runs"), i, run) {
        if (strcmp(text_of(run, "status"), "ok") != 0)
            continue;
        json_t *row = json_pack("{s:s,s:s,s:o}", "from", "data", "solver", text_of(run, "solver"), "x",
                                json_number(across_value(across, run)));
        json_object_update(row, json_object_get(run, "metrics"));
        json_array_append_new(rows, row);
    }
}

/* "1.999 ± 0.002": an order with its 95 % interval. */
static void order_add(Text *text, const json_t *fit)
{
    const json_t *ci = json_object_get(fit, "ci");
    double half = 0.5 * (json_number_value(json_array_get(ci, 1)) - json_number_value(json_array_get(ci, 0)));
    double order = number_of(fit, "order");
    if (isnan(order))
        text_add(text, "none");
    else if (!json_is_number(json_array_get(ci, 0)))
        text_add(text, "%s%.3f", order < 0.0 ? "−" : "", fabs(order));
    else
        text_add(text, "%s%.3f ± %.3f", order < 0.0 ? "−" : "", fabs(order), half);
}

/* A solver's curve; its label has its orders in the order of the panels, so that it looks the same in all. */
static json_t *converge_curve(const json_t *document, const char *solver)
{
    Text orders = {0};
    size_t i;
    json_t *fit;
    json_array_foreach (json_object_get(document, "fits"), i, fit)
        if (strcmp(text_of(fit, "solver"), solver) == 0) {
            text_add(&orders, orders.length ? ", " : "order ");
            order_add(&orders, fit);
        }
    json_t *label = label_of("%s: %s (95 %%)", solver, orders.failed ? "" : orders.data);
    free(orders.data);
    return json_pack("{s:o,s:{s:s},s:s,s:b}", "label", label, "where", "solver", solver, "like", solver, "optional", 1);
}

/* The triangle's slope: a whole number, if the order is near one. */
static double slope_of(double order)
{
    static const double WHOLE = 0.2;
    return fabs(order - round(order)) < WHOLE ? round(order) : round(10.0 * order) / 10.0;
}

static void slopes_add(json_t *slopes, double order)
{
    enum { MOST = 4 };
    size_t i;
    json_t *slope;
    double wanted = slope_of(order);
    if (isnan(order) || wanted == 0.0 || json_array_size(slopes) == MOST)
        return;
    json_array_foreach (slopes, i, slope)
        if (json_number_value(slope) == wanted)
            return;
    json_array_append_new(slopes, json_real(wanted));
}

/* Round-off is not drawn to scale: what lies below is shown there. */
static const double DRAWN_FLOOR = 1e-16;

static json_t *converge_panel(const json_t *document, const Across *across, const char *metric)
{
    json_t *curves = json_array(), *slopes = json_array(), *fit;
    size_t i;
    json_array_foreach (json_object_get(document, "fits"), i, fit)
        if (strcmp(text_of(fit, "metric"), metric) == 0) {
            json_array_append_new(curves, converge_curve(document, text_of(fit, "solver")));
            slopes_add(slopes, number_of(fit, "order"));
        }
    json_t *y = axis_of(metric, label_of("%s%s", metric, ""), metric_unit(metric), true);
    json_object_set_new(y, "floor", json_real(DRAWN_FLOOR));
    const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "title", label_of("%s%s", text_of(run, "scene"), ""), "x",
                     axis_of("x", json_incref(across->label), across->unit, true), "y", y, "curves", curves, "slopes",
                     slopes);
}

json_t *plot_converge_panels(const json_t *document, json_t *rows)
{
    json_t *panels = json_array(), *fit;
    size_t i;
    const char *first = NULL;
    Across across = across_of(document);
    converge_rows(document, &across, rows);
    /* Fits go solver by solver: the first solver's name every metric once. */
    json_array_foreach (json_object_get(document, "fits"), i, fit) {
        first = first ? first : text_of(fit, "solver");
        if (strcmp(first, text_of(fit, "solver")) == 0)
            json_array_append_new(panels, converge_panel(document, &across, text_of(fit, "metric")));
    }
    json_decref(across.label);
    return panels;
}

/* What a run's answer to the predicate is called, in the order of maps' categories. */
static const struct {
    const char *stability, *label;
} ANSWERS[] = {{"ok", "stable"}, {"bad", "not stable"}, {"blew_up", "blew up"}, {"failed", "failed"}};
enum { ANSWER_COUNT = sizeof ANSWERS / sizeof ANSWERS[0] };

static int answer_of(const char *stability)
{
    for (int i = 0; i < ANSWER_COUNT; i++)
        if (strcmp(ANSWERS[i].stability, stability) == 0)
            return i;
    return ANSWER_COUNT - 1;
}

/* The metric that tells most of why: one that the predicate names, else the first of these that the scene has. */
static const char *limit_metric(const json_t *document)
{
    static const char *const TELLING[] = {"drift_max", "penetration_max", "error_max", "energy_gain_max"};
    const json_t *metrics = json_object_get(json_array_get(json_object_get(document, "runs"), 0), "metrics");
    for (int i = 0; i < metric_count; i++)
        if (strstr(text_of(document, "predicate"), all_metrics[i]->name) &&
            strcmp(all_metrics[i]->name, "settled") != 0)
            return all_metrics[i]->name;
    for (size_t i = 0; i < sizeof TELLING / sizeof TELLING[0]; i++)
        if (json_is_number(json_object_get(metrics, TELLING[i])))
            return TELLING[i];
    return "settled";
}

/* What stable means is said where the word stands first. */
static json_t *answer_label(int answer, const json_t *document)
{
    return answer == 0 ? label_of("stable: %s%s", text_of(document, "predicate"), "")
                       : json_string(ANSWERS[answer].label);
}

static json_t *answer_curves(const json_t *document, const json_t *rows)
{
    json_t *curves = json_array(), *row;
    for (int a = 0; a < ANSWER_COUNT; a++) {
        size_t i;
        bool any = false;
        json_array_foreach (rows, i, row)
            any = any || number_of(row, "answer") == a;
        if (any)
            json_array_append_new(curves, json_pack("{s:o,s:s,s:{s:i},s:b}", "label", answer_label(a, document), "kind",
                                                    "points", "where", "answer", a, "optional", 1));
    }
    return curves;
}

static json_t *limit_marks(const json_t *document)
{
    char label[96];
    double value = number_of(document, "value");
    if (isnan(value) || isnan(json_number_value(json_array_get(json_object_get(document, "bracket"), 1))))
        return json_array();
    snprintf(label, sizeof label, "%s stable: %.4g", text_of(document, "which"), value);
    return json_pack("[{s:f,s:s}]", "x", value, "label", label);
}

json_t *plot_limit_panels(const json_t *document, json_t *rows)
{
    const char *metric = limit_metric(document), *over = text_of(document, "over");
    const json_t *first = json_array_get(json_object_get(document, "runs"), 0);
    size_t i;
    json_t *run;
    json_array_foreach (json_object_get(document, "runs"), i, run)
        json_array_append_new(rows, json_pack("{s:s,s:f,s:o,s:i}", "from", "data", "x", number_of(run, "value"), "y",
                                              json_number(number_of(json_object_get(run, "metrics"), metric)), "answer",
                                              answer_of(text_of(run, "stability"))));
    json_t *title = label_of("%s with %s", text_of(first, "scene"), text_of(first, "solver"));
    return json_pack("[{s:o,s:o,s:o,s:o,s:o}]", "title", title, "x",
                     axis_of("x", label_of("%s%s", over, ""), "", rows_want_log(rows, "x")), "y",
                     axis_of("y", label_of("%s%s", metric, ""), metric_unit(metric), rows_want_log(rows, "y")),
                     "curves", answer_curves(document, rows), "marks", limit_marks(document));
}

static json_t *map_title(const json_t *document, const json_t *map)
{
    return label_of("%s with %s", text_of(document, "scene"), text_of(map, "solver"));
}

static json_t *map_axis(const json_t *document, const char *which, const char *field, const json_t *rows)
{
    const json_t *axis = json_object_get(document, which);
    return axis_of(field, label_of("%s%s", text_of(axis, "name"), ""),
                   strcmp(text_of(axis, "name"), "dt") == 0 ? "s" : "", rows_want_log(rows, field));
}

static const json_t *axis_value(const json_t *document, const char *which, size_t index)
{
    return json_array_get(json_object_get(json_object_get(document, which), "values"), index);
}

/* `whose`, not `solver`: here colours tell answers apart. */
static json_t *map_row(const char *solver, const json_t *x, const json_t *y, int answer)
{
    return json_pack("{s:s,s:s,s:O,s:O,s:i}", "from", "data", "whose", solver, "x", x, "y", y, "answer", answer);
}

static void map_cells(const json_t *document, const json_t *map, json_t *rows)
{
    size_t r, c;
    json_t *row, *cell;
    json_array_foreach (json_object_get(map, "cells"), r, row)
        json_array_foreach (row, c, cell)
            json_array_append_new(rows, map_row(text_of(map, "solver"), axis_value(document, "across", c),
                                                axis_value(document, "up", r), answer_of(json_string_value(cell))));
}

/* Every value that was tried, and the limit itself. */
static void map_limits(const json_t *document, const json_t *map, json_t *rows)
{
    size_t r, i;
    json_t *limit, *run;
    json_array_foreach (json_object_get(map, "limits"), r, limit) {
        const json_t *up = axis_value(document, "up", r);
        json_array_foreach (json_object_get(limit, "runs"), i, run)
            json_array_append_new(rows, map_row(text_of(map, "solver"), json_object_get(run, "value"), up,
                                                answer_of(text_of(run, "stability"))));
        if (json_is_number(json_object_get(limit, "value")))
            json_array_append_new(rows, map_row(text_of(map, "solver"), json_object_get(limit, "value"), up, -1));
    }
}

static json_t *map_panel(const json_t *document, const json_t *map, const json_t *rows, bool limits)
{
    json_t *panel = json_pack("{s:o,s:o,s:o,s:{s:s}}", "title", map_title(document, map), "x",
                              map_axis(document, "across", "x", rows), "y", map_axis(document, "up", "y", rows),
                              "where", "whose", text_of(map, "solver"));
    if (limits) {
        json_t *curves = answer_curves(document, rows);
        json_array_append_new(curves, json_pack("{s:s,s:s,s:{s:i},s:b}", "label", "limit", "kind", "lines", "where",
                                                "answer", -1, "optional", 1));
        json_object_set_new(panel, "curves", curves);
    } else {
        json_t *labels = json_object();
        for (int a = 0; a < ANSWER_COUNT; a++) {
            char key[16];
            snprintf(key, sizeof key, "%d", a);
            json_object_set_new(labels, key, answer_label(a, document));
        }
        json_object_set_new(panel, "kind", json_string("map"));
        json_object_set_new(panel, "z", json_pack("{s:s,s:o}", "field", "answer", "labels", labels));
    }
    return panel;
}

json_t *plot_map_panels(const json_t *document, json_t *rows)
{
    json_t *panels = json_array(), *map;
    size_t i;
    json_array_foreach (json_object_get(document, "maps"), i, map) {
        map_cells(document, map, rows);
        map_limits(document, map, rows);
    }
    json_array_foreach (json_object_get(document, "maps"), i, map)
        json_array_append_new(panels, map_panel(document, map, rows, json_object_get(map, "limits") != NULL));
    return panels;
}
