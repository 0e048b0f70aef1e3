/* SPDX-License-Identifier: MIT */
/* A scene at work with a solver, frame by frame, and what phenomena measure of it. */
#ifndef RIGOR_BENCH_REALITY_PHENOMENA_STAGE_H
#define RIGOR_BENCH_REALITY_PHENOMENA_STAGE_H

#include "bench/run/run.h"
#include "scenes/file/file.h"

static const double PHENOMENON_G = 9.81; /* m/s^2, of scenes that do not say otherwise */

typedef struct Stage {
    Problem *problem;
    RunResult result;
    Running *running;
    Status *status;
} Stage;

/* The floor, a body of a scene file. */
#define STAGE_FLOOR "{\"name\":\"floor\",\"fixed\":true,\"shape\":{\"plane\":{}}}"

/* `format` gives a scene file. False with a message; to be ended in any case. */
bool stage_begin(Stage *stage, const Run *run, Status *status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same of a text, which is freed. */
bool stage_begin_text(Stage *stage, const Run *run, Text *text, Status *status);

/* The same of the run's own scene. */
bool stage_begin_scene(Stage *stage, const Run *run, Status *status);

/* The rest of the time, or until so many frames are done. False: it blew up, or, with a message, cannot go on. */
bool stage_run(Stage *stage, int frames);
bool stage_run_all(Stage *stage, const Run *run);

/* Of the body so named. */
Pose stage_pose(const Stage *stage, const char *name);
Velocity stage_velocity(const Stage *stage, const char *name);

/* kg m/s, of everything that moves. */
Vec3 stage_momentum(const Stage *stage);

/* A run that failed is the phenomenon's failure; one that blew up has an infinite number. */
bool stage_end(Stage *stage, bool ok, double number, double *value);

/* What lies in a frame where an event may fall, by the golden ratio: 0 .. 1. */
double stage_phase(int k);

/* The one that is farther from what it should be. */
double farther(double a, double b, double from);

#endif
