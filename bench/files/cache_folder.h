/* SPDX-License-Identifier: MIT */
/* Where results are kept that take long: $RIGOR_CACHE (empty: nothing is kept), else $XDG_CACHE_HOME/rigor, else
 * ~/.cache/rigor. What lies there is believed as this user's own word: a file counts only if it is a plain one, no
 * link, of this user, and nobody else may write it. RIGOR_CACHE_TRUST=folder is for a cache that people share: then
 * anybody who can write into the folder is believed, and can falsify the errors of all. */
#ifndef RIGOR_BENCH_FILES_CACHE_FOLDER_H
#define RIGOR_BENCH_FILES_CACHE_FOLDER_H

#include "bench/files/write_file.h"

#include <stdbool.h>
#include <stdio.h>

enum { CACHE_PATH = 4096 };

/* A build from changed sources has no name of its own: what only its version tells apart is kept only where the user
 * says so, in $RIGOR_CACHE. */
bool cache_keeps_own(void);

/* The path of a file there, NAME with its ending; false: nothing is kept. */
bool cache_path(char path[CACHE_PATH], const char *name, const char *ending);

/* A file there, to be read; NULL: there is none that counts. Nothing is waited for. */
FILE *cache_open(const char *path);

/* The way of writing one, with the folders above it; false: it cannot be. A link in its place is replaced, not
 * followed. Nobody else may write it, but where they are trusted. */
bool cache_create(FileWriter *writer, const char *path);

#endif
