/* SPDX-License-Identifier: MIT */
/* Who finds the depth of two overlapping shapes: a contender gives a direction, along which the overlap is then
 * measured by one judge. libccd's stand in a file of their own, which is there where the library is; Bullet's in a
 * program of their own, since it is C++. */
#ifndef RIGOR_REPORTS_GENERATE_DEPTH_CONTEST_H
#define RIGOR_REPORTS_GENERATE_DEPTH_CONTEST_H

#include "model/collision/convex.h"
#include "model/status.h"

/* Everybody is asked so often; the quickest round counts. */
enum { CONTEST_ROUNDS = 3 };

typedef struct ContestPair {
    Convex a, b;
    double depth; /* certified, m */
} ContestPair;

typedef struct DepthAnswer {
    bool found;   /* false: takes them to be apart */
    Vec3 n;       /* unit, from a to b */
    double depth; /* as it says itself, m */
} DepthAnswer;

typedef struct DepthContender {
    const char *name;
    bool (*find)(const Convex *a, const Convex *b, Vec3 *n, double *depth);
} DepthContender;

/* libccd's GJK with EPA, and its MPR; none where it was not there when this was built. */
extern const DepthContender *const ccd_contenders;
extern const int ccd_contender_count;

/* Bullet's ways: EPA, as for any two convex shapes, and the separating axes that it has for boxes. */
enum { BULLET_WAYS = 2 };
extern const char *const BULLET_NAMES[BULLET_WAYS];

/* Whether the program that asks Bullet was built; fills its path in. */
bool bullet_pairs_find(char *path, size_t size);

/* What Bullet says to boxes, in that program's process and by its clock. False with a message. */
bool bullet_answer(const char *path, const ContestPair *pairs, int count, DepthAnswer *answers[BULLET_WAYS],
                   double seconds[BULLET_WAYS], Status *status);

/* The least overlap of two polyhedra over all normals of faces and all products of edges, by brute force: the truth to
 * round-off; negative: they are apart by as much at least. */
double depth_certified(const Convex *a, const Convex *b);

/* Overlap along a direction: n.(support of a along n - support of b along -n). */
double depth_along(const Convex *a, const Convex *b, Vec3 n);

#endif
