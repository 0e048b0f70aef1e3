/* The report: one HTML file that needs nothing from outside. */
#ifndef RIGOR_REPORTS_HTML_H
#define RIGOR_REPORTS_HTML_H

#include "reports/figure.h"

typedef struct ReportItem {
    const char *name; /* as asked for */
    Figure *figure;   /* NULL: its file could not be read */
    bool made;
    Status status; /* why not */
} ReportItem;

/* DIR/index.html */
bool html_write(const ReportItem *items, int count, const Workshop *workshop, Status *status);

/* Processor, cores, system and libraries as rows of a table. */
void html_write_machine(Text *page);

/* The figure's SVG, its names made unique within the page; false: it cannot be read. */
bool html_write_svg(Text *page, const Figure *figure, const Workshop *workshop);

/* The points drawn, panel by panel, as tables. */
void html_write_points(Text *page, const Figure *figure);

#endif
