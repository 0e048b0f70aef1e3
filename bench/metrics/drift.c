/* SPDX-License-Identifier: MIT */
/* Drift: how far rigid joint blocks are pulled apart, |C| of each block (block_violation), in m or rad.
 * Left out: compliant blocks, contacts (their error is penetration), drives whose force is bounded (on the way to its
 * target a servo is not drifting), and limits while they hold. */
#include "bench/metrics/metrics.h"

static bool drift_counts(const Block *block, BlockUnit unit)
{
    const JointTerms *terms = block_terms(block);
    return block->joint >= 0 && !block->off && terms->compliance == 0.0 && isinf(terms->max_force) &&
           block_unit(block->kind) == unit;
}

static bool drift_has(const Problem *problem, BlockUnit unit)
{
    const World *world = problem->world;
    for (int b = 0; b < world->joint_block_count; b++)
        if (drift_counts(&world->blocks[b], unit))
            return true;
    return false;
}

static void drift_sample(const Frame *frame, Sample *sample, BlockUnit unit)
{
    const World *world = frame->world;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        if (!drift_counts(block, unit))
            continue;
        double violation = block_violation(world, block);
        if (violation != 0.0 || !block_is_limit(block))
            sample_add(sample, violation);
    }
}

static bool drift_has_length(const Problem *problem)
{
    return drift_has(problem, UNIT_LENGTH);
}

static bool drift_has_angle(const Problem *problem)
{
    return drift_has(problem, UNIT_ANGLE);
}

static void drift_sample_length(const Frame *frame, Sample *sample)
{
    drift_sample(frame, sample, UNIT_LENGTH);
}

static void drift_sample_angle(const Frame *frame, Sample *sample)
{
    drift_sample(frame, sample, UNIT_ANGLE);
}

const Metric metric_drift_max = {
    .name = "drift_max",
    .unit = "m",
    .definition = "largest length error of a rigid joint block, over blocks and frames; limits count while violated",
    .fold = FOLD_MAX,
    .zero_if_none = true,
    .applies = drift_has_length,
    .sample = drift_sample_length,
};

const Metric metric_drift_rms = {
    .name = "drift_rms",
    .unit = "m",
    .definition = "RMS length error of the rigid joint blocks, over blocks and frames; limits count while violated",
    .fold = FOLD_RMS,
    .zero_if_none = true,
    .applies = drift_has_length,
    .sample = drift_sample_length,
};

const Metric metric_drift_angle_max = {
    .name = "drift_angle_max",
    .unit = "rad",
    .definition = "largest angle error of a rigid joint block, over blocks and frames; limits count while violated",
    .fold = FOLD_MAX,
    .zero_if_none = true,
    .applies = drift_has_angle,
    .sample = drift_sample_angle,
};
