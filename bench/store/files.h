/* SPDX-License-Identifier: MIT */
/* The files of a store that is only read: they are opened here, by the process that may, and held as a reader of
 * SQLite's holds them, so that a sweep that writes goes on, but neither moves its log into the store nor begins it anew
 * meanwhile. SQLite itself sees descriptors alone (store_files_vfs): it can read these and nothing else, and writes
 * nothing. */
#ifndef RIGOR_BENCH_STORE_FILES_H
#define RIGOR_BENCH_STORE_FILES_H

#include "model/status.h"

typedef struct StoreFiles {
    int store, log, journal; /* log: what is not yet in the store; journal: of a write that was broken off; -1: none */
    int index;               /* the log's, never read: sweeps lock its bytes */
    unsigned long long bytes;
} StoreFiles;

/* False with a message; closed by store_files_close in any case. */
bool store_files_open(StoreFiles *files, const char *path, Status *status);
void store_files_close(StoreFiles *files);

/* The name of a file system of SQLite's in which there are these files and no other; NULL: out of memory. One at a time
 * in a process. */
const char *store_files_vfs(const StoreFiles *files);

#endif
