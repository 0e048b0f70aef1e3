/* SPDX-License-Identifier: MIT */
/* The search for a counterexample: a mechanism and a step with which a solver breaks a claim, and then the smallest one
 * that still does. The search goes by a seed and a budget of work, which is counted and not timed, so that it ends the
 * same way on any machine; the processor's time is only a cap. */
#ifndef RIGOR_BENCH_STUDIES_REFUTE_H
#define RIGOR_BENCH_STUDIES_REFUTE_H

#include "bench/outcome/verdict.h"
#include "bench/studies/mechanism.h"

/* What is claimed of a solver, and what breaks it:
 *   stable    it never blows up
 *   no_drift  joints never part by more than 1 % of a body's length, nor does it blow up
 *   energy    the energy of what nothing feeds never grows by more than a tenth of its scale, nor does it blow up */
typedef enum Claim { CLAIM_STABLE, CLAIM_NO_DRIFT, CLAIM_ENERGY, CLAIM_COUNT } Claim;

extern const char *const claim_names[CLAIM_COUNT + 1]; /* NULL-terminated */
extern const char *const claim_texts[CLAIM_COUNT];

/* One thing that was tried: the mechanism, and the substeps of the solver. */
typedef struct Attempt {
    Mechanism mechanism;
    int substeps;
} Attempt;

/* What came of it. */
typedef struct Trial {
    bool made; /* false: the solver cannot run it */
    RunStatus status;
    double blew_up_at;         /* s; NaN: it did not */
    double energy_gain, drift; /* of the scene's scale; m. NaN: does not apply */
    double length;             /* m, the scene's scale */
    Verdict verdict;
    bool breaks;
    double badness; /* grows as the claim is nearer to being broken */
} Trial;

typedef struct RefuteStudy {
    Claim claim;
    const Run *run;      /* the solver, its options, dt and time */
    bool loops;          /* mechanisms are loops, else open chains */
    bool fixed_substeps; /* the user's own: the search leaves them */
    uint64_t seed;
    double budget; /* s */
} RefuteStudy;

typedef struct Refutation {
    bool found;
    bool loops;      /* what was searched */
    Attempt attempt; /* the smallest counterexample, or what came nearest */
    Trial trial;
    int tried;
    bool by_clock; /* the processor's time ended it, not the work: another machine may find more or less */
    double work;   /* row solves, about */
} Refutation;

/* False, with a message: no mechanism can be run at all. */
bool refute_search(const RefuteStudy *study, Refutation *refutation, Status *status);

/* The same mechanism and step with this solver, whose other options are those of the run. */
Trial refute_try(const RefuteStudy *study, const Run *run, const Attempt *attempt, double *work);

json_t *refute_scene(const RefuteStudy *study, const Attempt *attempt);

#endif
