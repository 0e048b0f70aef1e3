/* SPDX-License-Identifier: MIT */
/* Contacts and joints as one mixed linear complementarity problem, at velocity level unless `level` says otherwise:
 *
 *     v = v* + M^-1 J^T lambda,   J v + s lambda + bias _|_ lambda within its bounds,   x = x + h v.
 *
 * The rows, biases and targets of `pgs`, but exact: pivoting begins with what sweeps find active, and follows Lemke's
 * path where that cannot be mended. A friction bound that depends on another multiplier is part of the problem, and a
 * large coefficient (Painleve) cannot trap it. The disc of friction becomes a polygon of `facets` corners, up to 1 -
 * cos(pi/facets) too weak, but exact against the slip of free flight. Rows that contradict each other are softened.
 */
#include "solvers/systems/mixed_lcp.h"

static const char *const LCP_POSITIONS[] = {"baumgarte", "none", NULL};

static const Setting LCP_SETTINGS[] = {
    COMMON_SETTINGS_DIRECT(1),
    PARAM_CHOICE(MixedLcpOptions, position, "how position errors are taken back", LCP_BAUMGARTE, 1, LCP_POSITIONS),
    MIXED_LCP_SETTINGS,
    MIXED_LCP_LEVEL(LCP_VELOCITY),
};

static void *lcp_create(const SolverTask *task, Status *status)
{
    return mixed_lcp_create(task, ELIMINATE_DENSE, status);
}

static const PhaseStep LCP_STEPS[] = {
    {"impact", PHASE_ENTER, "", "what approaches is stopped, or bounces, before forces act"},
    {"impact", PHASE_ENTER, "rows", "Joints and closed contacts, without errors.", "bias = e v_n"},
    {"velocity", PHASE_ENTER, "", "contacts, friction and joints as one complementarity problem"},
    {"acceleration", PHASE_ENTER, "", "forces: closed contacts keep their gap's rate"},
    FLIGHT_WORDS("velocity,acceleration"),
    {"acceleration", PHASE_ENTER, "rows", "Joints, and contacts that are closed.", "C'' = J v' + k >= 0"},
    {"velocity", PHASE_ENTER, "rows", "Errors wait.", "bias = 0,  open: C/h", "position", "none"},
    {"velocity", PHASE_ENTER, "rows",
     "The share {beta} of an error is taken back, of an overlap beyond {slop} m, at no more than {push_speed} m/s.",
     "bias = {beta} C/h,  contacts: max({beta} (C + {slop} m)/h, -{push_speed} m/s)"},
    {"velocity,acceleration,impact", PHASE_SWEEP, "pivoting",
     "Equalities are eliminated; Lemke's path finds which rows are at which bound, from what sweeps guess.",
     "v = v* + M^-1 J^T lambda\nJ v + s lambda + bias _|_ lambda within its bounds"},
    {"velocity,acceleration,impact", PHASE_SWEEP, "friction",
     "The disc of friction is a polygon of {facets} corners, one of them against the slip.",
     "lambda_t = sum of d_k beta_k,  0 <= beta,  sum beta_k <= mu lambda_n"},
    {"move", PHASE_ENTER, "", "the poses follow the velocities"},
    MOVE_WORDS("move"),
    {NULL},
};

static const Convention LCP_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "pyramid of {facets} facets inside the cone, a corner against the slip"},
    {CONVENTION_NORMALS, NULL, NULL, "all rows of the world together, by pivoting"},
    {CONVENTION_ORDER, "level", "acceleration",
     "with the normals, at velocity level: sliding friction at acceleration level may have no solution (Painleve)"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals, in the same problem"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, "level", "acceleration", "not at all: a closed contact keeps its gap"},
    {CONVENTION_PUSH, "position", "none", "not at all"},
    {CONVENTION_PUSH, NULL, NULL, "{position}, {beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, "level", "acceleration",
     "Newton, v_n >= -e v_n-, an impact apart before forces act; above {restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing: the solve is direct"},
};

const Solver lcp_solver = {
    .abi = SOLVER_ABI,
    .name = "lcp",
    .summary = "contacts, friction as a polygon, and joints as one mixed LCP, solved by pivoting",
    .reference = "lectures 001, 003; Lemke 1965; Anitescu and Potra 1997",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(LCP_SETTINGS),
    SOLVER_CONVENTIONS(LCP_CONVENTIONS),
    .steps = LCP_STEPS,
    .options_size = sizeof(MixedLcpOptions),
    .row_pair_bytes = 120,
    .create = lcp_create,
    .destroy = mixed_lcp_destroy,
    .reserve = mixed_lcp_reserve,
    .plan = mixed_lcp_plan,
    .multipliers = mixed_lcp_multipliers,
};
