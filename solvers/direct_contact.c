/* SPDX-License-Identifier: MIT */
/* Lagrange multipliers with contacts: joints exactly, by the sparse graph of `direct`, contacts, friction and limits by
 * pivoting on what the joints leave of them,
 *
 *     v = v* + M^-1 J^T lambda,   A' = A_bb - A_bf A_ff^-1 A_fb,   A' lambda_b - b' _|_ lambda_b within its bounds.
 *
 * The problem of `lcp`, whose cost grows with the cube of all rows: here it is linear in the joints for each row that
 * has bounds, and cubic in those alone. Errors of joints are taken back by a Newton step after the move, as `direct`
 * does it, those of contacts by a bias. `kkt_contact` is the lecture's form of it: accelerations, and impacts apart. */
#include "solvers/systems/mixed_lcp.h"

static const char *const DIRECT_CONTACT_POSITIONS[] = {"baumgarte", "none", "projection", NULL};

static const Setting DIRECT_CONTACT_SETTINGS[] = {
    COMMON_SETTINGS_DIRECT(10),
    PARAM_CHOICE(MixedLcpOptions, position,
                 "how position errors are taken back; projection: of joints, contacts by beta", LCP_PROJECTION, 2,
                 DIRECT_CONTACT_POSITIONS),
    MIXED_LCP_SETTINGS,
    MIXED_LCP_LEVEL(LCP_VELOCITY),
};

static void *direct_contact_create(const SolverTask *task, Status *status)
{
    return mixed_lcp_create(task, ELIMINATE_SPARSE, status);
}

static const PhaseStep DIRECT_CONTACT_STEPS[] = {
    {"impact", PHASE_ENTER, "", "what approaches is stopped, or bounces, before forces act"},
    {"impact", PHASE_ENTER, "rows", "Joints and closed contacts, without errors.", "bias = e v_n"},
    {"velocity", PHASE_ENTER, "", "joints exactly, contacts and friction on what they leave"},
    {"acceleration", PHASE_ENTER, "", "forces: closed contacts keep their gap's rate"},
    FLIGHT_WORDS("velocity,acceleration"),
    {"acceleration", PHASE_ENTER, "rows", "Joints, and contacts that are closed.", "C'' = J v' + k >= 0"},
    {"velocity", PHASE_ENTER, "rows", "Errors wait.", "bias = 0,  open: C/h", "position", "none"},
    {"velocity", PHASE_ENTER, "rows",
     "Errors of joints wait, a drive asks for all of its own; of an overlap beyond {slop} m the share {beta} is taken "
     "back, at no more than {push_speed} m/s.",
     "joints: bias = 0,  drives: C/h\ncontacts: bias = max({beta} (C + {slop} m)/h, -{push_speed} m/s)", "position",
     "projection"},
    {"velocity", PHASE_ENTER, "rows",
     "The share {beta} of an error is taken back, of an overlap beyond {slop} m, at no more than {push_speed} m/s.",
     "bias = {beta} C/h,  contacts: max({beta} (C + {slop} m)/h, -{push_speed} m/s)"},
    {"velocity,acceleration,impact", PHASE_SWEEP, "elimination",
     "Block LDL^T of the joints in the order of their graph; of each row with bounds what a unit impulse does while "
     "they "
     "hold.",
     "A' = A_bb - A_bf A_ff^-1 A_fb"},
    {"velocity,acceleration,impact", PHASE_SWEEP, "pivoting",
     "Lemke's path finds which rows are at which bound, from what sweeps guess.",
     "A' lambda_b - b' _|_ lambda_b within its bounds"},
    {"velocity,acceleration,impact", PHASE_SWEEP, "friction",
     "The disc of friction is a polygon of {facets} corners, one of them against the slip.",
     "lambda_t = sum of d_k beta_k,  0 <= beta,  sum beta_k <= mu lambda_n"},
    {"move", PHASE_ENTER, "", "the move, and a Newton step on the joints' poses", NULL, "position", "projection"},
    {"move", PHASE_ENTER, "", "the poses follow the velocities"},
    MOVE_WORDS("move"),
    {"move", PHASE_SWEEP, "project", "What joints violate is taken back; velocities stay.",
     "J M^-1 J^T mu = -C,  x <- x + M^-1 J^T mu", "position", "projection"},
    {NULL},
};

static const Convention DIRECT_CONTACT_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "pyramid of {facets} facets inside the cone, a corner against the slip"},
    {CONVENTION_NORMALS, NULL, NULL, "all rows of the world together, by pivoting"},
    {CONVENTION_ORDER, "level", "acceleration",
     "with the normals, at velocity level: sliding friction at acceleration level may have no solution (Painleve)"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals, in the same problem"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, "level", "acceleration",
     "not at all: a closed contact keeps its gap, and push_speed = {push_speed} m/s bounds nothing"},
    {CONVENTION_PUSH, "position", "none", "not at all"},
    {CONVENTION_PUSH, NULL, NULL, "baumgarte, {beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, "level", "acceleration",
     "Newton, v_n >= -e v_n-, an impact apart before forces act; above {restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing: the solve is direct"},
};

const Solver direct_contact_solver = {
    .abi = SOLVER_ABI,
    .name = "direct_contact",
    .summary = "joints exactly by their sparse graph, contacts and friction as an LCP on what the joints leave",
    .reference = "lecture 003; Baraff 1996; Anitescu and Potra 1997",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    SOLVER_SETTINGS(DIRECT_CONTACT_SETTINGS),
    SOLVER_CONVENTIONS(DIRECT_CONTACT_CONVENTIONS),
    .steps = DIRECT_CONTACT_STEPS,
    .options_size = sizeof(MixedLcpOptions),
    .row_bytes = 2600,
    .create = direct_contact_create,
    .destroy = mixed_lcp_destroy,
    .reserve = mixed_lcp_reserve,
    .plan = mixed_lcp_plan,
    .multipliers = mixed_lcp_multipliers,
};
