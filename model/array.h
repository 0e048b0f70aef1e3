/* SPDX-License-Identifier: MIT */
/* Arrays that are zero at first, and arrays that grow. */
#ifndef RIGOR_MODEL_ARRAY_H
#define RIGOR_MODEL_ARRAY_H

#include "model/cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Points `pointer` at `count` zeroed elements of its type; false when out of memory. In a chain of &&
 * the pointers after a failure keep their values, so the structure must be all zero before. */
#define NEW_ARRAY(pointer, count) (((pointer) = calloc((count), sizeof *(pointer))) != NULL)

/* Arrays that are given back together, all in one list. */
typedef struct Arrays {
    struct ArraysLink *last;
} Arrays;

/* Before each array; two pointers, so that it stays aligned. */
struct ArraysLink {
    struct ArraysLink *before;
    void *unused;
};

static inline void *arrays_new(Arrays *owner, size_t count, size_t size)
{
    struct ArraysLink *link = calloc(1, sizeof *link + (count > 0 ? count : 1) * size);
    if (!link)
        return NULL;
    link->before = owner->last;
    owner->last = link;
    return link + 1;
}

/* As NEW_ARRAY, of an owner, an Arrays. */
#define OWN_ARRAY(owner, pointer, count) (((pointer) = arrays_new((owner), (count), sizeof *(pointer))) != NULL)

/* Gives them back; the owner may go on with others. */
static inline void arrays_free(Arrays *owner)
{
    while (owner->last) {
        struct ArraysLink *link = owner->last;
        owner->last = link->before;
        free(link);
    }
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

/* The same; what is new of it is zero. */
static inline bool array_reserve_zeroed(void **array, size_t *capacity, size_t size, size_t needed)
{
    size_t before = *capacity;
    if (!array_reserve(array, capacity, size, needed))
        return false;
    if (*capacity > before)
        memset((char *)*array + before * size, 0, (*capacity - before) * size);
    return true;
}

/* Arrays that begin at a line of memory. The word before one says where its memory begins: realloc, other than
 * aligned_alloc, lets a large array grow where it is, or moves its pages. */
static inline void **lines_begin(void *array)
{
    return (void **)array - 1;
}

/* Grows one of which `used` bytes count; NULL when out of memory, and it stays as it is. */
static inline void *lines_grow(void *array, size_t used, size_t bytes)
{
    char *begin = array ? *lines_begin(array) : NULL;
    size_t before = array ? (size_t)((char *)array - begin) : 0;
    char *grown = realloc(begin, bytes + 2 * CACHE_LINE);
    if (!grown)
        return NULL;
    char *at = grown + 2 * CACHE_LINE - (uintptr_t)grown % CACHE_LINE;
    if (used > 0 && at != grown + before)
        memmove(at, grown + before, used);
    *lines_begin(at) = grown;
    return at;
}

static inline void lines_free(void *array)
{
    if (array)
        free(*lines_begin(array));
}

/* Like array_reserve, for an array that begins at a line of memory and is about to be filled anew: what it holds may be
 * lost. */
static inline bool lines_reserve_anew(void **array, size_t *capacity, size_t size, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t room = array_room(*capacity, needed);
    void *grown = lines_grow(*array, 0, room * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = room;
    return true;
}

#endif
