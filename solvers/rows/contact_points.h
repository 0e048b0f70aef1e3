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

/* What follows once the lanes of points are computed, those of the first `count` lanes, which are packed at `at`: what
 * of a row is no number of a lane, and b^2. With `rows` the packed rows are filled, too, and the blocks as above.
 * Returns the active rows. */
int contact_points_finish(RowSystem *system, const PointSetup *setup, const FourPoints *points, const int at[FOUR],
                          int count, bool rows);

/* The bias of a normal row, J V + bias >= 0, of the gap C and the bounce, as rows of this softness have it. */
double contact_normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft);

/* Where b^2 of a packed row's three is while rows are prepared. */
static inline double *contact_b2(const RowSystem *system, int at)
{
    return &system->multipliers[BLOCK_MAX_ROWS * (system->joint_count + at)];
}

#endif
