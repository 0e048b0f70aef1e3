/* SPDX-License-Identifier: MIT */
/* Operands that are pipes: `rigor run <(rigor export ...)`. A command reads its files more than once, which a pipe does
 * not let it: what comes through is kept in an unnamed file, and the operand names that from then on. */
#define _GNU_SOURCE /* asprintf */
#include "cli/cli.h"
#include "scenes/file/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* /dev/fd/63 keeps its name; -1: not such a path. */
static int descriptor_of(const char *path)
{
    int fd = -1, end = 0;
    return sscanf(path, "/dev/fd/%d%n", &fd, &end) == 1 && path[end] == '\0' ? fd : -1;
}

bool pipe_keep(char **operand, Status *status)
{
    struct stat facts;
    if (stat(*operand, &facts) != 0 || !S_ISFIFO(facts.st_mode))
        return true;
    size_t size = 0;
    char *text = input_read(*operand, INPUT_JSON_BYTES, &size, status), *name = NULL;
    if (!text)
        return false;
    FILE *kept = tmpfile();
    int given = descriptor_of(*operand);
    bool ok = kept && fwrite(text, 1, size, kept) == size && fflush(kept) == 0;
    if (ok && given >= 0)
        ok = dup2(fileno(kept), given) == given;
    else if (ok && (ok = asprintf(&name, "/dev/fd/%d", fileno(kept)) > 0))
        *operand = name; /* for the rest of the process, like the file itself */
    free(text);
    return ok || status_set(status, STATUS_FAILED, "%s: cannot be kept: %s", *operand, strerror(errno));
}
