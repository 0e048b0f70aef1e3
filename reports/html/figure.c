/* SPDX-License-Identifier: MIT */
/* A figure's parts of the page: its drawing, inline, and the points drawn. */
#include "bench/files/text_file.h"
#include "reports/draw/typeset.h"
#include "reports/figure/curves.h"
#include "reports/html/colours.h"
#include "reports/html/html.h"

#include <stdlib.h>
#include <string.h>

/* More rows than this are for the CSV. */
enum { MOST_ROWS = 200 };

/* gnuplot gives every drawing the same ids: each gets the figure's name before it. Its title and description are its
 * own advertisement; ours stand beside the drawing. */
static const struct {
    const char *from, *to;
} REPLACED[] = {
    {" id=\"", " id=\"%s-"},           {" id='", " id='%s-"}, {"xlink:href='#", "href='#%s-"},
    {"xlink:href=\"#", "href=\"#%s-"}, {"url(#", "url(#%s-"}, {"filter='url(#", "filter='url(#%s-"},
};

static void add_with_ids(Text *page, const char *at, const char *name)
{
    while (*at) {
        size_t i = 0, count = sizeof REPLACED / sizeof REPLACED[0];
        while (i < count && strncmp(at, REPLACED[i].from, strlen(REPLACED[i].from)) != 0)
            i++;
        if (i < count) {
            const char *mark = strstr(REPLACED[i].to, "%s");
            text_add(page, "%.*s%s%s", (int)(mark - REPLACED[i].to), REPLACED[i].to, name, mark + 2);
            at += strlen(REPLACED[i].from);
        } else {
            size_t run = 1;
            while (at[run] && !strchr(" xuf", at[run]))
                run++;
            text_add(page, "%.*s", (int)run, at);
            at += run;
        }
    }
}

/* Takes away everything from `from` to the end of `to`. */
static void cut(char *text, const char *from, const char *to)
{
    char *begin = strstr(text, from), *end = begin ? strstr(begin + strlen(from), to) : NULL;
    if (end)
        memmove(begin, end + strlen(to), strlen(end + strlen(to)) + 1);
}

bool html_write_svg(Text *page, const Figure *figure, const Report *report, double shape[2])
{
    Text path = {0}, coloured = {0};
    text_add(&path, "%s/%s.svg", report->workshop->directory, figure->name);
    char *text = path.failed ? NULL : text_file_read(path.data), *svg = text ? strstr(text, "<svg") : NULL;
    const char *view = svg ? strstr(svg, "viewBox=\"0 0 ") : NULL;
    shape[0] = shape[1] = 1.0;
    if (view)
        sscanf(view, "viewBox=\"0 0 %lf %lf", &shape[0], &shape[1]);
    if (svg) {
        cut(svg, "<title>", "</title>");
        cut(svg, "<desc>", "</desc>");
        cut(svg, "xmlns=\"", "\"");
        cut(svg, "xmlns:xlink=\"", "\"");
        text_add(page, "<svg role=\"img\" aria-label=\"");
        typeset_plain(page, figure->told_finding);
        text_add(page, "\"");
        colours_as_variables(&coloured, svg + strlen("<svg"), report->palette, report->colours);
        add_with_ids(page, coloured.failed ? "" : coloured.data, figure->name);
    }
    free(text);
    free(path.data);
    free(coloured.data);
    return svg != NULL;
}

static void write_coordinate(Text *page, const Categories *categories, double value)
{
    text_add(page, "</td><td>");
    if (categories->count > 0)
        html_escape(page, categories->names[(int)value]);
    else
        text_add(page, "%.5g", value);
}

static void write_panel_table(Text *page, const Panel *panel, const PanelCurves *curves)
{
    int rows = 0, total = 0;
    bool third = panel->z.field != NULL;
    text_add(page, "<div class=\"scroll\" tabindex=\"0\"><table><caption>");
    typeset_html(page, panel->title ? panel->title : "");
    text_add(page, "</caption><thead><tr><th scope=\"col\">curve</th>");
    const Axis *axes[] = {&panel->x, &panel->y, &panel->z};
    for (int a = 0; a < (third ? 3 : 2); a++) {
        text_add(page, "<th scope=\"col\">");
        typeset_html(page, axes[a]->label);
        text_add(page, axes[a]->unit ? " [" : "");
        typeset_html(page, axes[a]->unit ? axes[a]->unit : "");
        text_add(page, "%s</th>", axes[a]->unit ? "]" : "");
    }
    text_add(page, "</tr></thead><tbody>\n");
    for (int i = 0; i < curves->count; i++)
        for (int k = 0; k < curves->curves[i].count && !curves->curves[i].truth; k++, total++) {
            const CurvePoint *p = &curves->curves[i].points[k];
            if (rows == MOST_ROWS)
                continue;
            rows++;
            text_add(page, "<tr><td>");
            typeset_html(page, curves->curves[i].label);
            write_coordinate(page, &curves->x, p->x);
            write_coordinate(page, &curves->y, p->y);
            text_add(page, "</td>");
            if (third)
                text_add(page, "<td>%.5g</td>", p->z);
            text_add(page, "</tr>\n");
        }
    text_add(page, "</tbody></table></div>\n");
    if (total > rows)
        text_add(page, "<p>%d of %d points; all are in the CSV.</p>\n", rows, total);
}

void html_write_points(Text *page, const Figure *figure)
{
    Status status = {0};
    PanelCurves *panels = figure_curves(figure, &status);
    if (!panels)
        return;
    Text tables = {0};
    for (int p = 0; p < figure->panel_count; p++)
        write_panel_table(&tables, &figure->panels[p], &panels[p]);
    text_add(page, "<details><summary>The numbers drawn</summary><div data-part=\"%s-numbers\"></div></details>\n",
             figure->name);
    Text id = {0};
    text_add(&id, "%s-numbers", figure->name);
    html_write_part(page, id.failed ? "" : id.data, tables.failed ? "" : tables.data);
    free(tables.data);
    free(id.data);
    figure_curves_destroy(panels, figure->panel_count);
}
