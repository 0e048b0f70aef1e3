#include "solvers/rows/quad_slots.h"

#include "model/cache.h"
#include "solvers/rows/quad_lanes.h"

#include <stddef.h>
#include <stdlib.h>

_Static_assert(sizeof(JointLanes) == QUAD * (sizeof(JointRow) - offsetof(JointRow, Tbias)), "lanes are JointRow's");

/* Room for `needed` elements, aligned to cache lines; what was there is gone. */
static bool room_for(void **array, int needed, size_t size)
{
    size_t bytes = ((size_t)needed * size + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    free(*array);
    *array = aligned_alloc(CACHE_LINE, bytes);
    return *array != NULL;
}

/* There may be as many levels as units. */
static bool colours_reserve(QuadColours *colours, int units, int quads)
{
    int starts = units + COLOUR_MAX + 2;
    if (!room_for((void **)&colours->quads, quads, sizeof *colours->quads) ||
        !room_for((void **)&colours->slots, units + 1, sizeof *colours->slots) ||
        !room_for((void **)&colours->rest, units + 1, sizeof *colours->rest) ||
        !room_for((void **)&colours->kinds, units + 1, sizeof *colours->kinds) ||
        !room_for((void **)&colours->start, starts, sizeof *colours->start) ||
        !room_for((void **)&colours->rest_start, starts, sizeof *colours->rest_start))
        return false;
    colours->capacity = units;
    return true;
}

static bool joints_reserve(RowQuads *quads, int joints)
{
    int most = joints / QUAD + 1;
    return (joints <= quads->joints.capacity && quads->joint_lanes) ||
           (colours_reserve(&quads->joints, joints, most) &&
            room_for((void **)&quads->joint_lanes, most, sizeof *quads->joint_lanes));
}

/* Contacts come and go: with room for twice as many. */
static bool manifolds_reserve(RowQuads *quads, int manifolds)
{
    int most = 2 * manifolds / QUAD_LEAST + 1;
    return (manifolds <= quads->manifolds.capacity && quads->inverses) ||
           (colours_reserve(&quads->manifolds, 2 * manifolds, most) &&
            room_for((void **)&quads->plans, 2 * manifolds, sizeof *quads->plans) &&
            room_for((void **)&quads->heads, 2 * UNIT_KINDS * manifolds, sizeof *quads->heads) &&
            room_for((void **)&quads->inverses, most, sizeof *quads->inverses));
}

static bool points_reserve(RowQuads *quads, int points)
{
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return room_for((void **)&quads->points, 2 * points / QUAD_LEAST + 1, sizeof *quads->points);
}

bool row_quads_reserve(RowQuads *quads, const World *world, bool joints)
{
    int points = (world->block_count - world->joint_block_count) / 2; /* of two blocks each */
    if (world->body_count > quads->body_capacity) {
        quads->body_capacity = world->body_count;
        if (!room_for((void **)&quads->after, world->body_count, sizeof *quads->after))
            return false;
    }
    return joints_reserve(quads, joints ? world->joint_block_count : 0) &&
           manifolds_reserve(quads, world->manifold_count) && points_reserve(quads, points);
}

static void colours_free(QuadColours *colours)
{
    free(colours->quads);
    free(colours->slots);
    free(colours->rest);
    free(colours->kinds);
    free(colours->start);
    free(colours->rest_start);
}

void row_quads_free(RowQuads *quads)
{
    colours_free(&quads->joints);
    colours_free(&quads->manifolds);
    free(quads->after);
    free(quads->plans);
    free(quads->heads);
    free(quads->joint_lanes);
    free(quads->points);
    free(quads->inverses);
}

/* Quads that are worth a thread's while. */
enum { FILL_LEAST = 32 };

/* Numbers of a joint that lanes hold, and JOINT_ROW_WIDTH for each row. */
enum { JOINT_NUMBERS = BLOCK_MAX_ROWS + 2 };

typedef struct Filling {
    RowQuads *quads;
    const RowSystem *system;
} Filling;

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

static WIDE_VERSIONS long fill_joints(void *context, int from, int to)
{
    const Filling *job = context;
    for (int q = from; q < to; q++) {
        QuadUnits *units = &job->quads->joints.quads[q];
        const double *p[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const JointRow *row = &job->system->joints[units->unit[i]];
            for (int k = 0; k < 2; k++)
                units->body[k][i] = row->body[k];
            units->has_fixed = units->has_fixed || row->fixed != 0;
            p[i] = row->Tbias;
        }
        lanes_fill(p, JOINT_NUMBERS + JOINT_ROW_WIDTH * units->count, (Double4 *)&job->quads->joint_lanes[q]);
    }
    return 0;
}

void row_quads_fill_joints(RowQuads *quads, const RowSystem *system, const Colouring *colouring, Team *team)
{
    Filling job = {quads, system};
    row_quads_set_joints(quads, system, colouring, team);
    team_share(team, quads->joints.quad_count, FILL_LEAST, fill_joints, &job);
}
