#include "reports/html.h"

#include "bench/build.h"
#include "reports/text_file.h"
#include "reports/typeset.h"

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
    "h1{font-size:1.9rem;line-height:1.2;margin:2.2rem 0 .4rem}h2{font-size:1.35rem;line-height:1.25;margin:0 0 .3rem}"
    "nav ol{columns:18rem;column-gap:3rem;padding-left:1.6rem}nav li{break-inside:avoid;margin:.15rem 0 .15rem .8rem}"
    "section{border-top:1px solid var(--line);padding:1.8rem 0}"
    ".slide,.question{color:var(--soft);margin:.1rem 0}.question{font-style:italic}"
    "figure{margin:1rem 0}figcaption{max-width:62rem}"
    ".picture{display:block;width:100%;padding:.6rem;border:1px solid var(--line);border-radius:.5rem;background:#fff;"
    "cursor:zoom-in;font:inherit}.picture svg{display:block;width:100%;height:auto}"
    ".picture[aria-expanded=true]{position:fixed;inset:0;z-index:9;border:0;border-radius:0;overflow:auto;cursor:zoom-"
    "out;"
    "display:flex;align-items:center}.picture[aria-expanded=true] svg{max-height:96vh}"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--soft)}"
    ".scroll{overflow-x:auto;max-height:26rem}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:"
    "tabular-nums}"
    "th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--line)}th:first-child,td:first-child{text-"
    "align:left}th{position:sticky;top:0;background:var(--paper)}"
    "code{background:var(--tint);padding:.1rem .35rem;border-radius:.25rem;overflow-wrap:anywhere}"
    ".failed{border-left:4px solid #D55E00;padding:.4rem 1rem;background:var(--tint)}"
    ".facts th{text-align:left;vertical-align:top;position:static}.facts td{text-align:left}"
    "@media print{nav,.skip,details:not([open]){display:none}section{break-inside:avoid}body{font-size:10pt}"
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
    return item->figure ? item->figure->title : item->name;
}

static void write_contents(Text *page, const ReportItem *items, int count)
{
    text_add(page, "<nav aria-label=\"Contents\"><h2>Contents</h2><ol>\n");
    for (int i = 0; i < count; i++) {
        text_add(page, "<li><a href=\"#%s\">", items[i].figure ? items[i].figure->name : items[i].name);
        typeset_html(page, item_title(&items[i]));
        text_add(page, "</a>%s</li>\n", items[i].made ? "" : " (failed)");
    }
    text_add(page, "<li><a href=\"#made-with\">How this was made</a></li></ol></nav>\n");
}

static void write_failure(Text *page, const ReportItem *item)
{
    Text message = {0};
    typeset_name(&message, item->status.message);
    text_add(page, "<p class=\"failed\" role=\"alert\">This figure could not be made: ");
    typeset_html(page, message.data ? message.data : "");
    text_add(page, "</p>\n");
    free(message.data);
}

static void write_figure(Text *page, const ReportItem *item, const Workshop *workshop)
{
    const Figure *figure = item->figure;
    text_add(page, "<figure><button type=\"button\" class=\"picture\" aria-expanded=\"false\" aria-label=\"");
    typeset_plain(page, figure->title);
    text_add(page, ": enlarge\">");
    if (!html_write_svg(page, figure, workshop))
        text_add(page, "<span class=\"failed\">The drawing cannot be read.</span>");
    text_add(page, "</button>\n<figcaption>");
    typeset_html(page, figure->told);
    text_add(page, "</figcaption></figure>\n");
    text_add(page, "<p>Files: ");
    static const char *const EXTENSIONS[] = {"svg", "pdf", "png", "csv"};
    for (int i = 0; i < 4; i++)
        text_add(page, "%s<a href=\"%s.%s\">%s</a>", i ? ", " : "", figure->name, EXTENSIONS[i], EXTENSIONS[i]);
    text_add(page, ". Made by <code>rigor report %s</code></p>\n", figure->name);
    html_write_points(page, figure);
}

static void write_item(Text *page, const ReportItem *item, const Workshop *workshop)
{
    const char *id = item->figure ? item->figure->name : item->name;
    text_add(page, "<section id=\"%s\" aria-labelledby=\"%s-title\"><h2 id=\"%s-title\">", id, id, id);
    typeset_html(page, item_title(item));
    text_add(page, "</h2>\n");
    if (item->figure && item->figure->slide[0]) {
        text_add(page, "<p class=\"slide\">Lecture ");
        typeset_html(page, item->figure->slide);
        text_add(page, "</p>\n");
    }
    if (item->figure && item->figure->question[0]) {
        text_add(page, "<p class=\"question\">");
        typeset_html(page, item->figure->question);
        text_add(page, "</p>\n");
    }
    if (item->made)
        write_figure(page, item, workshop);
    else
        write_failure(page, item);
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
    text_add(page, "<tr><th scope=\"row\">rigor</th><td>%s, commit %s</td></tr>\n", build_version(), build_commit());
    html_write_machine(page);
    text_add(page, "<tr><th scope=\"row\">Date</th><td>%s</td></tr>\n</table></section>\n", date);
}

bool html_write(const ReportItem *items, int count, const Workshop *workshop, Status *status)
{
    Text page = {0}, path = {0};
    text_add(&page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<title>rigor: rigid-body constraint solvers compared</title>\n");
    text_add(&page, "<style>%s</style></head>\n<body>\n<a class=\"skip\" href=\"#figures\">Skip to the figures</a>\n",
             STYLE);
    text_add(&page,
             "<header><h1>Rigid-body constraint solvers compared</h1>\n<p>Every solver runs on the same bodies and "
             "constraints; each figure answers one question of the lectures.</p></header>\n");
    write_contents(&page, items, count);
    text_add(&page, "<main id=\"figures\">\n");
    for (int i = 0; i < count; i++)
        write_item(&page, &items[i], workshop);
    write_made_with(&page);
    text_add(&page, "</main>\n<script>%s</script>\n</body></html>\n", SCRIPT);
    text_add(&path, "%s/index.html", workshop->directory);
    bool ok = page.failed || path.failed ? status_set(status, STATUS_FAILED, "out of memory")
                                         : text_file_write(path.data, page.data, status);
    free(page.data);
    free(path.data);
    return ok;
}
