/* SPDX-License-Identifier: MIT */
/* A text of numbers and words, word by word, knowing where it is. */
#ifndef RIGOR_BENCH_PROBLEMS_TEXT_H
#define RIGOR_BENCH_PROBLEMS_TEXT_H

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    const char *path;
    char *all; /* the file, with a zero at its end; owned */
    size_t size;
    const char *at;
} Text;

/* The whole file; false with a message. */
bool text_open(Text *text, const char *path, Status *status);
void text_close(Text *text);

/* The next number, which must be whole and within bounds, or finite. `what` names it in the message. */
bool text_int(Text *text, const char *what, long least, long most, long *value, Status *status);
bool text_real(Text *text, const char *what, double *value, Status *status);

/* Skips a word that must come next; the rest of the line; the words before the next number. */
bool text_expect(Text *text, const char *word, Status *status);
void text_skip_line(Text *text);

/* False, with the message set behind `file:line:column:` of the next word. */
bool text_fail(const Text *text, Status *status, const char *what, const char *why);

/* Bytes that are left: no file holds more numbers than half of them. */
size_t text_left(const Text *text);

#endif
