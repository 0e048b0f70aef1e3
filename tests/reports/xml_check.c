/* SPDX-License-Identifier: MIT */
/* Is a file well-formed XML, as far as a drawing needs it: one root, tags that close in order, quoted attributes, named
 * entities that XML knows? Exit status 0 or 1. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 256, NAME = 64 };

static int complain(const char *what, const char *at)
{
    fprintf(stderr, "%s at '%.40s'\n", what, at);
    exit(1);
}

static const char *skip_past(const char *at, const char *end)
{
    const char *found = strstr(at, end);
    return found ? found + strlen(end) : (complain("not closed", at), at);
}

static const char *read_name(const char *at, char name[NAME])
{
    size_t length = strcspn(at, " \t\r\n/>=");
    if (length == 0 || length >= NAME || strpbrk(at, "<") == at)
        complain("no name", at);
    memcpy(name, at, length);
    name[length] = '\0';
    return at + length;
}

static const char *skip_attributes(const char *at)
{
    char name[NAME];
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '>' || *at == '/')
            return at;
        at = read_name(at, name);
        at += strspn(at, " \t\r\n");
        if (*at != '=')
            complain("an attribute without a value", at);
        at++;
        at += strspn(at, " \t\r\n");
        if (*at != '"' && *at != '\'')
            complain("a value without quotes", at);
        const char *end = strchr(at + 1, *at);
        if (!end || memchr(at + 1, '<', (size_t)(end - at - 1)))
            complain("a value that does not end", at);
        at = end + 1;
    }
}

static void check_entity(const char *at)
{
    static const char *const KNOWN[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"};
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
        if (strncmp(at, KNOWN[i], strlen(KNOWN[i])) == 0)
            return;
    complain("an unknown entity", at);
}

int main(int argc, char **argv)
{
    static char text[1 << 24], names[DEPTH][NAME];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return complain("cannot read", argc > 1 ? argv[1] : "");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    int depth = 0, roots = 0;
    for (const char *at = text; *at;) {
        if (*at == '&')
            check_entity(at);
        if (*at != '<') {
            if (depth == 0 && !isspace((unsigned char)*at))
                complain("text outside the root", at);
            at++;
        } else if (at[1] == '?') {
            at = skip_past(at, "?>");
        } else if (strncmp(at, "<!--", 4) == 0) {
            at = skip_past(at, "-->");
        } else if (strncmp(at, "<![CDATA[", 9) == 0) {
            at = skip_past(at, "]]>");
        } else if (at[1] == '!') {
            at = skip_past(at, ">");
        } else if (at[1] == '/') {
            char name[NAME];
            const char *from = at;
            at = read_name(at + 2, name);
            if (depth == 0 || strcmp(names[--depth], name) != 0)
                complain("closes what is not open", from);
            at = skip_past(at, ">");
        } else {
            if (depth == DEPTH)
                complain("too deep", at);
            roots += depth == 0;
            at = skip_attributes(read_name(at + 1, names[depth]));
            if (*at == '/')
                at++;
            else
                depth++;
            at = skip_past(at, ">");
        }
    }
    if (depth != 0 || roots != 1)
        return complain("not one whole root", names[0]);
    return 0;
}
