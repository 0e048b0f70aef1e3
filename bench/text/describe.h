/* SPDX-License-Identifier: MIT */
/* What a scene, a solver or a metric is, as JSON and as text: for `rigor list` and `rigor show`. */
#ifndef RIGOR_BENCH_TEXT_DESCRIBE_H
#define RIGOR_BENCH_TEXT_DESCRIBE_H

#include "bench/metrics/metrics.h"
#include "solvers/solver.h"

#include <jansson.h>

/* {"name", "summary", ...} */
json_t *describe_scene(const Scene *scene);
json_t *describe_solver(const Solver *solver);

/* How it treats contacts with its default options: topic -> text. */
json_t *describe_contacts(const Solver *solver);
json_t *describe_metric(const Metric *metric);

/* One line a setting: name, default, range or choices, meaning. */
void print_settings(const Setting *settings, int count);

#endif
