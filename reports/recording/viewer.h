/* SPDX-License-Identifier: MIT */
/* A viewer of the page: a few runs, recorded, to be seen side by side. It is an entry of contents.json. */
#ifndef RIGOR_REPORTS_RECORDING_VIEWER_H
#define RIGOR_REPORTS_RECORDING_VIEWER_H

#include "reports/figure/contents.h"
#include "reports/figure/figure.h"

/* More do not fit side by side. */
enum { VIEWER_MOST = 4 };

typedef struct Viewer {
    const char *name, *title, *slide, *see; /* `see`: what there is to be seen */
    int count;
    char *recordings[VIEWER_MOST]; /* paths in the workshop's cache; owned */
    char runs[VIEWER_MOST][128];   /* of each, `SCENE SOLVER` */
} Viewer;

/* Is one of its runs of this scene with this solver? */
bool viewer_shows(const Viewer *viewer, const char *scene, const char *solver);

/* Reads the viewer and makes the recordings that are missing; false with a message. Clear it in any case; the contents
 * must outlive it. */
bool viewer_make(Viewer *viewer, const Contents *contents, const ContentsItem *item, Workshop *workshop,
                 Status *status);
void viewer_clear(Viewer *viewer);

/* Only reads: is it well formed? */
bool viewer_check(const Contents *contents, const ContentsItem *item, const Workshop *workshop, Status *status);

#endif
