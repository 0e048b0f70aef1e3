/* SPDX-License-Identifier: MIT */
#include "solvers/truth/trajectory_event.h"

#include "solvers/truth/impact.h"

#include <float.h>

/* A limit is reached, and a drive's slip has changed sign, when it is this far beyond (length scales or radians,
 * or either a second): above round-off, so that a limit just let go is not reached again. This finds the step with the
 * event; the event itself is where nothing is beyond (trajectory_beyond). */
#define EVENT_SLACK 1e-11
/* Limits nearer than this at an event (length scales or radians) are reached by it, too: round-off of what is reached
 * at once. Nearer than this part of the bodies' distance from the origin, likewise. */
#define TOUCH_SLACK 1e-13
#define TOUCH_ULPS 16.0
/* Slower than this (length scales or radians a second) a limit is not being left, and a servo that passes its target
 * stays there. */
#define REST_SPEED 1e-8

void trajectory_evaluate(Trajectory *trajectory, double t, bool begin)
{
    LagrangeSetup setup = {.elapsed = t, .begin = begin};
    Step *step = trajectory->step;
    step->row_solves += lagrange_accelerate(&trajectory->lagrange, step->world, &setup);
}

/* How near a limit of this scale must be to be reached, in the units of its error. */
static double touch_slack(const Trajectory *trajectory, const World *world, double scale)
{
    double farthest = 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            farthest = fmax(farthest, vec3_norm(world->pose[i].x));
    double slack = fmax(TOUCH_SLACK, TOUCH_ULPS * DBL_EPSILON * farthest / world->length_scale);
    return trajectory->looseness * slack * scale;
}

/* What a bounded drive wants to be zero: a motor its velocity error, a servo its position error; over the block's
 * scale, as its speed. */
static double drive_slip(const Trajectory *trajectory, const World *world, int b, double *speed)
{
    const RowBlock *rb = &trajectory->lagrange.rows.blocks[b];
    const JointTerms *terms = block_terms(&world->blocks[b]);
    double rates[BLOCK_MAX_ROWS], scale = block_scale(world, world->blocks[b].kind);
    row_block_rates(rb, world->velocity, rates);
    *speed = terms->driven ? 0.0 : rates[0] / scale;
    return (terms->driven ? rates[0] - terms->speed : rb->C[0]) / scale;
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
            lagrange->touching[b] = fabs(slip) <= 2.0 * EVENT_SLACK * trajectory->looseness && fabs(speed) < REST_SPEED;
            lagrange->state[b] = lagrange->touching[b] ? LAGRANGE_HELD : slip > 0.0 ? LAGRANGE_LOWER : LAGRANGE_UPPER;
        } else if (sign != 0 && lagrange->state[b] != LAGRANGE_SOFT) {
            double rates[BLOCK_MAX_ROWS], scale = block_scale(world, world->blocks[b].kind);
            row_block_rates(rb, world->velocity, rates);
            bool near = sign * rb->C[0] <= touch_slack(trajectory, world, scale);
            bool leaves = sign * rates[0] > REST_SPEED * scale;
            lagrange->touching[b] = near && !leaves;
            if (!lagrange->touching[b])
                lagrange->state[b] = LAGRANGE_FREE;
        }
    }
}

void trajectory_report(const Trajectory *trajectory)
{
    if (trajectory->lagrange.schur.deficient)
        step_report(trajectory->step, LAGRANGE_DEPENDENT_ROWS);
    if (trajectory->lagrange.unsettled)
        step_report(trajectory->step, "the active set did not settle");
}

void trajectory_switch(Trajectory *trajectory, double t)
{
    World *world = trajectory->step->world;
    if (isfinite(trajectory->reach))
        trajectory->evaluations += impact_bounce(&trajectory->lagrange, trajectory->step, t,
                                                 &(ImpactSlack){touch_slack(trajectory, world, world->length_scale),
                                                                trajectory->looseness, &trajectory->orders},
                                                 trajectory_impulses(trajectory, trajectory->y));
    trajectory_find_touching(trajectory);
    trajectory->step->row_solves += lagrange_project_velocities(&trajectory->lagrange, world, true);
    lagrange_add_impulses(&trajectory->lagrange, world, 1.0, trajectory_impulses(trajectory, trajectory->y));
    trajectory_report(trajectory);
    trajectory_find_touching(trajectory);
    trajectory_evaluate(trajectory, t, true);
    trajectory_report(trajectory);
}

double trajectory_beyond(Trajectory *trajectory, int b)
{
    const Lagrange *lagrange = &trajectory->lagrange;
    const World *world = trajectory->step->world;
    const RowBlock *rb = &lagrange->rows.blocks[b];
    LagrangeState state = lagrange->state[b];
    if (rb->count > 0 && lagrange_is_bounded_drive(&world->blocks[b])) {
        double speed, slip = drive_slip(trajectory, world, b, &speed);
        return state == LAGRANGE_LOWER ? -slip : state == LAGRANGE_UPPER ? slip : -INFINITY;
    }
    int sign = lagrange_limit_sign(lagrange, world, b);
    return state == LAGRANGE_FREE && sign != 0 ? -sign * rb->C[0] / block_scale(world, world->blocks[b].kind)
                                               : -INFINITY;
}

bool trajectory_must_switch(Trajectory *trajectory, double t)
{
    const Lagrange *lagrange = &trajectory->lagrange;
    const World *world = trajectory->step->world;
    trajectory_evaluate(trajectory, t, false);
    /* Well beyond what a choice of states lets go, so that this event is no round-off and changes something. */
    double pull = 4.0 * lagrange_pull_slack(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        LagrangeState state = lagrange->state[b];
        int sign = lagrange_limit_sign(lagrange, world, b);
        bool drive = rb->count > 0 && lagrange_is_bounded_drive(&world->blocks[b]);
        double scale = block_scale(world, world->blocks[b].kind);
        if (trajectory_beyond(trajectory, b) > EVENT_SLACK * trajectory->looseness ||
            (state == LAGRANGE_HELD && sign * rb->lambda[0] * scale < -pull) ||
            (state == LAGRANGE_HELD && drive && (rb->lambda[0] < rb->lower[0] || rb->lambda[0] > rb->upper[0])))
            return true;
    }
    return false;
}
