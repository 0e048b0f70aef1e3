#include "reports/generators.h"

#include "bench/suggest.h"

#include <stdlib.h>
#include <string.h>

extern const Generator generator_sparsity, generator_mass_properties, generator_spin_update, generator_limit_surface,
    generator_bead_step, generator_profile, generator_cheapest;

const Generator *const all_generators[] = {
    &generator_sparsity,  &generator_mass_properties, &generator_spin_update, &generator_limit_surface,
    &generator_bead_step, &generator_profile,         &generator_cheapest,
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

Problem *generator_build_scene(Node arguments)
{
    Node scene = node_get(&arguments, "scene"), params = node_get(&arguments, "params");
    const char *name = NULL, *key;
    json_t *value;
    Run run = {0};
    Status status = {0};
    if (!node_required(scene) || !node_text(scene, &name))
        return NULL;
    if (!run_choose_scene(&run, name, &status)) {
        node_fail(scene, "%s", status.message);
        return NULL;
    }
    json_object_foreach (params.value, key, value)
        if (!set_param(&run, node_get(&params, key)))
            return NULL;
    Problem *problem = run_build(&run, &status);
    if (!problem)
        node_fail(scene, "%s", status.message);
    return problem;
}
