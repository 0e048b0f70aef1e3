/* SPDX-License-Identifier: MIT */
/* Friction of points that rub at one bound: one contact point, or all points of a patch and its spin.
 *     (|f| / f_max)^2 + (m / m_max)^2 <= 1,    f_max = mu N,    m_max = 2/3 R mu N
 * f the sum of the points' |lambda|, m the torque, N the normal impulses (lecture 003, "Contact Patch Friction").
 * Friction stops slip and spin or, where the bound is too low for that, gives all of it against them: by a step of one
 * size for all, torque counting as force at the arm 2/3 R, which is the direction of maximal dissipation. */
#ifndef RIGOR_MODEL_CONTACT_RUBBING_H
#define RIGOR_MODEL_CONTACT_RUBBING_H

#include "model/contact.h"
#include "model/rows/prepared_rows.h"

typedef struct RubbingPart {
    int block;
    bool spin;        /* of torsion: x alone counts below, a torque (N m s) and rad/s */
    double arm;       /* m, of torsion; 1: of friction */
    Mat3 inverse;     /* of A */
    Vec3 given, next; /* N s, lambda before and after */
    Vec3 rate;        /* m/s: J V, the slip */
} RubbingPart;

typedef struct Rubbing {
    int count;
    double limit; /* mu N */
    double share; /* of every change that is made */
    RubbingPart part[MANIFOLD_MAX + 1];
} Rubbing;

/* A friction or torsion block whose rows are p, slipping as V says. */
static inline void rubbing_add(Rubbing *rub, const World *world, int b, const PreparedRows *p, const Velocity *V)
{
    const Block *block = &world->blocks[b];
    RubbingPart *part = &rub->part[rub->count++];
    bool spin = block->kind == BLOCK_TORSION;
    *part = (RubbingPart){b, spin, block_patch_arm(block), p->inverse};
    part->given = vec3(p->lambda[0], p->lambda[1], 0.0);
    part->rate = vec3(row_rate(p->rows.J[0], block, V), spin ? 0.0 : row_rate(p->rows.J[1], block, V), 0.0);
}

/* All that rubs: friction of points that press and, if any does, the patch's torsion; `of`: the rows of each block. The
 * normal of a point that is alone has just pushed by d, which V does not know. */
static inline void rubbing_collect(Rubbing *rub, const World *world, const ManifoldBlocks *points,
                                   const PreparedRows *of, const Velocity *V, double d)
{
    for (int k = 0; k < points->count; k++) {
        int b = manifold_friction(points, k);
        double mu = world->blocks[b].friction, N = of[manifold_contact(points, k)].lambda[0];
        if (!(mu > 0.0 && N > 0.0))
            continue;
        rubbing_add(rub, world, b, &of[b], V);
        rub->limit += mu * N;
        if (d != 0.0) {
            rub->part[0].rate.x += row_coupling(of[b].rows.J[0], of[manifold_contact(points, k)].B[0]) * d;
            rub->part[0].rate.y += row_coupling(of[b].rows.J[1], of[manifold_contact(points, k)].B[0]) * d;
        }
    }
    if (points->torsion >= 0 && rub->count > 0)
        rubbing_add(rub, world, points->torsion, &of[points->torsion], V);
}

/* Aims at what stops all, or else at one step against all; returns its size against mu N. */
static inline double rubbing_aim(Rubbing *rub, bool stop)
{
    double step = 0.0, force = 0.0, torque = 0.0;
    for (int k = 0; k < rub->count; k++) {
        const RubbingPart *part = &rub->part[k];
        double most = part->inverse.m[0][0] + (part->spin ? 0.0 : part->inverse.m[1][1]);
        step = fmax(step, most / (part->arm * part->arm));
    }
    for (int k = 0; k < rub->count; k++) {
        RubbingPart *part = &rub->part[k];
        double slide = step * part->arm * part->arm;
        Vec3 change = stop ? mat3_mul_vec(part->inverse, part->rate) : vec3_scale(slide, part->rate);
        part->next = vec3_add_scaled(part->given, -rub->share, change);
        force += part->spin ? 0.0 : vec3_norm(part->next);
        torque += part->spin ? part->next.x / part->arm : 0.0;
    }
    return hypot(force, torque);
}

/* Fills every part's `next`. */
static inline void rubbing_solve(Rubbing *rub)
{
    double size = rubbing_aim(rub, true);
    if (size > rub->limit)
        size = rubbing_aim(rub, false);
    for (int k = 0; k < rub->count && size > rub->limit; k++)
        rub->part[k].next = vec3_scale(rub->limit / size, rub->part[k].next);
}

#endif
