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

/* The touching contact that closes fastest, if it is fast enough to bounce; -1: none. */
static int impact_fastest(Lagrange *lagrange, const World *world, const ImpactSlack *slack)
{
    int fastest = -1;
    double most = IMPACT_REST * sqrt(slack->looseness) * world_pace(world);
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        double rates[BLOCK_MAX_ROWS];
        if (!is_contact(lagrange, world, b) || rb->C[0] > slack->gap)
            continue;
        row_block_rates(rb, world->velocity, rates);
        if (-rates[0] > most) {
            most = -rates[0];
            fastest = b;
        }
    }
    return fastest;
}

int impact_bounce(Lagrange *lagrange, Step *step, double t, const ImpactSlack *slack, Vec3 *impulse)
{
    World *world = step->world;
    impact_separate(lagrange, step, t);
    for (int i = 0; i < MAX_IMPACTS; i++) {
        int b = impact_fastest(lagrange, world, slack);
        if (b < 0)
            return i;
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
