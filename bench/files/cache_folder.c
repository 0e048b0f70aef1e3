/* SPDX-License-Identifier: MIT */
#include "bench/files/cache_folder.h"

#include "bench/build.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void make_folders(const char *path)
{
    char folder[CACHE_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
}

static bool folder_is_trusted(void)
{
    const char *trust = getenv("RIGOR_CACHE_TRUST");
    return trust && strcmp(trust, "folder") == 0;
}

static bool file_is_own(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    return folder_is_trusted() || (facts.st_uid == geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

FILE *cache_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *file = fd >= 0 && file_is_own(fd) ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

bool cache_create(FileWriter *writer, const char *path)
{
    Status ignored; /* what is not kept is found again */
    make_folders(path);
    if (!writer_open_unlinked(writer, path, &ignored))
        return false;
    if (!folder_is_trusted())
        fchmod(fileno(writer->file), S_IRUSR | S_IWUSR);
    return true;
}
