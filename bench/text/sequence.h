/* SPDX-License-Identifier: MIT */
/* Lists of values as typed: `1,2,4`; `1,2,4,...,512` continues the pattern; `a:b` is a range. */
#ifndef RIGOR_BENCH_TEXT_SEQUENCE_H
#define RIGOR_BENCH_TEXT_SEQUENCE_H

#include "model/status.h"

enum { SEQUENCE_TEXT = 32 };

typedef struct SequenceValue {
    char text[SEQUENCE_TEXT];
    double number; /* NaN: not a number (the name of a choice) */
} SequenceValue;

typedef struct Sequence {
    int count;
    SequenceValue *values; /* owned */
    bool range;            /* a:b, two values */
} Sequence;

/* `...` stands between at least two values and the last one. All before it must agree on adding or multiplying; where
 * both lead to the last value (only two are given), adding is meant unless it would be long: 1,10,...,1e5. */
bool sequence_parse(Sequence *sequence, const char *text, Status *status);
bool sequence_append(Sequence *sequence, double number, Status *status);
void sequence_clear(Sequence *sequence);

/* Turns a range a:b, a > 0, into a, 2a, 4a ... and b. */
bool sequence_double_through(Sequence *sequence, Status *status);

#endif
