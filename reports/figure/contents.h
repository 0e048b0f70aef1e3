/* SPDX-License-Identifier: MIT */
/* The page's contents, in the order of the lectures: contents.json in the folder of figures (see its README). Sections,
 * each a list of figures, by their names, and of viewers. Figures that it does not name follow it alphabetically. */
#ifndef RIGOR_REPORTS_FIGURE_CONTENTS_H
#define RIGOR_REPORTS_FIGURE_CONTENTS_H

#include "scenes/file/file.h"

typedef struct ContentsItem {
    const char *name;
    const char *lecture, *heading; /* of its section; NULL: it has none */
    bool viewer;                   /* else a figure */
    bool opening;                  /* the picture that the page opens with */
    size_t section, index;         /* its place in the file */
} ContentsItem;

typedef struct Contents {
    char *path;
    json_t *document, *names; /* what the items borrow from; no document: there is no file */
    json_t *findings;         /* names of the figures whose findings the page opens with; NULL: none; borrowed */
    int count;
    ContentsItem *items;
} Contents;

/* Of the folder of figures; NULL with the place of the error in the message. */
Contents *contents_read(Status *status);

/* What the file says, and no more. */
Contents *contents_read_file(const char *path, Status *status);
void contents_destroy(Contents *contents);

#endif
