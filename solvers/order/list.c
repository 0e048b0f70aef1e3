/* SPDX-License-Identifier: MIT */
/* Manifolds of a list in slots of four, as full as they get. A unit waits for those before it in the list that share a
 * moving body with it: at most two, the last of each body. Of all that wait for nothing those are taken first on which
 * the longest line of others waits (list scheduling by height, Hu 1961). */
#include "solvers/order/schedule.h"

#include <string.h>

enum { NONE = -1 };

/* Who waits for whom. */
static void plans_link(Schedule *to, const World *world)
{
    UnitPlan *plans = to->plans;
    int *last = to->after;
    for (int i = 0; i < world->body_count; i++)
        last[i] = NONE;
    for (int m = 0; m < world->manifold_count; m++) {
        const int *body = world->manifolds[m].body;
        plans[m] = (UnitPlan){.next = {NONE, NONE}};
        for (int k = 0; k < 2; k++) {
            if (world_is_fixed(world, body[k]))
                continue;
            int before = last[body[k]];
            if (before != NONE) {
                plans[before].next[world->manifolds[before].body[0] == body[k] ? 0 : 1] = m;
                plans[m].waits++;
            }
            last[body[k]] = m;
        }
    }
}

/* How many wait in line for a unit, at most; returns the largest of these numbers. */
static int plans_set_heights(UnitPlan *plans, int units)
{
    int largest = 0;
    for (int m = units; m-- > 0;) {
        int height = 0;
        for (int k = 0; k < 2; k++)
            if (plans[m].next[k] != NONE && plans[plans[m].next[k]].height >= height)
                height = plans[plans[m].next[k]].height + 1;
        plans[m].height = height;
        largest = height > largest ? height : largest;
    }
    return largest;
}

/* Units that wait for nothing, by kind and height: linked lists, and the height from which on all are empty. */
typedef struct ReadyUnits {
    UnitPlan *plans;
    const unsigned char *kinds;
    int *heads, heights, count[UNIT_KINDS], top[UNIT_KINDS];
} ReadyUnits;

static int *ready_head(ReadyUnits *ready, int kind, int height)
{
    return &ready->heads[kind * ready->heights + height];
}

static void ready_add(ReadyUnits *ready, int unit)
{
    int kind = ready->kinds[unit], height = ready->plans[unit].height, *head = ready_head(ready, kind, height);
    ready->plans[unit].link = *head;
    *head = unit;
    ready->count[kind]++;
    ready->top[kind] = height >= ready->top[kind] ? height + 1 : ready->top[kind];
}

/* The largest height of a kind of which there are some. */
static int ready_height(ReadyUnits *ready, int kind)
{
    while (*ready_head(ready, kind, ready->top[kind] - 1) == NONE)
        ready->top[kind]--;
    return ready->top[kind] - 1;
}

static int ready_take(ReadyUnits *ready, int kind)
{
    int *head = ready_head(ready, kind, ready_height(ready, kind)), unit = *head;
    *head = ready->plans[unit].link;
    ready->count[kind]--;
    return unit;
}

/* The kind with the highest unit: of those that fill a slot, or else of all. */
static int ready_kind(ReadyUnits *ready)
{
    int best = NONE, height = NONE;
    for (int least = QUAD; best == NONE && least > 0; least -= QUAD - 1)
        for (int kind = 0; kind < UNIT_KINDS; kind++)
            if (ready->count[kind] >= least && ready_height(ready, kind) > height) {
                best = kind;
                height = ready_height(ready, kind);
            }
    return best;
}

/* Those that waited for the slot's units alone are ready. */
static void ready_release(ReadyUnits *ready, const ScheduleSlot *slot)
{
    for (int i = 0; i < slot->count; i++)
        for (int k = 0; k < 2; k++) {
            int next = ready->plans[slot->unit[i]].next[k];
            if (next != NONE && --ready->plans[next].waits == 0)
                ready_add(ready, next);
        }
}

void schedule_slots_by_list(Schedule *to, const World *world)
{
    int units = world->manifold_count;
    plans_link(to, world);
    ReadyUnits ready = {
        .plans = to->plans, .kinds = to->kinds, .heads = to->heads, .heights = plans_set_heights(to->plans, units) + 1};
    memset(ready.heads, NONE, sizeof *ready.heads * (size_t)(UNIT_KINDS * ready.heights));
    for (int m = units; m-- > 0;)
        if (to->plans[m].waits == 0)
            ready_add(&ready, m);
    to->slot_count = 0;
    for (int left = units; left > 0;) {
        int kind = ready_kind(&ready);
        ScheduleSlot *slot = slot_open(to, kind);
        int most = kind == 0 ? 1 : ready.count[kind] < QUAD ? ready.count[kind] : QUAD;
        while (slot->count < most)
            slot_add(slot, ready_take(&ready, kind));
        ready_release(&ready, slot);
        left -= most;
    }
}
