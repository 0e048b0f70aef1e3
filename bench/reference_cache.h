/* Motions of the `reference` backend on disk, one file a key (bench/cache_folder.h). A file is written beside its place
 * and renamed, so that runs at the same time see all of it or nothing; it ends with the hash of its content, and one
 * that does not match is passed over. Whatever goes wrong here costs time and nothing else. */
#ifndef RIGOR_BENCH_REFERENCE_CACHE_H
#define RIGOR_BENCH_REFERENCE_CACHE_H

#include "bench/hash.h"
#include "bench/reference_truth.h"

/* False if there is none, or none that is whole. */
bool reference_cache_read(const char key[HASH_TEXT], ReferencePath *path);
void reference_cache_write(const char key[HASH_TEXT], const ReferencePath *path);

#endif
