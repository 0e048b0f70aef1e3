/* SPDX-License-Identifier: MIT */
/* Where a run's energy goes and comes from, substep by substep: the judge's ledger, from poses, velocities and the
 * impulses that a solver leaves. With v0, x0 at a substep's beginning and v1, x1 at its end an impulse p does the work
 * p.(u0 + u1)/2 on the velocity u that it acts on: exactly what it adds to the kinetic energy.
 *
 * Its sum is the change of E - W to round-off, W the work of drives and outside forces. Blocks of four bodies are not
 * told apart, nor lever arms of another time than the substep's beginning: their work stays with the integrator. */
#ifndef RIGOR_BENCH_STUDIES_ENERGY_LEDGER_H
#define RIGOR_BENCH_STUDIES_ENERGY_LEDGER_H

#include "solvers/stepper.h"

typedef enum EnergySource {
    ENERGY_INTEGRATOR,  /* what is left: forces against moves, bodies that turn */
    ENERGY_CONSTRAINTS, /* joints and contacts at rest: impulses that the substep found, but for what follows */
    ENERGY_WARM_START,  /* the same of the impulses it began with, as far as they stayed */
    ENERGY_CORRECTION,  /* joints and contacts, along the way on which an error becomes smaller; and the potential
                         * energy of moves that v1 does not explain, x1 - x0 - h v1 */
    ENERGY_RESTITUTION, /* normals of contacts that hit faster than LEDGER_HIT g h */
    ENERGY_FRICTION,    /* and torsion */
    ENERGY_SOURCES
} EnergySource;

extern const char *const energy_source_names[ENERGY_SOURCES];

/* A contact at rest approaches with at most what gravity gives it in two substeps. */
#define LEDGER_HIT 2.0

typedef struct EnergyLedger {
    Stepper *stepper;
    bool moves_by_end; /* a substep's move is h v1, but for corrections: integrator semi_implicit */
    bool inside;       /* a substep has begun */
    double begin;      /* J, E - W as it began */
    int kept_count;    /* multipliers that it began with, row by row; 0: none, or nobody knows */
    int kept_capacity;
    double *kept;
    bool out_of_memory;
    double energy[ENERGY_SOURCES]; /* J, since the start */
} EnergyLedger;

/* Follows the stepper from now on: takes its hook. The options are those it was begun with. */
void energy_ledger_begin(EnergyLedger *ledger, Stepper *stepper, const CommonOptions *options);
void energy_ledger_end(EnergyLedger *ledger);

#endif
