/* SPDX-License-Identifier: MIT */
/* Momentum and angular momentum (about the origin) against their start, relative to the sum of the bodies' absolute
 * momenta at t = 0. Nothing moving at t = 0 leaves no scale: then they do not apply. */
#include "bench/metrics/metrics.h"

#include "model/energy.h"

static bool momentum_conserved(const Problem *problem)
{
    return problem->conserves & CONSERVES_MOMENTUM;
}

static bool angular_momentum_conserved(const Problem *problem)
{
    return problem->conserves & CONSERVES_ANGULAR_MOMENTUM;
}

static void momentum_add(Sample *sample, Vec3 now, Vec3 start, double scale)
{
    if (scale > 0.0)
        sample_add(sample, vec3_norm(vec3_sub(now, start)) / scale);
}

static void momentum_sample(const Frame *frame, Sample *sample)
{
    const Baseline *start = frame->baseline;
    momentum_add(sample, world_momentum(frame->world), start->momentum, start->momentum_scale);
}

static void angular_momentum_sample(const Frame *frame, Sample *sample)
{
    const Baseline *start = frame->baseline;
    momentum_add(sample, world_angular_momentum(frame->world), start->angular_momentum, start->angular_momentum_scale);
}

const Metric metric_momentum_error = {
    .name = "momentum_error",
    .unit = "1",
    .definition = "largest |P(t) - P(0)| / sum of |m v| at t = 0; for scenes without outside forces",
    .fold = FOLD_MAX,
    .applies = momentum_conserved,
    .sample = momentum_sample,
};

const Metric metric_angular_momentum_error = {
    .name = "angular_momentum_error",
    .unit = "1",
    .definition = "largest |L(t) - L(0)| / sum of the bodies' |L| at t = 0, about the origin; for scenes without "
                  "outside torques",
    .fold = FOLD_MAX,
    .applies = angular_momentum_conserved,
    .sample = angular_momentum_sample,
};
