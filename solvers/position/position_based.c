/* while simulating: integrate; solve all constraints; derive velocities; velocity pass (lecture 002, slide "PBD
 * Algorithm", and 000, slide "Velocity Step"). */
#include "solvers/position/position_based.h"

#include "solvers/motion.h"
#include "solvers/position/bounce.h"
#include "solvers/position/contact_velocity.h"
#include "solvers/position/manifold.h"
#include "solvers/position/stick.h"
#include "solvers/rows/manifold.h"

#include <stdlib.h>
#include <string.h>

typedef struct PositionBased {
    PositionBasedSetup setup;
    PositionSolve how;
    Motion motion;
    int capacity;
    Multiplier *multipliers;
    Bounce bounce;
    Pose *scratch; /* for the residual only */
} PositionBased;

bool position_based_reserve(void *self, const World *world, Status *status)
{
    PositionBased *pb = self;
    if (world->block_count <= pb->capacity)
        return true;
    Multiplier *grown = realloc(pb->multipliers, sizeof *grown * (size_t)world->block_capacity);
    pb->multipliers = grown ? grown : pb->multipliers;
    if (!grown || !bounce_reserve(&pb->bounce, world))
        return status_set(status, STATUS_FAILED, "out of memory");
    pb->capacity = world->block_capacity;
    return true;
}

void position_based_destroy(void *self)
{
    PositionBased *pb = self;
    if (!pb)
        return;
    motion_free(&pb->motion);
    bounce_free(&pb->bounce);
    free(pb->multipliers);
    free(pb->scratch);
    free(pb);
}

void *position_based_create(const World *world, const PositionBasedSetup *setup, Status *status)
{
    PositionBased *pb = calloc(1, sizeof *pb);
    if (!pb)
        goto fail;
    pb->setup = *setup;
    pb->how = (PositionSolve){.stiffness = setup->stiffness, .whole = setup->whole};
    pb->scratch = malloc(sizeof *pb->scratch * (size_t)world->body_count);
    if (!pb->scratch || !motion_init(&pb->motion, world, &setup->common) ||
        !bounce_init(&pb->bounce, world, setup->restitution_threshold, setup->velocity_iterations) ||
        !position_based_reserve(pb, world, status))
        goto fail;
    return pb;
fail:
    position_based_destroy(pb);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static void position_based_integrate(void *self, Step *step)
{
    PositionBased *pb = self;
    pb->how.h = step->h;
    pb->how.push_speed = pb->setup.push_speed;
    pb->bounce.threshold = restitution_threshold_at(pb->setup.restitution_threshold, step->world, step->h);
    step_report_recovery(step, pb->setup.push_speed);
    motion_begin(&pb->motion, step->world, step->h);
    motion_predict(&pb->motion, step->world, step->h);
    if (step->world->block_count > 0)
        memset(pb->multipliers, 0, sizeof *pb->multipliers * (size_t)step->world->block_count);
}

/* Static friction goes before the normals and is tested against the load that the contact carried in the last substep
 * (its cached impulse); a new contact is held by the velocity pass alone. After the normals it would leave them broken:
 * with one iteration a stack of boxes then shakes itself apart. If the bound followed the normals through the
 * iterations, the two would drive each other up where bodies jam: a falling house of cards bursts. A patch sticks and
 * slides as one, in the velocity pass. */
static void position_based_stick(PositionBased *pb, Step *step)
{
    World *world = step->world;
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        if (world->blocks[b].kind != BLOCK_CONTACT)
            continue;
        int points = manifold_count(world, b);
        double load[MANIFOLD_MAX];
        for (int i = 0; i < points; i++)
            load[i] = step->h * vec3_norm(world->block_impulse[b + 2 * i]);
        if (world->blocks[b].patch_radius == 0.0)
            step->row_solves += position_stick_manifold(world, b, points, &pb->how, load, pb->multipliers);
        b += 2 * points - 1;
    }
}

static void position_based_solve(void *self, Step *step)
{
    PositionBased *pb = self;
    World *world = step->world;
    position_based_stick(pb, step);
    for (int b = 0; b < world->joint_block_count; b++)
        step->row_solves += position_solve_block(world, &world->blocks[b], &pb->how, &pb->multipliers[b]);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT) {
            step->row_solves += position_solve_manifold(world, b, &pb->how, pb->multipliers);
            b += 2 * manifold_count(world, b) - 1;
        }
}

static void position_based_update_velocities(void *self, Step *step)
{
    PositionBased *pb = self;
    World *world = step->world;
    motion_derive_velocities(&pb->motion, world, step->h);
    /* lambda is a force times h^2: over the substep it gave the impulse lambda / h. */
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3_scale(1.0 / step->h, pb->multipliers[b].on_body2);
    step->row_solves += contact_velocity_pass(world, pb->multipliers, step->h);
    bounce_pass(&pb->bounce, step, pb->multipliers);
    motion_damp(&pb->motion, world, step->h);
}

/* |C + a lambda| over |C| at the predicted poses, which velocities not yet updated still give. */
static double position_based_residual(void *self, const Step *step)
{
    PositionBased *pb = self;
    World *world = step->world;
    size_t bytes = sizeof *pb->scratch * (size_t)world->body_count;
    double left = position_residual_squared(world, step->h, pb->multipliers);
    memcpy(pb->scratch, world->pose, bytes);
    motion_predict(&pb->motion, world, step->h);
    double before = position_residual_squared(world, step->h, NULL);
    memcpy(world->pose, pb->scratch, bytes);
    return left == 0.0 ? 0.0 : sqrt(left / (before > 0.0 ? before : 1.0));
}

int position_based_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    PositionBased *pb = self;
    phases[0] = (Phase){"position", pb->setup.common.iterations, position_based_integrate, position_based_solve,
                        position_based_residual};
    phases[1] = (Phase){"velocity", 0, position_based_update_velocities, NULL, NULL};
    return 2;
}
