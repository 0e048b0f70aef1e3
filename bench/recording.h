/* Recordings: a run's trajectory as HDF5 (INTERFACE section 6), readable in three lines of h5py:
 *     import h5py
 *     f = h5py.File("run.h5")
 *     t, x = f["time"][:], f["position"][:]           # x[frame, body, axis], bodies as in f["body_names"]
 * Frame 0 is the initial state, at t = 0, where no metric has a value yet (NaN); bodies are all but `world`. Data are
 * written in place, whole chunks of frames at a time, and flushed: a killed run leaves a file that opens and ends with
 * its last chunk. The attribute `run` then has the status "unfinished". contacts/offset[f] is frame f's first contact.
 */
#ifndef RIGOR_BENCH_RECORDING_H
#define RIGOR_BENCH_RECORDING_H

#include "bench/run.h"

/* run_make into the file at `path` (NULL: none). Like it, leaves the outcome in the run; a file that cannot be written
 * makes it a run that was not made. */
bool run_make_recorded(Run *run, bool keep_series, const char *path);

#endif
