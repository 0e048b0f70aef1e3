/* SPDX-License-Identifier: MIT */
/* Marching squares on a grid over the panel: of each cell's edges, those that a level crosses are joined. */
#include "reports/draw/levels.h"

#include "reports/figure/expression.h"

#include <stdlib.h>
#include <string.h>

/* Cells along x and y: some four px each. */
enum { NX = 96, NY = 72 };

typedef struct Field {
    const json_t *rows;
    double x, y;
} Field;

static bool field_name(const Scope *scope, const char *name, double *value)
{
    const Field *field = scope->context;
    *value = strcmp(name, "x") == 0 ? field->x : field->y;
    return strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
}

static double along(const Range *range, double part)
{
    return range->log ? range->min * pow(range->max / range->min, part) : range->min + (range->max - range->min) * part;
}

/* f at the corners of the cells, (NX + 1) x (NY + 1); to be freed; NULL with a message. */
static double *field_sample(const PanelDrawing *drawing, Status *status)
{
    double *f = malloc(sizeof *f * (NX + 1) * (NY + 1));
    bool ok = f || status_set(status, STATUS_FAILED, "out of memory");
    for (int j = 0; ok && j <= NY; j++)
        for (int i = 0; ok && i <= NX; i++) {
            Field at = {.x = along(&drawing->x, (double)i / NX), .y = along(&drawing->y, (double)j / NY)};
            ok = expression_evaluate(drawing->panel->levels, &(Scope){.name = field_name, .context = &at},
                                     &f[j * (NX + 1) + i], status);
        }
    if (!ok) {
        free(f);
        return NULL;
    }
    return f;
}

/* Where the level crosses the edges of a cell; corners counter-clockwise from the lower left. */
static void cell_segments(Text *script, const PanelDrawing *drawing, const double *f, int i, int j, double level)
{
    static const int CORNER[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int found = 0;
    for (int edge = 0; edge < 4; edge++) {
        const int *a = CORNER[edge], *b = CORNER[(edge + 1) % 4];
        double fa = f[(j + a[1]) * (NX + 1) + i + a[0]] - level, fb = f[(j + b[1]) * (NX + 1) + i + b[0]] - level;
        if ((fa < 0.0) == (fb < 0.0) || !isfinite(fa) || !isfinite(fb))
            continue;
        double part = fa / (fa - fb);
        text_add(script, "%.7g %.7g\n", along(&drawing->x, (i + a[0] + part * (b[0] - a[0])) / NX),
                 along(&drawing->y, (j + a[1] + part * (b[1] - a[1])) / NY));
        text_add(script, ++found % 2 == 0 ? "\n" : "");
    }
    text_add(script, found % 2 ? "\n" : "");
}

bool levels_data(Text *script, const PanelDrawing *drawing, Status *status)
{
    size_t k;
    json_t *value;
    if (!drawing->panel->levels)
        return true;
    double *f = field_sample(drawing, status);
    if (!f)
        return false;
    text_add(script, "$p%dl << EOD\n", drawing->index);
    json_array_foreach (drawing->panel->level_values, k, value)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++)
                cell_segments(script, drawing, f, i, j, json_number_value(value));
    text_add(script, "EOD\n");
    free(f);
    return true;
}

void levels_plot(Text *script, const PanelDrawing *drawing, const char **comma)
{
    if (!drawing->panel->levels)
        return;
    text_add(script, "%s$p%dl using 1:2 with lines lc rgb '#CBD0D6' lw 3 notitle", *comma, drawing->index);
    *comma = ", \\\n  ";
}
