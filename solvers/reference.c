/* Ground truth, integrated by GSL's rk8pd to a tolerance (trajectory.h): in joint coordinates by the articulated-body
 * algorithm where the rigid joints form a tree, particles on distance joints too; else (loops, compliance, ropes,
 * contacts, volumes) by multipliers with projection, where dependent rows are no obstacle: the solve reveals their rank
 * (schur.h). Contacts are those of spheres and planes without friction, whose impacts are located in time
 * (impact_pairs.h); other worlds with contact are refused.
 *
 * It states its own error: a second trajectory, ten times looser, runs beside the first, and the largest distance of
 * the two so far bounds the error of the looser and so of the better one. */
#include "solvers/truth/impact_pairs.h"
#include "solvers/truth/trajectory.h"

#include <stdlib.h>

typedef struct ReferenceOptions {
    CommonOptions common;
    double tolerance;
    int estimate;
    int coordinates; /* TrajectoryRoute */
} ReferenceOptions;

static const char *const COORDINATES_CHOICES[] = {"auto", "multipliers", NULL};

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
};

/* Tolerance of the second trajectory over that of the first. */
#define LOOSER 10.0

typedef struct Reference {
    bool estimates;
    ImpactPairs pairs;
    Trajectory best, looser;
    double *angle; /* unwrapped angles at the substep's beginning */
    bool started;
    double error; /* m */
} Reference;

static void reference_destroy(void *self)
{
    Reference *reference = self;
    if (!reference)
        return;
    trajectory_free(&reference->best);
    trajectory_free(&reference->looser);
    impact_pairs_free(&reference->pairs);
    free(reference->angle);
    free(reference);
}

static void *reference_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const ReferenceOptions *own = task->options;
    Reference *reference = calloc(1, sizeof *reference);
    status_set(status, STATUS_FAILED, "out of memory");
    if (!reference || !impact_pairs_init(&reference->pairs, world, status)) {
        reference_destroy(reference);
        return NULL;
    }
    const World *stage = impact_pairs_enter(&reference->pairs, world);
    TrajectoryRoute route = (TrajectoryRoute)own->coordinates;
    reference->estimates = own->estimate;
    reference->angle = calloc((size_t)stage->block_count + 1, sizeof *reference->angle);
    if (!reference->angle || !trajectory_init(&reference->best, stage, own->tolerance, route) ||
        (own->estimate && !trajectory_init(&reference->looser, stage, LOOSER * own->tolerance, route))) {
        reference_destroy(reference);
        return NULL;
    }
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

static void reference_step(void *self, Step *step)
{
    Reference *reference = self;
    World *world = step->world;
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
    for (int i = 1; reference->estimates && i < world->body_count; i++) {
        Vec3 other = reference->looser.bodies[i].pose.x;
        if (!world->removed[i])
            reference->error = fmax(reference->error, vec3_norm(vec3_sub(world->pose[i].x, other)));
    }
}

void reference_checkpoint(void *self, World *world, Checkpoint *checkpoint)
{
    Reference *reference = self;
    checkpoint_part(checkpoint, world->pose, sizeof *world->pose * (size_t)world->body_count);
    checkpoint_part(checkpoint, world->velocity, sizeof *world->velocity * (size_t)world->body_count);
    for (int b = 0; b < world->joint_block_count; b++) {
        JointTerms *terms = joint_terms(&world->blocks[b]);
        checkpoint_part(checkpoint, &terms->angle, sizeof terms->angle);
        checkpoint_part(checkpoint, &terms->target_before, sizeof terms->target_before);
        checkpoint_part(checkpoint, &terms->target, sizeof terms->target);
    }
    checkpoint_part(checkpoint, &reference->started, sizeof reference->started);
    checkpoint_part(checkpoint, &reference->error, sizeof reference->error);
    trajectory_checkpoint(&reference->best, world, checkpoint);
    if (reference->estimates)
        trajectory_checkpoint(&reference->looser, world, checkpoint);
}

static double reference_error_estimate(void *self)
{
    const Reference *reference = self;
    return reference->estimates ? reference->error : NAN;
}

static int reference_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "integrate", .iterations = 1, .iterate = reference_step};
    return 1;
}

static const Convention REFERENCE_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "none: worlds without friction only"},
    {CONVENTION_NORMALS, NULL, NULL, "together, as multipliers of the motion; impacts located in time"},
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
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS,
    .settings = REFERENCE_SETTINGS,
    .setting_count = sizeof REFERENCE_SETTINGS / sizeof REFERENCE_SETTINGS[0],
    .conventions = REFERENCE_CONVENTIONS,
    .convention_count = sizeof REFERENCE_CONVENTIONS / sizeof REFERENCE_CONVENTIONS[0],
    .options_size = sizeof(ReferenceOptions),
    .row_bytes = 5500,
    .create = reference_create,
    .destroy = reference_destroy,
    .plan = reference_plan,
    .error_estimate = reference_error_estimate,
};
