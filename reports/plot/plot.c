/* SPDX-License-Identifier: MIT */
#include "reports/plot/plot.h"

#include "reports/figure/figure.h"

#include <string.h>

/* A figure's file has sources and a finding; here the rows are at hand, and the command has told what it found. */
static json_t *plot_document(json_t *panels)
{
    return panels ? json_pack("{s:i,s:s,s:s,s:s,s:[],s:o}", "rigor", 1, "name", "plot", "title", "plot", "finding",
                              "{count(x)} points.", "data", "panels", panels)
                  : NULL;
}

static bool plot_figure(json_t *panels, json_t *rows, const char *path, Status *status)
{
    Figure *figure = figure_of_document("plot", plot_document(panels), status);
    if (figure)
        figure->data = json_incref(rows);
    bool ok = figure && figure_draw_file(figure, path, status);
    figure_destroy(figure);
    return ok;
}

bool plot_draw(const char *command, const json_t *document, const char *path, Status *status)
{
    static const struct {
        const char *command;
        json_t *(*panels)(const json_t *document, json_t *rows);
    } KINDS[] = {{"converge", plot_converge_panels},
                 {"limit", plot_limit_panels},
                 {"map", plot_map_panels},
                 {"reality", plot_reality_panels},
                 {"profile", plot_ecdf_panels}};
    json_t *rows = json_array();
    bool ok = false;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        if (strcmp(KINDS[i].command, command) == 0)
            ok = plot_figure(KINDS[i].panels(document, rows), rows, path, status);
    json_decref(rows);
    return ok;
}
