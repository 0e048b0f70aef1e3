/* SPDX-License-Identifier: MIT */
/* The truth of scenes that have no closed form: the motion that the `reference` backend finds, at the frames of a run.
 * It is found once for a scene and a frame length, kept in memory for the runs of a command, and on disk for the next
 * one (reference_cache.h), also while it grows: one that was cut off goes on from there, with the same bits. A longer
 * motion serves a shorter run. All of it is off the clock. */
#ifndef RIGOR_BENCH_TRUTH_REFERENCE_TRUTH_H
#define RIGOR_BENCH_TRUTH_REFERENCE_TRUTH_H

#include "bench/process/progress.h"
#include "scenes/scene.h"

/* Why a motion goes no further. */
typedef enum PathEnd {
    PATH_GOES_ON,
    PATH_UNCERTAIN,
    PATH_TOO_MUCH_WORK,
    PATH_LOST,
    PATH_NOT_UNIQUE,
    PATH_SEVERAL,
    PATH_BEYOND,
    PATH_ENDS
} PathEnd;

/* Frames 1 .. frames; frame f is at index f - 1. */
typedef struct ReferencePath {
    int bodies, joints, frames;
    PathEnd end;
    bool has_forces;      /* false: rows depend on each other, and joint forces are not unique */
    Pose *poses;          /* frames x bodies; orientations in the definitions' frames */
    Vec3 *forces;         /* frames x joints, on the second body, mean over the frame */
    double *errors;       /* m, the backend's own estimate up to this frame */
    unsigned char *state; /* of the backend after the last frame, for going on; NULL: not kept */
    size_t state_size;
} ReferencePath;

/* False when out of memory. */
bool reference_path_allocate(ReferencePath *path, int bodies, int joints, int frames);
void reference_path_free(ReferencePath *path);

/* The motions of one command. */
typedef struct ReferenceTruths ReferenceTruths;

ReferenceTruths *reference_truths_create(void); /* NULL: out of memory */
void reference_truths_destroy(ReferenceTruths *truths);

/* The progress of motions as they are made; it must outlive the truths. */
void reference_truths_tell(ReferenceTruths *truths, Progress *progress);

/* False, with a message, for what is not to be tried: even the key of a scene is its whole text, a minute's work for
 * 10^6 bodies, and a fresh problem as much memory again. */
bool reference_truths_reach(const Problem *problem, double dt, int frames, Status *status);

/* The motion of a fresh problem, which is moved, over at least so many frames of dt. It belongs to `truths`. NULL, with
 * a message, if `reference` cannot give it. */
const ReferencePath *reference_truths_find(ReferenceTruths *truths, Problem *fresh, double dt, int frames,
                                           Status *status);

#endif
