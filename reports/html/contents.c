/* SPDX-License-Identifier: MIT */
/* The page's contents: a list of its sections, which stays in sight. */
#include "reports/draw/typeset.h"
#include "reports/html/html.h"

void html_write_heading(Text *page, const ContentsItem *place)
{
    if (place->lecture) {
        text_add(page, "Lecture ");
        html_escape(page, place->lecture);
        text_add(page, ": ");
    }
    typeset_html(page, place->heading);
}

static void write_entry(Text *page, const ReportItem *item)
{
    text_add(page, "<li><a href=\"#");
    html_escape(page, item_id(item));
    text_add(page, "\">");
    typeset_html(page, item_title(item));
    text_add(page, "%s%s</a></li>\n", item_is_viewer(item) ? " (3D)" : "", item->made ? "" : " (failed)");
}

void html_write_contents(Text *page, const Report *report)
{
    bool open = false;
    const char *claims = report->findings ? "<p><a href=\"#claims\">What the lectures say</a></p>\n" : "";
    text_add(page, "<nav class=\"contents\" aria-label=\"Contents\"><details open><summary>Contents</summary>\n%s",
             claims);
    for (int i = 0; i < report->count; i++) {
        bool begins = section_begins(report->items, i);
        if (begins && open)
            text_add(page, "</ul>\n");
        if (begins) {
            text_add(page, "<h3><a href=\"#section-%d\">", i);
            html_write_heading(page, report->items[i].place);
            text_add(page, "</a></h3>");
        }
        text_add(page, begins || !open ? "<ul>\n" : "");
        open = true;
        write_entry(page, &report->items[i]);
        if (item_is_opening(&report->items[i]) && json_array_size(report->findings) > 0)
            text_add(page, "<li><a href=\"#findings\">What was found</a></li>\n");
    }
    text_add(page, open && report->matrix ? "<li><a href=\"#solvers\">What each solver can do</a></li>\n" : "");
    text_add(page, open ? "<li><a href=\"#made-with\">How this was made</a></li></ul>\n" : "");
    text_add(page, "</details></nav>\n");
}
