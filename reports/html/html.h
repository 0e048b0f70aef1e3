/* SPDX-License-Identifier: MIT */
/* The report: one HTML file that needs nothing from outside. */
#ifndef RIGOR_REPORTS_HTML_HTML_H
#define RIGOR_REPORTS_HTML_HTML_H

#include "reports/figure/figure.h"
#include "reports/recording/viewer.h"

typedef struct ReportItem {
    const ContentsItem *place; /* NULL: asked for by its name */
    const char *name;          /* as asked for */
    Figure *figure;            /* NULL: a viewer, or a file that could not be read */
    Viewer viewer;
    bool made;
    Status status; /* why not */
} ReportItem;

/* A file of the report, with the items from `first` to before `end`. */
typedef struct ReportPage {
    char file[280];            /* of the longest name that a figure may have */
    const ContentsItem *place; /* whose section it shows; NULL: the index, or figures asked for by name */
    int first, end;
    bool alone; /* of no report with an index */
} ReportPage;

/* What the report is made of. */
typedef struct Report {
    const ReportItem *items;
    int count;
    ReportPage *pages; /* the index first; owned */
    int page_count;
    const json_t *findings; /* names of the figures whose findings it opens with; NULL: none */
    const char *note;       /* stands on top of the index; NULL: none */
    const json_t *matrix;   /* who can do what (bench/text/capabilities.h); NULL: not told */
    const Workshop *workshop;
    const json_t *palette;
    json_t *colours; /* of the drawings, as variables of the page that is written */
} Report;

/* DIR/index.html and a page for each section. One of more than 3 MB takes too long to open: that is said on standard
 * error. */
bool html_write(Report *report, Status *status);

/* DIR/FILE with all items, and nothing else of a report. */
bool html_write_alone(Report *report, const char *file, Status *status);

/* Which pages there are; false: out of memory. */
bool report_lay_out(Report *report);

/* PAGE#ITEM */
void html_write_link(Text *page, const Report *report, int item);

const char *item_title(const ReportItem *item);
const char *item_id(const ReportItem *item);
bool item_is_viewer(const ReportItem *item);
bool item_is_opening(const ReportItem *item);

/* Does a section begin here? Items of one section share its heading. */
bool section_begins(const ReportItem *items, int i);
void html_write_heading(Text *page, const ContentsItem *place);

/* The contents, beside the text or folded above it: the pages, and the items of the one where they stand. */
void html_write_contents(Text *page, const Report *report, const ReportPage *here);

/* All items by section, each with its finding, to be searched. */
void html_write_finder(Text *page, const Report *report);

/* The playground's place; false, with a message: a part of it cannot be read. */
bool html_write_playground(Text *page, Status *status);

/* Where the ledger stands. */
#define CLAIMS_FILE "claims.html"

/* What the lectures say, and what numbers say to it; false with a message: the ledger cannot be read. */
bool html_write_claims(Text *page, const Report *report, Status *status);

/* How many claims, and what became of them, with the way there. */
bool html_write_claims_counted(Text *page, Status *status);

/* All of them at a glance: a row a lecture, a mark a claim, each leading to its row on the page of claims. */
bool html_write_claims_marked(Text *page, Status *status);

/* Who can do what; nothing where that is NULL. */
void html_write_matrix(Text *page, const json_t *matrix);

/* Something that waits in the page, compressed, until it is wanted. */
void html_write_part(Text *page, const char *id, const char *content);

/* Has the figure rows of the generator `verdict`? Then it can be the table that the page opens with. */
bool figure_has_verdicts(const Figure *figure);
void html_write_overview(Text *page, const Figure *figure, const Report *report);

/* The page's own style and script, from reports/html. */
bool html_own_parts(Text *style, Text *script, Status *status);

/* What all viewers share: their style and script. False: the page of the viewer was not built, and the status says what
 * it needs. */
bool html_viewers_open(Text *style, Text *script, Status *status);

/* Was the page of the viewer built? */
bool html_has_viewers(void);

/* A fold with the licences of what the viewer's script carries of others. */
bool html_write_licences(Text *page, Status *status);

/* The viewer's place and its recordings as data; false: a recording cannot be read, and the status says why. */
bool html_write_viewer(Text *page, const Viewer *viewer, Status *status);

/* A row of that table. */
void html_write_fact(Text *page, const char *name, const char *value);

/* Processor, cores, system and libraries as rows of a table. */
void html_write_machine(Text *page);

/* The figure's SVG, its names made unique within the page, its colours fit for a dark ground; `shape` gets its width
 * and height; false: it cannot be read. */
bool html_write_svg(Text *page, const Figure *figure, const Report *report, double shape[2]);

/* What the drawing needs to answer a hand. */
void html_write_live(Text *page, const Figure *figure, const Workshop *workshop);

/* What the playground of this build can run: {"scenes": [...], "solvers": [...]}; NULL: there is none. */
json_t *html_playable(void);

/* The points drawn, panel by panel, as tables. */
void html_write_points(Text *page, const Figure *figure);

#endif
