/* SPDX-License-Identifier: MIT */
/* Of which original a name is, and how its recorded motions (tests/originals) compare: a test measures these counts. */
#ifndef RIGOR_SOLVERS_PROVENANCE_H
#define RIGOR_SOLVERS_PROVENANCE_H

typedef struct Provenance {
    const char *solver, *original; /* the original's name and version */
    int same, by_design, open;     /* recorded motions: within their tolerance; so with a named option; not explained */
    const char *farthest;          /* of those that are the same: distance in m or rad */
    const char *why;               /* the option that takes those by design there, and what is known of others; NULL */
} Provenance;

/* NULL: no recorded motion is of that name. */
const Provenance *provenance_of(const char *solver);

/* In what the solver departs from what its name stands for; NULL: in nothing that is known, or it stands for itself. */
const char *departures_of(const char *solver);

#endif
