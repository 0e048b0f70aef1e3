/* SPDX-License-Identifier: MIT */
/* The parts of `rigor read`. */
#ifndef RIGOR_CLI_READ_H
#define RIGOR_CLI_READ_H

#include "bench/text/lecture.h"
#include "cli/cli.h"
#include "cli/reader.h"

/* What is read. */
typedef struct Reading {
    const Run *run;          /* the solver with its options, and dt; of a worked example with its scene */
    const LectureText *text; /* that the solver is the code of; NULL: it is of none */
    Phase phases[SOLVER_MAX_PHASES];
    int phase_count;
} Reading;

/* Name, kind, summary, reference, file and the phases of a substep, with what each is for. */
void read_print_head(const Reading *reading, Reader *reader);
json_t *read_head_json(const Reading *reading);

/* The phases step by step. */
void read_print_steps(const Reading *reading, Reader *reader);

/* The lecture text, section by section. */
void read_print_text(const Reading *reading, Reader *reader);
json_t *read_sections_json(const LectureText *text);

/* --step: the text's numbers in the first substeps of a scene. */
bool read_step(const Arguments *arguments, const Reading *reading, Status *status);

#endif
