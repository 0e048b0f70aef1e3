/* SPDX-License-Identifier: MIT */
/* A frozen system as a file of FCLIB, the library of frictional contact problems (FrictionalContactLibrary/fclib,
 * fclib.h: struct fclib_local), for other solvers to read: find u, r, l with
 *
 *     V^T r + R l + s = 0,   u = W r + V l + q,   r in the cone of mu, and u its Coulomb partner.
 *
 * Contacts are triples (normal, two tangents); limits and systems without contacts: bench/problems/fclib_kinds.h;
 * equality rows are the part with R and s. Our solution stands in /solution; the whole mass matrix and Jacobian, six
 * columns a body, in /M and /J, in FCLIB's layout of matrices (compressed columns). */
#ifndef RIGOR_BENCH_FROZEN_FCLIB_DUMP_H
#define RIGOR_BENCH_FROZEN_FCLIB_DUMP_H

#include "bench/frozen/system.h"

/* The file appears whole or not at all. False with a message, also for what FCLIB's problem has no place for: drives
 * with a bound, torsional patches. */
bool fclib_dump(const char *path, const FrozenSystem *frozen, const char *title, Status *status);

#endif
