/* SPDX-License-Identifier: MIT */
/* Energy against its start: E(t) - E(0) - W(t), W the work of motors, actuators and constant forces, over the scene's
 * energy scale. A body that an event removes takes its energy out of E(0). */
#include "bench/metrics/metrics.h"

static bool energy_conserved(const Problem *problem)
{
    return problem->conserves & CONSERVES_ENERGY;
}

static bool energy_passive(const Problem *problem)
{
    return problem->passive;
}

static void energy_sample_error(const Frame *frame, Sample *sample)
{
    sample_add(sample, fabs(frame->energy_change) / frame->problem->energy_scale);
}

static void energy_sample_gain(const Frame *frame, Sample *sample)
{
    sample_add(sample, fmax(0.0, frame->energy_change) / frame->problem->energy_scale);
}

const Metric metric_energy_error_max = {
    .name = "energy_error_max",
    .unit = "1",
    .definition = "largest |E(t) - E(0) - W(t)| / energy scale; for scenes that conserve energy",
    .fold = FOLD_MAX,
    .of_work = true,
    .applies = energy_conserved,
    .sample = energy_sample_error,
};

const Metric metric_energy_error_end = {
    .name = "energy_error_end",
    .unit = "1",
    .definition = "|E(t) - E(0) - W(t)| / energy scale at the last frame; for scenes that conserve energy",
    .fold = FOLD_LAST,
    .of_work = true,
    .applies = energy_conserved,
    .sample = energy_sample_error,
};

const Metric metric_energy_gain_max = {
    .name = "energy_gain_max",
    .unit = "1",
    .definition = "largest rise of E - W above E(0) / energy scale; for passive scenes",
    .fold = FOLD_MAX,
    .of_work = true,
    .applies = energy_passive,
    .sample = energy_sample_gain,
};
