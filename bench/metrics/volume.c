/* SPDX-License-Identifier: MIT */
/* Volume error of each volume row, rigid or not: |V - V0| / |V0|. */
#include "bench/metrics/metrics.h"

static bool volume_has(const Problem *problem)
{
    const World *world = problem->world;
    for (int b = 0; b < world->joint_block_count; b++)
        if (world->blocks[b].kind == BLOCK_VOLUME && world->blocks[b].seat->rest != 0.0)
            return true;
    return false;
}

static void volume_sample(const Frame *frame, Sample *sample)
{
    const World *world = frame->world;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block->kind == BLOCK_VOLUME && block->seat->rest != 0.0 && !block->off)
            sample_add(sample, block_violation(world, block) / fabs(block->seat->rest));
    }
}

const Metric metric_volume_error_max = {
    .name = "volume_error_max",
    .unit = "1",
    .definition = "largest |V - V0| / |V0| of a volume row, over rows and frames",
    .fold = FOLD_MAX,
    .applies = volume_has,
    .sample = volume_sample,
};
