/* SPDX-License-Identifier: MIT */
/* The lock is one of the system's on the store itself: whatever name leads to the file, it is the same lock, and a kill
 * takes it away. It belongs to the open file (F_OFD_SETLK), because a lock of the process would go when SQLite unlocks;
 * it lies on a byte that no store reaches. A forked child closes its copy, so that it does not outlive the sweep. The
 * descriptor is closed after SQLite's: closing any descriptor of a file drops the process's own locks on it. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "bench/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite locks bytes from 2^30 on. */
static const off_t LOCKED_BYTE = (off_t)1 << 46;

/* What a fork's handler can reach; -1: none. */
static int held = -1;

static void close_in_child(void)
{
    if (held >= 0)
        close(held);
    held = -1;
}

static void hold(int fd)
{
    static bool handled;
    held = fd;
    if (!handled)
        handled = pthread_atfork(NULL, NULL, close_in_child) == 0;
}

bool store_lock(StoreLock *lock, const char *path, Status *status)
{
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
    lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->fd < 0)
        return status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    hold(lock->fd);
    if (fcntl(lock->fd, F_OFD_SETLK, &byte) == 0)
        return true;
    if (errno == EACCES || errno == EAGAIN)
        return status_set(status, STATUS_FAILED,
                          "%s: another sweep is writing to this store; wait for it, or give this one another --db",
                          path);
    return status_set(status, STATUS_FAILED, "%s: cannot be locked: %s", path, strerror(errno));
}

bool store_lock_holds(const StoreLock *lock, const char *path, Status *status)
{
    struct stat locked, named;
    return (fstat(lock->fd, &locked) == 0 && stat(path, &named) == 0 && locked.st_dev == named.st_dev &&
            locked.st_ino == named.st_ino) ||
           store_gone(path, status);
}

bool store_gone(const char *path, Status *status)
{
    return status_set(status, STATUS_FAILED,
                      "%s: was removed or replaced while the sweep wrote to it: what was stored in it is gone", path);
}

void store_unlock(StoreLock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    if (held == lock->fd)
        held = -1;
    lock->fd = -1;
}
