/* The lock is one of the system's (fcntl) on a file beside the store: a kill leaves the file, but not the lock. It is
 * no lock on the store itself, whose locks are SQLite's. */
#include "bench/store.h"
#include "scenes/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

/* 0: locked; -1: errno says why not; else the process that has it. */
static pid_t lock_try(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return 0;
    int error = errno;
    if ((error == EACCES || error == EAGAIN) && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        return lock.l_pid > 0 ? lock.l_pid : 1;
    errno = error;
    return -1;
}

bool store_lock(StoreLock *lock, const char *store_path, Status *status)
{
    Text path = {0};
    text_add(&path, "%s.lock", store_path);
    *lock = (StoreLock){-1, path.data};
    if (path.failed)
        return status_set(status, STATUS_FAILED, "out of memory");
    /* Again if the one before us removed the file between our open and our lock. */
    for (;;) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0)
            return status_set(status, STATUS_FAILED, "%s: cannot be written: %s", lock->path, strerror(errno));
        pid_t holder = lock_try(lock->fd);
        if (holder == 0 && same_file(lock->fd, lock->path))
            return true;
        int error = errno;
        close(lock->fd);
        lock->fd = -1;
        if (holder > 0)
            return status_set(status, STATUS_FAILED,
                              "%s: another sweep (process %ld) is writing to this store; wait for it, or give this one "
                              "another --db",
                              store_path, (long)holder);
        if (holder < 0)
            return status_set(status, STATUS_FAILED, "%s: cannot be locked: %s", lock->path, strerror(error));
    }
}

void store_unlock(StoreLock *lock)
{
    if (lock->fd >= 0) {
        unlink(lock->path);
        close(lock->fd);
    }
    free(lock->path);
    *lock = (StoreLock){.fd = -1};
}
