/* SPDX-License-Identifier: MIT */
#include "bench/problems/text.h"

#include "scenes/file/input.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a problem file. */
static const size_t TEXT_MAX_BYTES = (size_t)256 << 20;

void text_close(Text *text)
{
    free(text->all);
    text->all = NULL;
}

bool text_open(Text *text, const char *path, Status *status)
{
    *text = (Text){.path = path};
    text->at = text->all = input_read(path, TEXT_MAX_BYTES, &text->size, status);
    return text->all;
}

static void text_skip_space(Text *text)
{
    while (isspace((unsigned char)*text->at))
        text->at++;
}

size_t text_left(const Text *text)
{
    return text->size - (size_t)(text->at - text->all);
}

bool text_fail(const Text *text, Status *status, const char *what, const char *why)
{
    int line = 1, column = 1;
    const char *p = text->all;
    for (; p < text->at || isspace((unsigned char)*p); p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return status_set(status, STATUS_BAD_FILE, "%s:%d:%d: %s: %s", text->path, line, column, what,
                      *p == '\0' ? "the file ends here" : why);
}

bool text_int(Text *text, const char *what, long least, long most, long *value, Status *status)
{
    char *end;
    errno = 0;
    long read = strtol(text->at, &end, 10);
    if (end == text->at || (*end != '\0' && !isspace((unsigned char)*end)))
        return text_fail(text, status, what, "a whole number belongs here");
    if (errno || read < least || read > most) {
        char why[96];
        snprintf(why, sizeof why, "must be from %ld to %ld", least, most);
        return text_fail(text, status, what, why);
    }
    text->at = end;
    *value = read;
    return true;
}

bool text_real(Text *text, const char *what, double *value, Status *status)
{
    char *end;
    double read = strtod(text->at, &end);
    if (end == text->at || (*end != '\0' && !isspace((unsigned char)*end)))
        return text_fail(text, status, what, "a number belongs here");
    if (!isfinite(read))
        return text_fail(text, status, what, "is not finite");
    text->at = end;
    *value = read;
    return true;
}

bool text_expect(Text *text, const char *word, Status *status)
{
    size_t length = strlen(word);
    text_skip_space(text);
    if (strncmp(text->at, word, length) != 0) {
        char what[64];
        snprintf(what, sizeof what, "`%s`", word);
        return text_fail(text, status, what, "belongs here");
    }
    text->at += length;
    return true;
}

void text_skip_line(Text *text)
{
    const char *end = strchr(text->at, '\n');
    text->at = end ? end + 1 : text->all + text->size;
}
