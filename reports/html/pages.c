/* SPDX-License-Identifier: MIT */
/* The report's pages: the index, then one for each section of the contents. Links name page and item, so that one text
 * of a link is right wherever it stands. */
#include "reports/draw/typeset.h"
#include "reports/html/html.h"

#include <stdlib.h>
#include <string.h>

static bool is_taken(const Report *report, const char *file)
{
    for (int p = 0; p < report->page_count; p++)
        if (strcmp(report->pages[p].file, file) == 0)
            return true;
    return false;
}

/* A file's name may have a lecture's, if that is a number or a word; else its place. */
static void name_page(ReportPage *page, const Report *report, const char *lecture)
{
    static const char LETTERS[] = "0123456789abcdefghijklmnopqrstuvwxyz-";
    size_t length = lecture ? strlen(lecture) : 0;
    if (length > 0 && length <= 16 && strspn(lecture, LETTERS) == length)
        snprintf(page->file, sizeof page->file, "lecture-%s.html", lecture);
    if (!page->file[0] || is_taken(report, page->file))
        snprintf(page->file, sizeof page->file, "part-%d.html", report->page_count);
}

bool report_lay_out(Report *report)
{
    report->pages = calloc((size_t)report->count + 1, sizeof *report->pages);
    if (!report->pages)
        return false;
    report->pages[report->page_count++] = (ReportPage){.file = "index.html"};
    for (int i = 0; i < report->count; i++) {
        if (section_begins(report->items, i)) {
            ReportPage page = {.first = i, .place = report->items[i].place};
            name_page(&page, report, page.place->lecture);
            report->pages[report->page_count++] = page;
        }
        report->pages[report->page_count - 1].end = i + 1;
    }
    return true;
}

static const ReportPage *page_of(const Report *report, int item)
{
    int p = report->page_count - 1;
    while (p > 0 && item < report->pages[p].first)
        p--;
    return &report->pages[p];
}

void html_write_link(Text *page, const Report *report, int item)
{
    text_add(page, "%s#", page_of(report, item)->file);
    html_escape(page, item_id(&report->items[item]));
}
