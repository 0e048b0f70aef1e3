/* SPDX-License-Identifier: MIT */
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

/* Parts that are restored only if they can be this state's: whoever kept the bytes may have been another. */
static inline bool checkpoint_has(Checkpoint *checkpoint, size_t size)
{
    bool has = checkpoint->restores && checkpoint->bytes && checkpoint->at + size <= checkpoint->size;
    return has && !checkpoint->failed;
}

/* Finite, and no larger than anything is. */
static inline void checkpoint_numbers(Checkpoint *checkpoint, double *numbers, size_t count)
{
    for (size_t i = 0; checkpoint_has(checkpoint, sizeof *numbers * count) && i < count; i++) {
        double number;
        memcpy(&number, checkpoint->bytes + checkpoint->at + sizeof number * i, sizeof number);
        checkpoint->failed = !(fabs(number) <= 1e30);
    }
    if (!checkpoint->failed)
        checkpoint_part(checkpoint, numbers, sizeof *numbers * count);
}

/* From 0 to `most`. */
static inline void checkpoint_choices(Checkpoint *checkpoint, int *choices, size_t count, int most)
{
    for (size_t i = 0; checkpoint_has(checkpoint, sizeof *choices * count) && i < count; i++) {
        int choice;
        memcpy(&choice, checkpoint->bytes + checkpoint->at + sizeof choice * i, sizeof choice);
        checkpoint->failed = choice < 0 || choice > most;
    }
    if (!checkpoint->failed)
        checkpoint_part(checkpoint, choices, sizeof *choices * count);
}

static inline void checkpoint_flags(Checkpoint *checkpoint, bool *flags, size_t count)
{
    for (size_t i = 0; checkpoint_has(checkpoint, count) && i < count; i++)
        checkpoint->failed = checkpoint->bytes[checkpoint->at + i] > 1;
    if (!checkpoint->failed)
        checkpoint_part(checkpoint, flags, sizeof *flags * count);
}

/* The backend's own part and the world's. Removed bodies are removed already. */
void reference_checkpoint(void *self, World *world, Checkpoint *checkpoint);

#endif
