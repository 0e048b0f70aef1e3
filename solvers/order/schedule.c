#include "solvers/order/schedule.h"

#include "model/cache.h"

#include <stdlib.h>
#include <string.h>

bool schedule_room_for(void **array, int needed, size_t size)
{
    size_t bytes = ((size_t)needed * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    free(*array);
    *array = aligned_alloc(CACHE_LINE, bytes);
    return *array != NULL;
}

/* There may be as many levels as units. */
static bool units_reserve(Schedule *colours, int units)
{
    int starts = units + COLOUR_MAX + 2;
    if (!schedule_room_for((void **)&colours->quads, units / 2 + 1, sizeof *colours->quads) ||
        !schedule_room_for((void **)&colours->slots, units + 1, sizeof *colours->slots) ||
        !schedule_room_for((void **)&colours->rest, units + 1, sizeof *colours->rest) ||
        !schedule_room_for((void **)&colours->kinds, units + 1, sizeof *colours->kinds) ||
        !schedule_room_for((void **)&colours->plans, units + 1, sizeof *colours->plans) ||
        !schedule_room_for((void **)&colours->heads, UNIT_KINDS * (units + 1), sizeof *colours->heads) ||
        !schedule_room_for((void **)&colours->start, starts, sizeof *colours->start) ||
        !schedule_room_for((void **)&colours->rest_start, starts, sizeof *colours->rest_start))
        return false;
    colours->capacity = units;
    return true;
}

bool schedule_reserve(Schedule *colours, int units, int bodies)
{
    if ((units > colours->capacity || !colours->quads) && !units_reserve(colours, units))
        return false;
    if (bodies <= colours->body_capacity)
        return true;
    colours->body_capacity = bodies;
    return schedule_room_for((void **)&colours->after, bodies, sizeof *colours->after);
}

void schedule_free(Schedule *colours)
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
static void slots_by_colour(Schedule *to, const Colours *colours, const int *units)
{
    to->slot_count = 0;
    to->count = colours->count;
    while (to->count > 0 && colours->start[to->count - 1] == colours->start[colours->count])
        to->count--; /* most of the colours have no units, and are the last */
    to->serial = colours->serial;
    for (int c = 0; c < to->count; c++) {
        ScheduleSlot *waiting[UNIT_KINDS] = {NULL};
        for (int k = colours->start[c]; k < colours->start[c + 1]; k++) {
            int unit = units ? units[k] : k, kind = c == colours->serial ? 0 : to->kinds[unit];
            ScheduleSlot *slot = waiting[kind];
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
static void slots_set_levels(Schedule *to, const World *world)
{
    to->count = 0;
    memset(to->after, 0, sizeof *to->after * (size_t)world->body_count);
    for (int s = 0; s < to->slot_count; s++) {
        ScheduleSlot *slot = &to->slots[s];
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

static void quad_from_slot(ScheduleUnits *quad, const ScheduleSlot *slot)
{
    *quad = (ScheduleUnits){.count = slot->kind, .lanes = slot->count, .has_fixed = slot->count < QUAD};
    for (int i = 0; i < QUAD; i++)
        quad->unit[i] = slot->unit[i < slot->count ? i : 0];
}

/* Slots become quads, level by level; the units of those with fewer than `least` are left over. */
static void quads_from_slots(Schedule *to, int least)
{
    int *start = to->start, *rest = to->rest_start, first = 0;
    memset(start, 0, sizeof *start * (size_t)(to->count + 2));
    memset(rest, 0, sizeof *rest * (size_t)(to->count + 2));
    for (int s = 0; s < to->slot_count; s++) {
        const ScheduleSlot *slot = &to->slots[s];
        bool quad = slot->kind != 0 && slot->count >= least;
        start[slot->level + 2] += quad;
        rest[slot->level + 2] += quad ? 0 : slot->count;
    }
    starts_from_counts(start + 1, to->count);
    starts_from_counts(rest + 1, to->count);
    for (int s = 0; s < to->slot_count; s++) { /* start[c + 1] is where the next of level c goes */
        const ScheduleSlot *slot = &to->slots[s];
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

void schedule_by_colour(Schedule *to, const Colours *colours, const int *units, int least)
{
    slots_by_colour(to, colours, units);
    quads_from_slots(to, least);
}

static void levels_begin(Schedule *to, const World *world)
{
    to->slot_count = to->count = 0;
    memset(to->after, 0, sizeof *to->after * (size_t)world->body_count);
}

/* The next of the list: its level is one after the last of its moving bodies, and it joins the slot of its level that
 * has room. By level and kind, `heads` is that slot, if there is one. */
static void levels_add(Schedule *to, const World *world, int unit, const int body[], int bodies)
{
    enum { NONE = -1 };
    int kind = to->kinds[unit], level = 0;
    for (int k = 0; k < bodies; k++)
        level = to->after[body[k]] > level ? to->after[body[k]] : level;
    int *open = &to->heads[level * UNIT_KINDS];
    for (int k = 0; level == to->count && k < UNIT_KINDS; k++)
        open[k] = NONE;
    to->count = level >= to->count ? level + 1 : to->count;
    if (open[kind] == NONE) {
        open[kind] = to->slot_count;
        slot_open(to, kind)->level = level;
    }
    ScheduleSlot *slot = &to->slots[open[kind]];
    slot_add(slot, unit);
    if (slot->count == QUAD || kind == 0)
        open[kind] = NONE;
    for (int k = 0; k < bodies; k++)
        if (!world_is_fixed(world, body[k]))
            to->after[body[k]] = level + 1;
}

static void levels_end(Schedule *to, int least)
{
    to->serial = to->count;
    quads_from_slots(to, least);
}

void schedule_by_levels(Schedule *to, const World *world, int least)
{
    levels_begin(to, world);
    for (int m = 0; m < world->manifold_count; m++)
        levels_add(to, world, m, world->manifolds[m].body, 2);
    levels_end(to, least);
}

void schedule_joints_by_levels(Schedule *to, const World *world, int least)
{
    levels_begin(to, world);
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        levels_add(to, world, b, block->body, block->kind == BLOCK_VOLUME ? 4 : 2);
    }
    levels_end(to, least);
}

void schedule_by_list(Schedule *to, const World *world, int least)
{
    schedule_slots_by_list(to, world);
    slots_set_levels(to, world);
    quads_from_slots(to, least);
}

void schedule_plain(Schedule *to, int units)
{
    to->quad_count = to->serial = 0;
    to->count = 1;
    to->start[0] = to->start[1] = to->rest_start[0] = 0;
    to->rest_start[1] = units;
    for (int u = 0; u < units; u++)
        to->rest[u] = u;
}

long schedule_run(const Schedule *schedule, Team *team, int least, ScheduleWork work, ScheduleSpan *span, void *context)
{
    long sum = 0;
    for (int c = 0; c < schedule->count; c++) {
        int quads = schedule->start[c + 1] - schedule->start[c];
        int left = schedule->rest_start[c + 1] - schedule->rest_start[c];
        span->first = schedule->start[c];
        span->units = schedule->rest + schedule->rest_start[c];
        sum += team_share(team, quads, least, work.four, context);
        sum += team_share(c == schedule->serial ? NULL : team, left, least, work.one, context);
    }
    return sum;
}
