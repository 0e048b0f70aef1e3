/* Which units stand side by side. */
#include "solvers/rows/quad_units.h"

#include "model/cache.h"

#include <stdlib.h>
#include <string.h>

bool quad_room_for(void **array, int needed, size_t size)
{
    size_t bytes = ((size_t)needed * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    free(*array);
    *array = aligned_alloc(CACHE_LINE, bytes);
    return *array != NULL;
}

/* There may be as many levels as units. */
static bool units_reserve(QuadColours *colours, int units)
{
    int starts = units + COLOUR_MAX + 2;
    if (!quad_room_for((void **)&colours->quads, units / QUAD_LEAST + 1, sizeof *colours->quads) ||
        !quad_room_for((void **)&colours->slots, units + 1, sizeof *colours->slots) ||
        !quad_room_for((void **)&colours->rest, units + 1, sizeof *colours->rest) ||
        !quad_room_for((void **)&colours->kinds, units + 1, sizeof *colours->kinds) ||
        !quad_room_for((void **)&colours->plans, units + 1, sizeof *colours->plans) ||
        !quad_room_for((void **)&colours->heads, UNIT_KINDS * (units + 1), sizeof *colours->heads) ||
        !quad_room_for((void **)&colours->start, starts, sizeof *colours->start) ||
        !quad_room_for((void **)&colours->rest_start, starts, sizeof *colours->rest_start))
        return false;
    colours->capacity = units;
    return true;
}

bool quad_colours_reserve(QuadColours *colours, int units, int bodies)
{
    if ((units > colours->capacity || !colours->quads) && !units_reserve(colours, units))
        return false;
    if (bodies <= colours->body_capacity)
        return true;
    colours->body_capacity = bodies;
    return quad_room_for((void **)&colours->after, bodies, sizeof *colours->after);
}

void quad_colours_free(QuadColours *colours)
{
    free(colours->quads);
    free(colours->slots);
    free(colours->rest);
    free(colours->kinds);
    free(colours->plans);
    free(colours->heads);
    free(colours->start);
    free(colours->rest_start);
    free(colours->after);
}

/* A colour's units share no body: each joins the first slot that has room. */
static void slots_by_colour(QuadColours *to, const Colours *colours, const int *units)
{
    to->slot_count = 0;
    to->count = colours->count;
    while (to->count > 0 && colours->start[to->count - 1] == colours->start[colours->count])
        to->count--; /* most of the colours have no units, and are the last */
    to->serial = colours->serial;
    for (int c = 0; c < to->count; c++) {
        QuadSlot *waiting[UNIT_KINDS] = {NULL};
        for (int k = colours->start[c]; k < colours->start[c + 1]; k++) {
            int unit = units ? units[k] : k, kind = c == colours->serial ? 0 : to->kinds[unit];
            QuadSlot *slot = waiting[kind];
            if (!slot || slot->count == QUAD || kind == 0) {
                slot = waiting[kind] = slot_open(to, kind);
                slot->level = c;
            }
            slot_add(slot, unit);
        }
    }
}

/* The larger of both bodies' numbers. */
static int after_both(const int *after, const int body[2])
{
    return after[body[0]] > after[body[1]] ? after[body[0]] : after[body[1]];
}

static void set_after(int *after, const World *world, const int body[2], int next)
{
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            after[body[k]] = next;
}

/* A slot's level is one after the last of its bodies: slots of one level share none. */
static void slots_set_levels(QuadColours *to, const World *world)
{
    to->count = 0;
    memset(to->after, 0, sizeof *to->after * (size_t)world->body_count);
    for (int s = 0; s < to->slot_count; s++) {
        QuadSlot *slot = &to->slots[s];
        slot->level = 0;
        for (int i = 0; i < slot->count; i++) {
            int level = after_both(to->after, world->manifolds[slot->unit[i]].body);
            slot->level = level > slot->level ? level : slot->level;
        }
        for (int i = 0; i < slot->count; i++)
            set_after(to->after, world, world->manifolds[slot->unit[i]].body, slot->level + 1);
        to->count = slot->level >= to->count ? slot->level + 1 : to->count;
    }
    to->serial = to->count;
}

/* Where each begins that so many come before: counts[i] is that of i - 1. */
static void starts_from_counts(int *counts, int count)
{
    counts[0] = 0;
    for (int i = 0; i < count; i++)
        counts[i + 1] += counts[i];
}

static void quad_from_slot(QuadUnits *quad, const QuadSlot *slot)
{
    *quad = (QuadUnits){.count = slot->kind, .lanes = slot->count, .has_fixed = slot->count < QUAD};
    for (int i = 0; i < QUAD; i++)
        quad->unit[i] = slot->unit[i < slot->count ? i : 0];
}

/* Slots become quads, level by level; the units of those with fewer than `least` are left over. */
static void quads_from_slots(QuadColours *to, int least)
{
    int *start = to->start, *rest = to->rest_start, first = 0;
    memset(start, 0, sizeof *start * (size_t)(to->count + 2));
    memset(rest, 0, sizeof *rest * (size_t)(to->count + 2));
    for (int s = 0; s < to->slot_count; s++) {
        const QuadSlot *slot = &to->slots[s];
        bool quad = slot->kind != 0 && slot->count >= least;
        start[slot->level + 2] += quad;
        rest[slot->level + 2] += quad ? 0 : slot->count;
    }
    starts_from_counts(start + 1, to->count);
    starts_from_counts(rest + 1, to->count);
    for (int s = 0; s < to->slot_count; s++) { /* start[c + 1] is where the next of level c goes */
        const QuadSlot *slot = &to->slots[s];
        if (slot->kind != 0 && slot->count >= least)
            quad_from_slot(&to->quads[start[slot->level + 1]++], slot);
        else
            for (int i = 0; i < slot->count; i++)
                to->rest[rest[slot->level + 1]++] = slot->unit[i];
    }
    to->quad_count = start[to->count];
    for (int q = 0; q < to->quad_count; q++) {
        to->quads[q].first = first;
        first += to->quads[q].count;
    }
}

void quad_colours_group(QuadColours *to, const Colours *colours, const int *units, int least)
{
    slots_by_colour(to, colours, units);
    quads_from_slots(to, least);
}

void quad_colours_list(QuadColours *to, const World *world, int least)
{
    quad_slots_by_list(to, world);
    slots_set_levels(to, world);
    quads_from_slots(to, least);
}
