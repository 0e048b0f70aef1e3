/* SPDX-License-Identifier: MIT */
#include "solvers/truth/trajectory.h"

#include "solvers/truth/impact.h"
#include "solvers/truth/trajectory_event.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

/* Halvings that locate an event in a step. */
enum { BISECTIONS = 60 };
/* Secants that find it to round-off from there: they double the digits each, and begin with half of them. */
enum { SECANTS = 8 };

/* Evaluations of the right-hand side in a substep, and impacts: 13 a step, some 700 an event. Truths of smooth motion
 * take a hundred, of stiff joints some thousand, a ball that comes to rest by ever smaller bounces thirty thousand. */
enum { MAX_EVALUATIONS = 130000 };

/* Impulses follow the steps that the motion needs: their own error does not count. */
#define IMPULSE_SCALE 1e30
/* Of the tolerance, where balls turn against the world. It is meant for a joint's speed, w2 - w1: if none of these six
 * numbers is off by more than e, that is off by 2 sqrt(3) e at most, however the axes lie. The share is the power of
 * two below 1 / (2 sqrt(3)). Without it steps are 1.16 times as long, and errors of chaotic pendulums 10 to 20 times as
 * large. */
#define BALL_SHARE 0.25
/* The first step to try, s: step control finds the right one within a few. */
#define FIRST_STEP 1e-4
/* Projections leave less than this (of the length scale, or rad), or it is said. */
#define TRUTH_DRIFT_MAX 1e-10
/* A start within this (length scales, length scales a second, rad/s) of the constraints satisfies them. */
#define START_SLACK 1e-9
/* Events are located to this part of the time since the substep began: its round-off. */
#define TIME_ROUND_OFF 1e-16
/* A step rounds some twenty sums a number: the looser trajectory is shaken by this part of each, so that its distance
 * from the better one grows as round-off does. */
#define SHAKING (8.0 * DBL_EPSILON)
/* Where step control has gone down to round-off: on with a step of this part of what is left. */
#define BLIND_STEP 1e-3

void bodies_give(const BodyState *state, World *world)
{
    for (int i = 1; i < world->body_count; i++) {
        world->pose[i] = state[i].pose;
        world->pose[i].q = quat_unit(state[i].pose.q);
        world->velocity[i] = state[i].velocity;
    }
}

void bodies_take(BodyState *state, const World *world)
{
    for (int i = 0; i < world->body_count; i++)
        state[i] = (BodyState){world->pose[i], world->velocity[i]};
}

void trajectory_take(Trajectory *trajectory, const World *world)
{
    for (int i = 0; i < world->body_count && !trajectory->stale; i++) {
        BodyState state = {world->pose[i], world->velocity[i]};
        trajectory->stale = memcmp(&state, &trajectory->bodies[i], sizeof state) != 0;
    }
    bodies_take(trajectory->bodies, world);
}

/* The world in the state y, and y in the world's state. */
static void trajectory_load(Trajectory *trajectory, const double *y)
{
    World *world = trajectory->step->world;
    if (trajectory->is_reduced)
        reduced_give(&trajectory->reduced, y, world);
    else
        bodies_give((const BodyState *)y, world);
}

static void trajectory_store(Trajectory *trajectory)
{
    World *world = trajectory->step->world;
    if (trajectory->is_reduced)
        reduced_take(&trajectory->reduced, world, trajectory->y);
    else
        bodies_take((BodyState *)trajectory->y, world);
    trajectory->stale = false;
}

/* Body states by multipliers. */
static int trajectory_rate_bodies(Trajectory *trajectory, double t, const BodyState *state, Rate *rate, Vec3 *impulses)
{
    const World *world = trajectory->step->world;
    trajectory_evaluate(trajectory, t, false);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity a = trajectory->lagrange.acceleration[i];
        if (!vec3_is_finite(a.v) || !vec3_is_finite(a.w))
            return GSL_EBADFUNC;
        rate[i] = motion_rate(state[i].pose.q, state[i].velocity, a);
        if (world->mass[i].inv_inertia.x == 0.0)
            rate[i].q = (Quat){0, 0, 0, 0};
    }
    lagrange_add_impulses(&trajectory->lagrange, world, 1.0, impulses);
    return GSL_SUCCESS;
}

/* The power of constant torques, sum tau.w, in the state y. */
static double trajectory_torque_power(Trajectory *trajectory, const double *y)
{
    const World *world = trajectory->step->world;
    double power = 0.0;
    if (!trajectory->has_torques)
        return 0.0;
    trajectory_load(trajectory, y);
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            power += vec3_dot(world->bodies[i].torque, world->velocity[i].w);
    return power;
}

/* GSL's right-hand side. */
static int trajectory_rate(double t, const double y[], double dydt[], void *self)
{
    Trajectory *trajectory = self;
    Step *step = trajectory->step;
    trajectory->evaluations++;
    Vec3 *impulses = trajectory_impulses(trajectory, dydt);
    if (!trajectory->is_reduced) {
        memset(dydt, 0, sizeof *dydt * trajectory->size);
        trajectory_load(trajectory, y);
        dydt[trajectory->size - 1] = trajectory_torque_power(trajectory, y);
        return trajectory_rate_bodies(trajectory, t, (const BodyState *)y, (Rate *)dydt, impulses);
    }
    memset(impulses, 0, sizeof *dydt * (trajectory->size - trajectory->moving)); /* the rest is overwritten */
    dydt[trajectory->size - 1] = trajectory_torque_power(trajectory, y);
    int solved = reduced_rate(&trajectory->reduced, &trajectory->lagrange, step->world, y, dydt, impulses);
    step->row_solves += solved;
    return solved > 0 ? GSL_SUCCESS : GSL_EBADFUNC;
}

/* What one means for each number of y, so that a tolerance is the same for lengths and angles. */
static void trajectory_scales(const Trajectory *trajectory, const World *world, double *scale)
{
    double L = world->length_scale;
    for (size_t i = trajectory->moving; i < trajectory->size; i++)
        scale[i] = IMPULSE_SCALE;
    if (trajectory->is_reduced) {
        reduced_scales(&trajectory->reduced, world, scale);
        return;
    }
    for (int i = 0; i < world->body_count; i++)
        ((BodyState *)scale)[i] = (BodyState){{{L, L, L}, {1, 1, 1, 1}}, {{L, L, L}, {1, 1, 1}}};
}

static void trajectory_free_stepper(Trajectory *trajectory)
{
    free(trajectory->y);
    free(trajectory->y_before);
    free(trajectory->y_trial);
    free(trajectory->error);
    free(trajectory->rate);
    if (trajectory->stepper)
        gsl_odeiv2_step_free(trajectory->stepper);
    if (trajectory->control)
        gsl_odeiv2_control_free(trajectory->control);
    if (trajectory->evolve)
        gsl_odeiv2_evolve_free(trajectory->evolve);
    trajectory->stepper = NULL;
    trajectory->control = NULL;
    trajectory->evolve = NULL;
}

/* The stepper for states of the tree as it is connected, or of the bodies; false when out of memory. */
static bool trajectory_init_stepper(Trajectory *trajectory, const World *world)
{
    double **arrays[] = {&trajectory->y, &trajectory->y_before, &trajectory->y_trial, &trajectory->error,
                         &trajectory->rate};
    trajectory->removed = articulated_count_removed(world);
    trajectory->stale = true;
    trajectory->moving = trajectory->is_reduced ? trajectory->reduced.tree.state_size
                                                : (size_t)world->body_count * sizeof(BodyState) / sizeof(double);
    size_t size = trajectory->size = trajectory->moving + 3 * (size_t)world->block_count + 1;
    trajectory_free_stepper(trajectory);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = calloc(size + 1, sizeof(double));
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!*arrays[i])
            return false;
    double *scale = trajectory->error;
    trajectory_scales(trajectory, world, scale);
    trajectory->stepper = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, size);
    const Articulated *tree = &trajectory->reduced.tree;
    bool balls = trajectory->is_reduced && tree->own_count < tree->link_count;
    double tolerance = trajectory->tolerance * (balls ? BALL_SHARE : 1.0);
    trajectory->control = gsl_odeiv2_control_scaled_new(tolerance, tolerance, 1.0, 0.0, scale, size);
    trajectory->evolve = gsl_odeiv2_evolve_alloc(size);
    trajectory->system = (gsl_odeiv2_system){trajectory_rate, NULL, size, trajectory};
    return trajectory->stepper && trajectory->control && trajectory->evolve;
}

/* Laws of joints, series and bounds on whole turns are rows of multipliers. */
static bool trajectory_needs_rows(const World *world)
{
    bool needs = world->lawful_count > 0;
    for (int b = 0; b < world->joint_block_count && !needs; b++)
        needs = world->blocks[b].kind == BLOCK_TURN;
    return needs;
}

bool trajectory_init(Trajectory *trajectory, const World *world, double tolerance, double looseness,
                     TrajectoryRoute route)
{
    /* The truth has its gyroscopic term, at each instant. */
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT};
    size_t bodies = (size_t)world->body_count, blocks = (size_t)world->block_count;
    *trajectory = (Trajectory){
        .tolerance = tolerance, .looseness = looseness, .longest = 1.0, .h = FIRST_STEP, .reach = impact_reach(world)};
    for (int i = 1; i < world->body_count; i++)
        trajectory->has_torques = trajectory->has_torques || !vec3_is_zero(world->bodies[i].torque);
    trajectory->bodies = calloc(bodies, sizeof *trajectory->bodies);
    trajectory->closing = calloc(2 * blocks + 1, sizeof *trajectory->closing);
    if (!trajectory->bodies || !trajectory->closing || !impact_orders_init(&trajectory->orders, world) ||
        !reduced_init(&trajectory->reduced, world) || !lagrange_init(&trajectory->lagrange, world, &options, true))
        return false;
    trajectory->is_reduced =
        route == ROUTE_AUTO && !trajectory_needs_rows(world) && reduced_connect(&trajectory->reduced, world);
    return trajectory_init_stepper(trajectory, world);
}

void trajectory_free(Trajectory *trajectory)
{
    lagrange_free(&trajectory->lagrange);
    reduced_free(&trajectory->reduced);
    trajectory_free_stepper(trajectory);
    free(trajectory->bodies);
    free(trajectory->closing);
    impact_orders_free(&trajectory->orders);
}

/* Has something happened by the time t in state y that the states of limits and drives do not allow? */
static bool trajectory_has_event(Trajectory *trajectory, double t, const double *y)
{
    if (trajectory->lagrange.switchable == 0)
        return false;
    trajectory_load(trajectory, y);
    return trajectory_must_switch(trajectory, t);
}

/* One step of length h from y_before into y_trial, without control. */
static bool trajectory_try(Trajectory *trajectory, double t, double h)
{
    memcpy(trajectory->y_trial, trajectory->y_before, sizeof *trajectory->y * trajectory->size);
    return gsl_odeiv2_step_apply(trajectory->stepper, t, h, trajectory->y_trial, trajectory->error, trajectory->rate,
                                 NULL, &trajectory->system) == GSL_SUCCESS;
}

/* How far block b is beyond its event a time h into the step from t; NaN: that cannot be computed. */
static double trajectory_beyond_at(Trajectory *trajectory, double t, double h, int b)
{
    if (!trajectory_try(trajectory, t, h))
        return NAN;
    trajectory_load(trajectory, trajectory->y_trial);
    trajectory_evaluate(trajectory, t + h, false);
    return trajectory_beyond(trajectory, b);
}

/* The time in the step from t at which block b is where its event is, to round-off, by secants: `after`, where it is
 * beyond by the slack that finds events, is next to it. `after`, if the block was beyond all along. */
static double trajectory_polish(Trajectory *trajectory, double t, double after, int b)
{
    double h0 = 0.5 * after, h1 = after, f0 = trajectory_beyond_at(trajectory, t, h0, b);
    double f1 = trajectory_beyond_at(trajectory, t, h1, b);
    for (int i = 0; i < SECANTS && (i > 0 || f0 < 0.0) && f1 != f0; i++) {
        double h = h1 - f1 * (h1 - h0) / (f1 - f0);
        if (!(h > 0.0 && h <= after) || fabs(h - h1) <= DBL_EPSILON * fmax(h, t))
            break;
        double f = trajectory_beyond_at(trajectory, t, h, b);
        if (!(fabs(f) < fabs(f1)))
            break;
        h0 = h1, f0 = f1;
        h1 = h, f1 = f;
    }
    return h1;
}

/* The first instant at which one of those that are beyond at `after` is where its event is. */
static double trajectory_polish_first(Trajectory *trajectory, double t, double after)
{
    int blocks = trajectory->step->world->block_count;
    double first = after, *beyond = trajectory->closing;
    if (blocks == 0 || isnan(trajectory_beyond_at(trajectory, t, after, 0)))
        return after;
    for (int b = 0; b < blocks; b++)
        beyond[b] = trajectory_beyond(trajectory, b);
    for (int b = 0; b < blocks; b++)
        if (beyond[b] > 0.0)
            first = fmin(first, trajectory_polish(trajectory, t, after, b));
    return first;
}

/* Goes back to just after the first event in the step from t to *t_end. */
static void trajectory_locate_event(Trajectory *trajectory, double t, double *t_end)
{
    double before = 0.0, after = *t_end - t;
    if (trajectory_rate(t, trajectory->y_before, trajectory->rate, trajectory) != GSL_SUCCESS)
        return;
    for (int i = 0; i < BISECTIONS && after - before > TIME_ROUND_OFF * *t_end; i++) {
        double middle = 0.5 * (before + after);
        bool ok = trajectory_try(trajectory, t, middle);
        if (!ok || trajectory_has_event(trajectory, t + middle, trajectory->y_trial))
            after = middle;
        else
            before = middle;
    }
    after = trajectory_polish_first(trajectory, t, after);
    if (!trajectory_try(trajectory, t, after))
        return;
    memcpy(trajectory->y, trajectory->y_trial, sizeof *trajectory->y * trajectory->size);
    *t_end = t + after;
}

/* Two bodies that grazed each other within the step are apart again at its end: where they were closest, by the secant
 * of their approach, tells. Then the step ends there. */
static bool trajectory_find_graze(Trajectory *trajectory, double t, double *t_end)
{
    World *world = trajectory->step->world;
    double *after = trajectory->closing + world->block_count;
    if (!isfinite(trajectory->reach))
        return false;
    trajectory_load(trajectory, trajectory->y_before);
    impact_closing(&trajectory->lagrange, world, trajectory->closing);
    trajectory_load(trajectory, trajectory->y);
    impact_closing(&trajectory->lagrange, world, after);
    for (int b = 0; b < world->block_count; b++) {
        double before = trajectory->closing[b];
        if (!(before < 0.0 && after[b] > 0.0))
            continue;
        double middle = (*t_end - t) * before / (before - after[b]);
        if (trajectory_rate(t, trajectory->y_before, trajectory->rate, trajectory) != GSL_SUCCESS ||
            !trajectory_try(trajectory, t, middle) ||
            !trajectory_has_event(trajectory, t + middle, trajectory->y_trial))
            continue;
        memcpy(trajectory->y, trajectory->y_trial, sizeof *trajectory->y * trajectory->size);
        *t_end = t + middle;
        return true;
    }
    return false;
}

/* Takes the world's state onto the constraints by multipliers. */
static void trajectory_project(Trajectory *trajectory, double t, bool switched)
{
    Step *step = trajectory->step;
    double left;
    step->row_solves += lagrange_project_positions(&trajectory->lagrange, step->world, t, &left);
    if (!(left < TRUTH_DRIFT_MAX))
        step_report(step, "projection did not converge");
    if (!switched)
        step->row_solves += lagrange_project_velocities(&trajectory->lagrange, step->world, false);
    trajectory_report(trajectory);
}

static void trajectory_shake(Trajectory *trajectory)
{
    for (size_t i = 0; trajectory->looseness > 1.0 && i < trajectory->moving; i++)
        trajectory->y[i] *= 1.0 + SHAKING * random_in(&trajectory->shaking, -1.0, 1.0);
}

/* The state that was reached, in the world and, where there was an event, changed there, becomes the next step's start.
 * Joint coordinates satisfy the joints as they are; unwrapped angles follow. */
static void trajectory_settle(Trajectory *trajectory, double t, bool switched)
{
    World *world = trajectory->step->world;
    bool projects = !trajectory->is_reduced || switched || reduced_drifts(&trajectory->reduced, &trajectory->lagrange);
    if (projects)
        trajectory_project(trajectory, t, switched);
    for (int b = 0; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_TWIST && !world->blocks[b].off)
            joint_terms(&world->blocks[b])->angle = block_twist(world, &world->blocks[b]);
    if (!projects) { /* y moves by round-off alone: the rate at this step's end is the next one's */
        reduced_normalise(&trajectory->reduced, trajectory->y);
        return;
    }
    trajectory_store(trajectory);
    gsl_odeiv2_evolve_reset(trajectory->evolve);
}

/* One controlled step towards `end`, which steps of one length reach: none is cut, and none is tried in vain for being
 * as long as the error allows. The looser trajectory takes the longest, so that its steps are never the better one's.
 * False if the state is no longer finite. */
static bool trajectory_step(Trajectory *trajectory, double *t, double end)
{
    double start = *t, allowed = trajectory->h;
    double steps = trajectory->looseness > 1.0 ? 1.0 : ceil((end - start) / allowed);
    double tried = steps > 1.0 ? (end - start) / steps : allowed;
    trajectory->h = tried;
    int status = gsl_odeiv2_evolve_apply(trajectory->evolve, trajectory->control, trajectory->stepper,
                                         &trajectory->system, t, end, &trajectory->h, trajectory->y);
    if (status == GSL_FAILURE) {
        step_report(trajectory->step, "tolerance not reached");
        trajectory->h = BLIND_STEP * (end - start);
        if (trajectory_rate(start, trajectory->y_before, trajectory->rate, trajectory) == GSL_SUCCESS &&
            trajectory_try(trajectory, start, trajectory->h)) {
            memcpy(trajectory->y, trajectory->y_trial, sizeof *trajectory->y * trajectory->size);
            *t = start + trajectory->h;
            status = GSL_SUCCESS;
            gsl_odeiv2_evolve_reset(trajectory->evolve);
        }
    }
    if (trajectory->h >= tried && trajectory->h < allowed)
        trajectory->h = allowed; /* cut for equal steps, not for the error */
    return status == GSL_SUCCESS;
}

/* A start that the constraints do not allow is moved onto them, and said. */
static void trajectory_start(Trajectory *trajectory)
{
    const World *world = trajectory->step->world;
    const BodyState *given = trajectory->bodies;
    if (trajectory->started)
        return;
    trajectory->started = true;
    trajectory_settle(trajectory, 0.0, true);
    trajectory_switch(trajectory, 0.0);
    trajectory_store(trajectory);
    double moved = 0.0, L = world->length_scale;
    for (int i = 1; i < world->body_count; i++) {
        moved = fmax(moved, vec3_norm(vec3_sub(world->pose[i].x, given[i].pose.x)) / L);
        moved = fmax(moved, vec3_norm(vec3_sub(world->velocity[i].v, given[i].velocity.v)) / L);
        moved = fmax(moved, vec3_norm(vec3_sub(world->velocity[i].w, given[i].velocity.w)));
    }
    if (moved > START_SLACK)
        step_report(trajectory->step, "the start was moved onto the constraints");
}

/* The end of the next step at the latest. */
static double trajectory_step_end(const Trajectory *trajectory, double t)
{
    const World *world = trajectory->step->world;
    double fastest = 0.0, end = fmin(trajectory->step->h, t + trajectory->longest * trajectory->step->h);
    for (int i = 1; isfinite(trajectory->reach) && i < world->body_count; i++)
        fastest = fmax(fastest, vec3_norm(world->velocity[i].v));
    return fastest > 0.0 ? fmin(end, t + trajectory->reach / fastest) : end;
}

/* The tree after a removal: what is left of a tree is trees, this cannot be refused. But a link that hangs on nothing
 * now has more coordinates. */
static bool trajectory_reconnect(Trajectory *trajectory, const World *world)
{
    if (!trajectory->is_reduced || articulated_count_removed(world) == trajectory->removed)
        return true;
    reduced_connect(&trajectory->reduced, world);
    return trajectory_init_stepper(trajectory, world);
}

/* The world, and y, in the state that the last substep ended with, or that was taken since. False when out of memory.
 */
static bool trajectory_resume(Trajectory *trajectory)
{
    World *world = trajectory->step->world;
    bodies_give(trajectory->bodies, world);
    if (!trajectory_reconnect(trajectory, world)) {
        step_fail(trajectory->step, "out of memory");
        return false;
    }
    if (trajectory->stale)
        trajectory_store(trajectory);
    memset(trajectory->y + trajectory->moving, 0, sizeof *trajectory->y * (trajectory->size - trajectory->moving));
    trajectory_start(trajectory);
    return true;
}

void trajectory_advance(Trajectory *trajectory, Step *step)
{
    World *world = step->world;
    double t = 0.0;
    trajectory->step = step;
    trajectory->evaluations = 0;
    motion_collect_forces(&trajectory->lagrange.motion, world);
    if (!trajectory_resume(trajectory))
        return;
    size_t bytes = sizeof *trajectory->y * trajectory->size;
    gsl_odeiv2_evolve_reset(trajectory->evolve); /* targets have moved on */
    while (t < step->h) {
        double start = t;
        if (trajectory->evaluations > MAX_EVALUATIONS) {
            step_fail(step,
                      "the motion is not known: it is too stiff, or bounces without end (more than %d evaluations in a "
                      "substep)",
                      MAX_EVALUATIONS);
            return;
        }
        memcpy(trajectory->y_before, trajectory->y, bytes);
        if (!trajectory_step(trajectory, &t, trajectory_step_end(trajectory, t))) {
            for (int i = 1; i < world->body_count; i++)
                world->pose[i].x = vec3(NAN, NAN, NAN);
            bodies_take(trajectory->bodies, world);
            return;
        }
        trajectory_shake(trajectory);
        bool event = trajectory_has_event(trajectory, t, trajectory->y) || trajectory_find_graze(trajectory, start, &t);
        if (event)
            trajectory_locate_event(trajectory, start, &t);
        trajectory_load(trajectory, trajectory->y);
        if (event)
            trajectory_switch(trajectory, t);
        trajectory_settle(trajectory, t, event);
    }
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = trajectory_impulses(trajectory, trajectory->y)[b];
    world->torque_work = trajectory->y[trajectory->size - 1];
    bodies_take(trajectory->bodies, world);
}

void trajectory_checkpoint(Trajectory *trajectory, const World *world, Checkpoint *checkpoint)
{
    Lagrange *lagrange = &trajectory->lagrange;
    size_t bodies = (size_t)world->body_count, blocks = (trajectory->size - trajectory->moving) / 3;
    if (checkpoint->restores && !trajectory_reconnect(trajectory, world)) {
        checkpoint->failed = true;
        return;
    }
    checkpoint_flags(checkpoint, &trajectory->stale, 1);
    checkpoint_flags(checkpoint, &trajectory->started, 1);
    checkpoint_numbers(checkpoint, &trajectory->h, 1);
    checkpoint->failed = checkpoint->failed || !(trajectory->h > 0.0);
    checkpoint_part(checkpoint, &trajectory->shaking, sizeof trajectory->shaking);
    checkpoint_numbers(checkpoint, &trajectory->bodies->pose.x.x, sizeof *trajectory->bodies / sizeof(double) * bodies);
    checkpoint_numbers(checkpoint, trajectory->y, trajectory->size);
    _Static_assert(sizeof *lagrange->state == sizeof(int), "states of blocks are kept as ints");
    checkpoint_choices(checkpoint, (int *)lagrange->state, blocks, LAGRANGE_SOFT);
    checkpoint_flags(checkpoint, lagrange->touching, blocks);
}
