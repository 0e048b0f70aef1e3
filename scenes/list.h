/* SPDX-License-Identifier: MIT */
/* Every built-in scene; each is defined at the end of the file of its family. */
#ifndef RIGOR_SCENES_LIST_H
#define RIGOR_SCENES_LIST_H

#include "scenes/scene.h"

#define SCENE(file, name) extern const Scene name##_scene;
#include "scenes/list.def"
#undef SCENE

#endif
