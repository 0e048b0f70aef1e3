/* SPDX-License-Identifier: MIT */
/* A robot file at states in its own coordinates, with everything that follows from them, as JSON: `rigor inverse FILE
 * --states FILE --json` (docs/reference/formats.md). */
#ifndef RIGOR_BENCH_STUDIES_ROBOT_STATES_H
#define RIGOR_BENCH_STUDIES_ROBOT_STATES_H

#include "scenes/robot/robot.h"

/* {"states": [...]}, an element for each one of `states` in the file. NULL with a message. */
json_t *robot_states(const char *path, const RobotParams *params, const char *file, Status *status);

#endif
