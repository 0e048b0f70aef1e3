/* SPDX-License-Identifier: MIT */
#include "solvers/position/position_based.h"

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
    contact_pins_free(&based->pins);
    position_quads_free(&based->quads);
    free(based->predicted);
    free(based);
}

bool position_based_reserve(void *self, const World *world, Status *status)
{
    PositionBased *based = self;
    return (multipliers_reserve(&based->lambda, world) && bounce_reserve(&based->bounce, world) &&
            position_quads_reserve(&based->quads, world) && contact_pins_reserve(&based->pins, world)) ||
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
        based->how.push_speed = how.push_all ? INFINITY : options->push_speed;
        based->quads.four = true;
        based->pins =
            (ContactPins){.midway = options->contact_point == POINT_MIDWAY, .look_ahead = options->look_ahead};
        based->predicted = calloc((size_t)world->body_count, sizeof *based->predicted);
    }
    if (!based || !based->predicted || !motion_init(&based->motion, world, &options->common) ||
        !multipliers_init(&based->lambda, world) || !position_quads_reserve(&based->quads, world) ||
        !contact_pins_reserve(&based->pins, world) ||
        (options->contact == CONTACT_STICK && !bounce_init(&based->bounce, world))) {
        position_based_destroy(based);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return based;
}

/* Units of a list go in quads, with the same bits, where most find others. Joints keep their places; contacts are
 * others after each detection. */
static void based_line_up(PositionBased *based, const World *world)
{
    PositionQuads *quads = &based->quads;
    bool by_colour = based->options.order == POSITION_COLOUR;
    if (!by_colour && !quads->four)
        return;
    if (!based->begun) {
        position_quads_set_joints(quads, world, by_colour, based->how.whole);
        based->joints_lined_up = by_colour || position_quads_gain(&quads->joints);
    }
    based->begun = true;
    based->lined_up = world->manifold_count > 0;
    if (!based->lined_up)
        return;
    position_quads_set_manifolds(quads, world, by_colour, &based->how);
    based->lined_up = by_colour || position_quads_gain(&quads->manifolds);
}

void position_based_begin(PositionBased *based, Step *step)
{
    const World *world = step->world;
    based->how.h = step->h;
    if (based->how.push_all && isfinite(based->options.push_speed))
        based->how.contact_most = based->options.push_speed * step->h;
    contact_pins_set(&based->pins, step->world);
    based_line_up(based, world);
    step_report_recovery(step, based->options.push_speed);
    motion_begin(&based->motion, step->world, step->h);
    memcpy(based->predicted, world->velocity, sizeof *based->predicted * (size_t)world->body_count);
}

/* |C + a lambda| as a share of what it was at the predicted poses. */
static double based_residual(void *self, const Step *step)
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
    contact_pins_drop(&based->pins, step->world);
    motion_damp(&based->motion, step->world, step->h);
}

/* x_prev = x;  v = v + h f/m;  x = x + h v;  q and w likewise;  lambda = 0 */
static void based_integrate(void *self, Step *step)
{
    PositionBased *based = self;
    position_based_begin(based, step);
    for (int b = 0; based->how.no_axial && b < step->world->joint_block_count; b++)
        if (block_is_axial(&step->world->blocks[b]))
            step_report(step, "a drive, or a limit of an angle or slide, was left out");
    motion_predict(&based->motion, step->world, step->h);
    multipliers_clear(&based->lambda, step->world);
}

/* Every block's error, corrected. */
static void based_solve_positions(void *self, Step *step)
{
    PositionBased *based = self;
    if (based->options.contact == CONTACT_STICK)
        position_based_tangents(based, step);
    position_based_joints(based, step);
    position_based_contacts(based, step);
}

/* v = (x - x_prev)/h;  w = 2 vec(q q_prev^-1)/h */
static void based_update_velocities(void *self, Step *step)
{
    PositionBased *based = self;
    motion_derive_velocities(&based->motion, step->world, step->h);
    multipliers_store_impulses(&based->lambda, step->world, step->h);
}

int position_based_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const PositionBased *based = self;
    int count = 0;
    phases[count++] = (Phase){.name = "position",
                              .iterations = based->options.common.iterations,
                              .enter = based_integrate,
                              .iterate = based_solve_positions,
                              .residual = based_residual};
    phases[count++] = (Phase){
        .name = "velocity", .iterations = 1, .enter = based_update_velocities, .iterate = position_based_velocities};
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
    {CONVENTION_RESTITUTION, "contact", "approach",
     "Newton, once a contact; above {restitution_threshold} m/s (auto: 2 g h) before the position solve"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, once a contact; above {restitution_threshold} m/s (auto: 2 g h) after the velocity update"},
    {CONVENTION_WARM_START, "contact", "stick", "nothing; the last substep's load bounds static friction"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

/* Of both backends: pbd has a stiffness, xpbd has blocks that are solved as a whole. */
const PhaseStep position_steps[] = {
    {"position", PHASE_ENTER, "", "poses from free flight, then corrected block by block"},
    FLIGHT_WORDS("position"),
    {"position", PHASE_ENTER, "predict", "Bodies move without constraints; multipliers begin at zero.",
     "x_prev = x,  x <- x + h v*,  q <- exp(h w*) q,  lambda = 0"},
    {"position", PHASE_SWEEP, "tangents",
     "Pair by pair: the slip of all points since the substep began is taken back, as far as the last substep's load "
     "allows.",
     "J_t M^-1 J_t^T dlambda = -C_t,  |lambda_t| <= mu lambda_n of the last substep", "contact", "stick"},
    {"position", PHASE_SWEEP, "joints",
     "Block by block, along its error: the share k of it, {stiffness} unless the joint has its own.",
     "dlambda = -k C/(w1 + w2)\nx <- x + M^-1 J^T dlambda,  q likewise", "stiffness", "!?"},
    {"position", PHASE_SWEEP, "joints", "Block by block, its rows together.",
     "dlambda = -(J M^-1 J^T + a)^-1 (C + a lambda),  a = alpha/h^2\nx <- x + M^-1 J^T dlambda,  q likewise", "block",
     "true"},
    {"position", PHASE_SWEEP, "joints", "Block by block, along its error.",
     "dlambda = (-C - a lambda)/(w1 + w2 + a),  a = alpha/h^2\nx <- x + M^-1 J^T dlambda,  q likewise"},
    {"position", PHASE_SWEEP, "contacts",
     "Pair by pair: the normals of all points together; of an overlap what exceeds {slop} m, {push_speed} m/s at most.",
     "0 <= lambda _|_ J M^-1 J^T dlambda + C >= 0", "contact", "stick"},
    {"position", PHASE_SWEEP, "contacts",
     "Point by point: the normal; of an overlap what exceeds {slop} m, {push_speed} m/s at most. Then static friction: "
     "the slip since the substep began, in full or not at all.",
     "dlambda_n = -C/(w1 + w2),  lambda_n >= 0\ndlambda_t = -C_t/(w1 + w2),  if |lambda_t| <= mu lambda_n"},
    {"velocity", PHASE_ENTER, "", "velocities from poses, then what contacts still ask of them"},
    {"velocity", PHASE_ENTER, "derive", "The velocities are what the poses did.",
     "v = (x - x_prev)/h\nw = 2 vec(q q_prev^-1)/h"},
    {"velocity", PHASE_SWEEP, "contacts",
     "Point by point: sliding friction, as far as the cone goes; the normal comes to rest. Impacts have a phase of "
     "their own.",
     "p_t = -v_t/|v_t| min(mu p_n - |p_static|, |v_t|/w),  p_n = lambda_n/h and what stops the normal", "contact",
     "stick"},
    {"velocity", PHASE_SWEEP, "contacts",
     "Point by point: sliding friction; then who approached, before the position solve, faster than "
     "{restitution_threshold} (m/s; auto: 2 g h) parts with the share e of that.",
     "p_t = -v_t/|v_t| min(mu lambda_n/h, |v_t|/w)\np_n = (-v_n + max(-e v_n before, 0))/w", "contact", "approach"},
    {"velocity", PHASE_SWEEP, "contacts",
     "Point by point: sliding friction; then who approached faster than {restitution_threshold} (m/s; auto: 2 g h) "
     "parts with the share e of that.",
     "p_t = -v_t/|v_t| min(mu lambda_n/h, |v_t|/w)\np_n = (-v_n + max(-e v_n before, 0))/w"},
    {"bounce", PHASE_ENTER, "", "impacts: all their contacts together, by sweeps until they agree"},
    {"bounce", PHASE_ENTER, "points",
     "Those that approached faster than {restitution_threshold} m/s and push; they ask for the share e of that."},
    {"bounce", PHASE_SWEEP, "points", "One after the other; joints and other contacts hold meanwhile.",
     "lambda_n <- max(lambda_n - (v_n + e v_n before)/A_nn, 0)"},
    {"damp", PHASE_ENTER, "", "joint damping"},
    {"damp", PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",
     "v <- v max(0, 1 - c h)"},
    {NULL},
};
