/* SPDX-License-Identifier: MIT */
/* Preloaded, it lets the n-th call of one function of the system fail: FAIL_CALL=write FAIL_AT=3. Calls of a process
 * and of what it forks are counted together. With FAIL_COUNT (a path) nothing fails, and the number of calls is written
 * there as the process ends. FAIL_CALL=signal ends the process (SIGTERM) as soon as it has made its n-th new file. With
 * MEMORY_MOST (bytes) who asks for more at once is told of, and ended. */
#undef _FILE_OFFSET_BITS /* open and open64 are two names here */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Shared with forked children. */
static _Atomic long *calls;

/* Is this call the one? Only what the program itself asks for: memory of the loader and of exit is left alone. */
static int fails(const char *name)
{
    static const char *wanted;
    static long at;
    static int ready;
    if (!ready) {
        ready = 1;
        wanted = getenv("FAIL_CALL");
        at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
        calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    return wanted && strcmp(wanted, name) == 0 && ++*calls == at;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", calls ? *calls : 0);
        fclose(file);
    }
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size)
{
    REAL(write);
    return fd > 2 && fails("write") ? (errno = ENOSPC, -1) : real(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    REAL(pwrite64);
    return fails("write") ? (errno = ENOSPC, -1) : real(fd, data, size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    REAL(pwrite);
    return fails("write") ? (errno = ENOSPC, -1) : real(fd, data, size, at);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return fails("rename") ? (errno = EACCES, -1) : real(from, to);
}

int fsync(int fd)
{
    REAL(fsync);
    return fails("fsync") ? (errno = EIO, -1) : real(fd);
}

int fdatasync(int fd)
{
    REAL(fdatasync);
    return fails("fsync") ? (errno = EIO, -1) : real(fd);
}

pid_t fork(void)
{
    REAL(fork);
    return fails("fork") ? (errno = EAGAIN, -1) : real();
}

static int opened(int fd, int flags)
{
    if (fd >= 0 && flags & O_CREAT && fails("signal"))
        raise(SIGTERM);
    return fd;
}

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails("open") ? (errno = EMFILE, -1) : opened(real(path, flags, mode), flags);
}

int open64(const char *path, int flags, ...)
{
    REAL(open64);
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails("open") ? (errno = EMFILE, -1) : opened(real(path, flags, mode), flags);
}

char *mkdtemp(char *pattern)
{
    REAL(mkdtemp);
    char *made = real(pattern);
    if (made && fails("signal"))
        raise(SIGTERM);
    return made;
}

/* glibc's own, which needs no looking up. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static void ask(size_t count, size_t size)
{
    static const char TEXT[] = "more memory asked for than MEMORY_MOST\n";
    static size_t most;
    if (most == 0)
        most = getenv("MEMORY_MOST") ? (size_t)atol(getenv("MEMORY_MOST")) : (size_t)-1;
    if (size == 0 || count <= most / size)
        return;
    syscall(SYS_write, 2, TEXT, sizeof TEXT - 1);
    _exit(99);
}

void *malloc(size_t size)
{
    ask(1, size);
    return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    ask(count, size);
    return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    ask(1, size);
    return fails("malloc") ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}
