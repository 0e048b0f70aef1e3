/* The normal of one contact point, at position level. */
#ifndef RIGOR_SOLVERS_POSITION_NORMAL_H
#define RIGOR_SOLVERS_POSITION_NORMAL_H

#include "solvers/position/pair_row.h"
#include "solvers/position/place.h"
#include "solvers/position/position.h"

/* lambda + dlambda >= 0, dlambda = -k C / (w1 + w2), C being what is to be corrected. Returns the rows solved. */
TWO_INLINE int normal_solve(World *world, const int body[2], const Pair *pair, const Place *place, double C,
                            double stiffness, Multiplier *multiplier)
{
    double lambda = multiplier->lambda.x;
    if (C >= 0.0 && lambda == 0.0)
        return 0;
    PairRow row = pair_row(pair, place->n, two_from(place->at, pair->pose.x));
    double w = pair_weight(pair, &row);
    if (!(w > 0.0))
        return 0;
    double next = clamp(lambda - stiffness * C / w, 0.0, INFINITY), dlambda = next - lambda;
    pair_push(world, body, pair, &row, 1, &dlambda);
    multiplier->lambda.x = next;
    multiplier->on_body2 = vec3_scale(next, place->n);
    return 1;
}

#endif
