/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr */
#include "bench/files/folder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct FolderPaths {
    const char *here;      /* of the build */
    const char *installed; /* below the prefix */
} FolderPaths;

static const FolderPaths PATHS[FOLDER_COUNT] = {
    [FOLDER_REPORTS] = {RIGOR_SOURCE_ROOT "/reports", RIGOR_DATA},
    [FOLDER_PAGE] = {RIGOR_BUILD_ROOT "/reports/page", RIGOR_DATA},
    [FOLDER_BRIDGES] = {RIGOR_BUILD_ROOT "/solvers/engines", RIGOR_ENGINES},
    [FOLDER_SCRIPTS] = {RIGOR_SOURCE_ROOT "/solvers/engines", RIGOR_ENGINES},
    [FOLDER_ORIGINALS] = {RIGOR_SOURCE_ROOT "/tests/originals", RIGOR_DATA "/originals"},
    [FOLDER_DATA] = {RIGOR_BUILD_ROOT "/data", RIGOR_DATA "/data"},
    [FOLDER_PROGRAM] = {RIGOR_BUILD_ROOT, RIGOR_BIN},
};

/* The file that this code was loaded from: the library, or a test that holds all of it. */
static bool own_file(char path[PATH_MAX])
{
    static const char anchor = 0;
    Dl_info info;
    bool named = dladdr(&anchor, &info) != 0 && info.dli_fname && strchr(info.dli_fname, '/');
    return realpath(named ? info.dli_fname : "/proc/self/exe", path) != NULL;
}

static bool lies_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

const char *folder_path(Folder folder, const char *name, char path[FOLDER_TEXT])
{
    char own[PATH_MAX];
    if (!own_file(own) || lies_below(own, RIGOR_BUILD_ROOT)) {
        snprintf(path, FOLDER_TEXT, "%s/%s", PATHS[folder].here, name);
        return path;
    }
    *strrchr(own, '/') = '\0';
    int length =
        snprintf(path, FOLDER_TEXT, "%s/" RIGOR_PREFIX_FROM_LIBRARY "/%s/%s", own, PATHS[folder].installed, name);
    if (length < 0 || length >= FOLDER_TEXT)
        path[0] = '\0';
    return path;
}
