/* SPDX-License-Identifier: MIT */
/* HDF5 1.10 walks a heap of texts ("GCOL") from object to object by sizes that it does not check: one of size zero
 * makes it loop without end. Readers end such a file after READ_SECONDS (bench/process/child.h); a fuzz target leaves
 * it out.
 */
#ifndef RIGOR_TESTS_FUZZ_HDF5_HEAP_H
#define RIGOR_TESTS_FUZZ_HDF5_HEAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HEAP_HEAD = 16, OBJECT_HEAD = 16 };

static inline uint64_t heap_length(const uint8_t *at)
{
    uint64_t length;
    memcpy(&length, at, sizeof length);
    return length;
}

/* An object's head: index (2 bytes), references (2), zeros (4), length (8). The object of index 0 is what is free, and
 * its length counts the head. */
static inline bool heap_loops(const uint8_t *heap, uint64_t size)
{
    uint64_t at = HEAP_HEAD;
    while (at < size && size - at >= OBJECT_HEAD) {
        uint64_t length = heap_length(heap + at + 8);
        bool is_free = heap[at] == 0 && heap[at + 1] == 0;
        uint64_t step = is_free ? length : OBJECT_HEAD + ((length + 7) & ~UINT64_C(7));
        if (step == 0 || step > size - at)
            return true; /* stands, or goes back: the sum has no more than 64 bits */
        at += step;
    }
    return false;
}

static inline bool hdf5_loops(const uint8_t *data, size_t size)
{
    for (const uint8_t *at = data; size - (size_t)(at - data) > HEAP_HEAD; at++) {
        at = memchr(at, 'G', size - (size_t)(at - data));
        uint64_t left = at ? size - (uint64_t)(at - data) : 0;
        if (left <= HEAP_HEAD)
            return false;
        uint64_t length = heap_length(at + 8);
        if (memcmp(at, "GCOL", 4) == 0 && heap_loops(at, length < left ? length : left))
            return true;
    }
    return false;
}

#endif
