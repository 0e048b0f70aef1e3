/* SPDX-License-Identifier: MIT */
/* Real engines as solvers: the same scene is handed to a bridge, a child process that speaks the protocol of
 * docs/reference/bridge_protocol.md, and the states that come back are judged like any solver's. */
#ifndef RIGOR_SOLVERS_ENGINES_ENGINE_H
#define RIGOR_SOLVERS_ENGINES_ENGINE_H

#include "solvers/variants.h"

#include <jansson.h>

/* Raised when a bridge must change. */
enum { ENGINE_PROTOCOL = 1, ENGINE_VALUES = 12 };

/* The engine's own options: every setting of an engine points into this. */
typedef struct EngineOptions {
    CommonOptions common;
    double answer_limit; /* s */
    double real[ENGINE_VALUES];
    int whole[ENGINE_VALUES];
} EngineOptions;

/* Data of a Solver that is an engine. */
typedef struct Engine {
    const char *bridge;      /* a file in the folder of bridges: a program, or a script of Node if it ends in .mjs */
    const char *mode;        /* which of the engine's solvers */
    const char *package;     /* where `make engines` gets it from: "Debian libode-dev", "npm jolt-physics" */
    const char *command;     /* --engine: what to run instead of a bridge of the list; NULL: none */
    const char *description; /* --engine: what it says of itself; NULL: none */
    unsigned lacks;          /* types of joints that the bridge refuses, a bit a JointType */
} Engine;

extern const Solver *const all_engines[];
extern const int engine_count;

/* An engine's own defaults are its plain name; its tuning for a fair comparison is a variant. */
extern const Variant engine_variants[];
extern const int engine_variant_count;

/* The engine behind a solver; NULL: it is none. */
const Engine *engine_of(const Solver *solver);

/* The path of an engine's bridge; false: it is not installed, or is anyone's (--engine). */
bool engine_file(const Engine *engine, char *path, size_t size);

/* Is it an engine of the list whose bridge, or what that needs, is not there? What refuses a run so is no lack of the
 * engine: tables, documents and figures say `not installed`, and the run is made once it is. */
bool engine_is_missing(const Solver *solver);

/* Is this the message of a run that was refused so, as a store keeps it? */
bool engine_said_missing(const char *message);

/* What to run for an engine, into text; false, with what is missing and how to get it, if it is not installed. */
bool engine_command(const Engine *engine, char *text, size_t size, Status *status);

/* What a bridge says of itself before it has seen a world: an object that is the caller's. */
json_t *engine_describe(const char *command, Status *status);

/* The line that a bridge is given, without its end; freed by the caller. NULL: out of memory. */
char *engine_line(const World *world, const char *mode, double dt, int substeps, json_t *options);

/* What every engine shares. */
void *engine_create(const SolverTask *task, Status *status);
void engine_destroy(void *self);
unsigned engine_traits(const void *self);
void engine_removed(void *self, int body);
int engine_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);

/* How far its first state was off the scene's, over what is allowed. */
double engine_echo(const void *self);

/* What the engine said it approximates in this world, one text each; borrowed. NULL: nothing. */
const json_t *engine_approximates(const void *self);

#endif
