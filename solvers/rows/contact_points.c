#include "solvers/rows/contact_points.h"

#include "model/cache.h"
#include "solvers/rows/four_points.h"

#include <stddef.h>
#include <string.h>

double contact_normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft)
{
    return normal_bias(wide_all(C), wide_all(bounce), setup, wide_all(soft_rate(soft, setup)))[0];
}

void contact_point_unfold(RowSystem *system, int at, const FourPoints *points, int i)
{
    ContactRow *row = &system->contacts[at];
    const Block *block = points->block[i];
    RowBlock *rb = &system->blocks[row->block];
    rb->kind = (RowKind)row->kind;
    rb->lambda = row->lambda;
    rb->B = system->B[row->block];
    rb->count = row->count;
    rb->mu = block->friction;
    rb->restitution = block->restitution;
    rb->slides_with_patch = row->slides_with_patch;
    rb->is_soft = false;
    rb->metres = 1.0;
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = row->fixed >> k & 1;
    system->blocks[row->block + 1].count = 0;
    system->blocks[row->block + 1].lambda = NULL;
    if (row->count == 0)
        return;
    memcpy(rb->body, row->body, sizeof row->body);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        const double *p = row->row[r];
        for (int c = 0; c < 3; c++) {
            rb->J[r][c] = p[c];
            rb->J[r][3 + c] = p[3 + c];
            rb->J[r][6 + c] = -p[c];
            rb->J[r][9 + c] = p[6 + c];
            rb->B[r][c] = row->inv_mass[0] * p[c];
            rb->B[r][3 + c] = p[9 + c];
            rb->B[r][6 + c] = row->inv_mass[1] * -p[c];
            rb->B[r][9 + c] = p[12 + c];
        }
        for (int s = 0; s <= r; s++)
            rb->A[r][s] = rb->A[s][r] = points->A[r][s][i];
        rb->bias[r] = r == 0 ? row->bias : 0.0;
        rb->soft[r] = r == 0 ? row->soft : 0.0;
        rb->C[r] = r == 0 ? points->C[i] : 0.0;
        rb->lower[r] = r == 0 ? 0.0 : -INFINITY;
        rb->upper[r] = INFINITY;
        rb->step[r] = rb->A[r][r] > 0.0 ? 1.0 / rb->A[r][r] : 0.0;
    }
    rb->bounce = points->bounce[i];
    rb->slide_step = row->slide_step;
    rb->T[1][1] = points->stop[0][i];
    rb->T[1][2] = rb->T[2][1] = points->stop[1][i];
    rb->T[2][2] = points->stop[2][i];
}

/* Returns the active rows of the point in lane i, packed at `at`. */
static ALWAYS_INLINE int point_finish(RowSystem *system, const RowSetup *setup, const FourPoints *points, int i, int at)
{
    const Block *block = points->block[i];
    bool rubs = block->friction > 0.0, off = block->off || (setup->part && !setup->part[points->b[i]]);
    int rows = off ? 0 : rubs ? BLOCK_MAX_ROWS : 1;
    point_set_names(system, points, i, at, rows, rubs, block->seat->patch_radius > 0.0);
    if (!setup->sweeps_only)
        contact_point_unfold(system, at, points, i);
    return rows;
}

WIDE_VERSIONS int contact_points_prepare(RowSystem *system, const PointSetup *setup, const PointPlace *places,
                                         int count)
{
    int active = 0;
    for (int from = 0; from < count; from += FOUR) {
        int four = count - from < FOUR ? count - from : FOUR, at[FOUR];
        _Alignas(CACHE_LINE) PointLanes lanes;
        FourPoints points;
        points.lanes = &lanes;
        for (int i = 0; i < FOUR; i++) { /* lanes beyond the last point repeat it, and are stored nowhere */
            const PointPlace *place = &places[from + (i < four ? i : four - 1)];
            at[i] = place->at;
            cache_expect(&system->contacts[place->at], sizeof(ContactRow));
            points_take_block(&points, i, setup->world, place->block);
            for (int k = 0; k < 2; k++)
                points.body[k][i] = points.block[i]->body[k];
        }
        points_take_bodies(&points, setup);
        points_take_manifolds(&points, setup->rows);
        points_prepare(&points, setup, false);
        points_store(&lanes, system->contacts, at, four);
        for (int i = 0; i < four; i++)
            active += point_finish(system, setup->rows, &points, i, at[i]);
    }
    return active;
}
