/* SPDX-License-Identifier: MIT */
/* A plain experiment file as a figure: a panel for each metric, against the first dimension of the grid that has
 * several numbers; solver and all other such dimensions tell the curves apart. */
#include "reports/figure/figure.h"

#include <stdio.h>
#include <string.h>

/* More panels than this are no longer seen together. */
enum { MOST_PANELS = 6 };

static const char *const DEFAULT_METRICS[] = {"error_end", "drift_max", "energy_error_max", NULL};

static const char DEFAULT_FINDING[] = "{count(dt; status=ok)} of {count(dt; status!=none)} runs came to their end.";

typedef struct Dimensions {
    char x[160];
    bool log;
    json_t *by;
} Dimensions;

/* Several values: a list of at least two, or a range. */
static bool dimension_varies(const json_t *value)
{
    return json_array_size(value) > 1 || json_is_object(value);
}

static bool dimension_is_numbers(const json_t *value)
{
    return json_is_object(value) || json_is_number(json_array_get(value, 0));
}

static void dimensions_add(Dimensions *dimensions, const char *prefix, const char *key, const json_t *value)
{
    char field[160];
    const char *dot = strrchr(key, '.');
    if (strcmp(key, "zip") == 0 || !dimension_varies(value))
        return;
    snprintf(field, sizeof field, "%s%s", prefix, dot ? dot + 1 : key);
    if (!dimensions->x[0] && dimension_is_numbers(value)) {
        snprintf(dimensions->x, sizeof dimensions->x, "%s", field);
        dimensions->log = json_object_get(value, "log2") || json_object_get(value, "geom");
    } else if (strcmp(field, dimensions->x) != 0) {
        json_array_append_new(dimensions->by, json_string(field));
    }
}

static void dimensions_read(Dimensions *dimensions, const json_t *entry)
{
    static const char *const PARTS[][2] = {{"options", "options."}, {"params", "params."}};
    const char *key;
    json_t *value;
    for (int i = 0; i < 2; i++)
        json_object_foreach (json_object_get(entry, PARTS[i][0]), key, value)
            dimensions_add(dimensions, PARTS[i][1], key, value);
    dimensions_add(dimensions, "", "dt", json_object_get(entry, "dt"));
    if (json_array_size(json_object_get(entry, "scene")) > 1)
        json_array_append_new(dimensions->by, json_string("scene"));
}

/* A name as words: `options.pgs_substeps` becomes "pgs substeps". */
static void words_of(const char *name, char words[160])
{
    const char *dot = strrchr(name, '.');
    snprintf(words, 160, "%s", dot ? dot + 1 : name);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static json_t *panel_of(const Dimensions *dimensions, const char *metric)
{
    int index = metric_find(metric);
    const char *unit = index >= 0 && strcmp(all_metrics[index]->unit, "1") != 0 ? all_metrics[index]->unit : "";
    bool log = index < 0 || !all_metrics[index]->more_is_better;
    char x[160], y[160];
    words_of(dimensions->x, x);
    words_of(metric, y);
    return json_pack("{s:s,s:{s:s,s:s,s:b},s:{s:s,s:s,s:s,s:b},s:O}", "title", y, "x", "field", dimensions->x, "label",
                     x, "log", dimensions->log, "y", "field", metric, "label", y, "unit", unit, "log", log, "by",
                     dimensions->by);
}

bool figure_add_default_panels(json_t *document)
{
    Dimensions dimensions = {.by = json_pack("[s]", "solver")};
    json_t *metrics = json_object_get(document, "metrics"), *panels = json_array();
    dimensions_read(&dimensions, json_array_get(json_object_get(document, "grid"), 0));
    if (!dimensions.x[0])
        snprintf(dimensions.x, sizeof dimensions.x, "dt");
    for (size_t i = 0; i < json_array_size(metrics) && i < MOST_PANELS; i++)
        if (json_is_string(json_array_get(metrics, i)))
            json_array_append_new(panels, panel_of(&dimensions, json_string_value(json_array_get(metrics, i))));
    for (int i = 0; json_array_size(metrics) == 0 && DEFAULT_METRICS[i]; i++)
        json_array_append_new(panels, panel_of(&dimensions, DEFAULT_METRICS[i]));
    json_decref(dimensions.by);
    if (!json_object_get(document, "title"))
        json_object_set(document, "title", json_object_get(document, "name"));
    if (!json_object_get(document, "finding"))
        json_object_set_new(document, "finding", json_string(DEFAULT_FINDING));
    return json_object_set_new(document, "panels", panels) == 0;
}
