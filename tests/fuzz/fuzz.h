/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. A target is a file fuzz_NAME.c with libFuzzer's entry; it must neither crash nor leak,
 * whatever the bytes are. `make fuzz` runs each for a minute, from the seeds beside it. */
#ifndef RIGOR_TESTS_FUZZ_FUZZ_H
#define RIGOR_TESTS_FUZZ_FUZZ_H

#define _GNU_SOURCE /* memfd_create */
#include "model/status.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file in memory; its path is valid until fuzz_close. */
typedef struct FuzzFile {
    int fd;
    char path[64];
} FuzzFile;

static inline FuzzFile fuzz_open(const uint8_t *data, size_t size)
{
    FuzzFile file = {.fd = memfd_create("fuzz", 0)};
    if (file.fd < 0 || write(file.fd, data, size) != (ssize_t)size || lseek(file.fd, 0, SEEK_SET) != 0)
        abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_close(FuzzFile *file)
{
    close(file->fd);
}

/* A folder in memory, this process's own, without a slash at its end; run.sh and floors.sh remove it. */
static inline const char *fuzz_folder(void)
{
    static char folder[512];
    const char *where = getenv("FUZZ_FOLDER");
    if (!folder[0])
        snprintf(folder, sizeof folder, "%s/rigor_fuzz_XXXXXX", where ? where : "/dev/shm");
    if (strstr(folder, "XXXXXX") && !mkdtemp(folder))
        abort();
    return folder;
}

/* Makes or fills a file of that folder; its path. */
static inline void fuzz_write(char path[640], const char *name, const uint8_t *data, size_t size)
{
    snprintf(path, 640, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* The bytes as a text; freed by the caller. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
