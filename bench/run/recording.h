/* SPDX-License-Identifier: MIT */
/* Recordings: a run's trajectory as HDF5 (docs/reference/formats.md), readable in three lines of h5py:
 *     import h5py
 *     f = h5py.File("run.h5")
 *     t, x = f["time"][:], f["position"][:]           # x[frame, body, axis], bodies as in f["body_names"]
 * Frame 0 is the initial state, at t = 0, where no metric has a value yet (NaN); bodies are all but `world`;
 * contacts/offset[f] is frame f's first contact. The run writes to a part file; F.h5 is a copy of it, replaced in one
 * step whenever a chunk of frames is full (and copying would not take more than a tenth of the time): a killed run
 * leaves a whole file that ends with its last chunk and has the status "unfinished" in its attribute `run`. A recording
 * that was there before stays as it is until the new one is finished. */
#ifndef RIGOR_BENCH_RUN_RECORDING_H
#define RIGOR_BENCH_RUN_RECORDING_H

#include "bench/run/run.h"

/* run_make into the file at `path` (NULL: none). Like it, leaves the outcome in the run; a file that cannot be written
 * makes it a run that was not made. */
bool run_make_recorded(Run *run, const char *path);

/* Its parts, for a run that its caller makes frame by frame: recording_frame, with what recording_start gave as
 * context, is the watch of the run (bench/run/runner.h); closing writes the run's document if it was `made`, and gives
 * the memory back. HDF5 may end the process where memory or disk runs out. NULL when out of memory; path stays the
 * caller's until then. */
typedef struct Recording Recording;
Recording *recording_start(const Run *run, const char *path);
bool recording_frame(void *recording, const Problem *problem, int frame, const double *metrics, Status *status);
bool recording_end(Recording *recording, const Run *run, bool made, Status *status);

#endif
