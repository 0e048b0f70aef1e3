/* SPDX-License-Identifier: MIT */
/* The free motion of motion_lanes.h, four bodies at a time. */
#include "solvers/motion_lanes.h"

LANE_CHOICE(motion_fly_fours)
void LANE_BODY(motion_fly_fours)(const MotionJob *job, int from, int to)
{
    World *world = job->world;
    LanesVec3 field = lanes_same(world->gravity);
    for (int i = from; i < to; i += LANES) {
        const int *body = LANES_IN_A_ROW(i);
        LaneMask moves = bodies_move(world, body);
        LanesQuat q = lanes_gather_quat(LANE_ELEMENTS(world->pose, body, q.w));
        LanesVelocity u = lanes_gather_velocities(world->velocity, body);
        bodies_set_velocity(world->velocity, body, moves, bodies_fly(job, body, field, q, u));
        for (int k = 0; k < LANES; k++)
            job->motion->base_pose[body[k]] = world->pose[body[k]];
    }
}

LANE_CHOICE(motion_place_fours)
void LANE_BODY(motion_place_fours)(const MotionJob *job, int from, int to)
{
    for (int i = from; i < to; i += LANES)
        bodies_place(job, LANES_IN_A_ROW(i));
}

LANE_CHOICE(motion_measure_fours)
void LANE_BODY(motion_measure_fours)(const MotionJob *job, int from, int to)
{
    for (int i = from; i < to; i += LANES)
        bodies_measure(job, LANES_IN_A_ROW(i));
}
