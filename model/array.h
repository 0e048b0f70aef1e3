/* Arrays that are zero at first, and arrays that grow. */
#ifndef RIGOR_MODEL_ARRAY_H
#define RIGOR_MODEL_ARRAY_H

#include "model/cache.h"

#include <stdbool.h>
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

/* Room for `needed` elements: at least doubled where it must grow, as whatever grows a little is bound to grow again.
 */
static inline size_t array_room(size_t capacity, size_t needed)
{
    return 2 * capacity > needed ? 2 * capacity : needed < 64 ? 64 : needed;
}

/* Grows an array to hold `needed` elements; false when out of memory. */
static inline bool array_reserve(void **array, size_t *capacity, size_t size, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t room = array_room(*capacity, needed);
    void *grown = realloc(*array, room * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = room;
    return true;
}

/* The same for an array that is filled anew, and begins at a line of memory: nothing is copied. */
static inline bool array_reserve_anew(void **array, size_t *capacity, size_t size, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t room = array_room(*capacity, needed);
    void *grown = array_grow(*array, 0, room * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = room;
    return true;
}

#endif
