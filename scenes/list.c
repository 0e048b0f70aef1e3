/* SPDX-License-Identifier: MIT */
#include "scenes/list.h"

const Scene *const all_scenes[] = {
#define SCENE(file, name) &name##_scene,
#include "scenes/list.def"
};

const int scene_count = sizeof all_scenes / sizeof all_scenes[0];
