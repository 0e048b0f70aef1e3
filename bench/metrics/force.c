/* SPDX-License-Identifier: MIT */
/* Error of the joints' forces: |f - f_truth| over the largest |f_truth|. A reaction is the mean over a frame, and so is
 * the truth it is held against. */
#include "bench/metrics/metrics.h"
#include "bench/truth/truth.h"
#include "model/energy.h"

static bool force_has_truth(const Problem *problem)
{
    return truth_knows(problem, TRUTH_FORCE);
}

static void force_sample(const Frame *frame, Sample *sample)
{
    const Truth *truth = frame->truth;
    double scale = 0.0;
    for (int j = 0; j < frame->world->joint_count; j++)
        if (truth->has_force[j])
            scale = fmax(scale, vec3_norm(truth->force[j]));
    if (scale == 0.0)
        return;
    for (int j = 0; j < frame->world->joint_count; j++) {
        if (!truth->has_force[j])
            continue;
        Vec3 force, torque;
        world_reaction(frame->world, j, frame->dt, &force, &torque);
        sample_add(sample, vec3_norm(vec3_sub(force, truth->force[j])) / scale);
    }
}

const Metric metric_force_error = {
    .name = "force_error",
    .unit = "1",
    .definition = "largest over joints of |f - f_truth| / largest |f_truth| at the last frame; both are "
                  "means over the frame",
    .fold = FOLD_LAST,
    .of_truth = true,
    .of_impulses = true,
    .applies = force_has_truth,
    .sample = force_sample,
};
