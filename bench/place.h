/* Where the program's own files lie. A program in the build folder takes them from the source and from the build; any
 * other looks for them relative to itself, so that an installed tree works wherever it is moved. */
#ifndef RIGOR_BENCH_PLACE_H
#define RIGOR_BENCH_PLACE_H

typedef enum Place {
    PLACE_REPORTS, /* figures, palette */
    PLACE_PAGE,    /* the viewer's parts */
    PLACE_BRIDGES, /* to engines that are libraries */
    PLACE_SCRIPTS, /* bridges for Node, with their packages */
    PLACE_COUNT
} Place;

enum { PLACE_TEXT = 4096 };

/* The path of a file there. Returns it; one that would be too long is cut, and is no file then. */
const char *place_path(Place place, const char *name, char path[PLACE_TEXT]);

#endif
