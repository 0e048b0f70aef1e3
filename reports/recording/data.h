/* SPDX-License-Identifier: MIT */
/* Recordings as data of the viewer page: what the page's recording.ts reads. */
#ifndef RIGOR_REPORTS_RECORDING_DATA_H
#define RIGOR_REPORTS_RECORDING_DATA_H

#include "model/status.h"

#include <stdio.h>

/* Rounded: motions to 16 bits by their differences, curves to single precision, for looking at. Brief: besides, every
 * second frame, for a document that holds many. */
typedef enum RecordingDetail { RECORDING_WHOLE, RECORDING_ROUNDED, RECORDING_BRIEF } RecordingDetail;

/* Writes {"recordings": [...]}, JSON that may stand inside a script element: arrays are base64 of little-endian
 * numbers, hulls and meshes come with their triangles. False with a message: a file is no recording, or it cannot be
 * written. */
bool recordings_write(FILE *out, char *const *paths, int count, RecordingDetail detail, Status *status);

#endif
