/* SPDX-License-Identifier: MIT */
/* The contact kinds of building blocks: what block.c calls for them. */
#ifndef RIGOR_MODEL_CONTACT_BLOCK_CONTACT_H
#define RIGOR_MODEL_CONTACT_BLOCK_CONTACT_H

#include "model/block.h"

/* Core points closer than this part of the length scale have no direction between them: the normal of detection
 * stays. */
#define CORES_MEET 1e-12

/* The axis of a cylinder that rolls on its side, in the body's internal frame; zero: the body does not. */
Vec3 contact_axis(const World *world, const Block *block, int side);

/* Where the surface is over the contact's core point on one side, of a body turned so, seen along a unit direction. */
Vec3 contact_round(const World *world, const Block *block, int side, Quat turn, Vec3 direction);

void contact_error(const World *world, const Block *block, BlockError *error);
void friction_error(const World *world, const Block *block, BlockError *error);
void torsion_error(const World *world, const Block *block, BlockError *error);
void friction_rows(const World *world, const Block *block, Rows *rows);

void contact_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS]);

/* The normal, tangents, surface points and where force acts on each, at the current poses. */
typedef struct ContactFrame {
    Vec3 n, t1, t2;
    Vec3 c1, c2; /* core points */
    Vec3 p1, p2; /* surface points: c1 + offset along n, c2 + offset along -n */
    Vec3 at[2];  /* one point but for pinned ones (model/contact/pins.h) */
} ContactFrame;

ContactFrame contact_frame(const World *world, const Block *block);

#endif
