#include "solvers/position/position_based.h"

#include "model/wide.h"

#include <stdlib.h>
#include <string.h>

void position_based_destroy(void *self)
{
    PositionBased *based = self;
    if (!based)
        return;
    motion_free(&based->motion);
    multipliers_free(&based->lambda);
    bounce_free(&based->bounce);
    colouring_free(&based->colours);
    position_quads_free(&based->quads);
    free(based->predicted);
    free(based);
}

bool position_based_reserve(void *self, const World *world, Status *status)
{
    PositionBased *based = self;
    return (multipliers_reserve(&based->lambda, world) && bounce_reserve(&based->bounce, world) &&
            (based->options.order != POSITION_COLOUR || colouring_reserve(&based->colours, world)) &&
            position_quads_reserve(&based->quads, world)) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

PositionBased *position_based_create(const World *world, const PositionBasedOptions *options, PositionSolve how,
                                     Status *status)
{
    PositionBased *based = calloc(1, sizeof *based);
    if (based) {
        based->options = *options;
        based->how = how;
        based->how.slop = options->slop;
        based->how.push_speed = options->push_speed;
        based->quads.four = wide_is_one_register();
        based->predicted = calloc((size_t)world->body_count, sizeof *based->predicted);
    }
    if (!based || !based->predicted || !motion_init(&based->motion, world, &options->common) ||
        !multipliers_init(&based->lambda, world) ||
        (options->order == POSITION_COLOUR && !colouring_reserve(&based->colours, world)) ||
        !position_quads_reserve(&based->quads, world) ||
        (options->contact == CONTACT_STICK && !bounce_init(&based->bounce, world))) {
        position_based_destroy(based);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return based;
}

/* Contacts are others after each detection. Those of a list go in quads, with the same bits, where most find others. */
static void based_line_up(PositionBased *based, const World *world)
{
    Colouring *colours = &based->colours;
    bool colour = based->options.order == POSITION_COLOUR;
    based->lined_up = colour || (based->quads.four && world->manifold_count > 0);
    if (colour && !based->coloured) {
        colouring_set_joints(colours, world);
        position_quads_set_joints(&based->quads, world, colours, based->how.whole);
        based->coloured = true;
    }
    if (colour)
        colouring_set_manifolds(colours, world);
    if (based->lined_up)
        position_quads_set_manifolds(&based->quads, world, colour ? colours : NULL, &based->how);
    based->lined_up = colour || (based->lined_up && position_quads_gain(&based->quads));
}

void position_based_begin(PositionBased *based, Step *step)
{
    const World *world = step->world;
    based->how.h = step->h;
    based_line_up(based, world);
    step_report_recovery(step, based->options.push_speed);
    motion_begin(&based->motion, step->world, step->h);
    memcpy(based->predicted, world->velocity, sizeof *based->predicted * (size_t)world->body_count);
}

double position_based_residual(void *self, const Step *step)
{
    const PositionBased *based = self;
    return multipliers_residual(&based->lambda, &based->motion, step);
}

double position_based_threshold(const PositionBased *based, const Step *step)
{
    return restitution_threshold_at(based->options.restitution_threshold, step->world, step->h);
}

static void based_bounce_begin(void *self, Step *step)
{
    PositionBased *based = self;
    based->bounce.threshold = position_based_threshold(based, step);
    bounce_begin(&based->bounce, step, based->lambda.of);
}

static void based_bounce(void *self, Step *step)
{
    bounce_sweep(&((PositionBased *)self)->bounce, step);
}

static double based_bounce_residual(void *self, const Step *step)
{
    return bounce_residual(&((PositionBased *)self)->bounce, step->world);
}

static void based_end(void *self, Step *step)
{
    PositionBased *based = self;
    bounce_end(&based->bounce, step);
    motion_damp(&based->motion, step->world, step->h);
}

int position_based_end_plan(const PositionBased *based, Phase phases[SOLVER_MAX_PHASES], int count)
{
    if (based->options.contact == CONTACT_STICK)
        phases[count++] = (Phase){.name = "bounce",
                                  .iterations = based->options.velocity_iterations,
                                  .enter = based_bounce_begin,
                                  .iterate = based_bounce,
                                  .residual = based_bounce_residual,
                                  .stop = BOUNCE_CONVERGED};
    phases[count++] = (Phase){.name = "damp", .enter = based_end};
    return count;
}

const Convention position_conventions[POSITION_CONVENTIONS] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, "contact", "stick", "those of one pair of bodies together, after the joints"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point"},
    {CONVENTION_ORDER, "contact", "stick",
     "static before the normals, against the last substep's load; sliding in the velocity pass"},
    {CONVENTION_ORDER, NULL, NULL, "static after its normal, in full or not at all; sliding in the velocity pass"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, NULL, NULL, "by position, {push_speed} m/s at most for overlap that was found"},
    {CONVENTION_RESTITUTION, "contact", "stick",
     "Newton, over all contacts of an impact; above {restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, once a contact after the velocity update; above {restitution_threshold} m/s (auto: 2 g h)"},
    {CONVENTION_WARM_START, "contact", "stick", "nothing; the last substep's load bounds static friction"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};
