/* Colouring: an order of the blocks in which no two neighbours of one colour share a moving body. Rows of one colour
 * do not see each other, so they may be solved in any order, or at once, with the same result. */
#ifndef RIGOR_SOLVERS_ROWS_COLOUR_H
#define RIGOR_SOLVERS_ROWS_COLOUR_H

#include "model/world.h"

/* Fills order[0 .. block_count) colour by colour, in order of creation inside a colour. False when out of memory. */
bool colour_order(const World *world, int *order);

#endif
