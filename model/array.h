/* Arrays that are zero at first. */
#ifndef RIGOR_MODEL_ARRAY_H
#define RIGOR_MODEL_ARRAY_H

#include <stdlib.h>

/* Points `pointer` at `count` zeroed elements of its type; false when out of memory. Chained with &&: what comes after
 * a failure keeps its value, so the structure starts from zero. */
#define NEW_ARRAY(pointer, count) (((pointer) = calloc((count), sizeof *(pointer))) != NULL)

#endif
