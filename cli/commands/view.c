/* SPDX-License-Identifier: MIT */
/* rigor view: recordings as one page that needs no server and no network, or as the data that such a page holds. */
#include "cli/cli.h"
#include "reports/recording/data.h"
#include "reports/recording/page_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the recordings go, in the template. */
static const char MARK[] = "<!--rigor:recordings-->";

static const char DEFAULT_OUTPUT[] = "view.html";

static char *read_template(Status *status)
{
    char *text = page_part_read("viewer.html", status);
    if (!text || strstr(text, MARK))
        return text;
    free(text);
    status_set(status, STATUS_FAILED, "viewer.html has no place for recordings");
    return NULL;
}

static void say_written(const char *path, int count, long size)
{
    printf("%s: %d recording%s, %.2f MB\n", path, count, count == 1 ? "" : "s", 1e-6 * (double)size);
}

static bool write_page(const char *path, const char *page, const Arguments *arguments, Status *status)
{
    int count = arguments->operand_count;
    FileWriter writer;
    if (!writer_open(&writer, path, status))
        return false;
    const char *mark = strstr(page, MARK);
    fwrite(page, 1, (size_t)(mark - page), writer.file);
    fprintf(writer.file, "<script type=\"application/json\" id=\"rigor-recordings\">\n");
    bool ok = recordings_write(writer.file, arguments->operands, count, RECORDING_WHOLE, status);
    fprintf(writer.file, "</script>\n%s", mark + strlen(MARK));
    long size = ftell(writer.file);
    ok = writer_close(&writer, ok, status);
    progress_clear(arguments->progress);
    if (ok)
        say_written(path, count, size);
    return ok;
}

static bool write_motion(const char *path, char *const *recordings, int count, Status *status)
{
    FileWriter writer;
    if (!writer_open(&writer, path, status))
        return false;
    bool ok = recordings_write(writer.file, recordings, count, RECORDING_ROUNDED, status);
    long size = ftell(writer.file);
    ok = writer_close(&writer, ok, status);
    if (ok)
        say_written(path, count, size);
    return ok;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool view_command(const Arguments *arguments, Status *status)
{
    const char *given = argument(arguments, OPTION_OUTPUT), *path = given ? given : DEFAULT_OUTPUT;
    bool motion = ends_with(path, ".json");
    if (!arguments_may_write(arguments, path, motion ? FILE_MOTION : FILE_PAGE, status))
        return false;
    if (motion)
        return write_motion(path, arguments->operands, arguments->operand_count, status);
    char *page = read_template(status);
    progress_say(arguments->progress, "putting the recordings into the page");
    bool ok = page && write_page(path, page, arguments, status);
    free(page);
    return ok;
}

const Command command_view = {
    .name = "view",
    .operands = "RECORDING...",
    .summary = "recordings side by side in 3D with their curves, as one page",
    .help = "Recordings come from `rigor run --record F.h5`. The page is view.html unless -o names another; it opens "
            "from\na file and asks for nothing from outside. With -o F.json it is the page's data alone: every frame, "
            "motions "
            "rounded\nto 16 bits.",
    .least_operands = 1,
    .most_operands = 16,
    .options = TAKES(OPTION_OUTPUT) | TAKES(OPTION_FORCE),
    .run = view_command,
};
