/* The state of the `reference` backend between two frames as bytes, so that a motion that was cut off goes on later
 * with the same bits. One function names the parts, for both directions. */
#ifndef RIGOR_SOLVERS_TRUTH_CHECKPOINT_H
#define RIGOR_SOLVERS_TRUTH_CHECKPOINT_H

#include "model/world.h"

#include <string.h>

typedef struct Checkpoint {
    unsigned char *bytes; /* NULL: only counted */
    size_t size, at;      /* of the bytes; where the next part stands */
    bool restores;        /* the state is taken from the bytes; else written to them */
    bool failed;          /* the bytes are not this state's */
} Checkpoint;

static inline void checkpoint_part(Checkpoint *checkpoint, void *part, size_t size)
{
    if (checkpoint->bytes && checkpoint->at + size <= checkpoint->size)
        memcpy(checkpoint->restores ? part : checkpoint->bytes + checkpoint->at,
               checkpoint->restores ? checkpoint->bytes + checkpoint->at : part, size);
    else if (checkpoint->bytes)
        checkpoint->failed = true;
    checkpoint->at += size;
}

/* The backend's own part and the world's. Removed bodies are removed already. */
void reference_checkpoint(void *self, World *world, Checkpoint *checkpoint);

#endif
