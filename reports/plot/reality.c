/* SPDX-License-Identifier: MIT */
/* The figures of `rigor reality`: error against time since the start, a bar of 95 % at each, and the ranking with the
 * same bars, below it who is tied with whom; and of `rigor profile --ecdf`: curves with such bars. */
#include "reports/plot/plot.h"

#include "bench/run/json.h"

#include <math.h>
#include <string.h>

/* Curves that can still be told apart: the best ones. */
enum { CURVES_MOST = 8 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double element(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "pgs", "pgs fine". */
static void row_name(const json_t *row, char *name, size_t size)
{
    snprintf(name, size, "%s%s", text_of(row, "solver"), strcmp(text_of(row, "class"), "fine") == 0 ? " fine" : "");
}

static void row_add(json_t *rows, const char *what, const char *name, json_t *x, double y, double dx, double dy)
{
    json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:o,s:o,s:f,s:f}", "from", "data", "what", what, "name", name,
                                          "x", x, "y", json_number(y), "dx", dx, "dy", dy));
}

/* A name as labels want it: an underscore is one. */
static json_t *label_of(const char *name)
{
    char label[512];
    size_t n = 0;
    for (; *name && n + 3 < sizeof label; name++) {
        if (*name == '_')
            label[n++] = '\\';
        label[n++] = *name;
    }
    label[n] = '\0';
    return json_string(label);
}

/* The same, not shown: a curve of that look. */
static json_t *look_of(const char *name)
{
    char blank[512];
    snprintf(blank, sizeof blank, "%s ", name);
    return label_of(blank);
}

/* A line or points, and bars of the same look. */
static void curve_add(json_t *curves, const char *what, const char *bars, const char *name, const char *kind)
{
    json_array_append_new(curves, json_pack("{s:o,s:s,s:s,s:s,s:{s:s,s:s},s:b}", "label", label_of(name), "kind", kind,
                                            "x", "x", "y", "y", "where", "what", what, "name", name, "optional", 1));
    json_array_append_new(curves, json_pack("{s:o,s:s,s:b,s:s,s:s,s:{s:s,s:s},s:b}", "label", look_of(name), "kind",
                                            "arrows", "markers", 0, "x", "x", "y", "y", "where", "what", bars, "name",
                                            name, "optional", 1));
}

static json_t *panel_of(const char *title, const char *x, const char *x_unit, const char *y, json_t *curves)
{
    return json_pack("{s:s,s:{s:s,s:s,s:s},s:{s:s,s:s,s:s,s:i},s:s,s:s,s:o}", "title", title, "x", "field", "x",
                     "label", x, "unit", x_unit, "y", "field", "y", "label", y, "unit", "%", "min", 0, "dx", "dx", "dy",
                     "dy", "curves", curves);
}

static json_t *time_panel(const json_t *document, json_t *rows)
{
    json_t *curves = json_array(), *row, *point;
    size_t i, k, drawn = 0;
    json_array_foreach (json_object_get(document, "rows"), i, row) {
        char name[256];
        if (drawn == CURVES_MOST || !json_is_array(json_object_get(row, "curve")))
            continue;
        row_name(row, name, sizeof name);
        json_array_foreach (json_object_get(row, "curve"), k, point) {
            double low = element(point, 2), high = element(point, 3);
            row_add(rows, "mean", name, json_number(element(point, 0)), element(point, 1), 0.0, 0.0);
            row_add(rows, "band", name, json_number(element(point, 0)), low, 0.0, high - low);
        }
        curve_add(curves, "mean", "band", name, "lines");
        drawn++;
    }
    return panel_of("error against time, mean and 95 %", "time since the start", "s", "error", curves);
}

static json_t *rank_panel(const json_t *document, json_t *rows)
{
    static const double UNIT = 100.0; /* a part in % */
    json_t *curves = json_array(), *row, *tie, *name;
    bool parts = strcmp(text_of(document, "suite"), "tosses") != 0;
    const char *measure = parts ? "error" : "pos";
    double least = INFINITY;
    size_t i, k;
    json_array_foreach (json_object_get(document, "rows"), i, row) {
        char label[256];
        double scale = parts ? UNIT : 1.0, value = scale * json_number_value(json_object_get(row, measure));
        double low = scale * element(json_object_get(row, "ci"), 0),
               high = scale * element(json_object_get(row, "ci"), 1);
        if (!json_is_number(json_object_get(row, measure)))
            continue;
        row_name(row, label, sizeof label);
        row_add(rows, "place", label, json_string(label), value, 0.0, 0.0);
        row_add(rows, "interval", label, json_string(label), low, 0.0, high - low);
        curve_add(curves, "place", "interval", label, "points");
        least = fmin(least, low);
    }
    json_array_foreach (json_object_get(document, "ties"), i, tie) {
        char which[32];
        snprintf(which, sizeof which, "tie %zu", i + 1);
        json_array_foreach (tie, k, name)
            row_add(rows, which, "tied", json_incref(name), least * (0.9 - 0.8 * (double)i / (double)(i + 6)), 0.0,
                    0.0);
        json_array_append_new(curves, json_pack("{s:s,s:s,s:s,s:{s:s},s:b}", "label", "tied", "x", "x", "y", "y",
                                                "where", "what", which, "optional", 1));
    }
    return panel_of("ranking, 95 %, and who is tied", "solver", "", "error", curves);
}

json_t *plot_reality_panels(const json_t *document, json_t *rows)
{
    json_t *panels = json_array();
    if (strcmp(text_of(document, "suite"), "tosses") == 0)
        json_array_append_new(panels, time_panel(document, rows));
    json_array_append_new(panels, rank_panel(document, rows));
    return panels;
}

/* Run-length distributions: work in powers of ten, the part reached, with bands as bars. */
json_t *plot_ecdf_panels(const json_t *document, json_t *rows)
{
    json_t *curves = json_array(), *solver, *point;
    size_t i, k;
    json_array_foreach (json_object_get(document, "solvers"), i, solver) {
        const char *name = text_of(solver, "name");
        json_array_foreach (json_object_get(solver, "ecdf"), k, point) {
            double low = 100.0 * element(point, 2), high = 100.0 * element(point, 3);
            row_add(rows, "mean", name, json_number(element(point, 0)), 100.0 * element(point, 1), 0.0, 0.0);
            row_add(rows, "band", name, json_number(element(point, 0)), low, 0.0, high - low);
        }
        curve_add(curves, "mean", "band", name, "lines");
    }
    return json_pack("[o]", panel_of("targets reached within so much work", "log_{10} of row solves a body", "",
                                     "part of problems x targets", curves));
}
