/* Base64 (RFC 4648) of numbers, with a mark of their type before it: "f8:", "f4:" or "i4:". */
#ifndef RIGOR_REPORTS_BASE64_H
#define RIGOR_REPORTS_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Each writes a JSON string. */
void base64_write_doubles(FILE *out, const double *values, size_t count);
void base64_write_floats(FILE *out, const double *values, size_t count); /* rounded to single precision */
void base64_write_ints(FILE *out, const double *values, size_t count);

#endif
