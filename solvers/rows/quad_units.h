/* Units that share no moving body (solvers/rows/colour.h) side by side, four of a kind.
 *
 * Manifolds of a list keep its order: units that share a moving body stand in quads one after the other, as they stand
 * in the list. Whatever a unit reads was written in an earlier quad, as it was earlier in the list, so a sweep through
 * the quads has the bits of a sweep through the list. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_UNITS_H
#define RIGOR_SOLVERS_ROWS_QUAD_UNITS_H

#include "model/contact.h"
#include "solvers/rows/colour.h"

/* The units of a quad, at most, and at least where it may have room: it takes about the time of two, one by one. */
enum { QUAD = 4, QUAD_LEAST = 3 };

/* The kind of a unit: those of one kind, which is not 0, may stand side by side. */
enum { UNIT_KINDS = MANIFOLD_MAX + 1 };

/* Up to four of the kind `count`: joints' blocks of so many rows, or manifolds of so many points. */
typedef struct QuadUnits {
    int body[2][QUAD];
    bool has_fixed; /* a body of theirs is not written: it is fixed, or its lane is none of theirs */
    int unit[QUAD]; /* joints: their blocks; manifolds: places in the order of the rows */
    int lanes;      /* units; lanes beyond repeat the first of them */
    int count;
    int first; /* the sum of `count` of all quads before */
} QuadUnits;

/* Units that will be solved at once, if they are enough. */
typedef struct QuadSlot {
    int unit[QUAD], count, kind;
    int level; /* the colour; of a list: after all slots whose bodies are theirs, too, and that come before */
} QuadSlot;

/* How a unit of a list stands to the others. */
typedef struct UnitPlan {
    int next[2]; /* the next that has a moving body of its; -1: none */
    int waits;   /* for so many before it */
    int height;  /* how many wait for it, one for the other, at most */
    int link;    /* another that is ready and as high */
} UnitPlan;

/* The units of all levels, either in quads or left over. A fresh one is all zero. */
typedef struct QuadColours {
    int count, serial;       /* as in Colours */
    int *start, *rest_start; /* quads[start[c]] .. have level c, likewise rest */
    int quad_count, slot_count;
    QuadUnits *quads;
    QuadSlot *slots;
    int *rest;            /* joints: blocks; manifolds: in the order of the rows */
    unsigned char *kinds; /* by unit */
    int capacity, body_capacity;
    int *after;      /* by body: its last unit, or the level after it; scratch, as what follows */
    UnitPlan *plans; /* by unit */
    int *heads;      /* of lists of units */
} QuadColours;

/* Room for so many units and bodies; false when out of memory. Nothing else allocates. */
bool quad_colours_reserve(QuadColours *colours, int units, int bodies);
void quad_colours_free(QuadColours *colours);

/* Lines up units whose kinds are set: those of each colour (`units` has them, NULL: they are numbered so), or the
 * manifolds of a list. A quad has `least` of them at least; others are left over. By levels they are lined up in half
 * the time, in some more quads: that pays where each is swept but once or twice. */
void quad_colours_group(QuadColours *to, const Colours *colours, const int *units, int least);
void quad_colours_list(QuadColours *to, const World *world, int least);
void quad_colours_levels(QuadColours *to, const World *world, int least);
void quad_colours_joint_levels(QuadColours *to, const World *world, int least); /* of the joints' blocks */

/* What quad_colours_list does first (solvers/rows/quad_list.c): slots as full as they get, in the order in which they
 * are to be solved. */
void quad_slots_by_list(QuadColours *to, const World *world);

/* Room for `needed` elements, aligned to cache lines; what was there is gone. */
bool quad_room_for(void **array, int needed, size_t size);

/* Another slot, without units. */
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

#endif
