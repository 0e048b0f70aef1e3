/* Arrays that are zero at first. */
#ifndef RIGOR_MODEL_ARRAY_H
#define RIGOR_MODEL_ARRAY_H

#include <stdlib.h>

/* Points `pointer` at `count` zeroed elements of its type; false when out of memory. In a chain of &&
 * the pointers after a failure keep their values, so the structure must be all zero before. */
#define NEW_ARRAY(pointer, count) (((pointer) = calloc((count), sizeof *(pointer))) != NULL)

#endif
