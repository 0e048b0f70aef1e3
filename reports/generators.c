#include "reports/generators.h"

#include "model/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As long as a path may be. */
enum { SCENE_PATH = 4096 };

extern const Generator generator_sparsity, generator_mass_properties, generator_spin_update, generator_limit_surface,
    generator_bead_step, generator_profile, generator_cheapest, generator_verdict, generator_checks;

const Generator *const all_generators[] = {
    &generator_sparsity,      &generator_mass_properties, &generator_spin_update,
    &generator_limit_surface, &generator_bead_step,       &generator_profile,
    &generator_cheapest,      &generator_verdict,         &generator_checks,
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

/* A scene file is named from the figure's folder. */
static void scene_path(const char *figure, const char *name, char path[SCENE_PATH])
{
    const char *slash = strrchr(figure, '/');
    int folder = name[0] != '/' && slash ? (int)(slash - figure) + 1 : 0;
    snprintf(path, SCENE_PATH, "%.*s%s", folder, figure, name);
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
    char path[SCENE_PATH];
    if (run.file) {
        scene_path(arguments.reader->path, name, path);
        run.file = path;
    }
    json_object_foreach (params.value, key, value)
        if (!set_param(&run, node_get(&params, key)))
            return NULL;
    Problem *problem = run_build(&run, &status);
    if (!problem)
        node_fail(scene, "%s", status.message);
    return problem;
}
