/* SPDX-License-Identifier: MIT */
#include "cli/plot.h"

#include "bench/run/json.h"
#include "reports/plot/plot.h"

#include <string.h>

bool plot_may_be_made(const Arguments *arguments, Status *status)
{
    static const char *const ENDINGS[] = {".svg", ".pdf", ".png"};
    const char *path = argument(arguments, OPTION_PLOT), *ending = path ? strrchr(path, '.') : NULL;
    bool known = !path;
    for (int i = 0; ending && i < 3; i++)
        known = known || strcmp(ending, ENDINGS[i]) == 0;
    if (!known)
        return status_set(status, STATUS_USAGE, "--plot: '%s' ends in none of .svg .pdf .png", path);
    return arguments_may_write(arguments, path, FILE_PICTURE, status);
}

bool plot_make(const Arguments *arguments, const char *command, const json_t *document, Status *status)
{
    const char *path = argument(arguments, OPTION_PLOT);
    if (path && !document)
        return status_set(status, STATUS_FAILED, "out of memory");
    return !path || plot_draw(command, document, path, status);
}

bool plot_and_report(const Arguments *arguments, const char *command, json_t *document,
                     void (*print)(const void *study), const void *study, Status *status)
{
    bool ok = plot_make(arguments, command, document, status);
    if (ok && arguments->given[OPTION_JSON])
        return json_print(document, status);
    if (ok)
        print(study);
    json_decref(document);
    return ok;
}
