/* SPDX-License-Identifier: MIT */
#include "bench/files/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int plain_file_open(const char *path, unsigned long long *bytes, Status *status)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &facts) != 0)
        status_set(status, STATUS_BAD_FILE, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(facts.st_mode))
        status_set(status, STATUS_BAD_FILE, "%s: is not a plain file", path);
    else {
        *bytes = (unsigned long long)facts.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}
