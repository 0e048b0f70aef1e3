/* SPDX-License-Identifier: MIT */
/* rigor check of figure files, and of the contents that put them in order: everything short of making the runs. */
#include "bench/run/json.h"
#include "cli/cli.h"
#include "reports/figure/contents.h"
#include "reports/figure/figure.h"
#include "reports/recording/viewer.h"

#include <stdio.h>

static bool is_figure(const json_t *document)
{
    return json_object_get(document, "panels") != NULL;
}

static bool check_figure(const Arguments *arguments, Status *status)
{
    const char *path = arguments->operands[0];
    Workshop workshop = {.solvers = &arguments->solvers, .plugin_paths = arguments->values[OPTION_PLUGIN]};
    int made = 0;
    Figure *figure = figure_read(path, status);
    bool ok = figure && (!figure_is_possible(figure) || figure_check(figure, &workshop, &made, status));
    if (ok && !figure_is_possible(figure))
        fprintf(stderr, "rigor check: %s: it needs %s, which is not set: its runs were not looked at\n", path,
                figure->needs);
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:s,s:s,s:i,s:i}", "file", path, "kind", "figure", "name", figure->name,
                                  "panels", figure->panel_count, "runs", made),
                        status);
    else if (ok)
        printf("%s: a valid figure, '%s': %d panels, %d runs and commands\n", path, figure->name, figure->panel_count,
               made);
    figure_destroy(figure);
    return ok;
}

const CheckKind check_kind_figure = {is_figure, check_figure};

static bool is_contents(const json_t *document)
{
    return json_object_get(document, "sections") != NULL;
}

static bool check_contents(const Arguments *arguments, Status *status)
{
    const char *path = arguments->operands[0];
    Workshop workshop = {.solvers = &arguments->solvers, .plugin_paths = arguments->values[OPTION_PLUGIN]};
    Contents *contents = contents_read_file(path, status);
    bool ok = contents != NULL;
    int viewers = 0;
    for (int i = 0; ok && i < contents->count; i++)
        if (contents->items[i].viewer) {
            ok = viewer_check(contents, &contents->items[i], &workshop, status);
            viewers++;
        }
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:s,s:i,s:i}", "file", path, "kind", "contents", "figures",
                                  contents->count - viewers, "viewers", viewers),
                        status);
    else if (ok)
        printf("%s: valid contents: %d figures, %d viewers\n", path, contents->count - viewers, viewers);
    contents_destroy(contents);
    return ok;
}

const CheckKind check_kind_contents = {is_contents, check_contents};
