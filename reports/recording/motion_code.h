/* SPDX-License-Identifier: MIT */
/* Motions as text for a page to be looked at: numbers rounded to a step, of each column the second differences from row
 * to row, written as base64 VLQ (as in source maps: five bits a letter, the lowest first, a sixth says that more come).
 * What moves evenly has differences of one letter, and those compress well. */
#ifndef RIGOR_REPORTS_RECORDING_MOTION_CODE_H
#define RIGOR_REPORTS_RECORDING_MOTION_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a JSON string "v2:step:width:letters" of rows x width numbers; the step is the largest of them over 2^16.
 * False, with nothing written, if one is not finite. */
bool motion_write(FILE *out, const double *values, size_t rows, size_t width);

#endif
