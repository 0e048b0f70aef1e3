/* SPDX-License-Identifier: MIT */
/* Rest: the speed that is left where there should be none, and the scene's own predicate. */
#include "bench/metrics/metrics.h"

static bool rest_expected(const Problem *problem)
{
    return problem->rest;
}

static void rest_sample_speed(const Frame *frame, Sample *sample)
{
    for (int i = 1; i < frame->world->body_count; i++)
        if (!world_is_fixed(frame->world, i))
            sample_add(sample, vec3_norm(frame->world->velocity[i].v));
}

static bool settled_known(const Problem *problem)
{
    return problem->settled != NULL;
}

static void settled_sample(const Frame *frame, Sample *sample)
{
    sample_add(sample, frame->problem->settled(frame->problem, frame->world) ? 1.0 : 0.0);
}

const Metric metric_jitter_rms = {
    .name = "jitter_rms",
    .unit = "m/s",
    .definition = "RMS speed of the moving bodies over the last min(1 s, time); for scenes that should be at rest",
    .fold = FOLD_RMS_LATE,
    .applies = rest_expected,
    .sample = rest_sample_speed,
};

const Metric metric_settled = {
    .name = "settled",
    .unit = "0/1",
    .definition = "the scene's own predicate at the end: 1 it holds, 0 it does not or the run blew up; "
                  "null in a run shorter than it needs",
    .fold = FOLD_HOLDS,
    .more_is_better = true,
    .applies = settled_known,
    .sample = settled_sample,
};
