/* SPDX-License-Identifier: MIT */
/* The resolved world: what a real engine needs to build the same scene, with nothing left to work out. Bodies are in
 * their principal frames (origin: centre of mass), joints have their frames in both bodies, materials are combined by
 * pair, and pairs that may not touch are listed. The format is described in docs/reference/bridge_protocol.md. */
#ifndef RIGOR_SCENES_RESOLVED_H
#define RIGOR_SCENES_RESOLVED_H

#include "model/world.h"

#include <jansson.h>

/* An object that is the caller's; NULL: out of memory. */
json_t *resolved_world(const World *world);

#endif
