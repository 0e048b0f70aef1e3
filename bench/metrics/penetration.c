/* SPDX-License-Identifier: MIT */
/* Penetration: how deep bodies overlap at their contacts, at the poses that the frame ends with, in m. Contacts are
 * those that detection found before the last substep; one that is apart counts as zero depth in neither the largest nor
 * the mean. */
#include "bench/metrics/metrics.h"
#include "solvers/solver.h"

static bool penetration_possible(const Problem *problem)
{
    return world_needs(problem->world) & CAN_CONTACTS;
}

static void penetration_sample(const Frame *frame, Sample *sample)
{
    const World *world = frame->world;
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        double depth = world->blocks[b].kind == BLOCK_CONTACT ? block_violation(world, &world->blocks[b]) : 0.0;
        if (depth > 0.0)
            sample_add(sample, depth);
    }
}

const Metric metric_penetration_max = {
    .name = "penetration_max",
    .unit = "m",
    .definition = "deepest overlap at a contact, over contacts and frames",
    .fold = FOLD_MAX,
    .zero_if_none = true,
    .applies = penetration_possible,
    .sample = penetration_sample,
};

const Metric metric_penetration_rms = {
    .name = "penetration_rms",
    .unit = "m",
    .definition = "RMS overlap of the contacts that overlap, over contacts and frames",
    .fold = FOLD_RMS,
    .zero_if_none = true,
    .applies = penetration_possible,
    .sample = penetration_sample,
};
