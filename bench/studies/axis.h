/* SPDX-License-Identifier: MIT */
/* An axis of a study: `--over name=values`, where name is `dt`, a solver option or a scene parameter (`solver.x`,
 * `scene.x` where both have it). */
#ifndef RIGOR_BENCH_STUDIES_AXIS_H
#define RIGOR_BENCH_STUDIES_AXIS_H

#include "bench/run/run.h"
#include "bench/text/sequence.h"

typedef enum AxisKind { AXIS_DT, AXIS_SCENE, AXIS_SOLVER } AxisKind;

typedef struct Axis {
    AxisKind kind;
    char name[RUN_KEY]; /* without `solver.` or `scene.` */
    Sequence sequence;
} Axis;

/* The runs are those it will be applied to: their scene and solvers say what a name means. Every solver must have a
 * solver option. */
bool axis_parse(Axis *axis, const char *text, const Run *runs, int run_count, Status *status);
void axis_clear(Axis *axis);

/* Sets the axis's i-th value in a run. */
bool axis_apply(const Axis *axis, int i, Run *run, Status *status);

/* Sets any number in a run; and whether the axis takes whole numbers only there. A choice or a switch has no numbers to
 * go through: axis_is_numeric is false. */
bool axis_apply_number(const Axis *axis, double number, Run *run, Status *status);
bool axis_is_numeric(const Axis *axis, const Run *run);
bool axis_is_whole(const Axis *axis, const Run *run);

#endif
