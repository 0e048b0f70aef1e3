/* SPDX-License-Identifier: MIT */
/* Recordings as they are read (bench/run/recording.h says what one has). A file may come from anybody: types, ranks and
 * sizes are looked at before anything is read, nothing is asked for that the file does not hold, and nothing is
 * followed out of it. */
#ifndef RIGOR_REPORTS_RECORDING_READ_H
#define RIGOR_REPORTS_RECORDING_READ_H

#include "bench/files/hdf5_file.h"
#include "model/status.h"

#include <jansson.h>

typedef struct RecordingFile {
    Hdf5File file;
    const char *path;
    Status *status;
} RecordingFile;

enum { ARRAY_RANK = 3 };

typedef struct Array {
    int rank;
    hsize_t shape[ARRAY_RANK];
    size_t count;
    double *values; /* owned */
} Array;

/* Of a descriptor; the path is what messages call it. Closed in either case. */
bool recording_open(RecordingFile *recording, int fd, const char *path, Status *status);
void recording_close(RecordingFile *recording);

/* `file: name: what`; returns false. */
bool recording_fail(const RecordingFile *recording, const char *name, const char *what);

/* A dataset of numbers of this rank, as doubles. `shape[i]` other than 0: what the i-th extent must be. */
bool recording_array(const RecordingFile *recording, const char *name, int rank, const hsize_t *shape, Array *array);

/* An attribute that holds JSON; NULL with a message. */
json_t *recording_document(const RecordingFile *recording, const char *name);

/* Arrays of strings; NULL with a message. */
json_t *recording_body_names(const RecordingFile *recording);
json_t *recording_metric_names(const RecordingFile *recording);

#endif
