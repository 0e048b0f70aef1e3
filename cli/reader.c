/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf */
#include "cli/reader.h"

#include "bench/text/wrap.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of headings where lines may have any length. */
enum { READER_WIDTH = 80 };

bool reader_open(Reader *reader, Status *status)
{
    *reader = (Reader){.terminal = isatty(STDOUT_FILENO), .width = fold_width(stdout)};
    reader->colour = reader->terminal && !getenv("NO_COLOR");
    reader->out = open_memstream(&reader->text, &reader->size);
    return reader->out || status_set(status, STATUS_FAILED, "out of memory");
}

/* What pages; NULL: nothing does. */
static const char *reader_pager(void)
{
    const char *pager = getenv("PAGER");
    if (pager)
        return pager[0] ? pager : NULL;
    return system("command -v less >/dev/null 2>&1") == 0 ? "less -R" : NULL;
}

/* False: there was no such pager. Who leaves it early has seen enough. */
static bool reader_page(const Reader *reader, const char *pager)
{
    enum { NOT_FOUND = 127 };
    setenv("LESS", "FRX", 0); /* what fits on the screen stays there, colours are colours */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    FILE *pipe = popen(pager, "w");
    if (pipe)
        fwrite(reader->text, 1, reader->size, pipe);
    int code = pipe ? pclose(pipe) : -1;
    sigaction(SIGPIPE, &before, NULL);
    return code != -1 && !(WIFEXITED(code) && WEXITSTATUS(code) == NOT_FOUND);
}

bool reader_close(Reader *reader, Status *status)
{
    bool whole = fclose(reader->out) == 0;
    const char *pager = whole && reader->terminal ? reader_pager() : NULL;
    if (whole && !(pager && reader_page(reader, pager)))
        fwrite(reader->text, 1, reader->size, stdout);
    free(reader->text);
    return whole || status_set(status, STATUS_FAILED, "out of memory");
}

const char *reader_style(const Reader *reader, ReaderStyle style)
{
    static const char *const CODES[READER_STYLES] = {"\033[0m", "\033[1m", "\033[36m", "\033[32m"};
    return reader->colour ? CODES[style] : "";
}

void reader_heading(Reader *reader, const char *left, const char *right)
{
    int width = reader->width == INT_MAX ? READER_WIDTH : reader->width;
    int rule = width - (int)strlen(left) - (int)strlen(right) - (right[0] ? 8 : 4);
    fprintf(reader->out, "\n%s-- %s ", reader_style(reader, READER_HEADING), left);
    for (int i = 0; i < rule || i < 2; i++)
        fputc('-', reader->out);
    fprintf(reader->out, right[0] ? " %s --%s\n\n" : "%s%s\n\n", right, reader_style(reader, READER_PLAIN));
}

void reader_words(Reader *reader, int indent, const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    if (vasprintf(&text, format, values) >= 0) {
        fprintf(reader->out, "%*s", indent, "");
        fold_within(reader->out, reader->width, text, indent, indent);
    }
    va_end(values);
    free(text);
}

/* How well a line of a formula or of code may go on below after the blank at `at`: 1 is best, 0: not there. */
static int break_formula(const char *line, size_t at)
{
    bool parts = line[at + 1] == ' ' || line[at - 1] == ' ', list = line[at - 1] == ',';
    return parts ? 1 : list ? 3 : strchr("=<+", line[at + 1]) ? 4 : 0;
}

static int break_code(const char *line, size_t at)
{
    char next = line[at + 1], after = next ? line[at + 2] : '\0';
    if (strchr(",;", line[at - 1]))
        return 1;
    if (line[at - 1] == '=')
        return 3;
    return next && strchr("?:&|+-*/", next) && (after == ' ' || after == next) ? 2 : 0; /* no pointer's * or & */
}

/* How much of a line fits: up to its best break before `room`, or all of it. Outside of brackets is better than within,
 * and of equals the last is the best. A comment behind code goes to the next line; in a comment any blank will do. A
 * string is parted only where there is no other way, with a quotation mark's room left. */
static size_t line_fits(const char *line, size_t room, int (*rank)(const char *, size_t))
{
    size_t begin = strspn(line, " "), least = begin + (room - begin) / 4, best = 0, last = 0, within = 0;
    int depth = 0, best_rank = 0;
    bool quoted = false;
    if (strlen(line) <= room)
        return strlen(line);
    for (size_t i = begin; i <= room; i++) {
        quoted = quoted != (line[i] == '"');
        depth += (strchr("([{", line[i]) != NULL) - (strchr(")]}", line[i]) != NULL);
        within = line[i] == ' ' && quoted && i + 2 <= room ? i + 1 : within;
        if (line[i] != ' ' || i == begin || quoted)
            continue;
        if (strncmp(line + i, " /* ", 4) == 0)
            return i;
        last = i;
        int own = rank && i > least ? rank(line, i) : 0;
        if (own > 0 && (best == 0 || own + 2 * depth <= best_rank)) {
            best = i;
            best_rank = own + 2 * depth;
        }
    }
    if (best > 0 || last > 0)
        return best > 0 ? best : last;
    return within > 0 ? within : begin + strcspn(line + begin, " ");
}

/* Whether a string goes on after the piece, in which it begins if it has not before. */
static bool parts_string(const char *line, size_t length, bool quoted)
{
    for (size_t i = 0; i < length; i++)
        quoted = quoted != (line[i] == '"');
    return quoted && line[length];
}

/* Without blanks at its end. */
static size_t trimmed(const char *line, size_t length)
{
    while (length > 0 && line[length - 1] == ' ')
        length--;
    return length;
}

void reader_formula(Reader *reader, int indent, const char *line)
{
    enum { FURTHER = 4 };
    size_t own = strspn(line, " ");
    size_t room = reader->width == INT_MAX ? SIZE_MAX : (size_t)(reader->width - indent);
    fputs(own > 0 || indent > 0 ? reader_style(reader, READER_FORMULA) : "", reader->out);
    for (bool first = true; *line; first = false) {
        size_t fits = line_fits(line, first || room == SIZE_MAX ? room : room - own - FURTHER, break_formula);
        fprintf(reader->out, "%*s%.*s\n", indent + (first ? 0 : (int)own + FURTHER), "", (int)trimmed(line, fits),
                line);
        line += fits + strspn(line + fits, " ");
    }
    fputs(own > 0 || indent > 0 ? reader_style(reader, READER_PLAIN) : "", reader->out);
}

/* Colours comments; a string with comment marks in it is not expected. */
static void code_piece(Reader *reader, const char *piece, size_t length, bool *comment)
{
    if (*comment)
        fputs(reader_style(reader, READER_COMMENT), reader->out);
    for (size_t i = 0; i < length; i++) {
        bool begins = strncmp(piece + i, "/*", 2) == 0 && !*comment;
        bool ends = i > 1 && piece[i - 1] == '*' && piece[i] == '/' && *comment;
        if (begins)
            fputs(reader_style(reader, READER_COMMENT), reader->out);
        *comment = (*comment || begins) && !ends;
        fputc(piece[i], reader->out);
        if (ends)
            fputs(reader_style(reader, READER_PLAIN), reader->out);
    }
    if (*comment)
        fputs(reader_style(reader, READER_PLAIN), reader->out);
}

void reader_code(Reader *reader, const char *line, bool *comment)
{
    enum { FURTHER = 8 };
    size_t indent = strspn(line, " ") + FURTHER;
    size_t room = reader->width == INT_MAX ? SIZE_MAX : (size_t)reader->width;
    bool parted = false;
    for (bool first = true; first || *line; first = false) {
        size_t fits = line_fits(line, first || room == SIZE_MAX ? room : room - indent - parted,
                                *comment || parted || strncmp(line, "/*", 2) == 0 ? NULL : break_code);
        fprintf(reader->out, "%*s%s", first ? 0 : (int)indent, "", parted ? "\"" : "");
        code_piece(reader, line, fits, comment);
        parted = !*comment && parts_string(line, fits, parted);
        fprintf(reader->out, "%s\n", parted ? "\"" : "");
        line += fits + strspn(line + fits, " ");
    }
}
