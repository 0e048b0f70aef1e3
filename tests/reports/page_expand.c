/* SPDX-License-Identifier: MIT */
/* Prints a report's page with its compressed parts expanded in their places, as reports/html/report.js does in a
 * browser. usage: page_expand INDEX.html */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void complain(const char *what)
{
    fprintf(stderr, "page_expand: %s\n", what);
    exit(1);
}

/* 13 bits are two of 91 letters, from '#' to '~' without '<'; the lowest bits come first. */
static size_t letters_read(const char *text, size_t length, unsigned char *out)
{
    size_t count = 0;
    unsigned bits = 0, held = 0, pair = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '#' || text[i] > '~')
            complain("a letter that is none of the 91");
        unsigned digit = (unsigned)(text[i] - '#') - (text[i] > '<');
        pair = i % 2 ? pair + 91 * digit : digit;
        if (i % 2 == 0)
            continue;
        bits |= pair << held;
        for (held += 13; held >= 8; held -= 8, bits >>= 8)
            out[count++] = (unsigned char)bits;
    }
    return count;
}

static void part_print(const char *text, size_t length, size_t size)
{
    unsigned char *packed = malloc(length + 1), *out = malloc(size + 1);
    if (!packed || !out)
        complain("out of memory");
    z_stream stream = {.next_in = packed, .next_out = out, .avail_out = (uInt)size + 1};
    stream.avail_in = (uInt)letters_read(text, length, packed);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK || inflate(&stream, Z_FINISH) != Z_STREAM_END ||
        stream.total_out != size)
        complain("a part cannot be expanded, or is not as long as it says");
    inflateEnd(&stream);
    fwrite(out, 1, size, stdout);
    free(packed);
    free(out);
}

int main(int argc, char **argv)
{
    static char page[1 << 25];
    static const char OPEN[] = "<script type=\"application/x-rigor-part\"", SIZE[] = "data-size=\"";
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        complain("cannot read the page");
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    const char *at = page;
    for (const char *part = strstr(at, OPEN); part; part = strstr(at, OPEN)) {
        const char *size = strstr(part, SIZE), *text = size ? strchr(size, '>') + 1 : NULL;
        const char *end = text ? strstr(text, "</script>") : NULL;
        if (!end)
            complain("a part does not end");
        fwrite(at, 1, (size_t)(text - at), stdout);
        part_print(text, (size_t)(end - text), strtoul(size + strlen(SIZE), NULL, 10));
        at = end;
    }
    fputs(at, stdout);
    return 0;
}
