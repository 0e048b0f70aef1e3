/* SPDX-License-Identifier: MIT */
/* The order of a sweep: its units (joints' blocks, or manifolds), level by level; those of one level share no moving
 * body and may be solved in any order, or at once. Units of one kind stand side by side, four of them or few fewer;
 * others are left over, to be solved one by one. Whoever sweeps does not know who filled it:
 *
 *     plain    one after the other, as created
 *     list     as full lanes as they get, in the order of the list: units that share a moving body stand in levels one
 *              after the other, as they stand in the list. Whatever a unit reads was written in an earlier level, as it
 *              was earlier in the list, so a sweep has the bits of a sweep through the list
 *     levels   the same in half the time, in some more quads: that pays where each is swept but once or twice
 *     colours  colour by colour, which a team may share. Greedy, in order of creation: a unit takes the smallest colour
 *              that none of its moving bodies has yet; fixed bodies, which no row writes, have none */
#ifndef RIGOR_SOLVERS_ORDER_SCHEDULE_H
#define RIGOR_SOLVERS_ORDER_SCHEDULE_H

#include "model/array.h"
#include "model/contact.h"
#include "model/team.h"

#include <stdint.h>

/* The units of a quad, at most, and at least where it may have room: it takes about the time of two, one by one. */
enum { QUAD = 4, QUAD_LEAST = 3 };

/* Colours are bits of a word a body. A unit that finds none free joins the last one, whose units may share bodies: it
 * is gone through in order, by one thread. */
enum { COLOUR_MAX = 64 };

/* The kind of a unit: those of one kind, which is not 0, may stand side by side. */
enum { UNIT_KINDS = MANIFOLD_MAX + 1 };

/* Up to four of the kind `count`: joints' blocks of so many rows, or manifolds of so many points. */
typedef struct ScheduleUnits {
    int body[2][QUAD];
    bool has_fixed; /* a body of theirs is not written: it is fixed, or its lane is none of theirs */
    int unit[QUAD];
    int lanes; /* units; lanes beyond repeat the first of them */
    int count;
    int first; /* the sum of `count` of all quads before */
} ScheduleUnits;

/* Units that will be solved at once, if they are enough. */
typedef struct ScheduleSlot {
    int unit[QUAD], count, kind;
    int level; /* the colour; of a list: after all slots whose bodies are theirs, too, and that come before */
} ScheduleSlot;

/* How a unit of a list stands to the others. */
typedef struct UnitPlan {
    int next[2]; /* the next that has a moving body of its; -1: none */
    int waits;   /* for so many before it */
    int height;  /* how many wait for it, one for the other, at most */
    int link;    /* another that is ready and as high */
} UnitPlan;

/* What units are: joints' blocks, or manifolds, by number. */
typedef enum ScheduleOf { SCHEDULE_JOINTS, SCHEDULE_MANIFOLDS } ScheduleOf;

/* The units of all levels, either in quads or left over. A fresh one is all zero. */
typedef struct Schedule {
    int count;               /* levels */
    int serial;              /* the level whose units may share bodies; none: not below `count` */
    int *start, *rest_start; /* quads[start[c]] .. have level c, likewise rest */
    int quad_count, slot_count;
    ScheduleUnits *quads;
    ScheduleSlot *slots;
    int *rest;            /* in order of creation inside a level */
    unsigned char *kinds; /* by unit */
    int capacity, body_capacity;
    uint64_t *taken; /* by body: bits of its colours; scratch, as what follows */
    int *after;      /* by body: its last unit, or the level after it */
    UnitPlan *plans; /* by unit */
    int *heads;      /* of lists of units */
} Schedule;

/* Room for so many units (they may become more: for twice as many) and bodies; false when out of memory. Nothing else
 * allocates. */
bool schedule_reserve(Schedule *colours, int units, int bodies);
void schedule_free(Schedule *colours);

/* Fills it. But for the plain one units have their kinds already; a quad has `least` of them at least, others are left
 * over. The list is of manifolds. */
void schedule_plain(Schedule *to, int units);
void schedule_by_colour(Schedule *to, const World *world, ScheduleOf of, int least);
void schedule_by_levels(Schedule *to, const World *world, ScheduleOf of, int least);
void schedule_by_list(Schedule *to, const World *world, int least);

/* All blocks, level by level, those of a manifold together. */
void schedule_list_blocks(const Schedule *joints, const Schedule *manifolds, const World *world, int *order);

/* Where the team is: quads from `first` on, or units of those that are left over. */
typedef struct ScheduleSpan {
    int first;
    const int *units;
} ScheduleSpan;

/* A level's quads, then what is left over of it, level by level: `four` and `one` are given [from, to) of `span`, which
 * `context` can reach, and what they return is added up. A team shares a level in parts of `least` units or more. */
typedef struct ScheduleWork {
    TeamWork *four, *one;
} ScheduleWork;

long schedule_run(const Schedule *schedule, Team *team, int least, ScheduleWork work, ScheduleSpan *span,
                  void *context);

/* What schedule_by_list does first (solvers/order/list.c): slots as full as they get, in the order in which they
 * are to be solved. */
void schedule_slots_by_list(Schedule *to, const World *world);

/* Room for as many elements; what was there is gone. */
#define SCHEDULE_LANES(array, capacity, needed)                                                                        \
    lines_reserve_anew((void **)&(array), &(capacity), sizeof *(array), (size_t)(needed))

/* Another slot, without units. */
static inline ScheduleSlot *slot_open(Schedule *colours, int kind)
{
    ScheduleSlot *slot = &colours->slots[colours->slot_count++];
    slot->kind = kind;
    slot->count = 0;
    return slot;
}

static inline void slot_add(ScheduleSlot *slot, int unit)
{
    slot->unit[slot->count++] = unit;
}

#endif
