/* Parts of the page that wait: compressed, in a script element of a type that no browser runs. reports/html/report.js
 * turns them into elements when they are seen, opened or printed. */
#include "reports/html.h"

#include "bench/folder.h"
#include "reports/base64.h"
#include "reports/text_file.h"
#include "reports/typeset.h"

#include <stdio.h>
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
           add_own(script, "html/report.js", status);
}

void html_write_part(Text *page, const char *id, const char *content)
{
    size_t length = strlen(content), size = 0;
    unsigned char *packed = deflate_text(content, length, &size);
    char *text = NULL;
    size_t text_size = 0;
    FILE *memory = packed ? open_memstream(&text, &text_size) : NULL;
    if (memory) {
        base64_write_bytes(memory, packed, size);
        page->failed = fclose(memory) != 0 || page->failed;
    } else {
        page->failed = true;
    }
    text_add(page, "<script type=\"application/x-rigor-part\" id=\"");
    html_escape(page, id);
    text_add(page, "\" data-size=\"%zu\">%s</script>\n", length, text ? text : "");
    free(text);
    free(packed);
}
