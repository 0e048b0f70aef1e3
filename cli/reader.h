/* SPDX-License-Identifier: MIT */
/* What a person reads from beginning to end: on a terminal coloured, as wide as that is, and paged; elsewhere plain.
 * NO_COLOR takes the colours away, PAGER says what pages (`cat`, or nothing: nobody). */
#ifndef RIGOR_CLI_READER_H
#define RIGOR_CLI_READER_H

#include "model/status.h"

#include <stddef.h>
#include <stdio.h>

typedef enum ReaderStyle { READER_PLAIN, READER_HEADING, READER_FORMULA, READER_COMMENT, READER_STYLES } ReaderStyle;

typedef struct Reader {
    FILE *out; /* print here, */
    int width; /* in lines no longer than this; INT_MAX: any */
    bool colour, terminal;
    char *text; /* what was printed; shown when the reader is closed */
    size_t size;
} Reader;

/* False with a message when out of memory. */
bool reader_open(Reader *reader, Status *status);

/* Shows all of it. */
bool reader_close(Reader *reader, Status *status);

/* What turns a style on; READER_PLAIN ends it. Empty where there are no colours. */
const char *reader_style(const Reader *reader, ReaderStyle style);

/* `-- left ------- right --`, after a blank line. */
void reader_heading(Reader *reader, const char *left, const char *right);

/* Words, folded and indented. */
void reader_words(Reader *reader, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* One line of a formula, indented; what is too long goes on below. */
void reader_formula(Reader *reader, int indent, const char *line);

/* One line of C; `comment` says whether it begins within a comment, and how it ends. */
void reader_code(Reader *reader, const char *line, bool *comment);

#endif
