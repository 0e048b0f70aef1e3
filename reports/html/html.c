/* SPDX-License-Identifier: MIT */
#include "reports/html/html.h"

#include "bench/build.h"
#include "bench/files/sha256.h"
#include "bench/files/write_file.h"
#include "reports/draw/look.h"
#include "reports/draw/typeset.h"
#include "reports/html/colours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *item_title(const ReportItem *item)
{
    return item->figure ? item->figure->title : item->viewer.title ? item->viewer.title : item->name;
}

const char *item_id(const ReportItem *item)
{
    return item->figure ? item->figure->name : item->name;
}

bool item_is_viewer(const ReportItem *item)
{
    return item->place && item->place->viewer;
}

bool item_is_opening(const ReportItem *item)
{
    return item->place && item->place->opening;
}

bool section_begins(const ReportItem *items, int i)
{
    const char *heading = items[i].place ? items[i].place->heading : NULL;
    return heading && (i == 0 || items[i - 1].place->heading != heading);
}

static void write_failure(Text *page, const ReportItem *item)
{
    Text message = {0};
    typeset_name(&message, item->status.message);
    text_add(page, "<p class=\"failed\" role=\"alert\">%s could not be made: ",
             item_is_viewer(item) ? "This viewer" : "This figure");
    typeset_html(page, message.data ? message.data : "");
    text_add(page, "</p>\n");
    free(message.data);
}

/* The result first; a finding that is no longer true is an alarm in its place. */
static void write_finding(Text *page, const Figure *figure)
{
    text_add(page, figure->refuted ? "<p class=\"failed\" role=\"alert\">" : "<p class=\"finding\">");
    typeset_html(page, figure->told_finding);
    text_add(page, "</p>\n");
}

/* The drawing waits in its place, which has its shape, so that nothing moves when it comes: as the text of a
 * `noscript`, which takes no time, and which is the drawing where no script runs. */
static void write_drawing(Text *page, const Figure *figure, const Report *report)
{
    Text svg = {0};
    double shape[2];
    text_add(page, "<div class=\"picture\">");
    if (html_write_svg(&svg, figure, report, shape) && !svg.failed)
        text_add(page,
                 "<div class=\"drawing\" data-drawing style=\"--wide:%.0f;--high:%.0f\"><noscript>%s</noscript>"
                 "</div>",
                 shape[0], shape[1], svg.data);
    else
        text_add(page, "<span class=\"failed\">The drawing cannot be read.</span>");
    text_add(page, "</div>\n");
    html_write_live(page, figure, report->workshop);
    free(svg.data);
}

static void write_caption(Text *page, const Figure *figure)
{
    if (!figure->told_caption[0])
        return;
    text_add(page, "<figcaption>");
    typeset_html(page, figure->told_caption);
    text_add(page, "</figcaption>");
}

static void write_files(Text *page, const Figure *figure)
{
    static const char *const EXTENSIONS[] = {"svg", "pdf", "png", "csv"};
    text_add(page, "<p>Files: ");
    for (int i = 0; i < 4; i++)
        text_add(page, "%s<a href=\"%s.%s\">%s</a>", i ? ", " : "", figure->name, EXTENSIONS[i], EXTENSIONS[i]);
    text_add(page, ". Made by <code>rigor report %s</code></p>\n", figure->name);
}

static void write_figure(Text *page, const ReportItem *item, const Report *report)
{
    const Figure *figure = item->figure;
    write_finding(page, figure);
    text_add(page, "<figure>");
    if (item_is_opening(item) && figure_has_verdicts(figure))
        html_write_overview(page, figure, report);
    else
        write_drawing(page, figure, report);
    write_caption(page, figure);
    text_add(page, "</figure>\n");
    write_files(page, figure);
    html_write_points(page, figure);
}

static void write_slide(Text *page, const char *slide)
{
    if (!slide[0])
        return;
    text_add(page, "<p class=\"slide\">Lecture ");
    typeset_html(page, slide);
    text_add(page, "</p>\n");
}

static void write_viewer(Text *page, const ReportItem *item)
{
    write_slide(page, item->viewer.slide);
    text_add(page, "<p class=\"see\">");
    typeset_html(page, item->viewer.see);
    text_add(page, "</p>\n");
    Status status = {0};
    if (html_write_viewer(page, &item->viewer, &status)) {
        text_add(page, "<p>Filmstrip: <a href=\"");
        html_escape(page, item->viewer.name);
        text_add(page, ".pdf\">pdf</a>, <a href=\"");
        html_escape(page, item->viewer.name);
        text_add(page, ".png\">png</a></p>\n");
    } else {
        write_failure(page, &(ReportItem){.place = item->place, .status = status});
    }
}

/* The findings that matter most, each with the way to its figure. */
static void write_best_findings(Text *page, const Report *report)
{
    if (json_array_size(report->findings) == 0)
        return;
    text_add(page,
             "<section id=\"findings\" aria-labelledby=\"findings-title\"><h2 id=\"findings-title\">What was found"
             "</h2>\n<ul class=\"findings\">\n");
    for (size_t k = 0; k < json_array_size(report->findings); k++) {
        const char *name = json_string_value(json_array_get(report->findings, k));
        for (int i = 0; i < report->count; i++) {
            const ReportItem *item = &report->items[i];
            if (!item->made || !item->figure || item->figure->refuted || strcmp(item_id(item), name) != 0)
                continue;
            text_add(page, "<li>");
            typeset_html(page, item->figure->told_finding);
            text_add(page, " <a href=\"");
            html_write_link(page, report, i);
            text_add(page, "\">");
            typeset_html(page, item->figure->title);
            text_add(page, "</a></li>\n");
        }
    }
    text_add(page, "</ul></section>\n");
}

static void write_item(Text *page, const ReportItem *item, const Report *report)
{
    Text id = {0};
    html_escape(&id, item_id(item));
    const char *name = id.failed ? "" : id.data;
    text_add(page, "<section id=\"%s\" aria-labelledby=\"%s-title\"><h2 id=\"%s-title\">", name, name, name);
    typeset_html(page, item_title(item));
    text_add(page, "<a class=\"permalink\" href=\"#%s\" aria-label=\"Link to this section\"></a></h2>\n", name);
    free(id.data);
    if (item->figure)
        write_slide(page, item->figure->slide);
    if (item->figure && item->figure->question[0]) {
        text_add(page, "<p class=\"question\">");
        typeset_html(page, item->figure->question);
        text_add(page, "</p>\n");
    }
    if (!item->made)
        write_failure(page, item);
    else if (item_is_viewer(item))
        write_viewer(page, item);
    else
        write_figure(page, item, report);
    text_add(page, "</section>\n");
}

static void write_made_with(Text *page)
{
    char date[64];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    text_add(page,
             "<section id=\"made-with\"><h2>How this was made</h2>\n<p>The whole page: <code>rigor report</code>; "
             "one figure: <code>rigor report NAME</code>.</p>\n<table class=\"facts\">\n");
    char version[128];
    snprintf(version, sizeof version, "%s, commit %s", build_version(), build_commit());
    html_write_fact(page, "rigor", version);
    html_write_machine(page);
    text_add(page, "<tr><th scope=\"row\">Date</th><td>%s</td></tr>\n</table></section>\n", date);
}

/* Only the page's own scripts run, and nothing is fetched but what the page holds. */
static void write_policy(Text *page, const char *const scripts[], int count)
{
    text_add(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
                   "'wasm-unsafe-eval'");
    for (int i = 0; i < count; i++) {
        char hash[SHA256_BASE64];
        sha256_base64(scripts[i], strlen(scripts[i]), hash);
        text_add(page, " 'sha256-%s'", hash);
    }
    text_add(page, "; style-src 'unsafe-inline'; img-src data: blob:; connect-src data: blob:; worker-src blob:; "
                   "base-uri 'none'; form-action 'none'\">\n");
}

/* What a page runs and looks like: its own, and the viewer's if there is one. */
typedef struct PageParts {
    Text style, script, viewer_style, viewer_script;
} PageParts;

static bool parts_open(PageParts *parts, bool viewers, Status *status)
{
    return html_own_parts(&parts->style, &parts->script, status) &&
           (!viewers || html_viewers_open(&parts->viewer_style, &parts->viewer_script, status));
}

static void parts_close(PageParts *parts)
{
    free(parts->style.data);
    free(parts->script.data);
    free(parts->viewer_style.data);
    free(parts->viewer_script.data);
}

static const char TITLE[] = "Rigid-body constraint solvers compared";

/* A file of the report: what stands in its head, and who writes what is in it. */
typedef struct Document {
    const char *file;
    const ReportPage *here; /* NULL: none of the contents */
    Text title;
    bool viewers; /* has the viewer's script */
    bool (*write)(Text *page, const Report *report, const struct Document *document, Status *status);
} Document;

static void write_head(Text *page, const Document *document, const PageParts *parts)
{
    const char *viewer = parts->viewer_script.data;
    text_add(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                   "<meta name=\"generator\" content=\"rigor\">\n");
    write_policy(page, (const char *const[]){parts->script.data, viewer}, viewer ? 2 : 1);
    text_add(page, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
    Text bare = {0};
    typeset_plain(&bare, document->title.data);
    text_add(page, "%s: rigor</title>\n", bare.failed ? "" : bare.data);
    free(bare.data);
    text_add(page, "<style>%s%s</style></head>\n<body>\n<a class=\"skip\" href=\"#figures\">Skip to the text</a>\n",
             viewer ? parts->viewer_style.data : "", parts->style.data);
}

/* For the way from a figure's run to the playground, which is on the index. */
static void write_playable(Text *page, const Report *report)
{
    json_t *playable = report->pages[0].alone ? NULL : html_playable();
    char *text = playable ? json_dumps(playable, JSON_COMPACT) : NULL;
    if (text)
        html_write_part(page, "playable", text);
    free(text);
    json_decref(playable);
}

static bool write_body(Text *page, const Report *report, const Document *document, const PageParts *parts,
                       Status *status)
{
    bool index = document->here == &report->pages[0];
    text_add(page, "<div class=\"layout\"><header class=\"top\">%s<h1>",
             index || !report->findings ? "" : "<p class=\"home\"><a href=\"index.html\">Start</a></p>");
    typeset_html(page, document->title.data);
    text_add(page, "</h1></header>\n");
    if (report->page_count > 1)
        html_write_contents(page, report, document->here);
    text_add(page, "<main id=\"figures\">\n");
    bool ok = document->write(page, report, document, status);
    ok = ok && (!parts->viewer_script.data || html_write_licences(page, status));
    text_add(page, "</main></div>\n");
    colours_write_style(page, report->colours);
    write_playable(page, report);
    html_write_part(page, "citation", build_citation());
    if (parts->viewer_script.data)
        html_write_part(page, "viewer-script", parts->viewer_script.data);
    text_add(page, "<script>%s</script>\n</body></html>\n", parts->script.data);
    return ok;
}

/* Bytes that a page should have at most. */
static const size_t PAGE_BYTES = 3000000;

static bool document_write(Report *report, Document *document, Status *status)
{
    Text page = {0}, path = {0};
    PageParts parts = {0};
    report->colours = json_object();
    bool ok = parts_open(&parts, document->viewers, status);
    if (ok) {
        write_head(&page, document, &parts);
        ok = write_body(&page, report, document, &parts, status);
        text_add(&path, "%s/%s", report->workshop->directory, document->file);
    }
    if (ok) {
        ok = page.failed || path.failed || document->title.failed ? status_set(status, STATUS_FAILED, "out of memory")
                                                                  : file_write_text(path.data, page.data, status);
        if (ok && page.length > PAGE_BYTES)
            fprintf(stderr, "rigor report: %s has %.2f MB, more than the %.2f MB a page should have\n", path.data,
                    1e-6 * (double)page.length, 1e-6 * (double)PAGE_BYTES);
    }
    free(page.data);
    free(path.data);
    free(document->title.data);
    parts_close(&parts);
    json_decref(report->colours);
    return ok;
}

static bool write_items(Text *page, const Report *report, const Document *document, Status *status)
{
    (void)status;
    for (int i = document->here->first; i < document->here->end; i++)
        write_item(page, &report->items[i], report);
    return true;
}

/* What can be tried, what was found, where everything is. */
static bool write_index(Text *page, const Report *report, const Document *document, Status *status)
{
    text_add(page, "<p>Every solver runs on the same bodies and constraints; each figure answers one question of the "
                   "lectures.</p>\n");
    if (report->note) {
        text_add(page, "<p class=\"failed\" role=\"note\">");
        typeset_plain(page, report->note);
        text_add(page, "</p>\n");
    }
    bool ok = (!report->findings || html_write_claims_counted(page, status)) &&
              (!document->viewers || html_write_playground(page, status)) &&
              (!report->findings || html_write_claims_marked(page, status));
    if (report->count > 0 && item_is_opening(&report->items[0]))
        write_item(page, &report->items[0], report);
    write_best_findings(page, report);
    for (int i = item_is_opening(&report->items[0]); i < document->here->end; i++)
        write_item(page, &report->items[i], report);
    html_write_finder(page, report);
    html_write_matrix(page, report->matrix);
    write_made_with(page);
    return ok;
}

static bool write_claims(Text *page, const Report *report, const Document *document, Status *status)
{
    (void)document;
    return html_write_claims(page, report, status);
}

/* Is there something to be seen in 3D? */
static bool page_has_viewers(const Report *report, const ReportPage *page)
{
    for (int i = page->first; i < page->end; i++)
        if (item_is_viewer(&report->items[i]) && report->items[i].made)
            return true;
    return false;
}

static bool write_page(Report *report, const ReportPage *page, Status *status)
{
    bool index = page == &report->pages[0];
    Document document = {.file = page->file,
                         .here = page,
                         .viewers = page_has_viewers(report, page) || (index && !report->note && html_has_viewers()),
                         .write = index ? write_index : write_items};
    if (page->place && page->place->lecture) {
        text_add(&document.title, "Lecture ");
        typeset_name(&document.title, page->place->lecture);
        text_add(&document.title, ": ");
    }
    text_add(&document.title, "%s", page->place ? page->place->heading : TITLE);
    return document_write(report, &document, status);
}

bool html_write(Report *report, Status *status)
{
    json_t *palette = palette_read(status);
    bool ok = palette && (report_lay_out(report) || status_set(status, STATUS_FAILED, "out of memory"));
    report->palette = palette;
    for (int p = 0; ok && p < report->page_count; p++)
        ok = write_page(report, &report->pages[p], status);
    if (ok && report->findings) {
        Document claims = {.file = CLAIMS_FILE, .write = write_claims};
        text_add(&claims.title, "What the lectures say");
        ok = document_write(report, &claims, status);
    }
    free(report->pages);
    json_decref(palette);
    return ok;
}

bool html_write_alone(Report *report, const char *file, Status *status)
{
    ReportPage page = {.end = report->count, .alone = true};
    json_t *palette = palette_read(status);
    report->palette = palette;
    report->pages = &page;
    report->page_count = 1;
    snprintf(page.file, sizeof page.file, "%s", file);
    Document document = {.file = file, .here = &page, .write = write_items};
    text_add(&document.title, "%s", TITLE);
    bool ok = palette && document_write(report, &document, status);
    json_decref(palette);
    return ok;
}
