/* SPDX-License-Identifier: MIT */
#include "bench/files/text_file.h"

#include <stdio.h>
#include <stdlib.h>

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
