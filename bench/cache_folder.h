/* Where results are kept that take long: $RIGOR_CACHE (empty: nothing is kept), else $XDG_CACHE_HOME/rigor, else
 * ~/.cache/rigor. */
#ifndef RIGOR_BENCH_CACHE_FOLDER_H
#define RIGOR_BENCH_CACHE_FOLDER_H

#include <stdbool.h>

enum { CACHE_PATH = 4096 };

/* A build from changed sources has no name of its own: what only its version tells apart is kept only where it is told
 * to, in $RIGOR_CACHE. */
bool cache_keeps_own(void);

/* The path of a file there, NAME with its ending; false: nothing is kept. */
bool cache_path(char path[CACHE_PATH], const char *name, const char *ending);

/* Makes the folder of a file there, and those above it. */
void cache_make_folders(const char *path);

#endif
