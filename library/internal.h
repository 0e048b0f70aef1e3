/* SPDX-License-Identifier: MIT */
/* What the parts of librigor share: the objects behind library/rigor.h. */
#ifndef RIGOR_LIBRARY_INTERNAL_H
#define RIGOR_LIBRARY_INTERNAL_H

#include "bench/run/recording.h"
#include "bench/run/run.h"
#include "bench/run/solver_set.h"
#include "library/rigor.h"

#include <fenv.h>
#include <jansson.h>
#include <locale.h>

struct Rigor {
    SolverSet solvers;
    ReferenceTruths *truths;
    char *output;  /* of the last rigor_command */
    Status status; /* of the last call that failed */
};

struct RigorScene {
    Rigor *rigor;
    Run run;          /* a built-in scene with its parameters, or a file's path */
    char *path;       /* that path, owned; NULL: no file */
    json_t *document; /* of a scene that is parsed or created; else NULL */
};

struct RigorRun {
    Rigor *rigor;
    Run run;
    Running *running;
    Recording *recording; /* NULL: none, or finished */
    RunWatch watch;       /* of the recording */
    bool finished;        /* its recording is written */
    bool pushed;          /* forces or drives were set from outside: the scene's truth is another motion */
    char *document;       /* of the last rigor_run_document */
};

/* Brings the run's result up to the frames made so far: metrics, costs, events, and whether it counts as made. */
void run_look(RigorRun *own);

/* While a call is at work its thread has the C locale, in which numbers have points, and plain arithmetic, which rounds
 * to nearest and keeps small numbers; then the host's again. First thing in every function of the library that reads,
 * writes or computes. */
typedef struct LibraryHost {
    locale_t locale;
    fenv_t arithmetic;
} LibraryHost;
LibraryHost library_enter(void);
void library_leave(LibraryHost *host);
#define LIBRARY_CALL __attribute__((cleanup(library_leave), unused)) LibraryHost host = library_enter()

/* A fresh problem; NULL with a message. */
Problem *scene_problem(const RigorScene *scene);

/* The status that the message was set with. */
RigorStatus library_failed(const Rigor *rigor);

#endif
