/* SPDX-License-Identifier: MIT */
/* Ground truth, integrated by GSL's rk8pd to a tolerance (trajectory.h): in joint coordinates by the articulated-body
 * algorithm where the rigid joints form a tree, particles on distance joints too; else (loops, compliance, ropes, laws
 * of joints, contacts, volumes) by multipliers with projection, where dependent rows are no obstacle: the solve reveals
 * their rank (schur.h). Contacts of spheres and planes without friction are limits whose impacts are located in time
 * (impact_pairs.h); with friction, or of other shapes, bodies without joints go by modes (coulomb.h).
 *
 * It states its own error: a second trajectory, ten times looser in every tolerance and shaken by round-off after each
 * step, runs beside the first. Its distance from the better one, of places and of turns in length scales, grows as
 * errors do; the largest so far, times a factor, is the estimate. */
#include "solvers/truth/coulomb.h"
#include "solvers/truth/impact_pairs.h"
#include "solvers/truth/trajectory.h"

#include <float.h>
#include <stdlib.h>

typedef struct ReferenceOptions {
    CommonOptions common;
    double tolerance;
    int estimate;
    int coordinates; /* TrajectoryRoute */
    int impact_law;  /* ImpactLaw */
} ReferenceOptions;

static const char *const COORDINATES_CHOICES[] = {"auto", "multipliers", NULL};
static const char *const IMPACT_CHOICES[] = {"newton", "poisson", "routh", NULL};

static const Setting REFERENCE_SETTINGS[] = {
    PARAM_INT(CommonOptions, substeps, "pieces that a frame is cut into; the steps inside follow the tolerance", 1, 1,
              1e6),
    PARAM_REAL(ReferenceOptions, tolerance,
               "local error of a step: relative, and absolute in length scales, rad, and these a second", 1e-12, 1e-14,
               1e-3),
    PARAM_BOOL(ReferenceOptions, estimate, "run a looser trajectory beside, for the error estimate", true),
    PARAM_CHOICE(ReferenceOptions, coordinates,
                 "auto: the joints' own where they form a tree, else multipliers with projection", ROUTE_AUTO,
                 ROUTE_MULTIPLIERS, COORDINATES_CHOICES),
    PARAM_CHOICE(ReferenceOptions, impact_law,
                 "of impacts with friction: of speeds, of impulses (one point), or along the slip (in a plane)",
                 IMPACT_NEWTON, IMPACT_ROUTH, IMPACT_CHOICES),
};

/* Tolerance of the second trajectory over that of the first. */
#define LOOSER 10.0
/* The better trajectory's steps are at most this part of a substep: where it is the substep that ends them, two steps
 * of one length would have one error, which their difference cannot see. */
#define BETTER_LONGEST 0.5
/* Two errors of one size may lie nearer to each other than to the truth: the estimate is their distance times this. And
 * no place is known better than to some ulps of its coordinates. */
#define ESTIMATE_FACTOR 4.0
#define ESTIMATE_ULPS 16.0
/* A motor's target is the sum of its substeps' turns, the same for both trajectories: each sum is off by at most this
 * part of the time so far, and with it whatever the motor moves. */
#define SUM_ROUND_OFF (0.5 * DBL_EPSILON)

typedef struct Reference {
    bool estimates;
    ImpactPairs pairs;
    Trajectory best, looser;
    bool rubs; /* goes by modes: */
    Coulomb modes, looser_modes;
    double *angle; /* unwrapped angles at the substep's beginning */
    bool started, drives;
    double elapsed, lag; /* s, so far; by which what motors move may be early or late */
    double error;        /* m; turns in length scales */
} Reference;

static void reference_destroy(void *self)
{
    Reference *reference = self;
    if (!reference)
        return;
    trajectory_free(&reference->best);
    trajectory_free(&reference->looser);
    coulomb_free(&reference->modes);
    coulomb_free(&reference->looser_modes);
    impact_pairs_free(&reference->pairs);
    free(reference->angle);
    free(reference);
}

static bool reference_create_modes(Reference *reference, const World *world, const ReferenceOptions *own,
                                   Status *status)
{
    return coulomb_init(&reference->modes, world, own->tolerance, 1.0, status) &&
           (!own->estimate || coulomb_init(&reference->looser_modes, world, LOOSER * own->tolerance, LOOSER, status));
}

static bool reference_create_trajectories(Reference *reference, const World *world, const ReferenceOptions *own,
                                          Status *status)
{
    if (!lagrange_takes_laws(world, "reference", status) || !impact_pairs_init(&reference->pairs, world, status))
        return false;
    const World *stage = impact_pairs_enter(&reference->pairs, world);
    TrajectoryRoute route = (TrajectoryRoute)own->coordinates;
    reference->angle = calloc((size_t)stage->block_count + 1, sizeof *reference->angle);
    return (reference->angle && trajectory_init(&reference->best, stage, own->tolerance, 1.0, route) &&
            (!own->estimate || trajectory_init(&reference->looser, stage, LOOSER * own->tolerance, LOOSER, route))) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static void *reference_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const ReferenceOptions *own = task->options;
    Reference *reference = calloc(1, sizeof *reference);
    status_set(status, STATUS_FAILED, "out of memory");
    if (!reference)
        return NULL;
    reference->estimates = own->estimate;
    for (int b = 0; b < world->joint_block_count; b++)
        reference->drives = reference->drives || block_terms(&world->blocks[b])->driven;
    reference->rubs = coulomb_is_needed(world);
    if (!(reference->rubs ? reference_create_modes(reference, world, own, status)
                          : reference_create_trajectories(reference, world, own, status))) {
        reference_destroy(reference);
        return NULL;
    }
    reference->modes.impact_law = reference->looser_modes.impact_law = (ImpactLaw)own->impact_law;
    if (own->estimate)
        reference->best.longest = reference->modes.longest = BETTER_LONGEST;
    *status = (Status){0};
    return reference;
}

/* The looser trajectory goes first, from where it was; the world is lent to it. */
static void reference_advance_looser(Reference *reference, Step *step)
{
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++)
        reference->angle[b] = block_terms(&world->blocks[b])->angle;
    if (!reference->started)
        trajectory_take(&reference->looser, world);
    trajectory_advance(&reference->looser, step);
    for (int b = 0; b < world->block_count; b++)
        if (world->blocks[b].joint >= 0)
            joint_terms(&world->blocks[b])->angle = reference->angle[b];
}

/* m; what turns in place may be as far off as what moves. A particle does not turn. */
static double reference_apart(const Reference *reference, const World *world, int body)
{
    const BodyState *looser = reference->rubs ? reference->looser_modes.bodies : reference->looser.bodies;
    Pose pose = world->pose[body], other = looser[body].pose;
    Velocity u = world->velocity[body];
    double L = world->mass[body].inv_inertia.x == 0.0 ? 0.0 : world->length_scale;
    double place = ESTIMATE_FACTOR * vec3_norm(vec3_sub(pose.x, other.x)) + reference->lag * vec3_norm(u.v) +
                   ESTIMATE_ULPS * DBL_EPSILON * vec3_norm(pose.x);
    double turn = ESTIMATE_FACTOR * vec3_norm(quat_log(quat_mul(pose.q, quat_conj(other.q)))) +
                  reference->lag * vec3_norm(u.w) + ESTIMATE_ULPS * DBL_EPSILON;
    return fmax(place, L * turn);
}

static void reference_compare(Reference *reference, const World *world, double h)
{
    reference->elapsed += h;
    reference->lag += reference->drives ? SUM_ROUND_OFF * reference->elapsed : 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world->removed[i] && !world_is_fixed(world, i))
            reference->error = fmax(reference->error, reference_apart(reference, world, i));
}

static void reference_step_modes(Reference *reference, Step *step)
{
    World *world = step->world;
    if (!reference->started)
        step_report(step, "integrated by modes of contact: stick, slip, open");
    coulomb_take(&reference->modes, world);
    if (reference->estimates) {
        if (!reference->started)
            coulomb_take(&reference->looser_modes, world);
        coulomb_advance(&reference->looser_modes, step);
    }
    coulomb_advance(&reference->modes, step);
    reference->started = true;
    if (reference->estimates)
        reference_compare(reference, world, step->h);
}

static void reference_step(void *self, Step *step)
{
    Reference *reference = self;
    World *world = step->world;
    if (reference->rubs) {
        reference_step_modes(reference, step);
        return;
    }
    if (!reference->started)
        step_report(step, reference->best.is_reduced ? "integrated in joint coordinates"
                                                     : "integrated by multipliers with projection");
    step->world = impact_pairs_enter(&reference->pairs, world);
    trajectory_take(&reference->best, world);
    if (reference->estimates)
        reference_advance_looser(reference, step);
    trajectory_advance(&reference->best, step);
    step->world = world;
    impact_pairs_leave(&reference->pairs, world);
    reference->started = true;
    if (reference->estimates)
        reference_compare(reference, world, step->h);
}

void reference_checkpoint(void *self, World *world, Checkpoint *checkpoint)
{
    Reference *reference = self;
    size_t bodies = (size_t)world->body_count;
    checkpoint_numbers(checkpoint, &world->pose->x.x, sizeof *world->pose / sizeof(double) * bodies);
    checkpoint_numbers(checkpoint, &world->velocity->v.x, sizeof *world->velocity / sizeof(double) * bodies);
    for (int b = 0; b < world->joint_block_count; b++) {
        JointTerms *terms = joint_terms(&world->blocks[b]);
        checkpoint_numbers(checkpoint, &terms->angle, 1);
        checkpoint_numbers(checkpoint, &terms->target_before, 1);
        checkpoint_numbers(checkpoint, &terms->target, 1);
    }
    checkpoint_flags(checkpoint, &reference->started, 1);
    checkpoint_numbers(checkpoint, &reference->elapsed, 1);
    checkpoint_numbers(checkpoint, &reference->lag, 1);
    checkpoint_numbers(checkpoint, &reference->error, 1);
    if (reference->rubs) {
        coulomb_checkpoint(&reference->modes, world, checkpoint);
        if (reference->estimates)
            coulomb_checkpoint(&reference->looser_modes, world, checkpoint);
        return;
    }
    trajectory_checkpoint(&reference->best, world, checkpoint);
    if (reference->estimates)
        trajectory_checkpoint(&reference->looser, world, checkpoint);
}

static double reference_error_estimate(void *self)
{
    const Reference *reference = self;
    return reference->estimates ? reference->error : NAN;
}

static unsigned reference_traits(const void *self)
{
    (void)self;
    return TRAIT_ANY_STEP;
}

static int reference_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "integrate", .iterations = 1, .iterate = reference_step};
    return 1;
}

static const PhaseStep REFERENCE_STEPS[] = {
    {"integrate", PHASE_ENTER, "", "the motion itself, to a tolerance"},
    {"integrate", PHASE_SWEEP, "motion", "By multipliers, with projection after each step, whatever the joints form.",
     "M a = f + J^T lambda,  C'' = 0", "coordinates", "multipliers"},
    {"integrate", PHASE_SWEEP, "motion",
     "In the joints' own coordinates where they form a tree, else by multipliers with projection.",
     "q'' = ABA(q, q', tau),  or  M a = f + J^T lambda,  C'' = 0"},
    {"integrate", PHASE_SWEEP, "steps", "Runge-Kutta 8(9), steps as long as the local error {tolerance} lets them be."},
    {"integrate", PHASE_SWEEP, "impacts", "Located in time; there the velocity jumps.", "v_n+ = -e v_n-"},
    {"integrate", PHASE_SWEEP, "friction",
     "Points stick, slide or open; where that changes is located in time, and every choice of modes is tried. No "
     "motion, "
     "or several: it says so.",
     "w = W r + q,  |r_t| <= mu r_n,  r_t against w_t"},
    {"integrate", PHASE_SWEEP, "estimate", NULL, NULL, "estimate", "false"},
    {"integrate", PHASE_SWEEP, "estimate",
     "A second trajectory, ten times looser, runs beside: their distance, of places and of turns in length scales, "
     "bounds the error."},
    {NULL},
};

static const Convention REFERENCE_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "Coulomb's cone itself, by modes: what slides has its friction against the slip"},
    {CONVENTION_NORMALS, NULL, NULL,
     "together: as multipliers of the motion, or in every mode of at most 8 points; impacts located in time"},
    {CONVENTION_ORDER, NULL, NULL, "none"},
    {CONVENTION_SLOP, NULL, NULL, "0 m"},
    {CONVENTION_PUSH, NULL, NULL, "never needed: contacts do not drift"},
    {CONVENTION_RESTITUTION, NULL, NULL, "Newton, at the instant of the impact; no threshold"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver reference_solver = {
    .abi = SOLVER_ABI,
    .name = "reference",
    .summary = "ground truth: GSL rk8pd to a tolerance; joint coordinates on trees, else multipliers with projection",
    .reference = "lecture 003; Featherstone 2008; Prince and Dormand 1981",
    .capabilities = CAN_ALL_JOINTS | CAN_LAWS | CAN_SERIES | CAN_CONTACTS | CAN_FRICTION,
    SOLVER_SETTINGS(REFERENCE_SETTINGS),
    SOLVER_CONVENTIONS(REFERENCE_CONVENTIONS),
    .steps = REFERENCE_STEPS,
    .options_size = sizeof(ReferenceOptions),
    .row_bytes = 5500,
    .create = reference_create,
    .destroy = reference_destroy,
    .traits = reference_traits,
    .plan = reference_plan,
    .error_estimate = reference_error_estimate,
};
