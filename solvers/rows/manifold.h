/* Manifolds as solvers see them: the contact blocks of one pair of bodies, every other block (friction stands between),
 * whose normals may be solved together. Equal points then carry equal loads, whatever their order. */
#ifndef RIGOR_SOLVERS_ROWS_MANIFOLD_H
#define RIGOR_SOLVERS_ROWS_MANIFOLD_H

#include "model/contact.h"

typedef double ManifoldMatrix[MANIFOLD_MAX][MANIFOLD_MAX];

/* How many contact blocks, b, b + 2, ..., belong to the manifold that begins with block b. */
int manifold_count(const World *world, int b);

/* The inverse of the normals' J M^-1 J^T, count x count, which is overwritten. Four points of a face are dependent, so
 * a little is added to the diagonal: of all solutions that gives the one nearest to what the points carry. */
void manifold_invert(int count, ManifoldMatrix A, ManifoldMatrix inverse);

#endif
