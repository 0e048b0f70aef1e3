/* SPDX-License-Identifier: MIT */
/* rigor report: figures from their files, each with a page, and all of them as pages with an index. */
#include "bench/files/write_file.h"
#include "bench/process/clock.h"
#include "bench/process/workers.h"
#include "bench/text/capabilities.h"
#include "cli/cli.h"
#include "reports/draw/check.h"
#include "reports/draw/typeset.h"
#include "reports/figure/figure.h"
#include "reports/figure/list.h"
#include "reports/html/html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char DEFAULT_DIRECTORY[] = "reports/out";

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

/* Of a time in seconds: tenths matter below ten. */
static int decimals(double seconds)
{
    return seconds < 9.95 ? 1 : 0;
}

/* The finding, so that who asks for one figure need not open it. */
static void figure_print(const Figure *figure, const Workshop *workshop, int made, double seconds, bool page)
{
    Text finding = {0};
    typeset_text(&finding, figure->told_finding);
    Text path = {0};
    figure_drawing_path(&path, figure, workshop, 0);
    printf("%s: %d made, %.*f s; %s.svg .pdf .png .csv%s%s\n", figure->name, made, decimals(seconds), seconds,
           path.failed ? "" : path.data, page ? " .html" : "",
           workshop->slide && figure->panel_count > 1 ? ", and its other panels" : "");
    free(path.data);
    if (figure->refuted)
        fprintf(stderr, "rigor report: %s: %s\n", figure->name, finding.failed ? "" : finding.data);
    else
        printf("    %s\n", finding.failed ? "" : finding.data);
    free(finding.data);
}

/* What a name's files are; all but the drawings of a figure are a viewer's, too. */
static const struct {
    const char *ending;
    FileKind kind;
    bool viewer;
} FILES[] = {{"csv", FILE_ROWS, false},
             {"svg", FILE_PICTURE, false},
             {"html", FILE_PAGE, false},
             {"pdf", FILE_PICTURE, true},
             {"png", FILE_PICTURE, true}};

static bool may_write(const Workshop *workshop, const char *name, const char *ending, FileKind kind, Status *status)
{
    Text path = {0};
    text_add(&path, "%s/%s.%s", workshop->directory, name, ending);
    bool ok = path.failed ? status_set(status, STATUS_FAILED, "out of memory")
                          : file_may_be_written(path.data, kind, workshop->force, NULL, 0, status);
    free(path.data);
    return ok;
}

/* Files are named after items: none replaces those of an earlier one, or what somebody else put there. */
static bool item_may_write(const ReportItem *items, int index, const Workshop *workshop, Status *status)
{
    const ReportItem *item = &items[index];
    for (int i = 0; i < index; i++) {
        bool same = item->figure && items[i].figure && strcmp(item->figure->path, items[i].figure->path) == 0;
        if (!same && strcasecmp(item_id(&items[i]), item_id(item)) == 0)
            return status_set(status, STATUS_BAD_FILE,
                              "%s: is called '%s' as one before it, whose files it would replace", item->name,
                              item_id(item));
    }
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++)
        if ((item->figure || FILES[i].viewer) &&
            !may_write(workshop, item_id(item), FILES[i].ending, FILES[i].kind, status))
            return false;
    return true;
}

/* A page of its own has a figure that is named, and drawn as the page shows it. */
static bool item_has_page(const ReportItem *item, const Workshop *workshop)
{
    return !item->place && !workshop->slide && !workshop->dark;
}

/* One figure with all its files. */
static bool figure_make(ReportItem *items, int index, Workshop *workshop)
{
    ReportItem *item = &items[index];
    Status *status = &item->status, drawn = {0};
    double begun = clock_now();
    int made = workshop->made;
    char *path = figure_path(item->name, status);
    item->figure = path ? figure_read(path, status) : NULL;
    free(path);
    Figure *figure = item->figure;
    int wanted;
    if (!figure || !item_may_write(items, index, workshop, status) ||
        !figure_check(figure, workshop, &wanted, status) || !figure_gather(figure, workshop, status) ||
        !figure_write_csv(figure, workshop, status) || !figure_draw(figure, workshop, status) ||
        !figure_tell(figure, status))
        return false;
    figure_print(figure, workshop, workshop->made - made, clock_now() - begun, item_has_page(item, workshop));
    if (!figure_check_drawing(figure, workshop, &drawn))
        fprintf(stderr, "rigor report: %s: hard to read: %s\n", item->name, drawn.message);
    return true;
}

static bool viewer_item_make(ReportItem *items, int index, const Contents *contents, Workshop *workshop)
{
    ReportItem *item = &items[index];
    double begun = clock_now();
    int made = workshop->made;
    if (!item_may_write(items, index, workshop, &item->status) ||
        !viewer_make(&item->viewer, contents, item->place, workshop, &item->status))
        return false;
    double seconds = clock_now() - begun;
    printf("%s: %d recorded, %.*f s; a viewer\n", item->name, workshop->made - made, decimals(seconds), seconds);
    return true;
}

/* A figure that cannot be made here is left out, and a line says so. A file that cannot be read is an error later. */
static bool item_is_possible(const char *name)
{
    Status status = {0};
    char *path = figure_path(name, &status);
    Figure *figure = path ? figure_read(path, &status) : NULL;
    bool possible = !figure || figure_is_possible(figure);
    if (!possible)
        fprintf(stderr, "rigor report: %s is left out: %s is not set\n", name, figure->needs);
    figure_destroy(figure);
    free(path);
    return possible;
}

/* Items of the contents, without the viewers if these cannot be shown: then the note says why. */
static int items_of_contents(ReportItem *items, const Contents *contents, bool *without_viewers, Status *note)
{
    int count = 0;
    Text style = {0}, script = {0};
    bool viewers = html_viewers_open(&style, &script, note);
    *without_viewers = false;
    for (int i = 0; i < contents->count; i++)
        if (contents->items[i].viewer && !viewers)
            *without_viewers = true;
        else if (contents->items[i].viewer || item_is_possible(contents->items[i].name))
            items[count++] = (ReportItem){.place = &contents->items[i], .name = contents->items[i].name};
    free(style.data);
    free(script.data);
    return count;
}

static bool items_make(ReportItem *items, int count, const Contents *contents, Workshop *workshop, Status *status)
{
    int failed = 0;
    for (int i = 0; i < count; i++) {
        ReportItem *item = &items[i];
        item->made =
            item_is_viewer(item) ? viewer_item_make(items, i, contents, workshop) : figure_make(items, i, workshop);
        fflush(stdout);
        failed += !item->made;
        if (!item->made && count > 1) /* one alone is the command's own message */
            fprintf(stderr, "rigor report: %s: %s\n", item->name, item->status.message);
    }
    if (failed == 0)
        return true;
    const Status *first = &items[0].status;
    for (int i = 0; i < count && first->code == STATUS_OK; i++)
        first = &items[i].status;
    return count == 1 ? status_set(status, first->code, "%s", first->message)
                      : status_set(status, STATUS_FAILED, "%d of %d figures failed", failed, count);
}

static void items_clear(ReportItem *items, int count)
{
    for (int i = 0; i < count; i++) {
        figure_destroy(items[i].figure);
        viewer_clear(&items[i].viewer);
    }
    free(items);
}

/* Who can do what, engines included, which are asked. */
static json_t *describe_matrix(const Workshop *workshop)
{
    json_t *matrix = NULL;
    for (int i = 0; i < list_kind_count && !matrix; i++)
        if (strcmp(all_list_kinds[i]->name, "solvers") == 0) {
            json_t *solvers = all_list_kinds[i]->list(workshop->solvers);
            matrix = matrix_describe(workshop->solvers, solvers);
            json_decref(solvers);
        }
    return matrix;
}

/* Everything, and the page that shows it: also what failed. */
static bool report_make_page(Workshop *workshop, Status *status)
{
    Contents *contents = may_write(workshop, "index", "html", FILE_PAGE, status) ? contents_read(status) : NULL;
    if (!contents)
        return false;
    ReportItem *items = calloc((size_t)contents->count + 1, sizeof *items);
    if (!items) {
        contents_destroy(contents);
        return status_set(status, STATUS_FAILED, "out of memory");
    }
    Status note = {0}, page = {0};
    bool without_viewers;
    int count = items_of_contents(items, contents, &without_viewers, &note);
    Text text = {0};
    text_add(&text, "The 3D views are left out: %s.", note.message);
    bool ok = items_make(items, count, contents, workshop, status);
    json_t *matrix = describe_matrix(workshop);
    Report report = {.items = items,
                     .count = count,
                     .findings = contents->findings,
                     .note = without_viewers ? text.data : NULL,
                     .matrix = matrix,
                     .workshop = workshop};
    bool written = html_write(&report, &page);
    json_decref(matrix);
    int viewers = 0;
    for (int i = 0; i < count; i++)
        viewers += items[i].place->viewer;
    if (written)
        printf("%s/index.html: %d figures and %d viewers; %d runs and commands made\n", workshop->directory,
               count - viewers, viewers, workshop->made);
    else
        *status = page;
    if (without_viewers)
        fprintf(stderr, "rigor report: %s\n", text.data);
    free(text.data);
    items_clear(items, count);
    contents_destroy(contents);
    return ok && written;
}

/* Each figure that was made with a page of its own. */
static bool pages_write(ReportItem *items, int count, Workshop *workshop, Status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        Text file = {0};
        Report report = {.items = &items[i], .count = 1, .workshop = workshop};
        text_add(&file, "%s.html", item_id(&items[i]));
        if (items[i].made && item_has_page(&items[i], workshop))
            ok = file.failed ? status_set(status, STATUS_FAILED, "out of memory")
                             : html_write_alone(&report, file.data, status);
        free(file.data);
    }
    return ok;
}

static bool report_make_named(const Arguments *arguments, Workshop *workshop, Status *status)
{
    int count = arguments->operand_count;
    ReportItem *items = calloc((size_t)count + 1, sizeof *items);
    if (!items)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < count; i++)
        items[i].name = arguments->operands[i];
    Status page = {0};
    bool ok = items_make(items, count, NULL, workshop, status), written = pages_write(items, count, workshop, &page);
    if (ok && !written)
        *status = page;
    items_clear(items, count);
    return ok && written;
}

static bool report_in(const char *directory, const Arguments *arguments, Status *status)
{
    Text store = {0}, cache = {0};
    Workshop workshop = {.directory = directory,
                         .solvers = &arguments->solvers,
                         .plugin_paths = arguments->values[OPTION_PLUGIN],
                         .slide = arguments->given[OPTION_SLIDE] > 0,
                         .dark = arguments->given[OPTION_DARK] > 0,
                         .force = arguments->given[OPTION_FORCE] > 0};
    const char *db = argument(arguments, OPTION_DB);
    text_add(&store, db ? "%s%s" : "%s/%s", db ? db : directory, db ? "" : "store.sqlite");
    text_add(&cache, "%s/cache", directory);
    bool ok = !store.failed && !cache.failed && make_directory(cache.data, status) &&
              argument_whole(arguments, OPTION_JOBS, 1, workers_default(1), &workshop.jobs, status) &&
              (workshop.store = store_open(store.data, status));
    ok = ok && (arguments->operand_count ? report_make_named(arguments, &workshop, status)
                                         : report_make_page(&workshop, status));
    store_close(workshop.store);
    free(store.data);
    free(cache.data);
    return ok;
}

static bool report_command(const Arguments *arguments, Status *status)
{
    bool variant = arguments->given[OPTION_SLIDE] || arguments->given[OPTION_DARK];
    if (variant && arguments->operand_count == 0)
        return status_set(status, STATUS_USAGE, "--slide and --dark are for figures that are named");
    const char *given = argument(arguments, OPTION_OUTPUT);
    return report_in(given ? given : DEFAULT_DIRECTORY, arguments, status);
}

static const OptionNote NOTES[] = {
    {OPTION_DB, "the store that runs are taken from and kept in (default store.sqlite beside the figures)"},
    {OPTION_HELP, NULL},
};

const Command command_report = {
    .notes = NOTES,
    .name = "report",
    .operands = "[FIGURE...|FIGURE.json]",
    .summary = "figures from their files, as SVG, PDF, PNG and CSV; with no name all of them, as pages",
    .help =
        "Figures are files in reports/figures (or $RIGOR_FIGURES); a path names one elsewhere. Files go to\n"
        "reports/out unless -o names another folder. A figure that is named gets NAME.html, too, a page in which\n"
        "it answers the hand. Runs are kept in store.sqlite there, or in the store that --db names, and only what\n"
        "it lacks is made. With no name all figures are made; index.html, with the playground, leads to a page for\n"
        "each lecture, with runs to be seen in 3D between the figures (contents.json). --slide gives NAME-1,\n"
        "NAME-2, ..., a panel each, --dark NAME-dark.",
    .least_operands = 0,
    .most_operands = 64,
    .options = TAKES(OPTION_SLIDE) | TAKES(OPTION_DARK) | TAKES(OPTION_OUTPUT) | TAKES(OPTION_FORCE) |
               TAKES(OPTION_DB) | TAKES(OPTION_JOBS) | TAKES(OPTION_PLUGIN),
    .run = report_command,
};
