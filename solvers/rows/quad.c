#include "solvers/rows/quad.h"

#include "model/cache.h"
#include "solvers/rows/joint_quads.h"
#include "solvers/rows/quad_lanes.h"

#include <stddef.h>
#include <stdlib.h>

enum { POINT_NUMBERS = sizeof(PointLanes) / sizeof(Double4) }; /* of a row that lanes hold */

_Static_assert(sizeof(PointLanes) == QUAD * (sizeof(ContactRow) - offsetof(ContactRow, bias)),
               "lanes are ContactRow's");

/* Joints of a kind in a colour that make a quad, with empty lanes where they are fewer than four. */
enum { JOINTS_LEAST = 2 };

/* Room for `needed` elements, aligned to cache lines; what was there is gone. */
static bool room_for(void **array, int needed, size_t size)
{
    size_t bytes = ((size_t)needed * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    free(*array);
    *array = aligned_alloc(CACHE_LINE, bytes);
    return *array != NULL;
}

static bool colours_reserve(QuadColours *colours, int units, int least)
{
    int starts = units + COLOUR_MAX + 1;
    if (!room_for((void **)&colours->quads, units / least + 1, sizeof *colours->quads) ||
        !room_for((void **)&colours->rest, units + 1, sizeof *colours->rest) ||
        !room_for((void **)&colours->kinds, units + 1, sizeof *colours->kinds) ||
        !room_for((void **)&colours->start, starts, sizeof *colours->start) ||
        !room_for((void **)&colours->rest_start, starts, sizeof *colours->rest_start))
        return false;
    colours->capacity = units;
    return true;
}

bool row_quads_reserve(RowQuads *quads, int joints, int manifolds, int points)
{
    if ((joints > quads->joints.capacity || !quads->joint_lanes) &&
        (!colours_reserve(&quads->joints, joints, JOINTS_LEAST) ||
         !room_for((void **)&quads->joint_lanes, joints / JOINTS_LEAST + 1, sizeof *quads->joint_lanes)))
        return false;
    if ((manifolds > quads->manifolds.capacity || !quads->inverses) &&
        (!colours_reserve(&quads->manifolds, 2 * manifolds, QUAD) ||
         !room_for((void **)&quads->inverses, manifolds / 2 + 1, sizeof *quads->inverses)))
        return false;
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return room_for((void **)&quads->points, 2 * points / QUAD + 1, sizeof *quads->points);
}

static void colours_free(QuadColours *colours)
{
    free(colours->quads);
    free(colours->rest);
    free(colours->kinds);
    free(colours->start);
    free(colours->rest_start);
}

void row_quads_free(RowQuads *quads)
{
    colours_free(&quads->joints);
    colours_free(&quads->manifolds);
    free(quads->joint_lanes);
    free(quads->points);
    free(quads->inverses);
}

typedef struct Filling {
    RowQuads *quads;
    const RowSystem *system;
} Filling;

/* Units, or quads, that are worth a thread's while. */
enum { KINDS_LEAST = 256, FILL_LEAST = 32 };

/* The kind of a unit: four of one kind, which is not 0, make a quad. */
enum { UNIT_KINDS = MANIFOLD_MAX + 1 };

/* A manifold's is the number of its points. */
static int manifold_kind(const RowSystem *system, int unit)
{
    const ContactRow *row = &system->contacts[system->first_row[unit]];
    int count = system->first_row[unit + 1] - system->first_row[unit];
    bool usual = system->friction == FRICTION_DISC || system->friction == FRICTION_CONE;
    bool apart = row->group > 0 && (row->inverse < 0 || system->friction_first || system->enumerate);
    if (!usual || apart || count > MANIFOLD_MAX)
        return 0;
    for (int i = 0; i < count; i++)
        if (row[i].kind != ROWS_CONTACT || row[i].count == 0 || row[i].slides_with_patch)
            return 0;
    return count;
}

static long kinds_of_joints(void *context, int from, int to)
{
    const Filling *job = context;
    for (int unit = from; unit < to; unit++)
        job->quads->joints.kinds[unit] = (unsigned char)joint_quad_kind(&job->system->joints[unit]);
    return 0;
}

static long kinds_of_manifolds(void *context, int from, int to)
{
    const Filling *job = context;
    for (int unit = from; unit < to; unit++)
        job->quads->manifolds.kinds[unit] = (unsigned char)manifold_kind(job->system, unit);
    return 0;
}

/* A quad of units that wait; where they are fewer than four, its last lanes stay empty. */
static void quad_add(QuadColours *to, const int *waiting, int filled, int kind, int first)
{
    QuadUnits *quad = &to->quads[to->quad_count++];
    *quad = (QuadUnits){.count = kind, .filled = filled, .first = first};
    for (int i = 0; i < filled; i++)
        quad->at[i] = waiting[i];
}

/* Units of a kind that are worth a quad. */
static void colours_group(QuadColours *to, const Colours *colours, const int *units, int least)
{
    int rest = 0, first = 0;
    to->count = colours->count;
    while (to->count > 0 && colours->start[to->count - 1] == colours->start[colours->count])
        to->count--; /* the last ones are mostly empty */
    to->serial = colours->serial;
    to->quad_count = 0;
    for (int c = 0; c < to->count; c++) {
        int waiting[UNIT_KINDS][QUAD], count[UNIT_KINDS] = {0};
        to->start[c] = to->quad_count;
        to->rest_start[c] = rest;
        for (int k = colours->start[c]; k < colours->start[c + 1]; k++) {
            int unit = units ? units[k] : k, kind = c == colours->serial ? 0 : to->kinds[unit];
            if (kind == 0) {
                to->rest[rest++] = unit;
                continue;
            }
            waiting[kind][count[kind]++] = unit;
            if (count[kind] < QUAD)
                continue;
            quad_add(to, waiting[kind], QUAD, kind, first);
            first += kind;
            count[kind] = 0;
        }
        for (int kind = 1; kind < UNIT_KINDS; kind++) {
            if (count[kind] >= least)
                quad_add(to, waiting[kind], count[kind], kind, first);
            for (int i = 0; i < count[kind] && count[kind] < least; i++)
                to->rest[rest++] = waiting[kind][i];
        }
    }
    to->start[to->count] = to->quad_count;
    to->rest_start[to->count] = rest;
}

static long fill_joints(void *context, int from, int to)
{
    const Filling *job = context;
    joint_quads_fill(job->quads, job->system, from, to);
    return 0;
}

static WIDE_VERSIONS long fill_manifolds(void *context, int from, int to)
{
    const Filling *job = context;
    const RowSystem *system = job->system;
    for (int q = from; q < to; q++) {
        QuadUnits *units = &job->quads->manifolds.quads[q];
        const double *p[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const ContactRow *row = &system->contacts[system->first_row[units->at[i]]];
            units->at[i] = system->first_row[units->at[i]];
            units_set_bodies(units, i, row->body, row->inv_mass);
        }
        for (int n = 0; n < units->count; n++) {
            for (int i = 0; i < QUAD; i++)
                p[i] = &system->contacts[units->at[i] + n].bias;
            lanes_fill(p, POINT_NUMBERS, (Double4 *)&job->quads->points[units->first + n]);
        }
        if (system->contacts[units->at[0]].group == 0)
            continue;
        for (int i = 0; i < QUAD; i++)
            p[i] = system->inverses[system->contacts[units->at[i]].inverse][0];
        lanes_fill(p, MANIFOLD_MAX * MANIFOLD_MAX, (Double4 *)&job->quads->inverses[q]);
    }
    return 0;
}

static int units_count(const Colours *colours)
{
    return colours->start[colours->count];
}

static void manifolds_fill(Filling *job, const Colours *colours, const int *units, Team *team)
{
    team_share(team, units_count(colours), KINDS_LEAST, kinds_of_manifolds, job);
    colours_group(&job->quads->manifolds, colours, units, QUAD);
    team_share(team, job->quads->manifolds.quad_count, FILL_LEAST, fill_manifolds, job);
}

void row_quads_fill(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Filling job = {quads, system};
    team_share(team, units_count(&colouring->joints), KINDS_LEAST, kinds_of_joints, &job);
    colours_group(&quads->joints, &colouring->joints, colouring->joints.units, JOINTS_LEAST);
    team_share(team, quads->joints.quad_count, FILL_LEAST, fill_joints, &job);
    manifolds_fill(&job, &colouring->manifolds, NULL, team);
}

void row_quads_fill_levels(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Filling job = {quads, system};
    manifolds_fill(&job, &colouring->manifolds, colouring->manifolds.units, team);
}
