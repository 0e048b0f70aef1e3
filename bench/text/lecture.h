/* SPDX-License-Identifier: MIT */
/* The lecture texts (solvers/lecture/), embedded when the program is built, cut into sections for `rigor read`.
 *
 * A text is a header comment; what the solver keeps; its sections, each of which begins with a comment that names a
 * slide and gives its formula, in the order of a substep; and in the end what the loop calls. */
#ifndef RIGOR_BENCH_TEXT_LECTURE_H
#define RIGOR_BENCH_TEXT_LECTURE_H

#include "solvers/solver.h"

typedef struct LectureText {
    const char *name; /* of the backend that it is the text of; NULL ends the list */
    const char *file;
    const char *const *lines; /* NULL ends them */
} LectureText;

extern const LectureText lecture_texts[];

/* NULL: that backend has none. */
const LectureText *lecture_find(const char *name);

/* The solver that runs the text of this one: itself, or that of its own name. NULL: it has no text. */
const Solver *lecture_solver(const Solver *solver);

enum { LECTURE_TITLE = 80, LECTURE_NUMBER = 4, LECTURE_LINE = 256 };

/* Lines are counted from 0; each range ends before `..._end`. */
typedef struct LectureSection {
    char lecture[LECTURE_NUMBER]; /* "001"; "": no slide has this part */
    char title[LECTURE_TITLE];    /* of the slide, or of the part */
    int note, note_end;           /* lines of the comment after the title */
    int code, code_end;           /* without blank lines at its ends */
} LectureSection;

enum { LECTURE_SECTIONS = 32 };

/* The parts of a text in its order: the header comment, which has no code; what the solver keeps; the sections; what
 * the loop calls. Returns how many. */
int lecture_sections(const LectureText *text, LectureSection sections[LECTURE_SECTIONS]);

/* A line of a comment without its marks. */
const char *lecture_note_line(const LectureText *text, int line, char out[LECTURE_LINE]);

#endif
