/* Slots: units that will stand side by side, in the order in which they are solved. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_SLOTS_H
#define RIGOR_SOLVERS_ROWS_QUAD_SLOTS_H

#include "solvers/rows/quad.h"

/* The kind of a unit: those of one kind, which is not 0, may stand side by side. */
enum { UNIT_KINDS = MANIFOLD_MAX + 1 };

static inline QuadSlot *slot_open(QuadColours *colours, int kind)
{
    QuadSlot *slot = &colours->slots[colours->slot_count++];
    slot->kind = kind;
    slot->count = 0;
    return slot;
}

static inline void slot_add(QuadSlot *slot, int unit)
{
    slot->unit[slot->count++] = unit;
}

/* The manifolds of a list, whose kinds are set. */
void quad_slots_by_list(RowQuads *quads, const World *world);

#endif
