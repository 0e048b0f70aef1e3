/* SPDX-License-Identifier: MIT */
#include "bench/text/wrap.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Narrower than this nothing is readable, and lines are left to the terminal. */
enum { WIDTH_LEAST = 40 };

int fold_width(FILE *file)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (width <= 0 && isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width < WIDTH_LEAST ? INT_MAX : width;
}

/* Places that a part of a UTF-8 text takes: its code points. */
static int places(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* One word, on the next line if this one has no room; returns the places used of the line. */
static int put_word(FILE *file, const char *word, size_t length, int used, int indent, int width, bool *begun)
{
    int size = places(word, length);
    if (*begun && used + 1 + size > width) {
        fprintf(file, "\n%*s", indent, "");
        used = indent;
        *begun = false;
    }
    fprintf(file, "%s%.*s", *begun ? " " : "", (int)length, word);
    used += *begun + size;
    *begun = true;
    return used;
}

void fold_print(FILE *file, const char *text, int used, int indent)
{
    fold_within(file, fold_width(file), text, used, indent);
}

void fold_within(FILE *file, int width, const char *text, int used, int indent)
{
    if (width == INT_MAX || !text[0]) {
        fprintf(file, "%s\n", text);
        return;
    }
    bool begun = false;
    while (*text) {
        size_t line = strcspn(text, "\n");
        if (line == 0 || text[0] == ' ') { /* the end of a paragraph, or a line that is laid out */
            fputs(begun ? "\n" : "", file);
            fprintf(file, "%.*s\n", (int)line, text);
            begun = false;
            used = 0;
        }
        for (const char *word = text; text[0] != ' ' && word < text + line;) {
            size_t length = strcspn(word, " \n");
            if (length > 0)
                used = put_word(file, word, length, used, indent, width, &begun);
            word += length + strspn(word + length, " ");
        }
        text += line + (text[line] == '\n');
    }
    fputs(begun ? "\n" : "", file);
}

void fold_line(FILE *file, const char *format, ...)
{
    enum { INDENT = 2 };
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        fold_print(file, text, 0, INDENT);
    } else {
        vfprintf(file, format, again);
        fputc('\n', file);
    }
    free(text);
    va_end(again);
    va_end(values);
}
