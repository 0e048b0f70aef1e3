/* Which units stand side by side. */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/quad_slots.h"

#include <string.h>

/* Units that are worth a thread's while. */
enum { KINDS_LEAST = 256 };

/* A colour's units share no body: each joins the first slot that has room. */
static void slots_by_colour(QuadColours *to, const Colours *colours, const int *units)
{
    to->slot_count = 0;
    to->count = colours->count;
    to->serial = colours->serial;
    for (int c = 0; c < colours->count; c++) {
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
static void slots_set_levels(RowQuads *quads, const World *world)
{
    QuadColours *to = &quads->manifolds;
    to->count = 0;
    memset(quads->after, 0, sizeof *quads->after * (size_t)world->body_count);
    for (int s = 0; s < to->slot_count; s++) {
        QuadSlot *slot = &to->slots[s];
        slot->level = 0;
        for (int i = 0; i < slot->count; i++) {
            int level = after_both(quads->after, world->manifolds[slot->unit[i]].body);
            slot->level = level > slot->level ? level : slot->level;
        }
        for (int i = 0; i < slot->count; i++)
            set_after(quads->after, world, world->manifolds[slot->unit[i]].body, slot->level + 1);
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

/* A joint's is the number of its rows. */
static int joint_kind(const RowSystem *system, int unit)
{
    const JointRow *row = &system->joints[unit];
    return row->kind == ROWS_BILATERAL && !row->is_soft ? row->count : 0;
}

/* A manifold's is the number of its points. */
static int manifold_kind(const World *world, const RowSetup *setup, int unit)
{
    const ManifoldBlocks *manifold = manifold_at(world, setup, unit);
    bool usual = (setup->friction == FRICTION_DISC || setup->friction == FRICTION_CONE) && !setup->part;
    bool apart = setup->manifold ? setup->friction_first || setup->enumerate : setup->normals_first;
    if (!usual || (apart && manifold->count > 1) || manifold->torsion >= 0)
        return 0;
    for (int i = 0; i < manifold->count; i++) {
        const Block *block = &world->blocks[manifold_contact(manifold, i)];
        if (!(block->friction > 0.0) || block->off)
            return 0;
    }
    return manifold->count;
}

/* What a team shares. */
typedef struct Kinds {
    unsigned char *kinds;
    const RowSystem *system;
    const World *world;
    const RowSetup *setup;
} Kinds;

static long kinds_of_joints(void *context, int from, int to)
{
    const Kinds *job = context;
    for (int unit = from; unit < to; unit++)
        job->kinds[unit] = (unsigned char)joint_kind(job->system, unit);
    return 0;
}

static long kinds_of_manifolds(void *context, int from, int to)
{
    const Kinds *job = context;
    for (int unit = from; unit < to; unit++)
        job->kinds[unit] = (unsigned char)manifold_kind(job->world, job->setup, unit);
    return 0;
}

static void set_manifold_kinds(RowQuads *quads, const World *world, const RowSetup *setup)
{
    Kinds job = {.kinds = quads->manifolds.kinds, .world = world, .setup = setup};
    team_share(world->team, world->manifold_count, KINDS_LEAST, kinds_of_manifolds, &job);
}

void row_quads_set_colours(RowQuads *quads, const Colouring *colouring, const World *world, const RowSetup *setup)
{
    set_manifold_kinds(quads, world, setup);
    slots_by_colour(&quads->manifolds, &colouring->manifolds, NULL);
    quads_from_slots(&quads->manifolds, QUAD_LEAST);
}

bool row_quads_set_list(RowQuads *quads, const World *world, const RowSetup *setup)
{
    set_manifold_kinds(quads, world, setup);
    quad_slots_by_list(quads, world);
    slots_set_levels(quads, world);
    quads_from_slots(&quads->manifolds, QUAD_LEAST);
    int quad_count = quads->manifolds.quad_count, rest = quads->manifolds.rest_start[quads->manifolds.count];
    return 2 * quad_count > rest;
}

void row_quads_set_joints(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Kinds job = {.kinds = quads->joints.kinds, .system = system};
    team_share(team, system->joint_count, KINDS_LEAST, kinds_of_joints, &job);
    slots_by_colour(&quads->joints, &colouring->joints, colouring->joints.units);
    quads_from_slots(&quads->joints, QUAD);
}
