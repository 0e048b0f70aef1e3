/* SPDX-License-Identifier: MIT */
#include "scenes/file/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes read; 0 at the end, -1 with a message. Waits: a pipe without a writer must not hang. */
static ssize_t read_some(int fd, char *to, size_t size, const char *path, Status *status)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, 1000 * INPUT_SECONDS);
        ssize_t got = ready > 0 ? read(fd, to, size) : -1;
        if (got >= 0)
            return got;
        if (ready == 0) {
            status_set(status, STATUS_BAD_FILE, "%s: gives no data for %d s", path, INPUT_SECONDS);
            return -1;
        }
        if (errno != EINTR && errno != EAGAIN) {
            status_set(status, STATUS_BAD_FILE, "%s: %s", path, strerror(errno));
            return -1;
        }
    }
}

static char *grow(char *text, size_t *capacity, size_t most, Status *status)
{
    *capacity = *capacity == 0 ? (size_t)1 << 16 : 2 * *capacity;
    if (*capacity > most + 2)
        *capacity = most + 2; /* one byte too many tells that there are too many; and the end */
    char *grown = realloc(text, *capacity);
    if (grown)
        return grown;
    free(text);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

char *input_read_open(int fd, const char *path, size_t most, size_t *size, Status *status)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t got = 1;
    for (*size = 0; got > 0; *size += got > 0 ? (size_t)got : 0) {
        if (*size > most) {
            status_set(status, STATUS_BAD_FILE, "%s: larger than %zu MB", path, most >> 20);
            break;
        }
        if (*size + 1 >= capacity && !(text = grow(text, &capacity, most, status)))
            return NULL;
        got = read_some(fd, text + *size, capacity - *size - 1, path, status);
    }
    if (got == 0) {
        text[*size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

char *input_read(const char *path, size_t most, size_t *size, Status *status)
{
    /* Opening a pipe that nobody writes to would wait without end. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        status_set(status, STATUS_BAD_FILE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = input_read_open(fd, path, most, size, status);
    close(fd);
    return text;
}

/* The folder of a file; -1 with errno. */
static int open_folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) + 1 : 0;
    char *folder = slash ? strndup(file, length) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    return fd;
}

/* Goes down one part of a path after the other, through no link and never up; -1 with errno. Takes `at`. */
static int walk_down(int at, char *name)
{
    for (char *rest = name; at >= 0 && rest;) {
        char *part = rest, *slash = strchr(rest, '/');
        int folder = slash ? O_DIRECTORY : 0, above = at;
        if (slash)
            *slash = '\0';
        rest = slash ? slash + 1 : NULL;
        at = openat(above, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | folder);
        int error = errno;
        close(above);
        errno = error;
    }
    return at;
}

/* May the name lead only down? */
static bool leads_down(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

int input_open_beside(const char *file, const char *name, Status *status)
{
    struct stat facts;
    if (!leads_down(name)) {
        status_set(status, STATUS_BAD_FILE,
                   "%s: must lie in the folder of the file that names it, or below: copy it there", name);
        return -1;
    }
    char *parts = strdup(name);
    int fd = parts ? walk_down(open_folder_of(file), parts) : -1, error = errno;
    free(parts);
    if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
        return fd;
    if (fd >= 0)
        status_set(status, STATUS_BAD_FILE, "%s: is not a plain file", name);
    else if (error == ELOOP || error == ENOTDIR)
        status_set(status, STATUS_BAD_FILE, "%s: leads through a link, or through what is no folder: copy the file",
                   name);
    else
        status_set(status, STATUS_BAD_FILE, "%s: %s", name, strerror(error));
    if (fd >= 0)
        close(fd);
    return -1;
}
