/* SPDX-License-Identifier: MIT */
#include "solvers/truth/impact.h"

/* Impacts slower than this part of the world's pace do not bounce. The bounce that is left out is 4.5e-10 length scales
 * high, well above the slack of an event. */
#define IMPACT_REST 3e-5
/* In a step no body goes farther than this part of the smallest sphere's radius. */
#define STEP_REACH 0.25
/* Impacts at one instant before the rest of them end without bounce. */
enum { MAX_IMPACTS = 10000 };

static bool is_contact(const Lagrange *lagrange, const World *world, int b)
{
    return world->blocks[b].kind == BLOCK_CONTACT && lagrange->rows.blocks[b].count > 0;
}

double impact_reach(const World *world)
{
    double smallest = INFINITY;
    for (int b = 0; b < world->block_count; b++)
        for (int side = 0; side < 2; side++)
            if (world->blocks[b].kind == BLOCK_CONTACT && world->blocks[b].seat->radius[side] > 0.0)
                smallest = fmin(smallest, world->blocks[b].seat->radius[side]);
    return STEP_REACH * smallest;
}

/* Free contacts that overlap are put back to touching. */
static void impact_separate(Lagrange *lagrange, Step *step, double t)
{
    World *world = step->world;
    double left;
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        lagrange->touching[b] = is_contact(lagrange, world, b) && lagrange->state[b] == LAGRANGE_FREE &&
                                lagrange->rows.blocks[b].C[0] < 0.0;
        if (lagrange->touching[b])
            lagrange->state[b] = LAGRANGE_HELD;
    }
    step->row_solves += lagrange_project_positions(lagrange, world, t, &left);
    for (int b = 0; b < world->block_count; b++)
        if (lagrange->touching[b])
            lagrange->state[b] = LAGRANGE_FREE;
}

bool impact_touches(const Lagrange *lagrange, const World *world, int b, double gap)
{
    return is_contact(lagrange, world, b) && lagrange->rows.blocks[b].C[0] <= gap;
}

double impact_closing_speed(const Lagrange *lagrange, const World *world, int b)
{
    double rates[BLOCK_MAX_ROWS];
    row_block_rates(&lagrange->rows.blocks[b], world->velocity, rates);
    return -rates[0];
}

/* The touching contact that closes fastest, if it is fast enough to bounce; -1: none. And how many are. */
static int impact_fastest(Lagrange *lagrange, const World *world, const ImpactSlack *slack, double rest, int *count)
{
    int fastest = -1;
    double most = rest;
    *count = 0;
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        double speed = impact_touches(lagrange, world, b, slack->gap) ? impact_closing_speed(lagrange, world, b) : 0.0;
        *count += speed > rest;
        if (speed > most) {
            most = speed;
            fastest = b;
        }
    }
    return fastest;
}

/* Says so if other orders of the impacts would end otherwise. One trajectory's word is enough. */
static void impact_weigh_orders(Lagrange *lagrange, Step *step, const ImpactSlack *slack, double rest)
{
    const char *report = slack->looseness > 1.0 ? NULL
                                                : impact_orders_report(slack->orders, lagrange, step->world, slack->gap,
                                                                       rest, &step->row_solves);
    if (report)
        step_report(step, report);
}

int impact_bounce(Lagrange *lagrange, Step *step, double t, const ImpactSlack *slack, Vec3 *impulse)
{
    World *world = step->world;
    double rest = IMPACT_REST * sqrt(slack->looseness) * world_pace(world);
    bool weighed = false;
    impact_separate(lagrange, step, t);
    for (int i = 0; i < MAX_IMPACTS; i++) {
        int approaching, b = impact_fastest(lagrange, world, slack, rest, &approaching);
        if (b < 0)
            return i;
        if (approaching > 1 && !weighed)
            impact_weigh_orders(lagrange, step, slack, rest);
        weighed = weighed || approaching > 1;
        step->row_solves += lagrange_bounce(lagrange, world, b, world->blocks[b].restitution);
        lagrange_add_impulses(lagrange, world, 1.0, impulse);
    }
    step_report(step, "impacts at one instant did not end");
    return MAX_IMPACTS;
}

void impact_closing(Lagrange *lagrange, const World *world, double *closing)
{
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        double rates[BLOCK_MAX_ROWS] = {0};
        if (is_contact(lagrange, world, b) && lagrange->state[b] == LAGRANGE_FREE)
            row_block_rates(&lagrange->rows.blocks[b], world->velocity, rates);
        closing[b] = rates[0];
    }
}
