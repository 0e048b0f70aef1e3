/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "bench/store/files.h"

#include "bench/files/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Another program's write is waited for so long, looking so often: ms. */
enum { BUSY_MILLISECONDS = 10000, BUSY_PAUSE = 10 };

/* The bytes that SQLite's readers lock: of a store (its file format, "Locking"), and of the index of a log (its WAL
 * format, 2.3.1) the one of moving the log into the store, and those of readers whom a new log would disturb. */
typedef struct Bytes {
    off_t first, count;
} Bytes;
static const Bytes STORE_SHARED = {0x40000002, 510}, INDEX_MOVE = {121, 1}, INDEX_READERS = {124, 4};

/* A file system without locks refuses them: there nobody else has one either. */
static bool bytes_lock(int fd, Bytes bytes)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = bytes.first, .l_len = bytes.count};
    for (int waited = 0; fcntl(fd, F_OFD_SETLK, &lock) != 0; waited += BUSY_PAUSE) {
        if (errno != EACCES && errno != EAGAIN)
            return true;
        if (waited >= BUSY_MILLISECONDS)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = BUSY_PAUSE * 1000000L}, NULL);
    }
    return true;
}

/* A file beside the store; false only if it is there and cannot be read. */
static bool beside_open(int *fd, const char *path, const char *suffix, Status *status)
{
    char name[PATH_MAX + 16];
    unsigned long long bytes = 0;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    if (access(name, F_OK) != 0 && errno == ENOENT)
        return true;
    *fd = plain_file_open(name, &bytes, status);
    if (*fd < 0 && errno == ENOENT) { /* gone since */
        *status = (Status){0};
        return true;
    }
    return *fd >= 0;
}

bool store_files_open(StoreFiles *files, const char *path, Status *status)
{
    char real[PATH_MAX]; /* a link's target has the log beside it */
    *files = (StoreFiles){-1, -1, -1, -1, 0};
    files->store = plain_file_open(path, &files->bytes, status);
    if (files->store < 0)
        return false;
    if (!realpath(path, real))
        return status_set(status, STATUS_BAD_FILE, "%s: %s", path, strerror(errno));
    bool held = bytes_lock(files->store, STORE_SHARED);
    if (!beside_open(&files->index, real, "-shm", status))
        return false;
    if (files->index >= 0)
        held = held && bytes_lock(files->index, INDEX_MOVE) && bytes_lock(files->index, INDEX_READERS);
    if (!held)
        return status_set(status, STATUS_FAILED,
                          "%s: cannot be read: database is locked; another program holds the store: try again later",
                          path);
    return beside_open(&files->log, real, "-wal", status) && beside_open(&files->journal, real, "-journal", status);
}

void store_files_close(StoreFiles *files)
{
    const int all[] = {files->log, files->journal, files->index, files->store};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= 0)
            close(all[i]);
    *files = (StoreFiles){-1, -1, -1, -1, 0};
}

/* An open file of SQLite's: a descriptor, or -1 for an empty file. */
typedef struct Opened {
    sqlite3_file base;
    int fd;
} Opened;

static int on_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

/* What lies beyond the end is zero, as SQLite is told. */
static int on_read(sqlite3_file *file, void *to, int count, sqlite3_int64 at)
{
    int fd = ((Opened *)file)->fd;
    char *bytes = to;
    ssize_t got = 1;
    while (fd >= 0 && count > 0 && got > 0) {
        got = pread(fd, bytes, (size_t)count, at);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0) {
            bytes += got;
            at += got;
            count -= (int)got;
        }
    }
    memset(bytes, 0, (size_t)count);
    return count == 0 ? SQLITE_OK : got < 0 ? SQLITE_IOERR_READ : SQLITE_IOERR_SHORT_READ;
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
    int fd = ((Opened *)file)->fd;
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    *size = end;
    return end >= 0 ? SQLITE_OK : SQLITE_IOERR_FSTAT;
}

static int on_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 at)
{
    (void)file, (void)from, (void)count, (void)at;
    return SQLITE_READONLY;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    (void)file, (void)size;
    return SQLITE_READONLY;
}

/* Syncing, locking, sizes of sectors: the descriptors are held already, and nothing is written. */
static int on_flags(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int on_reserved(sqlite3_file *file, int *reserved)
{
    (void)file;
    *reserved = 0;
    return SQLITE_OK;
}

static int on_control(sqlite3_file *file, int code, void *argument)
{
    (void)file, (void)code, (void)argument;
    return SQLITE_NOTFOUND;
}

static int on_ask(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    static const sqlite3_io_methods METHODS = {1,          on_close, on_read,  on_write, on_truncate,
                                               on_flags,   on_size,  on_flags, on_flags, on_reserved,
                                               on_control, on_ask,   on_ask};
    const StoreFiles *files = vfs->pAppData;
    int journal = flags & SQLITE_OPEN_MAIN_JOURNAL, fd = journal ? files->journal : files->store;
    (void)name;
    file->pMethods = NULL;
    if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) || (journal && fd < 0))
        return SQLITE_CANTOPEN;
    *(Opened *)file = (Opened){{&METHODS}, flags & SQLITE_OPEN_WAL ? files->log : fd};
    if (given)
        *given = flags;
    return SQLITE_OK;
}

static int on_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_OK;
}

static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *there)
{
    const StoreFiles *files = vfs->pAppData;
    const char *suffix = name ? strrchr(name, '-') : NULL;
    (void)flags;
    *there = suffix && ((strcmp(suffix, "-wal") == 0 && files->log >= 0) ||
                        (strcmp(suffix, "-journal") == 0 && files->journal >= 0));
    return SQLITE_OK;
}

static int on_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
    (void)vfs;
    return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

const char *store_files_vfs(const StoreFiles *files)
{
    static StoreFiles given;
    static sqlite3_vfs vfs;
    const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    given = *files;
    if (vfs.zName)
        return vfs.zName;
    if (!usual)
        return NULL;
    vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(Opened),
        .mxPathname = PATH_MAX,
        .zName = "rigor_descriptors",
        .pAppData = &given,
        .xOpen = on_open,
        .xDelete = on_delete,
        .xAccess = on_access,
        .xFullPathname = on_name,
        .xRandomness = usual->xRandomness,
        .xSleep = usual->xSleep,
        .xCurrentTime = usual->xCurrentTime,
        .xGetLastError = usual->xGetLastError,
    };
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : NULL;
}
