#include "reports/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 0 && (text = malloc((size_t)size + 1))) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = '\0';
    }
    fclose(file);
    return text;
}

bool text_file_write(const char *path, const char *text, Status *status)
{
    size_t size = strlen(path) + sizeof ".part";
    char *temporary = malloc(size);
    FILE *file = NULL;
    if (temporary) {
        snprintf(temporary, size, "%s.part", path);
        file = fopen(temporary, "w");
    }
    bool ok = file && fputs(text, file) >= 0;
    ok = (!file || fclose(file) == 0) && ok && rename(temporary, path) == 0;
    if (!ok)
        status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    free(temporary);
    return ok;
}
