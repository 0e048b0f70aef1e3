/* What the parts of librigor share: the objects behind library/rigor.h. */
#ifndef RIGOR_LIBRARY_INTERNAL_H
#define RIGOR_LIBRARY_INTERNAL_H

#include "bench/run.h"
#include "bench/solver_set.h"
#include "library/rigor.h"

#include <jansson.h>

struct Rigor {
    SolverSet solvers;
    ReferenceTruths *truths;
    Status status; /* of the last call that failed */
};

struct RigorScene {
    Rigor *rigor;
    Run run;          /* a built-in scene with its parameters, or a file's path */
    char *path;       /* that path, owned; NULL: no file */
    json_t *document; /* of a scene that is parsed or created; else NULL */
};

/* A fresh problem; NULL with a message. */
Problem *scene_problem(const RigorScene *scene);

/* The status that the message was set with. */
RigorStatus library_failed(const Rigor *rigor);

#endif
