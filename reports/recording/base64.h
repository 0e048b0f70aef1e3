/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648) of numbers, with a mark of their type before it: "f8:", "f4:", "i4:", or "p4:", floats by planes of
 * bytes. */
#ifndef RIGOR_REPORTS_RECORDING_BASE64_H
#define RIGOR_REPORTS_RECORDING_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Each writes a JSON string. */
void base64_write_doubles(FILE *out, const double *values, size_t count);
void base64_write_floats(FILE *out, const double *values, size_t count); /* rounded to single precision */

/* For looking at and for compressing: rounded to 14 bits of mantissa (parts in 30000), all lowest bytes first, then all
 * second ones, ..., since these resemble each other. */
void base64_write_brief(FILE *out, const double *values, size_t count);
void base64_write_ints(FILE *out, const double *values, size_t count);

#endif
