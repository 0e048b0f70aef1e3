/* Contact points on their way from blocks to packed rows, four at once: a lane each, whatever manifolds they are of.
 * Each lane has the bits that the point would have alone. */
#ifndef RIGOR_SOLVERS_ROWS_CONTACT_POINTS_H
#define RIGOR_SOLVERS_ROWS_CONTACT_POINTS_H

#include "model/block_contact.h"
#include "solvers/rows/rows.h"

/* A point that is to become a packed row. */
typedef struct PointPlace {
    int block;                 /* of its normal; the friction's comes after it */
    int at;                    /* its packed row */
    const ContactFrame *frame; /* where the setup has its levers */
    bool placed;               /* the frame is the point's own; else it holds the manifold's directions alone */
} PointPlace;

/* Fills the packed rows of these points, with b^2 in `multipliers`, and their blocks unless the setup has no use for
 * them. Returns the active rows. */
int contact_points_prepare(RowSystem *system, const World *world, const RowSetup *setup, const PointPlace *places,
                           int count);

/* The bias of a normal row, J V + bias >= 0, of the gap C and the bounce, as rows of this softness have it. */
double contact_normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft);

/* Where b^2 of a packed row's three is while rows are prepared. */
static inline double *contact_b2(const RowSystem *system, int at)
{
    return &system->multipliers[BLOCK_MAX_ROWS * (system->joint_count + at)];
}

#endif
