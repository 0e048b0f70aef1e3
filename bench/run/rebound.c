/* SPDX-License-Identifier: MIT */
#include "bench/run/rebound.h"

#include "solvers/solver.h"

#include <stdlib.h>

static const double FALLS_OF_A_FRAME = 10.0;
static const double SPEED_LEAST = 1e-3; /* of the scene's speed scale */

/* Frames for which a stop is kept in mind: joints that it pulled apart are taken back within some, and throw the body
 * off its limit. */
enum { RECALLED = 12 };

/* A limit, and nothing else that could push a body in one frame: no contact, no second limit. */
static bool stop_is_alone(const World *world)
{
    int limits = 0;
    for (int b = 0; b < world->joint_block_count; b++)
        limits += block_is_limit(&world->blocks[b]);
    return limits == 1 && !(world_needs(world) & CAN_CONTACTS);
}

bool rebound_begin(Rebound *rebound, const World *world, double dt, double speed_scale)
{
    *rebound = (Rebound){.joint = -1};
    rebound->arrival = calloc((size_t)world->joint_block_count + 1, sizeof *rebound->arrival);
    if (stop_is_alone(world))
        rebound->stop = calloc((size_t)world->joint_block_count + 1, sizeof *rebound->stop);
    rebound->least = fmax(FALLS_OF_A_FRAME * vec3_norm(world->gravity) * dt, SPEED_LEAST * speed_scale);
    return rebound->arrival != NULL;
}

void rebound_free(Rebound *rebound)
{
    free(rebound->arrival);
    free(rebound->stop);
}

/* J V of a row between two bodies. */
static double row_rate(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    double rate = 0.0;
    for (int k = 0; k < 2; k++) {
        Velocity u = world->velocity[block->body[k]];
        rate += J[6 * k] * u.v.x + J[6 * k + 1] * u.v.y + J[6 * k + 2] * u.v.z;
        rate += J[6 * k + 3] * u.w.x + J[6 * k + 4] * u.w.y + J[6 * k + 5] * u.w.z;
    }
    return rate;
}

/* The way to the nearer end of a range, and the speed towards it, m and m/s. False: it has none. */
static bool limit_approach(const World *world, const Block *block, double *gap, double *towards)
{
    Rows rows;
    if (block->off || !block_is_limit(block) || block_body_count(block) != 2)
        return false;
    block_rows(world, block, &rows);
    if (rows.count != 1 || (rows.lower[0] != 0.0 && rows.upper[0] != 0.0))
        return false;
    double side = rows.lower[0] == 0.0 ? 1.0 : -1.0; /* it pushes C up, or down */
    double metres = block_metres(world, block->kind);
    *gap = side * rows.C[0] * metres;
    *towards = -side * row_rate(world, block, rows.J[0]) * metres;
    return true;
}

static void rebound_keep(Rebound *rebound, double share, int joint)
{
    if (share <= rebound->share)
        return;
    rebound->share = share;
    rebound->joint = joint;
}

/* What has stopped and is thrown off later leaves at once; what falls or is driven off gathers speed. */
static void stop_note(Rebound *rebound, Stop *stop, double leaves, int joint)
{
    if (stop->frames > 0 && leaves - stop->leaves > rebound->least)
        rebound_keep(rebound, leaves / stop->arrival, joint);
    stop->leaves = leaves;
    stop->frames -= stop->frames > 0;
}

void rebound_note(Rebound *rebound, const World *world, double dt)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        double gap, towards, *arrival = &rebound->arrival[b];
        if (!limit_approach(world, &world->blocks[b], &gap, &towards))
            continue;
        if (towards > rebound->least && gap <= towards * dt) /* there, or in the next frame */
            *arrival = fmax(*arrival, towards);
        if (*arrival > 0.0)
            rebound_keep(rebound, -towards / *arrival, world->blocks[b].joint);
        if (rebound->stop)
            stop_note(rebound, &rebound->stop[b], -towards, world->blocks[b].joint);
        if (towards <= 0.0 && gap >= 0.0) { /* stopped, or left */
            if (rebound->stop && *arrival > 0.0)
                rebound->stop[b] = (Stop){*arrival, -towards, RECALLED};
            *arrival = 0.0;
        }
    }
}
