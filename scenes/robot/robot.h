/* SPDX-License-Identifier: MIT */
/* Robot files, MJCF and URDF, as scenes: a reader makes a scene document of one (scenes/README.md), which the reader of
 * scene files takes. docs/howto/robots.md says what of the two formats is read. */
#ifndef RIGOR_SCENES_ROBOT_ROBOT_H
#define RIGOR_SCENES_ROBOT_ROBOT_H

#include "scenes/scene.h"

#include <jansson.h>

enum { ROBOT_KEY = 128, ROBOT_FOLDER = 512, ROBOT_CONTROLS = 4096 };

/* What a user may say beside the file; all zero: nothing. */
typedef struct RobotParams {
    bool floating; /* a URDF's root is free, not fixed to the world */
    bool balance;  /* inertias that no body has become their mean */
    char key[ROBOT_KEY];
    char package[ROBOT_FOLDER]; /* the folder under which package://NAME/... lies; "": the model's */
    char ctrl[ROBOT_CONTROLS];  /* one number for each actuator */
} RobotParams;

/* Sets one by name: key, ctrl, base, inertia, package. */
bool robot_params_set(RobotParams *params, const char *key, const char *value, Status *status);

/* Those that were set, as an object. */
json_t *robot_params_json(const RobotParams *params);

/* Is this the beginning of XML, and so no scene file? Reads the first bytes of a plain file. */
bool robot_is_file(const char *path);

/* A state in the file's own coordinates, in the order of its joints and actuators: a free joint has 7 numbers of
 * position (of its frame's origin, quaternion) and 6 of velocity (world frame, body frame), a ball 4 and 3. */
typedef struct RobotState {
    int position_count, velocity_count, control_count; /* 0: as the parameters say */
    const double *position, *velocity, *control;
} RobotState;

/* The scene document of a model; `notes`: what has no effect, a line each, to be freed. NULL with
 * `file:line:column: what`. */
json_t *robot_document(const char *path, const RobotParams *params, const RobotState *state, char **notes,
                       Status *status);

/* The same as a problem. */
Problem *robot_problem(const char *path, const RobotParams *params, const RobotState *state, Status *status);

#endif
