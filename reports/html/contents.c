/* SPDX-License-Identifier: MIT */
/* The ways through the report: contents beside every page's text, and on the index a list of everything, which can be
 * searched. */
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

/* Open for the list item that goes on with its text. */
static void write_entry(Text *page, const Report *report, int i)
{
    const ReportItem *item = &report->items[i];
    text_add(page, "<a href=\"");
    html_write_link(page, report, i);
    text_add(page, "\">");
    typeset_html(page, item_title(item));
    text_add(page, "%s%s</a>", item_is_viewer(item) ? " (3D)" : "", item->made ? "" : " (failed)");
}

static void write_page_entry(Text *page, const ReportPage *there, const ReportPage *here)
{
    text_add(page, "<li><a class=\"page\" href=\"%s\"%s>", there->file, there == here ? " aria-current=\"page\"" : "");
    if (there->place)
        html_write_heading(page, there->place);
    else
        text_add(page, "Start");
    text_add(page, "</a>");
}

void html_write_contents(Text *page, const Report *report, const ReportPage *here)
{
    text_add(page, "<nav class=\"contents\" aria-label=\"Contents\"><details open><summary>Contents</summary>\n<ul>\n");
    for (int p = 0; p < report->page_count; p++) {
        const ReportPage *there = &report->pages[p];
        write_page_entry(page, there, here);
        if (there == here) {
            text_add(page, "<ul>\n");
            for (int i = here->first; i < here->end; i++) {
                text_add(page, "<li>");
                write_entry(page, report, i);
                text_add(page, "</li>\n");
            }
            if (p == 0 && json_array_size(report->findings) > 0)
                text_add(page, "<li><a href=\"index.html#findings\">What was found</a></li>\n");
            text_add(page, p == 0 && report->page_count > 1 ? "<li><a href=\"index.html#find\">Find a figure</a></li>\n"
                                                            : "");
            text_add(page, p == 0 && report->matrix
                               ? "<li><a href=\"index.html#solvers\">What each solver can do</a></li>\n"
                               : "");
            text_add(page, p == 0 ? "<li><a href=\"index.html#made-with\">How this was made</a></li>\n" : "");
            text_add(page, "</ul>");
        }
        text_add(page, "</li>\n");
        if (p == 0 && report->findings)
            text_add(page, "<li><a class=\"page\" href=\"" CLAIMS_FILE "\"%s>What the lectures say</a></li>\n",
                     here ? "" : " aria-current=\"page\"");
    }
    text_add(page, "</ul></details></nav>\n");
}

/* By these an item is found, too, though they are not shown: its name, and what its drawing's caption says. */
static void write_words(Text *page, const ReportItem *item)
{
    text_add(page, "<li data-words=\"");
    html_escape(page, item_id(item));
    if (item->figure) {
        text_add(page, " ");
        typeset_plain(page, item->figure->slide);
        text_add(page, " ");
        typeset_plain(page, item->figure->question);
        text_add(page, " ");
        typeset_plain(page, item->made ? item->figure->told_caption : "");
    }
    text_add(page, "\">");
}

static void write_told(Text *page, const ReportItem *item)
{
    const char *told = !item->made ? "" : item->figure ? item->figure->told_finding : item->viewer.see;
    text_add(page, "<br><small>");
    typeset_html(page, told ? told : "");
    text_add(page, "</small>");
}

void html_write_finder(Text *page, const Report *report)
{
    if (report->page_count < 2)
        return;
    text_add(page, "<section id=\"find\" aria-labelledby=\"find-title\"><h2 id=\"find-title\">Find a figure</h2>\n<p "
                   "class=\"finder\" hidden><label>Search <input type=\"search\" autocomplete=\"off\"></label> <output "
                   "aria-live=\"polite\"></output></p>\n");
    for (int p = 1; p < report->page_count; p++) {
        const ReportPage *there = &report->pages[p];
        text_add(page, "<div class=\"found\"><h3><a href=\"%s\">", there->file);
        html_write_heading(page, there->place);
        text_add(page, "</a></h3>\n<ul>\n");
        for (int i = there->first; i < there->end; i++) {
            write_words(page, &report->items[i]);
            write_entry(page, report, i);
            write_told(page, &report->items[i]);
            text_add(page, "</li>\n");
        }
        text_add(page, "</ul></div>\n");
    }
    text_add(page, "</section>\n");
}
