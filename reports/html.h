/* The report: one HTML file that needs nothing from outside. */
#ifndef RIGOR_REPORTS_HTML_H
#define RIGOR_REPORTS_HTML_H

#include "reports/figure.h"
#include "reports/viewer.h"

typedef struct ReportItem {
    const ContentsItem *place; /* NULL: asked for by its name */
    const char *name;          /* as asked for */
    Figure *figure;            /* NULL: a viewer, or a file that could not be read */
    Viewer viewer;
    bool made;
    Status status; /* why not */
} ReportItem;

/* DIR/index.html; `note` stands on top of the figures, NULL: none. */
bool html_write(const ReportItem *items, int count, const char *note, const Workshop *workshop, Status *status);

/* What all viewers share: their style and script. False: the page of the viewer was not built, and the status says what
 * it needs. */
bool html_viewers_open(Text *style, Text *script, Status *status);

/* The viewer's place and its recordings as data; false: a recording cannot be read, and the status says why. */
bool html_write_viewer(Text *page, const Viewer *viewer, Status *status);

/* A row of that table. */
void html_write_fact(Text *page, const char *name, const char *value);

/* Processor, cores, system and libraries as rows of a table. */
void html_write_machine(Text *page);

/* The figure's SVG, its names made unique within the page; false: it cannot be read. */
bool html_write_svg(Text *page, const Figure *figure, const Workshop *workshop);

/* The points drawn, panel by panel, as tables. */
void html_write_points(Text *page, const Figure *figure);

#endif
