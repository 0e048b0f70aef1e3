/* Error of the joints' forces: |f - f_truth| over the largest |f_truth|. A reaction is the mean over a frame, so it is
 * held against the mean of the truth, by Simpson's rule (f(t - dt) + 4 f(t - dt/2) + f(t)) / 6: off by O(dt^4), where
 * the truth at mid-frame alone would be off by O(dt^2), more than a good solver is. */
#include "bench/metrics.h"
#include "bench/truth.h"
#include "model/energy.h"

static bool force_has_truth(const Problem *problem)
{
    return truth_knows(problem, TRUTH_FORCE);
}

static Vec3 force_true_mean(const Frame *frame, int joint)
{
    Vec3 ends = vec3_add(frame->truth_before->force[joint], frame->truth->force[joint]);
    return vec3_scale(1.0 / 6.0, vec3_add_scaled(ends, 4.0, frame->truth_between->force[joint]));
}

static void force_sample(const Frame *frame, Sample *sample)
{
    const bool *known = frame->truth->has_force;
    double scale = 0.0;
    for (int j = 0; j < frame->world->joint_count; j++)
        if (known[j])
            scale = fmax(scale, vec3_norm(force_true_mean(frame, j)));
    if (scale == 0.0)
        return;
    for (int j = 0; j < frame->world->joint_count; j++) {
        if (!known[j])
            continue;
        Vec3 force, torque;
        world_reaction(frame->world, j, frame->dt, &force, &torque);
        sample_add(sample, vec3_norm(vec3_sub(force, force_true_mean(frame, j))) / scale);
    }
}

const Metric metric_force_error = {
    .name = "force_error",
    .unit = "1",
    .definition = "largest over joints of |f - f_truth| / largest |f_truth| at the last frame; both are "
                  "means over the frame",
    .fold = FOLD_LAST,
    .applies = force_has_truth,
    .sample = force_sample,
};
