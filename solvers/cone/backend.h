/* SPDX-License-Identifier: MIT */
/* A method on cone systems (method.h) as a backend for scenes: one system a substep, solved from the multipliers of the
 * last one,
 *
 *     v* = v + h M^-1 F_ext;   W = J M^-1 J^T + s, q = J v* + bias;   iterations of the method;   v = v* + M^-1 J^T r;
 *     x = x + h v
 *
 * with the rows, biases and bounds of solvers/rows/rows.h, as `pgs` has them. */
#ifndef RIGOR_SOLVERS_CONE_BACKEND_H
#define RIGOR_SOLVERS_CONE_BACKEND_H

#include "solvers/cone/method.h"
#include "solvers/solver.h"

/* What the options of such a backend begin with. */
typedef struct ConeOptions {
    CommonOptions common;
    int warm_start;
    double beta, slop, push_speed, restitution_threshold;
} ConeOptions;

#define CONE_SETTINGS(default_iterations)                                                                              \
    COMMON_SETTINGS(1, default_iterations), STOP_RESIDUAL_SETTING,                                                     \
        PARAM_BOOL(ConeOptions, warm_start, "begin with the multipliers of the last substep", true),                   \
        PARAM_REAL(ConeOptions, beta, "share of the position error taken back in a substep", 0.2, 0, 2.5),             \
        SLOP_SETTING(ConeOptions), PUSH_SPEED_SETTING(ConeOptions), RESTITUTION_THRESHOLD_SETTING(ConeOptions)

/* Contacts: what such backends have in common beside the law, and how a method goes about its rows. */
#define CONE_CONVENTIONS                                                                                               \
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},                                                                         \
        {CONVENTION_PUSH, NULL, NULL, "baumgarte, {beta} of it a substep, {push_speed} m/s at most"},                  \
        {CONVENTION_RESTITUTION, NULL, NULL,                                                                           \
         "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},                           \
        {CONVENTION_WARM_START, "warm_start", "true", "normals, tangents and torsion, the last substep's"},            \
    {                                                                                                                  \
        CONVENTION_WARM_START, NULL, NULL, "nothing"                                                                   \
    }

/* Rows of a table of steps: what all do before the first iteration, and after the last. */
#define CONE_STEPS(purpose)                                                                                            \
    {"velocity", PHASE_ENTER, "", purpose}, FLIGHT_WORDS("velocity"),                                                  \
        {"velocity", PHASE_ENTER, "rows",                                                                              \
         "All rows as one system. The share {beta} of an error is taken back, of an overlap beyond {slop} m, at no "   \
         "more than {push_speed} m/s; impacts faster than {restitution_threshold} m/s bounce.",                        \
         "u = W r + q,  W = J M^-1 J^T + alpha/h^2,  q = J v* + bias"},                                                \
        {"velocity",   PHASE_ENTER,  "warm start", "The first iteration begins with the last substep's multipliers.",  \
         "r = r_last", "warm_start", "true"},                                                                          \
        {"velocity", PHASE_ENTER, "warm start", "The first iteration begins at zero.", "r = 0"},                       \
        {"move", PHASE_ENTER, "", "the velocities follow the multipliers, the poses the velocities"},                  \
        {"move", PHASE_ENTER, "velocities", "All impulses at once.", "v <- v* + M^-1 J^T r"}, MOVE_WORDS("move")

/* What such backends have in common, as fields of their Solver. */
#define CONE_BACKEND                                                                                                   \
    .abi = SOLVER_ABI, .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB | CAN_W,             \
    .create = cone_backend_create, .destroy = cone_backend_destroy, .reserve = cone_backend_reserve,                   \
    .plan = cone_backend_plan, .multipliers = cone_backend_multipliers

/* The method is the solver's `method`. */
void *cone_backend_create(const SolverTask *task, Status *status);
void cone_backend_destroy(void *self);
bool cone_backend_reserve(void *self, const World *world, Status *status);
int cone_backend_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);
int cone_backend_multipliers(void *self, const double **lambda);

#endif
