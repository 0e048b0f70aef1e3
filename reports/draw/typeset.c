/* SPDX-License-Identifier: MIT */
#include "reports/draw/typeset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this, zeros after the point are no longer counted at a glance; nor are those before it from LARGE on. */
static const double SMALL = 1e-3, LARGE = 1e5;

/* Whole numbers as they are; others with all their digits, as 1.00, and thousands rounded to them, as 18800. */
void typeset_number(Text *out, double value, int digits)
{
    char text[64];
    bool whole = value == round(value) && fabs(value) < 1e6, negative = value < 0.0;
    double unit = pow(10.0, floor(log10(fabs(value))) + 1.0 - digits); /* of the last digit */
    if (whole)
        snprintf(text, sizeof text, "%.0f", fabs(value));
    else if (unit >= 1.0 && fabs(value) < LARGE)
        snprintf(text, sizeof text, "%.0f", unit * round(fabs(value) / unit));
    else if (fabs(value) < SMALL)
        snprintf(text, sizeof text, "%.*e", digits - 1, fabs(value));
    else
        snprintf(text, sizeof text, "%#.*g", digits, fabs(value));
    char *e = strchr(text, 'e'), *dot = e ? e : text + strlen(text);
    int exponent = e ? atoi(e + 1) : 0;
    *dot = '\0';
    if (dot > text && dot[-1] == '.')
        dot[-1] = '\0';
    text_add(out, "%s%s", negative ? "−" : "", text);
    if (e)
        text_add(out, " × 10^{%s%d}", exponent < 0 ? "−" : "", abs(exponent));
}

void typeset_name(Text *out, const char *name)
{
    for (; *name; name++)
        text_add(out, strchr("_^*{}`\\", *name) ? "\\%c" : "%c", *name);
}

/* One target of the markup. */
typedef struct Target {
    const char *italic[2], *lower[2], *raise[2], *code[2]; /* before and after */
    const char *(*escape)(char c);                         /* gives NULL: as it is */
} Target;

/* Enhanced text takes these as markup. A single-quoted string ends at the next quote (gnuplot reads doubled ones, but
 * not two in a row), so that there is none in it; a control character would end the command. */
static const char *escape_gnuplot(char c)
{
    switch (c) {
    case '\'':
        return "’";
    case '\\':
        return "\\\\";
    case '_':
        return "\\_";
    case '^':
        return "\\^";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '@':
        return "\\@";
    case '&':
        return "\\&";
    case '~':
        return "\\~";
    default:
        return (unsigned char)c < ' ' || c == 0x7f ? " " : NULL;
    }
}

/* The text of a tic is a format besides. */
static const char *escape_gnuplot_tic(char c)
{
    return c == '%' ? "%%" : escape_gnuplot(c);
}

static const char *escape_html(char c)
{
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

static const char *escape_nothing(char c)
{
    (void)c;
    return NULL;
}

static const char *escape_bare(char c)
{
    return c == '\'' ? "’" : (unsigned char)c < ' ' || c == 0x7f ? " " : NULL;
}

static void add_escaped(Text *out, char c, const Target *target)
{
    const char *escaped = target->escape(c);
    if (escaped)
        text_add(out, "%s", escaped);
    else
        text_add(out, "%c", c);
}

/* Where what _ or ^ shifts ends, and begins: {..}, or a single character with all bytes of it. */
static const char *shifted_end(const char **at)
{
    const char *end = *at;
    if (*end == '{') {
        ++*at;
        return end + strcspn(end, "}");
    }
    do
        end++;
    while ((*end & 0xC0) == 0x80);
    return end;
}

/* What stands between back-ticks is as it is. Returns what follows; one that is alone is a character. */
static const char *typeset_code(Text *out, const char *at, const char *end, const Target *target)
{
    const char *last = memchr(at + 1, '`', (size_t)(end - at - 1));
    if (!last) {
        add_escaped(out, *at, target);
        return at + 1;
    }
    text_add(out, "%s", target->code[0]);
    while (++at < last)
        add_escaped(out, *at, target);
    text_add(out, "%s", target->code[1]);
    return last + 1;
}

static void typeset_span(Text *out, const char *at, const char *end, const Target *target)
{
    bool italic = false;
    text_add(out, "%s", "");
    while (at < end) {
        if (*at == '\\' && at + 1 < end) {
            add_escaped(out, at[1], target);
            at += 2;
        } else if (*at == '`') {
            at = typeset_code(out, at, end, target);
        } else if (*at == '*') {
            text_add(out, "%s", target->italic[italic]);
            italic = !italic;
            at++;
        } else if ((*at == '_' || *at == '^') && at + 1 < end) {
            const char *const *around = *at++ == '_' ? target->lower : target->raise;
            const char *last = shifted_end(&at);
            text_add(out, "%s", around[0]);
            typeset_span(out, at, last < end ? last : end, target);
            text_add(out, "%s", around[1]);
            at = last < end && *last == '}' ? last + 1 : last;
        } else {
            add_escaped(out, *at++, target);
        }
    }
    if (italic)
        text_add(out, "%s", target->italic[1]);
}

static void typeset(Text *out, const char *label, const Target *target)
{
    typeset_span(out, label, label + strlen(label), target);
}

void typeset_gnuplot(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"{/:Italic ", "}"}, {"_{", "}"}, {"^{", "}"}, {"`", "`"}, escape_gnuplot});
}

void typeset_gnuplot_tic(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"{/:Italic ", "}"}, {"_{", "}"}, {"^{", "}"}, {"`", "`"}, escape_gnuplot_tic});
}

void html_escape(Text *out, const char *text)
{
    text_add(out, "%s", "");
    for (; *text; text++) {
        const char *escaped = escape_html(*text);
        if (escaped)
            text_add(out, "%s", escaped);
        else
            text_add(out, "%c", *text);
    }
}

void typeset_html(Text *out, const char *label)
{
    typeset(out, label,
            &(Target){{"<em>", "</em>"}, {"<sub>", "</sub>"}, {"<sup>", "</sup>"}, {"<code>", "</code>"}, escape_html});
}

void typeset_plain(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"", ""}, {"_", ""}, {"^", ""}, {"`", "`"}, escape_html});
}

void typeset_bare(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"", ""}, {"", ""}, {"", ""}, {"", ""}, escape_bare});
}

void typeset_text(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"", ""}, {"_", ""}, {"^", ""}, {"`", "`"}, escape_nothing});
}
