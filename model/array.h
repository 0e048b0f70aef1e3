/* Arrays that are zero at first, and arrays that grow. */
#ifndef RIGOR_MODEL_ARRAY_H
#define RIGOR_MODEL_ARRAY_H

#include "model/cache.h"

#include <stdlib.h>
#include <string.h>

/* Points `pointer` at `count` zeroed elements of its type; false when out of memory. In a chain of &&
 * the pointers after a failure keep their values, so the structure must be all zero before. */
#define NEW_ARRAY(pointer, count) (((pointer) = calloc((count), sizeof *(pointer))) != NULL)

/* Moves an array of `used` bytes into one of `bytes`, which begins at a line of memory. NULL when out of memory: then
 * it stays as it is. */
static inline void *array_grow(void *array, size_t used, size_t bytes)
{
    void *grown = aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    if (!grown)
        return NULL;
    if (used > 0)
        memcpy(grown, array, used);
    free(array);
    return grown;
}

#endif
