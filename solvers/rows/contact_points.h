/* Contact points as packed rows, which four at once become (solvers/rows/four_points.h). */
#ifndef RIGOR_SOLVERS_ROWS_CONTACT_POINTS_H
#define RIGOR_SOLVERS_ROWS_CONTACT_POINTS_H

#include "solvers/rows/four_points.h"

/* A point that is to become a packed row. */
typedef struct PointPlace {
    int block; /* of its normal; the friction's comes after it */
    int at;    /* its packed row */
} PointPlace;

/* Fills the packed rows of these points, with b^2 in `multipliers`, and their blocks unless the setup has no use for
 * them. Returns the active rows. */
int contact_points_prepare(RowSystem *system, const PointSetup *setup, const PointPlace *places, int count);

/* The bias of a normal row, J V + bias >= 0, of the gap C and the bounce, as rows of this softness have it. */
double contact_normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft);

/* Where b^2 of a packed row's three is while rows are prepared. */
static inline double *contact_b2(const RowSystem *system, int at)
{
    return &system->multipliers[BLOCK_MAX_ROWS * (system->joint_count + at)];
}

/* What of the packed row of lane i is no number of a lane, with its b^2; `rows` of the three are active. Inlined: of
 * quads, which are most, nearly all is known. */
static ALWAYS_INLINE void point_set_names(RowSystem *system, const FourPoints *points, int i, int at, int rows,
                                          bool rubs, bool slides_with_patch)
{
    int b = points->b[i];
    ContactRow *row = &system->contacts[at];
    double *b2 = contact_b2(system, at);
    system->packed[b] = at;
    system->packed[b + 1] = -1;
    for (int k = 0; k < 2; k++)
        row->body[k] = points->body[k][i];
    row->block = b;
    row->count = (short)rows;
    row->kind = rubs ? ROWS_CONTACT : ROWS_BOUNDED;
    row->group = 0;
    row->follows = false;
    row->slides_with_patch = slides_with_patch;
    row->fixed = rows_fixed((const double[]){points->inv_mass[0][i], points->inv_mass[1][i]});
    b2[0] = rows > 0 ? points->b2[0][i] : 0.0;
    b2[1] = rows > 1 ? points->b2[1][i] : 0.0;
    b2[2] = rows > 1 ? points->b2[2][i] : 0.0;
}

/* A point's block, for those who look at J and A; its packed row is filled already. */
void contact_point_unfold(RowSystem *system, int at, const FourPoints *points, int i);

#endif
