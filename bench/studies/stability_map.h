/* SPDX-License-Identifier: MIT */
/* A stability map: whether it is stable at every pair of values of two axes, or, where one axis is a range, the limit
 * of stability along it for every value of the other. Cells (or limits) are shared among forked workers. */
#ifndef RIGOR_BENCH_STUDIES_STABILITY_MAP_H
#define RIGOR_BENCH_STUDIES_STABILITY_MAP_H

#include "bench/fits/search.h"
#include "bench/outcome/predicate.h"
#include "bench/outcome/remarks.h"
#include "bench/studies/axis.h"

typedef struct MapStudy {
    const Axis *across, *up; /* `up` is a list; `across` may be a range */
    Predicate predicate;
    double tolerance;      /* of limits */
    double run_time_limit; /* s, of each run, looked at after every frame; 0: none */
    int jobs;
    void (*progress)(int done, int total, const char *what); /* NULL: none */
} MapStudy;

/* A search makes its samples and then one run for each halving: at the least tolerance some fifty. */
enum { MAP_MAX_PROBES = 64 };

typedef struct MapProbe {
    double value; /* of the axis across, where that is a range */
    Stability stability;
    Remarks said;
} MapProbe;

typedef struct MapCell {
    Stability stability; /* of a row: STABILITY_OK if anything in it is stable; STABILITY_FAILED: see status */
    int runs;
    Limit limit;                     /* where `across` is a range: of its row */
    MapProbe probes[MAP_MAX_PROBES]; /* one for each of its runs */
    Status status;
} MapCell;

typedef struct StabilityMap {
    Run base; /* the solver and everything that the axes do not set */
    bool limits;
    Range range;       /* of the limits */
    int columns, rows; /* limits: one column */
    MapCell *cells;    /* row by row, from the first value of `up` on; owned */
} StabilityMap;

/* False with a message if no run can be made at all (an unsupported scene, a value out of range). */
bool stability_map_make(StabilityMap *map, const MapStudy *study, const Run *base, Status *status);
/* What a row of limits has at a fraction of its range: the stability of the nearest value that was tried. */
Stability stability_map_at(const StabilityMap *map, int row, double fraction);

void stability_map_clear(StabilityMap *map);

#endif
