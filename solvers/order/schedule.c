/* SPDX-License-Identifier: MIT */
#include "solvers/order/schedule.h"

#include <string.h>

/* Anew: what was there is gone. */
static bool room_for(void **array, int needed, size_t size)
{
    size_t nothing = 0;
    return lines_reserve_anew(array, &nothing, size, (size_t)needed);
}

/* There may be as many levels as units. */
static bool units_reserve(Schedule *colours, int units)
{
    int starts = units + COLOUR_MAX + 2;
    if (!room_for((void **)&colours->quads, units / 2 + 1, sizeof *colours->quads) ||
        !room_for((void **)&colours->slots, units + 1, sizeof *colours->slots) ||
        !room_for((void **)&colours->rest, units + 1, sizeof *colours->rest) ||
        !room_for((void **)&colours->kinds, units + 1, sizeof *colours->kinds) ||
        !room_for((void **)&colours->plans, units + 1, sizeof *colours->plans) ||
        !room_for((void **)&colours->heads, UNIT_KINDS * (units + 1), sizeof *colours->heads) ||
        !room_for((void **)&colours->start, starts, sizeof *colours->start) ||
        !room_for((void **)&colours->rest_start, starts, sizeof *colours->rest_start))
        return false;
    colours->capacity = units;
    return true;
}

bool schedule_reserve(Schedule *colours, int units, int bodies)
{
    if ((units > colours->capacity || !colours->quads) && !units_reserve(colours, 2 * units))
        return false;
    if (bodies <= colours->body_capacity)
        return true;
    colours->body_capacity = bodies;
    return room_for((void **)&colours->taken, bodies, sizeof *colours->taken) &&
           room_for((void **)&colours->after, bodies, sizeof *colours->after);
}

void schedule_free(Schedule *colours)
{
    lines_free(colours->quads);
    lines_free(colours->slots);
    lines_free(colours->rest);
    lines_free(colours->kinds);
    lines_free(colours->plans);
    lines_free(colours->heads);
    lines_free(colours->start);
    lines_free(colours->rest_start);
    lines_free(colours->taken);
    lines_free(colours->after);
}

/* The level after the last of all these bodies; and that the moving ones of them go on after it. */
static int level_after(const Schedule *to, const int body[], int bodies)
{
    int level = 0;
    for (int k = 0; k < bodies; k++)
        level = to->after[body[k]] > level ? to->after[body[k]] : level;
    return level;
}

static void level_set_after(Schedule *to, const World *world, const int body[], int bodies, int next)
{
    for (int k = 0; k < bodies; k++)
        if (!world_is_fixed(world, body[k]))
            to->after[body[k]] = next;
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
            int level = level_after(to, world->manifolds[slot->unit[i]].body, 2);
            slot->level = level > slot->level ? level : slot->level;
        }
        for (int i = 0; i < slot->count; i++)
            level_set_after(to, world, world->manifolds[slot->unit[i]].body, 2, slot->level + 1);
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

static const int *unit_bodies(const World *world, ScheduleOf of, int unit, int *bodies)
{
    bool is_volume = of == SCHEDULE_JOINTS && world->blocks[unit].kind == BLOCK_VOLUME;
    *bodies = is_volume ? 4 : 2;
    return of == SCHEDULE_JOINTS ? world->blocks[unit].body : world->manifolds[unit].body;
}

/* The smallest colour that is free at all these bodies, or the last; it is taken then. */
static int colour_take(Schedule *to, const World *world, const int body[], int bodies)
{
    uint64_t used = 0;
    for (int k = 0; k < bodies; k++)
        used |= to->taken[body[k]];
    int colour = ~used != 0 ? __builtin_ctzll(~used) : COLOUR_MAX - 1;
    for (int k = 0; k < bodies; k++)
        if (!world_is_fixed(world, body[k]))
            to->taken[body[k]] |= UINT64_C(1) << colour;
    return colour;
}

/* A unit joins the slot of its level and kind that has room: by both, `heads` is that slot, if there is one. Before a
 * level begins all those below it have. */
static void slot_join(Schedule *to, int unit, int level, int kind)
{
    enum { NONE = -1 };
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
}

void schedule_by_colour(Schedule *to, const World *world, ScheduleOf of, int least)
{
    int units = of == SCHEDULE_JOINTS ? world->joint_block_count : world->manifold_count, bodies;
    to->slot_count = to->count = 0;
    to->serial = COLOUR_MAX - 1;
    memset(to->taken, 0, sizeof *to->taken * (size_t)world->body_count);
    for (int u = 0; u < units; u++) {
        const int *body = unit_bodies(world, of, u, &bodies);
        int colour = colour_take(to, world, body, bodies);
        slot_join(to, u, colour, colour == to->serial ? 0 : to->kinds[u]);
    }
    quads_from_slots(to, least);
}

void schedule_by_levels(Schedule *to, const World *world, ScheduleOf of, int least)
{
    int units = of == SCHEDULE_JOINTS ? world->joint_block_count : world->manifold_count, bodies;
    to->slot_count = to->count = 0;
    memset(to->after, 0, sizeof *to->after * (size_t)world->body_count);
    for (int u = 0; u < units; u++) {
        const int *body = unit_bodies(world, of, u, &bodies);
        int level = level_after(to, body, bodies);
        level_set_after(to, world, body, bodies, level + 1);
        slot_join(to, u, level, to->kinds[u]);
    }
    to->serial = to->count;
    quads_from_slots(to, least);
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

static int *list_unit(const World *world, ScheduleOf of, int unit, int *order)
{
    if (of == SCHEDULE_JOINTS) {
        *order++ = unit;
        return order;
    }
    const ManifoldBlocks *manifold = &world->manifolds[unit];
    for (int i = 0; i < manifold->count; i++) {
        *order++ = manifold_contact(manifold, i);
        *order++ = manifold_friction(manifold, i);
    }
    if (manifold->torsion >= 0)
        *order++ = manifold->torsion;
    return order;
}

static int *list_units(const Schedule *from, const World *world, ScheduleOf of, int *order)
{
    for (int c = 0; c < from->count; c++) {
        for (int q = from->start[c]; q < from->start[c + 1]; q++)
            for (int i = 0; i < from->quads[q].lanes; i++)
                order = list_unit(world, of, from->quads[q].unit[i], order);
        for (int k = from->rest_start[c]; k < from->rest_start[c + 1]; k++)
            order = list_unit(world, of, from->rest[k], order);
    }
    return order;
}

void schedule_list_blocks(const Schedule *joints, const Schedule *manifolds, const World *world, int *order)
{
    order = list_units(joints, world, SCHEDULE_JOINTS, order);
    list_units(manifolds, world, SCHEDULE_MANIFOLDS, order);
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
