#include "bench/truth.h"

#include <stdlib.h>
#include <string.h>

struct TruthBuffer {
    int bodies, joints;
    Truth truth;
};

TruthBuffer *truth_create(const World *world)
{
    TruthBuffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->bodies = world->body_count;
    buffer->joints = world->joint_count;
    size_t bodies = (size_t)world->body_count, joints = (size_t)world->joint_count + 1;
    Truth *truth = &buffer->truth;
    truth->has_position = calloc(bodies, sizeof *truth->has_position);
    truth->has_orientation = calloc(bodies, sizeof *truth->has_orientation);
    truth->has_force = calloc(joints, sizeof *truth->has_force);
    truth->position = calloc(bodies, sizeof *truth->position);
    truth->orientation = calloc(bodies, sizeof *truth->orientation);
    truth->force = calloc(joints, sizeof *truth->force);
    if (!truth->has_position || !truth->has_orientation || !truth->has_force || !truth->position ||
        !truth->orientation || !truth->force) {
        truth_destroy(buffer);
        return NULL;
    }
    return buffer;
}

void truth_destroy(TruthBuffer *buffer)
{
    if (!buffer)
        return;
    free(buffer->truth.has_position);
    free(buffer->truth.has_orientation);
    free(buffer->truth.has_force);
    free(buffer->truth.position);
    free(buffer->truth.orientation);
    free(buffer->truth.force);
    free(buffer);
}

const Truth *truth_at(TruthBuffer *buffer, const Problem *problem, double t)
{
    Truth *truth = &buffer->truth;
    memset(truth->has_position, 0, sizeof *truth->has_position * (size_t)buffer->bodies);
    memset(truth->has_orientation, 0, sizeof *truth->has_orientation * (size_t)buffer->bodies);
    memset(truth->has_force, 0, sizeof *truth->has_force * (size_t)buffer->joints);
    problem->truth(problem, t, truth);
    return truth;
}

static bool any_of(const bool *flags, int count)
{
    for (int i = 0; i < count; i++)
        if (flags[i])
            return true;
    return false;
}

bool truth_knows(const Problem *problem, TruthPart part)
{
    TruthBuffer *buffer = problem->truth ? truth_create(problem->world) : NULL;
    if (!buffer)
        return false;
    const Truth *truth = truth_at(buffer, problem, 0.0);
    bool known = part == TRUTH_FORCE      ? any_of(truth->has_force, buffer->joints)
                 : part == TRUTH_POSITION ? any_of(truth->has_position, buffer->bodies)
                                          : any_of(truth->has_orientation, buffer->bodies);
    truth_destroy(buffer);
    return known;
}
