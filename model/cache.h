/* SPDX-License-Identifier: MIT */
/* What a pile writes anew in every substep is more than the nearest cache holds. Stores go out in order, so that each
 * would wait for its line, one after the other; lines that were asked for beforehand come together. */
#ifndef RIGOR_MODEL_CACHE_H
#define RIGOR_MODEL_CACHE_H

#include <stddef.h>

enum { CACHE_LINE = 64 }; /* bytes */

/* These bytes are written soon. They may lie outside of any array: nothing is read. */
static inline void cache_expect(const void *at, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += CACHE_LINE)
        __builtin_prefetch((const char *)at + line, 1);
}

/* These bytes are read soon, from an array of which most lines are left out: the processor does not see ahead there. */
static inline void cache_ask(const void *at, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += CACHE_LINE)
        __builtin_prefetch((const char *)at + line);
}

#endif
