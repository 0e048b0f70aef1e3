/* SPDX-License-Identifier: MIT */
/* What a sweep does with a law of friction, over lanes: its bound, what it steps with, and the step. A new law is a
 * name in friction.h and its case here. */
#ifndef RIGOR_SOLVERS_CONTACT_LAW_H
#define RIGOR_SOLVERS_CONTACT_LAW_H

#include "model/lanes.h"
#include "solvers/contact/friction.h"
#include "solvers/contact/polygon.h"

/* A determinant below this share of the diagonal's product is round-off: the tangents move as one. */
static const double TANGENTS_DEPENDENT = 1e-12;

/* Whether a sweep stops both tangents of a point at once, if it can. */
static inline bool law_stops_at_once(FrictionModel model)
{
    return model == FRICTION_CONE || model == FRICTION_FACETS;
}

/* Whether the bound follows from the load; else it is known before the sweep. */
static inline bool law_follows_load(FrictionModel model)
{
    return model != FRICTION_BOX;
}

/* Whether the first tangent lies on the slip of free flight. */
static inline bool law_lies_on_slip(FrictionModel model)
{
    return model == FRICTION_FACETS;
}

static inline bool law_is_in_turn(FrictionModel model)
{
    return model == FRICTION_PYRAMID || model == FRICTION_BOX;
}

LANE_INLINE Lanes law_limit(FrictionLaw law, Lanes bound, Lanes load)
{
    if (law_follows_load(law.model))
        bound *= load;
    return bound;
}

/* 1/a; 0 for what moves nothing. */
LANE_INLINE Lanes lanes_inverse_or_zero(Lanes a)
{
    return lanes_choose((LaneMask)(a > 0.0), 1.0 / a, lanes_all(0.0));
}

/* A step for which lambda - step r contracts: below the inverse of the largest eigenvalue of (a b; b c). */
LANE_INLINE Lanes law_slide_step(Lanes a, Lanes b, Lanes c)
{
    Lanes mean = 0.5 * (a + c), half = 0.5 * (a - c);
    return lanes_inverse_or_zero(mean + lanes_sqrt(half * half + b * b));
}

/* (a b; b c)^-1 as 11, 12, 22; where it has no inverse tangents stop by the slide step. */
LANE_INLINE void law_stop(Lanes a, Lanes b, Lanes c, Lanes slide_step, Lanes stop[3])
{
    Lanes determinant = a * c - b * b;
    LaneMask regular = (LaneMask)(determinant > TANGENTS_DEPENDENT * a * c);
    stop[0] = lanes_choose(regular, c / determinant, slide_step);
    stop[1] = lanes_choose(regular, -b / determinant, lanes_all(0.0));
    stop[2] = lanes_choose(regular, a / determinant, slide_step);
}

/* What law_step needs of the tangents' part (a b; b c) of A: `stop` for those that stop at once, 1/a, b, 1/c for those
 * that go in turn. */
LANE_INLINE void law_prepare(FrictionModel model, Lanes a, Lanes b, Lanes c, const Lanes stop[3], Lanes tangent[3])
{
    bool at_once = law_stops_at_once(model), in_turn = law_is_in_turn(model);
    tangent[0] = tangent[1] = tangent[2] = lanes_all(0.0);
    if (at_once) {
        tangent[0] = stop[0];
        tangent[1] = stop[1];
        tangent[2] = stop[2];
    } else if (in_turn) {
        tangent[0] = lanes_inverse_or_zero(a);
        tangent[1] = b;
        tangent[2] = lanes_inverse_or_zero(c);
    }
}

/* Into [-limit, limit], as clamp has it. */
LANE_INLINE Lanes law_clamp(Lanes x, Lanes limit)
{
    x = lanes_choose((LaneMask)(x < -limit), -limit, x);
    return lanes_choose((LaneMask)(x > limit), limit, x);
}

/* The polygon's functions are long and rarely called: the registers of a sweep are not for them. */
static __attribute__((noinline, unused)) bool facets_hold(int facets, double limit, double u, double v)
{
    return polygon_holds(facets, limit, u, v);
}

static __attribute__((noinline, unused)) void facets_project(int facets, double limit, double f[2])
{
    polygon_project(facets, limit, &f[0], &f[1]);
}

LANE_INLINE void law_project_facets(int facets, Lanes limit, Lanes f[2])
{
    double u[LANES], v[LANES];
    for (int i = 0; i < LANES; i++) {
        double one[2] = {lane(f[0], i), lane(f[1], i)};
        facets_project(facets, lane(limit, i), one);
        u[i] = one[0];
        v[i] = one[1];
    }
    f[0] = lanes_load(u);
    f[1] = lanes_load(v);
}

/* Back into the bound: a disc of radius limit, a polygon inscribed in it with a corner at (1, 0), or a square about it.
 */
LANE_INLINE void law_project(FrictionLaw law, Lanes limit, Lanes f[2])
{
    if (law_is_in_turn(law.model)) {
        f[0] = law_clamp(f[0], limit);
        f[1] = law_clamp(f[1], limit);
    } else if (law.model == FRICTION_FACETS) {
        law_project_facets(law.facets, limit, f);
    } else {
        Lanes size2 = f[0] * f[0] + f[1] * f[1];
        LaneMask outside = (LaneMask)(size2 > limit * limit);
        if (!mask_any(outside))
            return;
        Lanes scale = lanes_choose(outside, limit / lanes_sqrt(size2), lanes_all(1.0));
        f[0] *= scale;
        f[1] *= scale;
    }
}

/* The lanes whose tangents would leave the bound. */
LANE_INLINE LaneMask law_leaves(FrictionLaw law, Lanes limit, const Lanes f[2])
{
    LaneMask outside = (LaneMask)(f[0] * f[0] + f[1] * f[1] > limit * limit);
    if (law.model != FRICTION_FACETS)
        return outside;
    double in[LANES];
    for (int i = 0; i < LANES; i++)
        in[i] = facets_hold(law.facets, lane(limit, i), lane(f[0], i), lane(f[1], i));
    return outside | (LaneMask)(lanes_load(in) == 0.0);
}

/* One step of each: lambda_t - step r, and back into the bound. */
LANE_INLINE void law_slide(FrictionLaw law, Lanes step, Lanes limit, const Lanes from[2], const Lanes r[2], Lanes to[2])
{
    to[0] = from[0] - step * r[0];
    to[1] = from[1] - step * r[1];
    law_project(law, limit, to);
}

/* Where a solve leads the tangents, r their residuals: both stopped within the bound where the law does that and they
 * can be; else they slide, whose fixed point is friction exactly against the slip. */
LANE_INLINE void law_step(FrictionLaw law, Lanes slide_step, const Lanes tangent[3], Lanes limit, const Lanes from[2],
                          const Lanes r[2], Lanes to[2])
{
    if (law_is_in_turn(law.model)) {
        to[0] = law_clamp(from[0] - tangent[0] * r[0], limit);
        to[1] = law_clamp(from[1] - tangent[2] * (r[1] + tangent[1] * (to[0] - from[0])), limit);
    } else if (!law_stops_at_once(law.model)) {
        law_slide(law, slide_step, limit, from, r, to);
    } else {
        to[0] = from[0] - (tangent[0] * r[0] + tangent[1] * r[1]);
        to[1] = from[1] - (tangent[1] * r[0] + tangent[2] * r[1]);
        LaneMask slides = law_leaves(law, limit, to);
        if (!mask_any(slides))
            return;
        Lanes slid[2];
        law_slide(law, slide_step, limit, from, r, slid);
        to[0] = lanes_choose(slides, slid[0], to[0]);
        to[1] = lanes_choose(slides, slid[1], to[1]);
    }
}

#endif
