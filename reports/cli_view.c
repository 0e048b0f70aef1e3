/* rigor view: recordings as one page that needs no server and no network. */
#include "bench/cli.h"
#include "reports/recording_data.h"
#include "reports/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the page's template may lie: as built, then as installed. */
static const char *const TEMPLATES[] = {RIGOR_PAGE_BUILT, RIGOR_PAGE_INSTALLED};

/* Where the recordings go, in the template. */
static const char MARK[] = "<!--rigor:recordings-->";

static const char DEFAULT_OUTPUT[] = "view.html";

static char *read_template(Status *status)
{
    for (size_t i = 0; i < sizeof TEMPLATES / sizeof TEMPLATES[0]; i++) {
        char *text = text_file_read(TEMPLATES[i]);
        if (text && strstr(text, MARK))
            return text;
        free(text);
    }
    status_set(status, STATUS_FAILED,
               "the viewer page was not built: it needs Node with npm, clang, lld and wasi-libc. `make deps` installs "
               "them; then `meson setup --reconfigure` and `ninja`, with a network the first time");
    return NULL;
}

static bool write_page(const char *path, const char *page, char *const *recordings, int count, Status *status)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return status_set(status, STATUS_FAILED, "%s: %s", path, strerror(errno));
    const char *mark = strstr(page, MARK);
    fwrite(page, 1, (size_t)(mark - page), out);
    fprintf(out, "<script type=\"application/json\" id=\"rigor-recordings\">\n");
    bool ok = recordings_write(out, recordings, count, status);
    fprintf(out, "</script>\n%s", mark + strlen(MARK));
    long size = ftell(out);
    bool written = !ferror(out);
    written = fclose(out) == 0 && written;
    if (!ok || !written)
        remove(path);
    if (ok && !written)
        return status_set(status, STATUS_FAILED, "%s: cannot be written", path);
    if (ok)
        printf("%s: %d recording%s, %.2f MB\n", path, count, count == 1 ? "" : "s", 1e-6 * (double)size);
    return ok;
}

static bool view_command(const Arguments *arguments, Status *status)
{
    const char *path = argument(arguments, OPTION_OUTPUT);
    char *page = read_template(status);
    bool ok =
        page && write_page(path ? path : DEFAULT_OUTPUT, page, arguments->operands, arguments->operand_count, status);
    free(page);
    return ok;
}

const Command command_view = {
    .name = "view",
    .operands = "RECORDING...",
    .summary = "recordings side by side in 3D with their curves, as one page",
    .help = "Recordings come from `rigor run --record F.h5`. The page is view.html unless -o names another; it opens "
            "from\na file and asks for nothing from outside.",
    .least_operands = 1,
    .most_operands = 16,
    .options = TAKES(OPTION_OUTPUT),
    .run = view_command,
};
