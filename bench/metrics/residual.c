/* SPDX-License-Identifier: MIT */
/* What the last iteration of a frame's last substep leaves unsolved, as the solver's phase computes it (relative). */
#include "bench/metrics/metrics.h"

/* Whether there is one is the solver's matter, not the problem's. */
static bool residual_applies(const Problem *problem)
{
    (void)problem;
    return true;
}

static void residual_sample(const Frame *frame, Sample *sample)
{
    if (!isnan(frame->residual))
        sample_add(sample, frame->residual);
}

const Metric metric_residual = {
    .name = "residual",
    .unit = "1",
    .definition = "what the last iteration of a substep leaves, RMS over frames; velocity level: natural map of "
                  "A lambda - b over |b|; position level: |C + a lambda| over |C| before the first iteration; angles "
                  "count times the length scale",
    .fold = FOLD_RMS,
    .applies = residual_applies,
    .sample = residual_sample,
};
