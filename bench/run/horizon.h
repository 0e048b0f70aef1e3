/* SPDX-License-Identifier: MIT */
/* Until when a motion is known to so much: of a solver that estimates its own error, whose estimate never falls. */
#ifndef RIGOR_BENCH_RUN_HORIZON_H
#define RIGOR_BENCH_RUN_HORIZON_H

#include <jansson.h>

enum { HORIZON_COUNT = 3, HORIZON_TEXT = 128 };

extern const double horizon_errors[HORIZON_COUNT]; /* m: 1e-9, 1e-6, 1e-3 */

/* The last frame's end at which the estimate is at most each of horizon_errors, s; 0: there is none. */
typedef struct Horizons {
    double until[HORIZON_COUNT];
} Horizons;

/* At time t, after all earlier ones, the estimate is `error` (m). */
void horizons_note(Horizons *horizons, double t, double error);

/* "known to 1e-9 m until 6.1 s, to 1e-6 m until 9.3 s", as far as they end before `end`; empty: none does. */
const char *horizons_text(const Horizons *horizons, double end, char text[HORIZON_TEXT]);

json_t *json_horizons(const Horizons *horizons); /* [{"error", "until"}] */

#endif
