/* SPDX-License-Identifier: MIT */
/* What the phases of a backend do, step by step, declared for its reader. `rigor read` prints the phases that plan()
 * gives with a solver's options, and of each the steps that these options leave, with their values in words and
 * formulas: so that a variant's text is made of what the variant runs. */
#ifndef RIGOR_SOLVERS_PHASES_H
#define RIGOR_SOLVERS_PHASES_H

#include "model/settings.h"

/* When a step is taken: once, as the phase is entered; or in each of its iterations. */
typedef enum PhaseWhen { PHASE_ENTER, PHASE_SWEEP } PhaseWhen;

/* Of the rows of one step in a phase (same `when` and name) the first that holds is the one that counts. */
typedef struct PhaseStep {
    const char *phase; /* Phase.name, or several, `velocity,relax`; NULL ends the table */
    PhaseWhen when;
    const char *step;           /* its name; "": what the phase is for, in a few words */
    const char *text;           /* what is done, `{slop}` stands for that option; NULL: nothing, the step is left out */
    const char *formula;        /* its lines; NULL: none */
    const char *option, *value; /* holds while this option has this value (option_text.h); NULL: always */
} PhaseStep;

/* Steps that many backends share, those of solvers/motion.h: rows of their tables. */
#define FLIGHT_WORDS(phase)                                                                                            \
    {phase,                                                                                                            \
     PHASE_ENTER,                                                                                                      \
     "free flight",                                                                                                    \
     "Where bodies would go without constraints. The gyroscopic term is {gyroscopic}.",                                \
     "(x*, v*) = RK4 of x' = v, v' = g + f/m, I w' = tau - w x I w",                                                   \
     "integrator",                                                                                                     \
     "rk4"},                                                                                                           \
        {phase,                                                                                                        \
         PHASE_ENTER,                                                                                                  \
         "free flight",                                                                                                \
         "Where bodies would go without constraints. The gyroscopic term is {gyroscopic}.",                            \
         "v* = v + h (g + f/m)\nw* = w + h I^-1 (tau - w x I w)\nx* = x + h v,  q* = exp(h w) q",                      \
         "integrator",                                                                                                 \
         "forward"},                                                                                                   \
    {                                                                                                                  \
        phase, PHASE_ENTER, "free flight",                                                                             \
            "The velocities that bodies would have without constraints. The gyroscopic term is {gyroscopic}.",         \
            "v* = v + h (g + f/m)\nw* = w + h I^-1 (tau - w x I w)"                                                    \
    }
#define MOVE_WORDS(phase)                                                                                               \
    {phase, PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",       \
     "v <- v max(0, 1 - c h)"},                                                                                         \
        {phase,        PHASE_ENTER,    "move", "Bodies move with the new velocities.", "x <- x + h v\nq <- exp(h w) q", \
         "integrator", "semi_implicit"},                                                                                \
    {                                                                                                                   \
        phase, PHASE_ENTER, "move", "Bodies move beyond their free flight by what has changed its velocities.",         \
            "x <- x* + h (v - v*)\nq <- exp(h (w - w*)) q*"                                                             \
    }

struct Solver;

/* The first step of this phase after `last` (NULL: from the beginning) that the solver takes with these options; NULL:
 * there is no more. What the phase is for is not one of them. */
const PhaseStep *phase_next_step(const struct Solver *solver, const void *options, const char *phase,
                                 const PhaseStep *last);

/* What the phase is for; NULL: the solver does not say. */
const char *phase_purpose(const struct Solver *solver, const void *options, const char *phase);

#endif
