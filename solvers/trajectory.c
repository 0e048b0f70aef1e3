#include "solvers/trajectory.h"

#include "solvers/impact.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

/* A limit is reached, and a drive's slip has changed sign, when it is this far beyond (m, rad, m/s, rad/s): above
 * round-off, so that a limit just let go is not reached again. */
#define EVENT_SLACK 1e-11
/* Slower than this (m/s, rad/s) a limit is not being left, and a servo that passes its target stays there. */
#define REST_SPEED 1e-8
/* Events in one substep before the rest of it goes on without. */
enum { MAX_EVENTS = 1000, BISECTIONS = 60 };
/* Impulses follow the steps that the motion needs: their own error does not count. */
#define IMPULSE_SCALE 1e30
/* The first step to try, s: step control finds the right one within a few. */
#define FIRST_STEP 1e-4
/* Projections leave less than this (m, rad), or it is said. */
#define PROJECTION_FAILED 1e-10
/* A start within this (m, m/s, rad/s) of the constraints satisfies them. */
#define START_SLACK 1e-9

static void state_load(const BodyState *state, World *world)
{
    for (int i = 1; i < world->body_count; i++) {
        world->pose[i] = state[i].pose;
        world->pose[i].q = quat_unit(state[i].pose.q);
        world->velocity[i] = state[i].velocity;
    }
}

void trajectory_give(const Trajectory *trajectory, World *world)
{
    state_load(trajectory_bodies(trajectory), world);
}

void trajectory_take(Trajectory *trajectory, const World *world)
{
    BodyState *state = (BodyState *)trajectory->y;
    for (int i = 0; i < world->body_count; i++)
        state[i] = (BodyState){world->pose[i], world->velocity[i]};
}

static Vec3 *trajectory_impulses(double *y, const World *world)
{
    return (Vec3 *)((BodyState *)y + world->body_count);
}

/* Accelerations and multipliers of the world's current state, a time t into the substep. */
static void trajectory_evaluate(Trajectory *trajectory, double t, bool begin)
{
    LagrangeSetup setup = {.elapsed = t, .begin = begin};
    Step *step = trajectory->step;
    step->row_solves += lagrange_accelerate(&trajectory->lagrange, step->world, &setup);
}

/* GSL's right-hand side. */
static int trajectory_rate(double t, const double y[], double dydt[], void *self)
{
    Trajectory *trajectory = self;
    World *world = trajectory->step->world;
    const BodyState *state = (const BodyState *)y;
    Rate *rate = (Rate *)dydt;
    state_load(state, world);
    trajectory_evaluate(trajectory, t, false);
    memset(dydt, 0, sizeof *dydt * trajectory->size);
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
    lagrange_add_impulses(&trajectory->lagrange, world, 1.0, trajectory_impulses(dydt, world));
    return GSL_SUCCESS;
}

bool trajectory_init(Trajectory *trajectory, const World *world, double tolerance)
{
    /* The truth has its gyroscopic term, at each instant. */
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT};
    size_t bodies = (size_t)world->body_count, blocks = (size_t)world->block_count;
    size_t size = bodies * (sizeof(BodyState) / sizeof(double)) + 3 * blocks;
    *trajectory = (Trajectory){.size = size, .h = FIRST_STEP, .reach = impact_reach(world)};
    trajectory->closing = calloc(2 * blocks + 1, sizeof *trajectory->closing);
    double **arrays[] = {&trajectory->y, &trajectory->y_before, &trajectory->y_trial, &trajectory->error,
                         &trajectory->rate};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = calloc(size, sizeof(double));
        if (!*arrays[i])
            return false;
    }
    double *scale = trajectory->error;
    for (size_t i = 0; i < size; i++)
        scale[i] = i < size - 3 * blocks ? 1.0 : IMPULSE_SCALE;
    trajectory->stepper = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, size);
    trajectory->control = gsl_odeiv2_control_scaled_new(tolerance, tolerance, 1.0, 0.0, scale, size);
    trajectory->evolve = gsl_odeiv2_evolve_alloc(size);
    trajectory->system = (gsl_odeiv2_system){trajectory_rate, NULL, size, trajectory};
    return trajectory->closing && trajectory->stepper && trajectory->control && trajectory->evolve &&
           lagrange_init(&trajectory->lagrange, world, &options, true);
}

void trajectory_free(Trajectory *trajectory)
{
    lagrange_free(&trajectory->lagrange);
    free(trajectory->y);
    free(trajectory->y_before);
    free(trajectory->y_trial);
    free(trajectory->error);
    free(trajectory->rate);
    free(trajectory->closing);
    if (trajectory->stepper)
        gsl_odeiv2_step_free(trajectory->stepper);
    if (trajectory->control)
        gsl_odeiv2_control_free(trajectory->control);
    if (trajectory->evolve)
        gsl_odeiv2_evolve_free(trajectory->evolve);
}

/* What a bounded drive wants to be zero: a motor its velocity error, a servo its position error. */
static double drive_slip(const Trajectory *trajectory, const World *world, int b, double *speed)
{
    const RowBlock *rb = &trajectory->lagrange.rows.blocks[b];
    const Block *block = &world->blocks[b];
    double rates[BLOCK_MAX_ROWS];
    row_block_rates(rb, world->velocity, rates);
    *speed = block->driven ? 0.0 : rates[0];
    return block->driven ? rates[0] - block->speed : rb->C[0];
}

/* Which limits and drives a choice may take in, and which way a drive off its target pushes. */
static void trajectory_find_touching(Trajectory *trajectory)
{
    Lagrange *lagrange = &trajectory->lagrange;
    const World *world = trajectory->step->world;
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        int sign = lagrange_limit_sign(lagrange, world, b);
        lagrange->touching[b] = false;
        if (rb->count > 0 && lagrange_is_bounded_drive(&world->blocks[b])) {
            double speed, slip = drive_slip(trajectory, world, b, &speed);
            lagrange->touching[b] = fabs(slip) <= 2.0 * EVENT_SLACK && fabs(speed) < REST_SPEED;
            lagrange->state[b] = lagrange->touching[b] ? LAGRANGE_HELD : slip > 0.0 ? LAGRANGE_LOWER : LAGRANGE_UPPER;
        } else if (sign != 0 && lagrange->state[b] != LAGRANGE_SOFT) {
            double rates[BLOCK_MAX_ROWS];
            row_block_rates(rb, world->velocity, rates);
            bool near = sign * rb->C[0] <= 2.0 * EVENT_SLACK, leaves = sign * rates[0] > REST_SPEED;
            lagrange->touching[b] = near && !leaves;
            if (!lagrange->touching[b])
                lagrange->state[b] = LAGRANGE_FREE;
        }
    }
}

static void trajectory_report(const Trajectory *trajectory)
{
    if (trajectory->lagrange.schur.deficient)
        step_report(trajectory->step, LAGRANGE_DEPENDENT_ROWS);
    if (trajectory->lagrange.unsettled)
        step_report(trajectory->step, "the active set did not settle");
}

/* At the start and at an event: contacts bounce, impulses stop what runs into a limit, then forces decide what stays
 * held. */
static void trajectory_switch(Trajectory *trajectory, double t)
{
    World *world = trajectory->step->world;
    if (isfinite(trajectory->reach))
        impact_bounce(&trajectory->lagrange, trajectory->step, t, 2.0 * EVENT_SLACK,
                      trajectory_impulses(trajectory->y, world));
    trajectory_find_touching(trajectory);
    trajectory->step->row_solves += lagrange_project_velocities(&trajectory->lagrange, world, true);
    lagrange_add_impulses(&trajectory->lagrange, world, 1.0, trajectory_impulses(trajectory->y, world));
    trajectory_report(trajectory);
    trajectory_find_touching(trajectory);
    trajectory_evaluate(trajectory, t, true);
    trajectory_report(trajectory);
}

/* Has something happened by the time t in state y that the states of limits and drives do not allow? */
static bool trajectory_has_event(Trajectory *trajectory, double t, const double *y)
{
    const Lagrange *lagrange = &trajectory->lagrange;
    World *world = trajectory->step->world;
    if (lagrange->switchable == 0)
        return false;
    state_load((const BodyState *)y, world);
    trajectory_evaluate(trajectory, t, false);
    /* Well beyond what a choice of states lets go, so that this event is no round-off and changes something. */
    double pull = 4.0 * lagrange_pull_slack(lagrange);
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        LagrangeState state = lagrange->state[b];
        int sign = lagrange_limit_sign(lagrange, world, b);
        bool drive = rb->count > 0 && lagrange_is_bounded_drive(&world->blocks[b]);
        double speed, slip = drive ? drive_slip(trajectory, world, b, &speed) : 0.0;
        if ((state == LAGRANGE_FREE && sign * rb->C[0] < -EVENT_SLACK) ||
            (state == LAGRANGE_HELD && sign * rb->lambda[0] < -pull) ||
            (state == LAGRANGE_HELD && drive && (rb->lambda[0] < rb->lower[0] || rb->lambda[0] > rb->upper[0])) ||
            (state == LAGRANGE_LOWER && slip < -EVENT_SLACK) || (state == LAGRANGE_UPPER && slip > EVENT_SLACK))
            return true;
    }
    return false;
}

/* One step of length h from y_before into y_trial, without control. */
static bool trajectory_try(Trajectory *trajectory, double t, double h)
{
    memcpy(trajectory->y_trial, trajectory->y_before, sizeof *trajectory->y * trajectory->size);
    return gsl_odeiv2_step_apply(trajectory->stepper, t, h, trajectory->y_trial, trajectory->error, trajectory->rate,
                                 NULL, &trajectory->system) == GSL_SUCCESS;
}

/* Goes back to just after the first event in the step from t to *t_end. */
static void trajectory_locate_event(Trajectory *trajectory, double t, double *t_end)
{
    double before = 0.0, after = *t_end - t;
    if (trajectory_rate(t, trajectory->y_before, trajectory->rate, trajectory) != GSL_SUCCESS)
        return;
    for (int i = 0; i < BISECTIONS && after - before > 1e-16 * *t_end; i++) {
        double middle = 0.5 * (before + after);
        bool ok = trajectory_try(trajectory, t, middle);
        if (!ok || trajectory_has_event(trajectory, t + middle, trajectory->y_trial))
            after = middle;
        else
            before = middle;
    }
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
    state_load((const BodyState *)trajectory->y_before, world);
    impact_closing(&trajectory->lagrange, world, trajectory->closing);
    state_load((const BodyState *)trajectory->y, world);
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

/* Takes the state that was reached onto the constraints; unwrapped angles follow. */
static void trajectory_project(Trajectory *trajectory, double t, bool switched)
{
    Step *step = trajectory->step;
    World *world = step->world;
    double left;
    step->row_solves += lagrange_project_positions(&trajectory->lagrange, world, t, &left);
    if (!(left < PROJECTION_FAILED))
        step_report(step, "projection did not converge");
    if (!switched)
        step->row_solves += lagrange_project_velocities(&trajectory->lagrange, world, false);
    trajectory_report(trajectory);
    for (int b = 0; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_TWIST && !world->blocks[b].off)
            world->blocks[b].angle = block_twist(world, &world->blocks[b]);
    trajectory_take(trajectory, world);
    gsl_odeiv2_evolve_reset(trajectory->evolve);
}

/* One controlled step towards `end`; false if the state is no longer finite. */
static bool trajectory_step(Trajectory *trajectory, double *t, double end)
{
    double tried = trajectory->h, start = *t;
    int status = gsl_odeiv2_evolve_apply(trajectory->evolve, trajectory->control, trajectory->stepper,
                                         &trajectory->system, t, end, &trajectory->h, trajectory->y);
    if (status == GSL_FAILURE) {
        /* Step control has gone down to round-off: on with a step of a thousandth. */
        step_report(trajectory->step, "tolerance not reached");
        trajectory->h = 1e-3 * (end - start);
        if (trajectory_rate(start, trajectory->y_before, trajectory->rate, trajectory) == GSL_SUCCESS &&
            trajectory_try(trajectory, start, trajectory->h)) {
            memcpy(trajectory->y, trajectory->y_trial, sizeof *trajectory->y * trajectory->size);
            *t = start + trajectory->h;
            status = GSL_SUCCESS;
        }
    }
    if (*t >= end && trajectory->h < tried)
        trajectory->h = tried; /* cut by the end, not by the error */
    return status == GSL_SUCCESS;
}

/* A start that the constraints do not allow is moved onto them, and said. */
static void trajectory_start(Trajectory *trajectory)
{
    const World *world = trajectory->step->world;
    const BodyState *given = (const BodyState *)trajectory->y_before;
    if (trajectory->started)
        return;
    trajectory->started = true;
    memcpy(trajectory->y_before, trajectory->y, sizeof *trajectory->y * trajectory->size);
    trajectory_project(trajectory, 0.0, true);
    trajectory_switch(trajectory, 0.0);
    trajectory_take(trajectory, world);
    double moved = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        moved = fmax(moved, vec3_norm(vec3_sub(world->pose[i].x, given[i].pose.x)));
        moved = fmax(moved, vec3_norm(vec3_sub(world->velocity[i].v, given[i].velocity.v)));
        moved = fmax(moved, vec3_norm(vec3_sub(world->velocity[i].w, given[i].velocity.w)));
    }
    if (moved > START_SLACK)
        step_report(trajectory->step, "the start was moved onto the constraints");
}

/* The end of the next step at the latest. */
static double trajectory_step_end(const Trajectory *trajectory, double t)
{
    const World *world = trajectory->step->world;
    double fastest = 0.0, end = trajectory->step->h;
    for (int i = 1; isfinite(trajectory->reach) && i < world->body_count; i++)
        fastest = fmax(fastest, vec3_norm(trajectory_bodies(trajectory)[i].velocity.v));
    return fastest > 0.0 ? fmin(end, t + trajectory->reach / fastest) : end;
}

void trajectory_advance(Trajectory *trajectory, Step *step)
{
    World *world = step->world;
    size_t bytes = sizeof *trajectory->y * trajectory->size;
    double t = 0.0;
    int events = 0;
    trajectory->step = step;
    memset(trajectory_impulses(trajectory->y, world), 0, sizeof(Vec3) * (size_t)world->block_count);
    trajectory_give(trajectory, world);
    trajectory_start(trajectory);
    while (t < step->h) {
        double start = t;
        memcpy(trajectory->y_before, trajectory->y, bytes);
        if (!trajectory_step(trajectory, &t, trajectory_step_end(trajectory, t))) {
            for (int i = 1; i < world->body_count; i++)
                world->pose[i].x = vec3(NAN, NAN, NAN);
            trajectory_take(trajectory, world);
            return;
        }
        bool event = events < MAX_EVENTS && (trajectory_has_event(trajectory, t, trajectory->y) ||
                                             trajectory_find_graze(trajectory, start, &t));
        if (event) {
            trajectory_locate_event(trajectory, start, &t);
            events++;
        }
        trajectory_give(trajectory, world);
        if (event)
            trajectory_switch(trajectory, t);
        trajectory_project(trajectory, t, event);
    }
    if (events == MAX_EVENTS)
        step_report(step, "too many events in a substep");
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = trajectory_impulses(trajectory->y, world)[b];
}
