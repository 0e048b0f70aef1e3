/* SPDX-License-Identifier: MIT */
/* JSON documents of docs/reference/formats.md (Jansson). Numbers have 17 digits; what is not finite is null. */
#ifndef RIGOR_BENCH_RUN_JSON_H
#define RIGOR_BENCH_RUN_JSON_H

#include "bench/run/run.h"
#include "bench/text/sequence.h"

#include <jansson.h>

json_t *json_number(double x);
json_t *json_value(const SequenceValue *value); /* a number, or its text */
json_t *json_settings(const Setting *settings, int count, const void *values);

/* What was asked for: the beginning of a run's document. */
json_t *json_request(const Run *run);

/* A run's document; with `state` the final state of every body and joint. A run that was not made has the status
 * "unsupported", "not_installed" or "failed", and a "message". */
json_t *json_run(const Run *run, bool state);

/* Prints the document and a newline on standard output, and releases it. */
bool json_print(json_t *document, Status *status);

#endif
