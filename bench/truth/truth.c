/* SPDX-License-Identifier: MIT */
#include "bench/truth/truth.h"

#include "bench/truth/reference_truth.h"

#include <stdlib.h>
#include <string.h>

struct TruthBuffer {
    int bodies, joints;
    Truth truth, earlier;
};

TruthBuffer *truth_create(const World *world)
{
    TruthBuffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->bodies = world->body_count;
    buffer->joints = world->joint_count;
    if (truth_init(&buffer->truth, world) && truth_init(&buffer->earlier, world))
        return buffer;
    truth_destroy(buffer);
    return NULL;
}

void truth_destroy(TruthBuffer *buffer)
{
    if (!buffer)
        return;
    truth_free(&buffer->truth);
    truth_free(&buffer->earlier);
    free(buffer);
}

static void truth_forget(const TruthBuffer *buffer, Truth *truth)
{
    memset(truth->has_position, 0, sizeof *truth->has_position * (size_t)buffer->bodies);
    memset(truth->has_orientation, 0, sizeof *truth->has_orientation * (size_t)buffer->bodies);
    memset(truth->has_force, 0, sizeof *truth->has_force * (size_t)buffer->joints);
}

static bool any_of(const bool *flags, int count)
{
    for (int i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

/* Adds weight f(t) to the truth's forces. */
static void truth_add_force(TruthBuffer *buffer, const Problem *problem, double t, double weight)
{
    truth_forget(buffer, &buffer->earlier);
    problem->truth(problem, t, &buffer->earlier);
    for (int j = 0; j < buffer->joints; j++)
        buffer->truth.force[j] = vec3_add_scaled(buffer->truth.force[j], weight, buffer->earlier.force[j]);
}

/* The mean of a force by Simpson's rule, (f(t - dt) + 4 f(t - dt/2) + f(t)) / 6: off by O(dt^4), where the force at
 * mid-frame alone would be off by O(dt^2), more than a good solver is. */
static void truth_of_closed_form(TruthBuffer *buffer, const Problem *problem, double t, double dt)
{
    Truth *truth = &buffer->truth;
    problem->truth(problem, t, truth);
    if (!any_of(truth->has_force, buffer->joints))
        return;
    for (int j = 0; j < buffer->joints; j++)
        truth->force[j] = vec3_scale(1.0 / 6.0, truth->force[j]);
    truth_add_force(buffer, problem, t - 0.5 * dt, 4.0 / 6.0);
    truth_add_force(buffer, problem, t - dt, 1.0 / 6.0);
}

/* What is fixed, and what a particle's orientation might be, is no matter of truth. */
static void truth_of_path(Truth *truth, const World *world, const ReferencePath *path, size_t frame)
{
    for (int i = 1; i < path->bodies; i++) {
        Pose pose = path->poses[frame * (size_t)path->bodies + (size_t)i];
        truth->has_position[i] = !world_is_fixed(world, i);
        truth->has_orientation[i] = world->mass[i].inv_inertia.x != 0.0;
        truth->position[i] = pose.x;
        truth->orientation[i] = pose.q;
    }
    for (int j = 0; j < path->joints; j++) {
        truth->has_force[j] = path->has_forces && !world->joints[j].off;
        truth->force[j] = path->forces[frame * (size_t)path->joints + (size_t)j];
    }
}

const Truth *truth_of_frame(TruthBuffer *buffer, const Problem *problem, int frame, double dt)
{
    truth_forget(buffer, &buffer->truth);
    if (problem->truth && !problem_needs_reference(problem, frame * dt))
        truth_of_closed_form(buffer, problem, frame * dt, dt);
    else if (problem->path && frame <= problem->path->frames)
        truth_of_path(&buffer->truth, problem->world, problem->path, (size_t)frame - 1);
    return &buffer->truth;
}

static bool reference_knows(const World *world, TruthPart part)
{
    if (part == TRUTH_FORCE)
        return world->joint_count > 0;
    for (int i = 1; i < world->body_count; i++)
        if (part == TRUTH_POSITION ? !world_is_fixed(world, i) : world->mass[i].inv_inertia.x != 0.0)
            return true;
    return false;
}

bool truth_knows(const Problem *problem, TruthPart part)
{
    if (!problem->truth)
        return problem->reference && reference_knows(problem->world, part);
    TruthBuffer *buffer = truth_create(problem->world);
    if (!buffer)
        return false;
    Truth *truth = &buffer->truth;
    problem->truth(problem, 0.0, truth);
    bool known = part == TRUTH_FORCE      ? any_of(truth->has_force, buffer->joints)
                 : part == TRUTH_POSITION ? any_of(truth->has_position, buffer->bodies)
                                          : any_of(truth->has_orientation, buffer->bodies);
    truth_destroy(buffer);
    return known;
}
