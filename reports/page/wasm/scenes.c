/* SPDX-License-Identifier: MIT */
/* The scenes' builders behind plain functions: a page names a scene and its parameters, and gets the scene file. The
 * truths of scenes, which need GSL, are not there: nobody asks for them here (meson.build). */
#include "reports/page/wasm/scene_text.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { INPUT_BYTES = 4096 };

static char input[INPUT_BYTES];
static Status scene_status;

/* Where a page writes the scene's name, then name and value of each parameter, a zero after each, and one more. */
char *EXPORT(scene_input)(void)
{
    return input;
}

const char *EXPORT(scene_message)(void)
{
    return scene_status.message;
}

static bool scene_set(const Scene *scene, void *params, const char *at)
{
    while (*at) {
        const char *value = at + strlen(at) + 1;
        const Setting *setting = settings_find(scene->settings, scene->setting_count, at);
        if (!setting)
            return status_set(&scene_status, STATUS_USAGE, "%s has no parameter %s", scene->name, at);
        if (!setting_parse(setting, params, value, &scene_status))
            return false;
        at = value + strlen(value) + 1;
    }
    return true;
}

/* The scene file of what stands in the input; NULL with a message. */
char *EXPORT(scene_describe)(void)
{
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find(input);
    if (!scene) {
        status_set(&scene_status, STATUS_USAGE, "there is no scene %s", input);
        return NULL;
    }
    settings_init(scene->settings, scene->setting_count, params);
    Problem *problem =
        scene_set(scene, params, input + strlen(input) + 1) ? scene_build(scene, params, &scene_status) : NULL;
    char *text = problem ? scene_text(problem) : NULL;
    if (problem && !text)
        status_set(&scene_status, STATUS_FAILED, "%s has shapes that a page cannot run", scene->name);
    problem_destroy(problem);
    return text;
}
