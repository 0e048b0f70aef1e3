/* SPDX-License-Identifier: MIT */
/* The one opener of HDF5 files, which may come from anybody. The library gets the bytes of one descriptor and never
 * opens a file itself; what it reads lies in them: no external storage, no link but a hard one, no virtual dataset, no
 * filter but its own. HDF5_PLUGIN_PATH is ignored. */
#ifndef RIGOR_BENCH_FILES_HDF5_FILE_H
#define RIGOR_BENCH_FILES_HDF5_FILE_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct Hdf5File {
    hid_t file;               /* -1: not open */
    unsigned long long bytes; /* its size */
    void *image;
    unsigned plugins; /* what this process had loaded of filters before, and how it told errors */
    H5E_auto2_t tell;
    void *tell_data;
} Hdf5File;

/* False: it is no HDF5 file. The descriptor, of a plain file, stays the caller's. Closed in either case. */
bool hdf5_open(Hdf5File *file, int fd);
void hdf5_close(Hdf5File *file);

/* Whether the path, every part of it, is there by hard links. */
bool hdf5_has(const Hdf5File *file, const char *where);

/* A dataset whose numbers lie in the file, behind filters that are HDF5's own; -1: there is none, or it is another. */
hid_t hdf5_dataset(const Hdf5File *file, const char *where);

/* Why hdf5_dataset() has none where hdf5_has() says that something is there. */
#define HDF5_NOT_HERE "its numbers lie outside of the file, or behind a filter that is not HDF5's own"

#endif
