/* SPDX-License-Identifier: MIT */
/* A problem as a scene file, as scenes/file/write.c writes it, but for `time` and `expect`, which a page has no use
 * for. That one needs a library of JSON, which WebAssembly has not. */
#ifndef RIGOR_REPORTS_PAGE_WASM_SCENE_TEXT_H
#define RIGOR_REPORTS_PAGE_WASM_SCENE_TEXT_H

#include "scenes/scene.h"

/* To be freed; NULL: out of memory, or a shape that the page cannot run. */
char *scene_text(const Problem *problem);

#endif
