/* SPDX-License-Identifier: MIT */
/* Writing values into a scene document; false: out of memory. */
#ifndef RIGOR_SCENES_ROBOT_WRITE_H
#define RIGOR_SCENES_ROBOT_WRITE_H

#include "scenes/robot/model.h"

bool robot_put_numbers(json_t *object, const char *key, const double *x, int count);
bool robot_put_vec3(json_t *object, const char *key, Vec3 x);
bool robot_put_quat(json_t *object, const char *key, Quat q);

#endif
