#include "solvers/rows/quad.h"

#include "model/cache.h"
#include "solvers/rows/quad_lanes.h"

#include <stddef.h>
#include <stdlib.h>

/* Numbers of a row that lanes hold. */
enum {
    JOINT_NUMBERS = BLOCK_MAX_ROWS + 2, /* and JOINT_ROW_WIDTH for each row */
    POINT_NUMBERS = sizeof(PointLanes) / sizeof(Double4)
};

_Static_assert(sizeof(JointLanes) == QUAD * (sizeof(JointRow) - offsetof(JointRow, Tbias)), "lanes are JointRow's");
_Static_assert(sizeof(PointLanes) == QUAD * (sizeof(ContactRow) - offsetof(ContactRow, bias)),
               "lanes are ContactRow's");

/* Room for `needed` elements, aligned to cache lines; what was there is gone. */
static bool room_for(void **array, int needed, size_t size)
{
    size_t bytes = ((size_t)needed * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    free(*array);
    *array = aligned_alloc(CACHE_LINE, bytes);
    return *array != NULL;
}

bool quad_colours_reserve(QuadColours *colours, int units)
{
    int starts = units + COLOUR_MAX + 1;
    if (!room_for((void **)&colours->quads, units / QUAD + 1, sizeof *colours->quads) ||
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
        (!quad_colours_reserve(&quads->joints, joints) ||
         !room_for((void **)&quads->joint_lanes, joints / QUAD + 1, sizeof *quads->joint_lanes)))
        return false;
    if ((manifolds > quads->manifolds.capacity || !quads->inverses) &&
        (!quad_colours_reserve(&quads->manifolds, 2 * manifolds) ||
         !room_for((void **)&quads->inverses, manifolds / 2 + 1, sizeof *quads->inverses)))
        return false;
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return room_for((void **)&quads->points, 2 * points / QUAD + 1, sizeof *quads->points);
}

void quad_colours_free(QuadColours *colours)
{
    free(colours->quads);
    free(colours->rest);
    free(colours->kinds);
    free(colours->start);
    free(colours->rest_start);
}

void row_quads_free(RowQuads *quads)
{
    quad_colours_free(&quads->joints);
    quad_colours_free(&quads->manifolds);
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

/* A joint's is the number of its rows. */
static int joint_kind(const RowSystem *system, int unit)
{
    const JointRow *row = &system->joints[unit];
    return row->kind == ROWS_BILATERAL && !row->is_soft ? row->count : 0;
}

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
        job->quads->joints.kinds[unit] = (unsigned char)joint_kind(job->system, unit);
    return 0;
}

static long kinds_of_manifolds(void *context, int from, int to)
{
    const Filling *job = context;
    for (int unit = from; unit < to; unit++)
        job->quads->manifolds.kinds[unit] = (unsigned char)manifold_kind(job->system, unit);
    return 0;
}

void quad_colours_group(QuadColours *to, const Colours *colours, const int *units)
{
    int quads = 0, rest = 0, first = 0;
    to->count = colours->count;
    to->serial = colours->serial;
    for (int c = 0; c < colours->count; c++) {
        int waiting[UNIT_KINDS][QUAD], count[UNIT_KINDS] = {0};
        to->start[c] = quads;
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
            QuadUnits *quad = &to->quads[quads++];
            *quad = (QuadUnits){.count = kind, .first = first};
            for (int i = 0; i < QUAD; i++)
                quad->at[i] = waiting[kind][i];
            first += kind;
            count[kind] = 0;
        }
        for (int kind = 1; kind < UNIT_KINDS; kind++)
            for (int i = 0; i < count[kind]; i++)
                to->rest[rest++] = waiting[kind][i];
    }
    to->start[to->count] = to->quad_count = quads;
    to->rest_start[to->count] = rest;
}

/* `count` numbers at each p, four at least, become lanes. */
static ALWAYS_INLINE void lanes_fill(const double *const p[QUAD], int count, Double4 *lanes)
{
    for (int c = 0; c < count; c += QUAD) {
        int at = c < count - QUAD ? c : count - QUAD;
        Double4 x[QUAD];
        for (int i = 0; i < QUAD; i++)
            x[i] = LOAD4(p[i] + at);
        wide_turn(x);
        for (int i = 0; i < QUAD; i++)
            lanes[at + i] = x[i];
    }
}

static ALWAYS_INLINE void units_set_bodies(QuadUnits *units, int i, const int body[2], const double inv_mass[2])
{
    for (int k = 0; k < 2; k++) {
        units->body[k][i] = body[k];
        units->has_fixed = units->has_fixed || inv_mass[k] == 0.0;
    }
}

static WIDE_VERSIONS long fill_joints(void *context, int from, int to)
{
    const Filling *job = context;
    for (int q = from; q < to; q++) {
        QuadUnits *units = &job->quads->joints.quads[q];
        const double *p[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const JointRow *row = &job->system->joints[units->at[i]];
            units_set_bodies(units, i, row->body, row->inv_mass);
            p[i] = row->Tbias;
        }
        lanes_fill(p, JOINT_NUMBERS + JOINT_ROW_WIDTH * units->count, (Double4 *)&job->quads->joint_lanes[q]);
    }
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
    quad_colours_group(&job->quads->manifolds, colours, units);
    team_share(team, job->quads->manifolds.quad_count, FILL_LEAST, fill_manifolds, job);
}

void row_quads_fill(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Filling job = {quads, system};
    team_share(team, units_count(&colouring->joints), KINDS_LEAST, kinds_of_joints, &job);
    quad_colours_group(&quads->joints, &colouring->joints, colouring->joints.units);
    team_share(team, quads->joints.quad_count, FILL_LEAST, fill_joints, &job);
    manifolds_fill(&job, &colouring->manifolds, NULL, team);
}

void row_quads_fill_levels(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Filling job = {quads, system};
    manifolds_fill(&job, &colouring->manifolds, colouring->manifolds.units, team);
}
