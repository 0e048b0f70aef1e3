/* SPDX-License-Identifier: MIT */
/* Variants that an experiment or figure file defines:
 *     "variants": { "pgs50": { "of": "pgs", "options": { "iterations": 50 }, "summary": "..." } } */
#include "bench/run/solver_set_file.h"

#include "bench/run/run.h"

#include <stdlib.h>
#include <string.h>

static const char *const VARIANT_KEYS[] = {"of", "options", "summary", NULL};

/* The value as it would be typed. */
static bool option_text(Node node, Text *text)
{
    if (json_is_string(node.value))
        text_add(text, "%s", json_string_value(node.value));
    else if (json_is_boolean(node.value))
        text_add(text, "%s", json_is_true(node.value) ? "true" : "false");
    else if (json_is_number(node.value))
        text_add(text, "%.17g", json_number_value(node.value));
    else
        return node_wrong_type(node, "a number, a text or a truth value");
    return !text->failed || node_fail(node, "out of memory");
}

/* Adds `:key=value`; a bad one is an error with its place in the file. */
static bool option_add(Node node, Run *run, Text *options)
{
    Text value = {0};
    Status status = {0};
    bool ok = option_text(node, &value) &&
              (run_set_option(run, node.key, value.data, &status) || node_fail(node, "%s", status.message));
    if (ok)
        text_add(options, "%s%s=%s", options->data ? ":" : "", node.key, value.data);
    free(value.data);
    return ok;
}

static bool variant_read(Node node, SolverSet *set)
{
    const char *of = NULL, *summary = NULL;
    Node base = node_get(&node, "of"), options = node_get(&node, "options");
    if (!node_object(node, VARIANT_KEYS) || !node_required(base) || !node_text(base, &of) ||
        !node_text(node_get(&node, "summary"), &summary) || !node_required(options))
        return false;
    if (!json_is_object(options.value))
        return node_wrong_type(options, "an object");
    if (json_object_size(options.value) == 0)
        return node_fail(options, "must not be empty");
    Status status = {0};
    Run run = {0};
    Text text = {0};
    const Solver *solver = solver_set_find(set, of, &status);
    if (!solver)
        return node_fail(base, "%s", status.message);
    run_choose_solver(&run, solver);
    bool ok = true;
    const char *key;
    json_t *value;
    json_object_foreach (options.value, key, value)
        ok = ok && option_add(node_get(&options, key), &run, &text);
    ok = ok && (!text.failed || node_fail(node, "out of memory"));
    Variant variant = {.name = node.key, .of = of, .options = text.data, .summary = summary};
    ok = ok && (solver_set_define(set, &variant, &status) || node_fail(node, "%s", status.message));
    free(text.data);
    return ok;
}

bool solver_set_read(SolverSet *set, Node variants)
{
    if (variants.value && !json_is_object(variants.value))
        return node_wrong_type(variants, "an object of variants");
    const char *key;
    json_t *value;
    json_object_foreach (variants.value, key, value)
        if (!variant_read(node_get(&variants, key), set))
            return false;
    return true;
}
