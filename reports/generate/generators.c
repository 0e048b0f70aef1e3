/* SPDX-License-Identifier: MIT */
#include "reports/generate/generators.h"

#include "model/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As long as a path may be. */
enum { SCENE_PATH = 4096 };

extern const Generator generator_sparsity, generator_mass_properties, generator_spin_update, generator_limit_surface,
    generator_bead_step, generator_profile, generator_cheapest, generator_verdict, generator_checks,
    generator_joint_history, generator_sweep_modes, generator_holds, generator_energy_ledger, generator_standing,
    generator_front, generator_broad_phase, generator_narrow_phase, generator_depth_contest;

const Generator *const all_generators[] = {
    &generator_sparsity,      &generator_mass_properties, &generator_spin_update, &generator_limit_surface,
    &generator_bead_step,     &generator_profile,         &generator_cheapest,    &generator_verdict,
    &generator_joint_history, &generator_sweep_modes,     &generator_checks,      &generator_holds,
    &generator_energy_ledger, &generator_standing,        &generator_front,       &generator_broad_phase,
    &generator_narrow_phase,  &generator_depth_contest,
};
const int generator_count = sizeof all_generators / sizeof all_generators[0];

const Generator *generator_find(Node node)
{
    const char *name = NULL;
    if (!node_text(node, &name))
        return NULL;
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < generator_count; i++) {
        if (strcmp(all_generators[i]->name, name) == 0)
            return all_generators[i];
        suggestion_offer(&near, all_generators[i]->name);
    }
    char text[SUGGESTION_TEXT];
    node_fail(node, "unknown generator '%s'%s", name, suggestion_text(&near, text));
    return NULL;
}

/* A parameter's value as it would be typed. */
static bool set_param(Run *run, Node node)
{
    Text text = {0};
    Status status = {0};
    if (json_is_string(node.value))
        text_add(&text, "%s", json_string_value(node.value));
    else
        text_add_json(&text, node.value);
    bool ok = !text.failed && run_set_param(run, node.key, text.data, &status);
    free(text.data);
    return ok || node_fail(node, "%s", text.failed ? "out of memory" : status.message);
}

bool generator_choose_scene(Node arguments, Run *run)
{
    Node scene = node_get(&arguments, "scene"), params = node_get(&arguments, "params");
    const char *name = NULL, *key;
    json_t *value;
    Status status = {0};
    if (!node_required(scene) || !node_text(scene, &name))
        return false;
    if (!run_choose_scene(run, name, &status))
        return node_fail(scene, "%s", status.message);
    json_object_foreach (params.value, key, value)
        if (!set_param(run, node_get(&params, key)))
            return false;
    return true;
}

static void scene_path(const char *figure, const char *name, char path[SCENE_PATH])
{
    const char *slash = strrchr(figure, '/');
    int folder = name[0] != '/' && slash ? (int)(slash - figure) + 1 : 0;
    snprintf(path, SCENE_PATH, "%.*s%s", folder, figure, name);
}

Problem *generator_build_scene(Node arguments)
{
    Run run = {0};
    Status status = {0};
    char path[SCENE_PATH];
    if (!generator_choose_scene(arguments, &run))
        return NULL;
    if (run.file) {
        scene_path(arguments.reader->path, run.file, path);
        run.file = path;
    }
    Problem *problem = run_build(&run, &status);
    if (!problem)
        node_fail(node_get(&arguments, "scene"), "%s", status.message);
    return problem;
}
