#include "bench/cache_folder.h"

#include "bench/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cache_keeps_own(void)
{
    return getenv("RIGOR_CACHE") || strstr(build_commit(), "-dirty") == NULL;
}

static bool cache_folder(char folder[CACHE_PATH])
{
    const char *own = getenv("RIGOR_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (own)
        length = snprintf(folder, CACHE_PATH, "%s", own);
    else if (cache && cache[0] == '/')
        length = snprintf(folder, CACHE_PATH, "%s/rigor", cache);
    else if (home && home[0])
        length = snprintf(folder, CACHE_PATH, "%s/.cache/rigor", home);
    return length > 0 && length < CACHE_PATH;
}

bool cache_path(char path[CACHE_PATH], const char *name, const char *ending)
{
    char folder[CACHE_PATH];
    return cache_folder(folder) && snprintf(path, CACHE_PATH, "%s/%s.%s", folder, name, ending) < CACHE_PATH;
}

void cache_make_folders(const char *path)
{
    char folder[CACHE_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
}
