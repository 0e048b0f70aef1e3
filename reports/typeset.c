#include "reports/typeset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void typeset_number(Text *out, double value, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*g", digits, value);
    char *e = strchr(text, 'e');
    if (!e) {
        text_add(out, "%s%s", value < 0 ? "−" : "", text + (value < 0));
        return;
    }
    *e = '\0';
    text_add(out, "%s%s × 10^{%s%d}", value < 0 ? "−" : "", text + (value < 0), e[1] == '-' ? "−" : "", atoi(e + 2));
}

void typeset_name(Text *out, const char *name)
{
    for (; *name; name++)
        text_add(out, strchr("_^*{}\\", *name) ? "\\%c" : "%c", *name);
}

/* One target of the markup. */
typedef struct Target {
    const char *italic[2], *lower[2], *raise[2]; /* before and after */
    const char *(*escape)(char c);               /* NULL: as it is */
} Target;

/* Enhanced text takes these as markup, and a double-quoted string reads backslashes once more. */
static const char *escape_gnuplot(char c)
{
    switch (c) {
    case '"':
        return "''";
    case '\\':
        return "\\\\\\\\";
    case '_':
        return "\\\\_";
    case '^':
        return "\\\\^";
    case '{':
        return "\\\\{";
    case '}':
        return "\\\\}";
    case '@':
        return "\\\\@";
    case '&':
        return "\\\\&";
    case '~':
        return "\\\\~";
    default:
        return NULL;
    }
}

static const char *escape_html(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
}

static void add_escaped(Text *out, char c, const Target *target)
{
    const char *escaped = target->escape(c);
    if (escaped)
        text_add(out, "%s", escaped);
    else
        text_add(out, "%c", c);
}

/* After _ or ^: {..}, or a single character (with all bytes of it). Returns what follows. */
static const char *add_shifted(Text *out, const char *at, const char *const around[2], const Target *target)
{
    bool braces = *at == '{';
    text_add(out, "%s", around[0]);
    if (braces)
        for (at++; *at && *at != '}'; at++)
            add_escaped(out, *at, target);
    else
        do
            add_escaped(out, *at++, target);
        while ((*at & 0xC0) == 0x80);
    text_add(out, "%s", around[1]);
    return braces && *at ? at + 1 : at;
}

static void typeset(Text *out, const char *at, const Target *target)
{
    bool italic = false;
    text_add(out, "%s", "");
    while (*at) {
        if (*at == '\\' && at[1]) {
            add_escaped(out, at[1], target);
            at += 2;
        } else if (*at == '*') {
            text_add(out, "%s", target->italic[italic]);
            italic = !italic;
            at++;
        } else if ((*at == '_' || *at == '^') && at[1]) {
            at = add_shifted(out, at + 1, *at == '_' ? target->lower : target->raise, target);
        } else {
            add_escaped(out, *at++, target);
        }
    }
    if (italic)
        text_add(out, "%s", target->italic[1]);
}

void typeset_gnuplot(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"{/:Italic ", "}"}, {"_{", "}"}, {"^{", "}"}, escape_gnuplot});
}

void typeset_html(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"<em>", "</em>"}, {"<sub>", "</sub>"}, {"<sup>", "</sup>"}, escape_html});
}

void typeset_plain(Text *out, const char *label)
{
    typeset(out, label, &(Target){{"", ""}, {"_", ""}, {"^", ""}, escape_html});
}
