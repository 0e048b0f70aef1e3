/* SPDX-License-Identifier: MIT */
/* Error against the truth at the same time: distance of body centres (m), and the angle (rad) of the turn from the true
 * orientation to the one reported, for the bodies whose truth is known. */
#include "bench/metrics/metrics.h"
#include "bench/truth/truth.h"

static bool error_has_position(const Problem *problem)
{
    return truth_knows(problem, TRUTH_POSITION);
}

static bool error_has_orientation(const Problem *problem)
{
    return truth_knows(problem, TRUTH_ORIENTATION);
}

static void error_sample(const Frame *frame, Sample *sample)
{
    for (int i = 0; i < frame->world->body_count; i++)
        if (frame->truth->has_position[i])
            sample_add(sample,
                       vec3_norm(vec3_sub(world_reported_position(frame->world, i), frame->truth->position[i])));
}

static void error_sample_angle(const Frame *frame, Sample *sample)
{
    for (int i = 0; i < frame->world->body_count; i++) {
        if (!frame->truth->has_orientation[i])
            continue;
        Quat turn = quat_mul(world_reported_orientation(frame->world, i), quat_conj(frame->truth->orientation[i]));
        sample_add(sample, vec3_norm(quat_log(turn)));
    }
}

const Metric metric_error_max = {
    .name = "error_max",
    .unit = "m",
    .definition = "largest distance of a body's centre from the truth at the same time, over bodies and frames",
    .fold = FOLD_MAX,
    .of_truth = true,
    .applies = error_has_position,
    .sample = error_sample,
};

const Metric metric_error_rms = {
    .name = "error_rms",
    .unit = "m",
    .definition = "RMS distance of the bodies' centres from the truth, over bodies and frames",
    .fold = FOLD_RMS,
    .of_truth = true,
    .applies = error_has_position,
    .sample = error_sample,
};

const Metric metric_error_end = {
    .name = "error_end",
    .unit = "m",
    .definition = "largest distance of a body's centre from the truth at the last frame",
    .fold = FOLD_LAST,
    .of_truth = true,
    .applies = error_has_position,
    .sample = error_sample,
};

const Metric metric_error_angle_max = {
    .name = "error_angle_max",
    .unit = "rad",
    .definition = "largest angle between a body's orientation and the truth, over bodies and frames",
    .fold = FOLD_MAX,
    .of_truth = true,
    .applies = error_has_orientation,
    .sample = error_sample_angle,
};

const Metric metric_error_angle_end = {
    .name = "error_angle_end",
    .unit = "rad",
    .definition = "largest angle between a body's orientation and the truth at the last frame",
    .fold = FOLD_LAST,
    .of_truth = true,
    .applies = error_has_orientation,
    .sample = error_sample_angle,
};
