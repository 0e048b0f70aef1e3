#include "reports/html.h"

#include "bench/build.h"
#include "bench/write_file.h"
#include "reports/sha256.h"
#include "reports/typeset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char STYLE[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1b1b;--soft:#595959;--paper:#fff;--line:#d8d8d8;--link:#0b57a4;--tint:#f5f6f8}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e9e9e9;--soft:#b5b5b5;--paper:#16181b;--line:#3a3d42;--link:#"
    "8ab8f0;"
    "--tint:#1f2226}}"
    "*{box-sizing:border-box}html{scroll-behavior:smooth}"
    "body{margin:0;font:1rem/1.55 system-ui,-apple-system,'Segoe "
    "UI',sans-serif;color:var(--ink);background:var(--paper)}"
    "header,main,footer,nav{max-width:70rem;margin:0 auto;padding:0 1.2rem}"
    "a{color:var(--link)}a:focus-visible,summary:focus-visible,.picture:focus-visible{outline:3px solid #E69F00;"
    "outline-offset:2px}"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:2.2rem 0 .4rem}h2{font-size:1.55rem;line-height:1.25;margin:0 0 .3rem}"
    "section>h3{font-size:1.3rem;line-height:1.25;margin:0 0 .3rem}.lecture{margin:2.6rem 0 1rem}"
    "nav .parts{columns:19rem;column-gap:2.5rem}nav .part{break-inside:avoid;margin:0 0 1rem}"
    "nav h3{font-size:1rem;line-height:1.3;margin:.4rem 0 .2rem}nav ul{margin:0;padding-left:1.2rem}"
    "main>section{border-top:1px solid var(--line);padding:1.8rem 0}"
    ".rigor-viewer{min-height:36rem;height:36rem;border:1px solid var(--line);border-radius:.5rem;overflow:hidden}"
    ".rigor-viewer>div{height:100%}.rigor-viewer .waiting{color:var(--soft);text-align:center;padding-top:16rem}"
    ".rg-still{display:block;width:100%;object-fit:contain}"
    "@media(max-width:56rem){.rigor-viewer{height:auto}.rigor-viewer .rg-side{max-height:22rem}}"
    ".slide,.question{color:var(--soft);margin:.1rem 0}.question{font-style:italic}"
    ".finding{font-size:1.15rem;line-height:1.45;font-weight:600;max-width:62rem;margin:.6rem 0 0}"
    "figure{margin:1rem 0}figcaption{max-width:62rem;font-size:.9rem;color:var(--soft)}"
    ".picture{display:block;width:100%;padding:.6rem;border:1px solid var(--line);border-radius:.5rem;background:#fff;"
    "cursor:zoom-in;font:inherit}.picture svg{display:block;width:100%;height:auto}"
    ".picture[aria-expanded=true]{position:fixed;inset:0;z-index:9;border:0;border-radius:0;overflow:auto;cursor:zoom-"
    "out;"
    "display:flex;align-items:center}.picture[aria-expanded=true] svg{max-height:96vh}"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--soft)}"
    ".scroll{overflow-x:auto;max-height:26rem}:is(.scroll,.facts) table,table.facts{border-collapse:collapse;font-size:"
    ".85rem;font-variant-numeric:tabular-nums}"
    ":is(.scroll,.facts) :is(th,td){padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--line)}"
    ".scroll :is(th,td):first-child{text-align:left}.scroll th{position:sticky;top:0;background:var(--paper)}"
    "code{background:var(--tint);padding:.1rem .35rem;border-radius:.25rem;overflow-wrap:anywhere}"
    ".failed{border-left:4px solid #D55E00;padding:.4rem 1rem;background:var(--tint)}"
    ".facts th,.facts td{text-align:left;vertical-align:top}"
    "@media "
    "print{nav,.skip,.waiting,.rg-side,details:not([open]){display:none}main>section{break-inside:avoid}.rigor-viewer{"
    "min-"
    "height:0;height:auto;border:0}body{font-size:10pt}"
    ".picture{border:0;padding:0}:root{--paper:#fff;--ink:#000}}";

/* A click, or Enter, shows a figure as large as the window; Escape ends that. */
static const char SCRIPT[] =
    "for(const b of "
    "document.querySelectorAll('.picture'))b.addEventListener('click',()=>b.setAttribute('aria-expanded',"
    "b.getAttribute('aria-expanded')!=='true'));"
    "addEventListener('keydown',e=>{if(e.key==='Escape')for(const b of document.querySelectorAll("
    "'.picture[aria-expanded=true]'))b.setAttribute('aria-expanded','false')});";

static const char *item_title(const ReportItem *item)
{
    return item->figure ? item->figure->title : item->viewer.title ? item->viewer.title : item->name;
}

static const char *item_id(const ReportItem *item)
{
    return item->figure ? item->figure->name : item->name;
}

static bool item_is_viewer(const ReportItem *item)
{
    return item->place && item->place->viewer;
}

/* Does a section begin here? Items of one section share its heading. */
static bool section_begins(const ReportItem *items, int i)
{
    const char *heading = items[i].place ? items[i].place->heading : NULL;
    return heading && (i == 0 || items[i - 1].place->heading != heading);
}

static void write_heading(Text *page, const ContentsItem *place)
{
    if (place->lecture) {
        text_add(page, "Lecture ");
        html_escape(page, place->lecture);
        text_add(page, ": ");
    }
    typeset_html(page, place->heading);
}

static void write_contents(Text *page, const ReportItem *items, int count)
{
    bool open = false;
    text_add(page, "<nav aria-label=\"Contents\"><h2>Contents</h2>\n<div class=\"parts\">");
    for (int i = 0; i < count; i++) {
        bool begins = section_begins(items, i);
        if (begins || !open) {
            text_add(page, open ? "</ul></div>\n" : "");
            text_add(page, "<div class=\"part\">");
            if (begins) {
                text_add(page, "<h3><a href=\"#section-%d\">", i);
                write_heading(page, items[i].place);
                text_add(page, "</a></h3>");
            }
            text_add(page, "<ul>\n");
            open = true;
        }
        text_add(page, "<li><a href=\"#");
        html_escape(page, item_id(&items[i]));
        text_add(page, "\">");
        typeset_html(page, item_title(&items[i]));
        text_add(page, "</a>%s%s</li>\n", item_is_viewer(&items[i]) ? " (3D)" : "", items[i].made ? "" : " (failed)");
    }
    text_add(page, open ? "</ul></div>\n" : "");
    text_add(page, "</div>\n<p><a href=\"#made-with\">How this was made</a></p></nav>\n");
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

static void write_figure(Text *page, const ReportItem *item, const Workshop *workshop)
{
    const Figure *figure = item->figure;
    write_finding(page, figure);
    text_add(page, "<figure><button type=\"button\" class=\"picture\" aria-expanded=\"false\" aria-label=\"");
    typeset_plain(page, figure->title);
    text_add(page, ": enlarge\">");
    if (!html_write_svg(page, figure, workshop))
        text_add(page, "<span class=\"failed\">The drawing cannot be read.</span>");
    text_add(page, "</button>\n");
    if (figure->told_caption[0]) {
        text_add(page, "<figcaption>");
        typeset_html(page, figure->told_caption);
        text_add(page, "</figcaption>");
    }
    text_add(page, "</figure>\n");
    text_add(page, "<p>Files: ");
    static const char *const EXTENSIONS[] = {"svg", "pdf", "png", "csv"};
    for (int i = 0; i < 4; i++)
        text_add(page, "%s<a href=\"%s.%s\">%s</a>", i ? ", " : "", figure->name, EXTENSIONS[i], EXTENSIONS[i]);
    text_add(page, ". Made by <code>rigor report %s</code></p>\n", figure->name);
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
    if (!html_write_viewer(page, &item->viewer, &status))
        write_failure(page, &(ReportItem){.place = item->place, .status = status});
}

static void write_item(Text *page, const ReportItem *item, const Workshop *workshop)
{
    Text id = {0};
    html_escape(&id, item_id(item));
    const char *name = id.failed ? "" : id.data;
    text_add(page, "<section id=\"%s\" aria-labelledby=\"%s-title\"><h3 id=\"%s-title\">", name, name, name);
    free(id.data);
    typeset_html(page, item_title(item));
    text_add(page, "</h3>\n");
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
        write_figure(page, item, workshop);
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

/* Items in their sections. */
static void write_items(Text *page, const ReportItem *items, int count, const Workshop *workshop)
{
    for (int i = 0; i < count; i++) {
        if (section_begins(items, i)) {
            text_add(page, "<h2 class=\"lecture\" id=\"section-%d\">", i);
            write_heading(page, items[i].place);
            text_add(page, "</h2>\n");
        }
        write_item(page, &items[i], workshop);
    }
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

bool html_write(const ReportItem *items, int count, const char *note, const Workshop *workshop, Status *status)
{
    Text page = {0}, path = {0}, style = {0}, script = {0};
    bool viewers = false;
    for (int i = 0; i < count; i++)
        viewers = viewers || (item_is_viewer(&items[i]) && items[i].made);
    bool ok = !viewers || html_viewers_open(&style, &script, status);
    text_add(&page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta name=\"generator\" content=\"rigor\">\n");
    write_policy(&page, (const char *const[]){SCRIPT, script.data}, script.data ? 2 : 1);
    text_add(&page, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<link rel=\"icon\" href=\"data:,\">\n"
                    "<title>rigor: rigid-body constraint solvers compared</title>\n");
    text_add(&page, "<style>%s%s</style></head>\n<body>\n<a class=\"skip\" href=\"#figures\">Skip to the figures</a>\n",
             style.data ? style.data : "", STYLE);
    text_add(&page,
             "<header><h1>Rigid-body constraint solvers compared</h1>\n<p>Every solver runs on the same bodies and "
             "constraints; each figure answers one question of the lectures.</p></header>\n");
    write_contents(&page, items, count);
    text_add(&page, "<main id=\"figures\">\n");
    if (note) {
        text_add(&page, "<p class=\"failed\" role=\"note\">");
        typeset_plain(&page, note);
        text_add(&page, "</p>\n");
    }
    write_items(&page, items, count, workshop);
    write_made_with(&page);
    text_add(&page, "</main>\n<script>%s</script>\n", SCRIPT);
    if (viewers)
        text_add(&page, "<script>%s</script>\n", script.data ? script.data : "");
    text_add(&page, "</body></html>\n");
    text_add(&path, "%s/index.html", workshop->directory);
    bool failed = page.failed || path.failed || style.failed || script.failed;
    ok = ok &&
         (failed ? status_set(status, STATUS_FAILED, "out of memory") : file_write_text(path.data, page.data, status));
    free(page.data);
    free(path.data);
    free(style.data);
    free(script.data);
    return ok;
}
