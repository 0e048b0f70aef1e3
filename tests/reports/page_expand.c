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

static int letter_value(char c)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(LETTERS, c) : NULL;
    return at ? (int)(at - LETTERS) : -1;
}

static size_t base64_read(const char *text, size_t length, unsigned char *out)
{
    size_t count = 0;
    unsigned bits = 0, held = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        int value = letter_value(text[i]);
        if (value < 0)
            complain("a letter that is not base64's");
        bits = bits << 6 | (unsigned)value;
        held += 6;
        if (held >= 8)
            out[count++] = (unsigned char)(bits >> (held -= 8));
    }
    return count;
}

static void part_print(const char *text, size_t length, size_t size)
{
    unsigned char *packed = malloc(length + 1), *out = malloc(size + 1);
    if (!packed || !out)
        complain("out of memory");
    z_stream stream = {.next_in = packed, .next_out = out, .avail_out = (uInt)size + 1};
    stream.avail_in = (uInt)base64_read(text, length, packed);
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
