/* SPDX-License-Identifier: MIT */
/* A metric of your own: the largest speed of a moving body.
 *
 *     cc -shared -fPIC $(pkg-config --cflags rigor-plugin) NAME_metric.c -o NAME.so       (or -I the source)
 *     rigor compare chain --solvers pgs,xpbd --plugin ./NAME.so
 *
 * At the end of each frame `sample` adds one value for each thing it looks at; `fold` says what becomes of a run's
 * values. */
#include "bench/metrics/metric.h"

static bool NAME_applies(const Problem *problem)
{
    return problem->world->body_count > 1;
}

/* m/s, |v| of the centre of mass */
static void NAME_sample(const Frame *frame, Sample *sample)
{
    const World *world = frame->world;
    for (int i = 1; i < world->body_count; i++) /* body 0 is the world itself */
        if (!world_is_fixed(world, i))
            sample_add(sample, vec3_norm(world->velocity[i].v));
}

const int rigor_metric_abi = METRIC_ABI;
const Metric rigor_metric = {
    .name = "NAME",
    .unit = "m/s",
    .definition = "largest speed of a moving body",
    .fold = FOLD_MAX,
    .applies = NAME_applies,
    .sample = NAME_sample,
};
