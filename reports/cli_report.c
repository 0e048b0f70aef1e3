/* rigor report: figures from their files, and all of them as one page. */
#include "bench/cli.h"
#include "bench/workers.h"
#include "reports/figure.h"
#include "reports/figure_list.h"
#include "reports/html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char DEFAULT_DIRECTORY[] = "reports/out";

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* With the folders above it. */
static bool make_directory(const char *path, Status *status)
{
    char *copy = strdup(path);
    for (char *c = copy; c && *c; c++)
        if (*c == '/' && c > copy) {
            *c = '\0';
            mkdir(copy, 0777);
            *c = '/';
        }
    free(copy);
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return true;
    return status_set(status, STATUS_FAILED, "%s: %s", path, strerror(errno));
}

static bool figure_write_csv(const Figure *figure, const Workshop *workshop, Status *status)
{
    Text path = {0};
    text_add(&path, "%s/%s.csv", workshop->directory, figure->name);
    bool ok = !path.failed && rows_write_csv(figure->data, path.data, status);
    free(path.data);
    return ok;
}

/* One figure with all its files; what is wrong is told here, and kept for the page. */
static bool figure_make(Figure **figure, const char *name, Workshop *workshop, Status *status)
{
    char *path = figure_path(name, status);
    double begun = now();
    int made = workshop->made;
    *figure = path ? figure_read(path, status) : NULL;
    free(path);
    bool ok = *figure && figure_gather(*figure, workshop, status) && figure_write_csv(*figure, workshop, status) &&
              figure_draw(*figure, workshop, status) && figure_tell(*figure, status);
    made = workshop->made - made;
    if (ok)
        printf("%s: %d made, %.2g s; %s/%s.svg .pdf .png .csv\n", (*figure)->name, made, now() - begun,
               workshop->directory, (*figure)->name);
    else
        fprintf(stderr, "rigor report: %s: %s\n", name, status->message);
    fflush(stdout);
    return ok;
}

static bool report_make(const json_t *names, bool page, Workshop *workshop, Status *status)
{
    size_t count = json_array_size(names);
    ReportItem *items = calloc(count + 1, sizeof *items);
    int failed = 0;
    if (!items)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < count; i++) {
        items[i].name = json_string_value(json_array_get(names, i));
        items[i].made = figure_make(&items[i].figure, items[i].name, workshop, &items[i].status);
        failed += !items[i].made;
    }
    bool ok = !page || html_write(items, (int)count, workshop, status);
    if (ok && page)
        printf("%s/index.html: %zu figures; %d runs and commands made\n", workshop->directory, count, workshop->made);
    if (ok && failed > 0) {
        Status *first = &items[0].status;
        for (size_t i = 0; i < count && first->code == STATUS_OK; i++)
            first = &items[i].status;
        ok = count == 1 ? status_set(status, first->code, "%s", first->message)
                        : status_set(status, STATUS_FAILED, "%d of %zu figures failed", failed, count);
    }
    for (size_t i = 0; i < count; i++)
        figure_destroy(items[i].figure);
    free(items);
    return ok;
}

static bool report_in(const char *directory, const Arguments *arguments, json_t *names, Status *status)
{
    Text store = {0}, cache = {0};
    Workshop workshop = {
        .directory = directory, .solvers = &arguments->solvers, .plugin_paths = arguments->values[OPTION_PLUGIN]};
    text_add(&store, "%s/store.sqlite", directory);
    text_add(&cache, "%s/cache", directory);
    bool ok = !store.failed && !cache.failed && make_directory(cache.data, status) &&
              argument_whole(arguments, OPTION_JOBS, 1, workers_default(), &workshop.jobs, status) &&
              (workshop.store = store_open(store.data, status));
    ok = ok && report_make(names, arguments->operand_count == 0, &workshop, status);
    store_close(workshop.store);
    free(store.data);
    free(cache.data);
    return ok;
}

static bool report_command(const Arguments *arguments, Status *status)
{
    const char *given = argument(arguments, OPTION_OUTPUT);
    json_t *names = arguments->operand_count ? json_array() : figures_names(status);
    if (!names)
        return false;
    for (int i = 0; i < arguments->operand_count; i++)
        json_array_append_new(names, json_string(arguments->operands[i]));
    bool ok = report_in(given ? given : DEFAULT_DIRECTORY, arguments, names, status);
    json_decref(names);
    return ok;
}

const Command command_report = {
    .name = "report",
    .operands = "[FIGURE...|FIGURE.json]",
    .summary = "figures from their files, as SVG, PDF, PNG and CSV; with no name all of them, and a page",
    .help = "Figures are files in reports/figures (or $RIGOR_FIGURES); a path names one elsewhere. Files go to\n"
            "reports/out unless -o names another folder; runs are kept there in store.sqlite, and only what it lacks\n"
            "is made. With no name all figures are made, and index.html shows them.",
    .least_operands = 0,
    .most_operands = 64,
    .options = TAKES(OPTION_OUTPUT) | TAKES(OPTION_JOBS) | TAKES(OPTION_PLUGIN),
    .run = report_command,
};
