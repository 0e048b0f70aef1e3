/* SPDX-License-Identifier: MIT */
/* Parts of the page that wait: compressed, in a script element of a type that no browser runs. reports/html/report.js
 * turns them into elements when they are seen, opened or printed. Bytes are written as 91 letters, 13 bits in two of
 * them: 23 % longer than the bytes, where base64 is 33 % longer. */
#include "reports/html/html.h"

#include "bench/files/folder.h"
#include "bench/files/text_file.h"
#include "reports/draw/typeset.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Raw deflate, without zlib's header: to be freed; NULL: out of memory. */
static unsigned char *deflate_text(const char *text, size_t length, size_t *size)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    uLong bound = deflateBound(&stream, (uLong)length);
    unsigned char *out = malloc(bound);
    stream.next_in = (Bytef *)text;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = (uInt)bound;
    if (out && deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        free(out);
        out = NULL;
    }
    *size = stream.total_out;
    deflateEnd(&stream);
    return out;
}

enum { LETTERS = 91, PAIR_BITS = 13 }; /* 2^13 <= 91^2 */

/* From '#' to '~', without '<', which could end the element. */
static char letter(unsigned digit)
{
    char c = (char)('#' + digit);
    return c >= '<' ? (char)(c + 1) : c;
}

/* The lowest bits first; to be freed, NULL: out of memory. */
static char *write_letters(const unsigned char *bytes, size_t count)
{
    char *text = malloc(count * 8 / PAIR_BITS * 2 + 3), *end = text;
    unsigned bits = 0, held = 0;
    for (size_t i = 0; text && (i < count || held > 0);) {
        for (; held < PAIR_BITS && i < count; held += 8)
            bits |= (unsigned)bytes[i++] << held;
        unsigned pair = bits % (1u << PAIR_BITS);
        *end++ = letter(pair % LETTERS);
        *end++ = letter(pair / LETTERS);
        bits >>= PAIR_BITS;
        held = held > PAIR_BITS ? held - PAIR_BITS : 0;
    }
    if (text)
        *end = '\0';
    return text;
}

static bool add_own(Text *text, const char *name, Status *status)
{
    char path[FOLDER_TEXT];
    char *content = text_file_read(folder_path(FOLDER_REPORTS, name, path));
    if (!content)
        return status_set(status, STATUS_FAILED, "%s cannot be read", path);
    text_add(text, "%s", content);
    free(content);
    return !text->failed || status_set(status, STATUS_FAILED, "out of memory");
}

bool html_own_parts(Text *style, Text *script, Status *status)
{
    return add_own(style, "html/report.css", status) && add_own(script, "html/inflate.js", status) &&
           add_own(script, "html/live.js", status) && add_own(script, "html/report.js", status);
}

void html_write_part(Text *page, const char *id, const char *content)
{
    size_t length = strlen(content), size = 0;
    unsigned char *packed = deflate_text(content, length, &size);
    char *text = packed ? write_letters(packed, size) : NULL;
    page->failed = !text || page->failed;
    text_add(page, "<script type=\"application/x-rigor-part\" id=\"");
    html_escape(page, id);
    text_add(page, "\" data-size=\"%zu\">%s</script>\n", length, text ? text : "");
    free(text);
    free(packed);
}
