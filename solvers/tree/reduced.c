/* SPDX-License-Identifier: MIT */
#include "solvers/tree/reduced.h"

#include "solvers/tree/articulated_ball.h"

#include <stdlib.h>
#include <string.h>

bool reduced_init(Reduced *reduced, const World *world)
{
    *reduced = (Reduced){.alone = calloc((size_t)world->body_count, sizeof *reduced->alone)};
    return reduced->alone && articulated_init(&reduced->tree, world) && drives_init(&reduced->drives, world);
}

void reduced_free(Reduced *reduced)
{
    articulated_free(&reduced->tree);
    drives_free(&reduced->drives);
    free(reduced->alone);
}

bool reduced_connect(Reduced *reduced, const World *world)
{
    const unsigned refused = CAN_LOOPS | CAN_COMPLIANCE | CAN_FOUR_BODY;
    Articulated *tree = &reduced->tree;
    Status status;
    tree->absolute = true;
    for (int b = 0; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT)
            return false;
    if ((world_needs(world) & refused) || !articulated_connect(tree, world, &status))
        return false;
    for (int i = 0; i < tree->link_count; i++) {
        bool round = tree->links[i].shift == SHIFT_SPHERE || tree->links[i].shift == SHIFT_CIRCLE;
        if (round && !(tree->links[i].own->rest > 0.0))
            return false;
    }
    drives_connect(&reduced->drives, tree, world);
    return true;
}

void reduced_take(Reduced *reduced, World *world, double *y)
{
    Articulated *tree = &reduced->tree;
    memcpy(reduced->alone, world->velocity, sizeof *world->velocity * (size_t)world->body_count); /* it places anew */
    articulated_read(tree, world, reduced->alone);
    memcpy(y, tree->state, sizeof *y * tree->state_size);
}

void reduced_scales(const Reduced *reduced, const World *world, double *scale)
{
    for (int i = 0; i < reduced->tree.link_count; i++) {
        const Link *link = &reduced->tree.links[i];
        double one = link->shift == SHIFT_AXIS || link->shift == SHIFT_FREE ? world->length_scale : 1.0;
        LinkState scales = {{1, 1, 1, 1}, {1, 1, 1}, 1, {one, one, one}, {one, one, one}};
        link_put(link, scale, &scales);
    }
}

void reduced_normalise(const Reduced *reduced, double *y)
{
    for (int i = 0; i < reduced->tree.link_count; i++)
        link_normalise(&reduced->tree.links[i], link_state(&reduced->tree.links[i], y));
}

/* A ball is placed by its unit quaternion anyway. */
static void reduced_copy(Reduced *reduced, const double *y)
{
    Articulated *tree = &reduced->tree;
    memcpy(tree->state, y, sizeof *y * tree->state_size);
    for (int i = 0; tree->own_count > 0 && i < tree->link_count; i++)
        if (!tree->links[i].ball)
            link_normalise(&tree->links[i], link_state(&tree->links[i], tree->state));
}

void reduced_give(Reduced *reduced, const double *y, World *world)
{
    reduced_copy(reduced, y);
    articulated_place(&reduced->tree, reduced->tree.state, world);
}

static void reduced_set_drives(Reduced *reduced, const Lagrange *lagrange, const World *world)
{
    static const DriveState STATES[] = {[LAGRANGE_HELD] = DRIVE_HOLDS,
                                        [LAGRANGE_FREE] = DRIVE_OFF,
                                        [LAGRANGE_LOWER] = DRIVE_AT_LOWER,
                                        [LAGRANGE_UPPER] = DRIVE_AT_UPPER,
                                        [LAGRANGE_SOFT] = DRIVE_OFF};
    Drives *drives = &reduced->drives;
    drives_begin(drives, &reduced->tree, world, 1.0);
    for (int k = 0; k < drives->count; k++)
        if (drives->rows[k].state != DRIVE_OFF)
            drives->rows[k].state = STATES[lagrange->state[drives->rows[k].block]];
    drives_hold(drives, &reduced->tree, world);
}

/* False if a rate is not finite. */
LANE_VERSIONS static bool reduced_differentiate(const Articulated *tree, const double *y, const World *world,
                                                double *rates)
{
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        const LinkState *state = link_state_of(link, y);
        LinkState *rate = link_state(link, rates);
        if (link->ball)
            ball_rate(link, state, world->pose[link->parent_body].q, &rate->turn, &rate->spin);
        else
            *rate = link_derivative(link, state, world, true);
        if (!vec3_is_finite(rate->spin) || !(link->ball || vec3_is_finite(rate->rate)))
            return false;
    }
    return true;
}

int reduced_rate(Reduced *reduced, Lagrange *lagrange, World *world, const double *y, double *rate, Vec3 *impulse)
{
    Articulated *tree = &reduced->tree;
    reduced_copy(reduced, y);
    articulated_place_loaded(tree, tree->state, world, &lagrange->motion, reduced->alone);
    reduced_set_drives(reduced, lagrange, world);
    articulated_solve(tree);
    if (!reduced_differentiate(tree, y, world, rate))
        return 0;
    articulated_reactions(tree, world, 1.0, impulse);
    return tree->dof_count;
}

bool reduced_drifts(const Reduced *reduced, const Lagrange *lagrange)
{
    for (int k = 0; k < reduced->drives.count; k++) {
        const DriveRow *row = &reduced->drives.rows[k];
        if (reduced->tree.links[row->link].turn == TURN_FREE && lagrange->state[row->block] == LAGRANGE_HELD)
            return true;
    }
    return false;
}
