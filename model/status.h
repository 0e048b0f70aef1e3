/* SPDX-License-Identifier: MIT */
/* How a function says that its input or its environment is bad: a code and one clear message, made where the trouble
 * is detected. Codes are the exit statuses of the command line. */
#ifndef RIGOR_MODEL_STATUS_H
#define RIGOR_MODEL_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum StatusCode {
    STATUS_OK = 0,
    STATUS_FAILED = 1,      /* anything not named below */
    STATUS_USAGE = 2,       /* the command line is wrong */
    STATUS_BAD_FILE = 3,    /* a file is wrong: the message gives its place */
    STATUS_UNSUPPORTED = 4, /* this solver cannot run this scene */
} StatusCode;

typedef struct Status {
    StatusCode code;
    char message[512];
} Status;

/* Sets code and message, in which control characters are escaped; returns false, so that `return status_set(...)` says
 * "failed". */
bool status_set(Status *status, StatusCode code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool status_set_list(Status *status, StatusCode code, const char *format, va_list arguments);

/* How many bytes of a text begin a control character (below a blank, DEL, or U+0080 .. U+009F): 0, 1 or 2. */
int text_control(const char *text);

/* The text with control characters as \x1b, so that a terminal shows what a file or a name holds and does not obey it.
 * Cut to the size. */
void text_make_printable(const char *text, char *out, size_t size);

#endif
