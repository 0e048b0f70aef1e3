#include "scenes/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
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

static char *read_all(int fd, const char *path, size_t most, size_t *size, Status *status)
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
    char *text = read_all(fd, path, most, size, status);
    close(fd);
    return text;
}
