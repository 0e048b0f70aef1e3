/* SPDX-License-Identifier: MIT */
/* Motions of the `reference` backend on disk, one file a key (bench/files/cache_folder.h). A file is written beside its
 * place and renamed, so that runs at the same time see all of it or nothing; it ends with the hash of its content, and
 * one that does not match is passed over, as is one that another user may have written. What is read is checked like
 * any other file: a hash does not say who made it. Whatever goes wrong here costs time and nothing else. */
#ifndef RIGOR_BENCH_TRUTH_REFERENCE_CACHE_H
#define RIGOR_BENCH_TRUTH_REFERENCE_CACHE_H

#include "bench/files/sha256.h"
#include "bench/truth/reference_truth.h"

/* False if there is none, or none that is whole. */
bool reference_cache_read(const char key[SHA256_TEXT], ReferencePath *path);
void reference_cache_write(const char key[SHA256_TEXT], const ReferencePath *path);

/* Takes away what turned out to be no state to go on from. */
void reference_cache_forget(const char key[SHA256_TEXT]);

#endif
