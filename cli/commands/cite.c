/* SPDX-License-Identifier: MIT */
/* rigor cite: BibTeX of the program, and of what was used of it: solvers and their papers, engines, files, stores. */
#include "bench/build.h"
#include "bench/files/sha256.h"
#include "bench/store/store.h"
#include "cli/cli.h"
#include "reports/recording/data.h"
#include "solvers/engines/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Paper {
    const char *author, *year, *key, *fields;
} Paper;

static const Paper PAPERS[] = {
#define PAPER(author, year, key, fields) {author, year, key, fields},
#include "bench/papers.def"
#undef PAPER
};
enum { PAPER_COUNT = sizeof PAPERS / sizeof PAPERS[0] };

/* What was cited so far, each once. */
typedef struct Cited {
    const Arguments *arguments;
    bool papers[PAPER_COUNT];
    json_t *solvers;
} Cited;

/* Whether the reference names it: "Catto 2005, 2006" has two papers, and parts stand between semicolons. */
static bool reference_has(const char *reference, const Paper *paper)
{
    for (const char *part = reference; *part;) {
        char text[256];
        size_t length = strcspn(part, ";");
        snprintf(text, sizeof text, "%.*s", (int)length, part);
        const char *author = strstr(text, paper->author);
        if (author && strstr(author, paper->year))
            return true;
        part += length + (part[length] == ';');
    }
    return false;
}

static void print_fields(const char *fields)
{
    bool within = false;
    int depth = 0;
    for (const char *c = fields; *c; c++) {
        depth += (*c == '{') - (*c == '}');
        within = depth > 0;
        if (*c == ',' && !within && c[1] == ' ') {
            fputs(",\n  ", stdout);
            c++;
        } else {
            putchar(*c);
        }
    }
}

static void cite_paper(const Paper *paper)
{
    const char *kind = strstr(paper->fields, "journal =")     ? "article"
                       : strstr(paper->fields, "booktitle =") ? "inproceedings"
                       : strstr(paper->fields, "publisher =") ? "book"
                                                              : "misc";
    printf("@%s{%s,\n  ", kind, paper->key);
    print_fields(paper->fields);
    printf(",\n  year = {%s}\n}\n\n", paper->year);
}

/* Text of ours or of a plug-in between the braces of a field. */
static void print_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("{}\\", *text))
            continue;
        printf("%s%c", strchr("_%&#$", *text) ? "\\" : "", *text);
    }
}

/* A name as a key may be. */
static void print_key(const char *name)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    for (; *name; name++)
        putchar(strchr(PLAIN, *name) ? *name : '-');
}

static void cite_rigor(void)
{
    printf("%s\n", build_citation());
}

/* The solver as it is here, then the papers that it is made after. */
static bool cite_solver(Cited *cited, const char *name, Status *status)
{
    const Solver *solver = solver_set_find(&cited->arguments->solvers, name, status);
    if (!solver)
        return false;
    if (json_object_get(cited->solvers, solver->name))
        return true;
    json_object_set_new(cited->solvers, solver->name, json_true());
    printf("@software{rigor-");
    print_key(solver->name);
    printf(",\n  title = {");
    print_text(solver->name);
    printf("%s},\n  note = {", engine_of(solver) ? ", driven by rigor" : " of rigor");
    print_text(solver->summary);
    printf(". After: ");
    print_text(solver->reference);
    printf("},\n  version = {%s}\n}\n\n", build_version());
    for (int i = 0; i < PAPER_COUNT; i++) {
        if (cited->papers[i] || !reference_has(solver->reference, &PAPERS[i]))
            continue;
        cited->papers[i] = true;
        cite_paper(&PAPERS[i]);
    }
    return true;
}

/* --- Stores --- */

static bool file_begins(const char *path, const char *magic, size_t size)
{
    char begin[16] = {0};
    FILE *file = fopen(path, "rb");
    bool ok = file && fread(begin, 1, size, file) == size && memcmp(begin, magic, size) == 0;
    if (file)
        fclose(file);
    return ok;
}

/* Runs, the versions that made them, and one hash of what made all of them. */
static bool cite_store(Cited *cited, const char *path, Status *status)
{
    Store *store = store_open_to_read(path, status);
    sqlite3_stmt *rows = NULL;
    Sha256 hash = sha256_begin();
    json_t *versions = json_object(), *solvers = json_object(), *unused;
    const char *version, *name;
    int count = 0, step = SQLITE_ERROR;
    char text[SHA256_TEXT];
    if (store && sqlite3_prepare_v2(store_database(store), "SELECT version, made_of, solver FROM results ORDER BY key",
                                    -1, &rows, NULL) == SQLITE_OK)
        for (; (step = sqlite3_step(rows)) == SQLITE_ROW; count++) {
            const char *made_of = (const char *)sqlite3_column_text(rows, 1);
            json_object_set_new(versions, (const char *)sqlite3_column_text(rows, 0), json_true());
            json_object_set_new(solvers, (const char *)sqlite3_column_text(rows, 2), json_true());
            sha256_add_text(&hash, made_of);
        }
    bool ok = store && (step == SQLITE_DONE || store_fail(store, "cannot be read", status));
    sqlite3_finalize(rows);
    store_close(store);
    sha256_text(&hash, text);
    bool first = true;
    if (ok) {
        printf("@misc{rigor-runs-%.12s,\n  title = {", text);
        print_text(path);
        printf(": %d runs of rigor},\n  version = {", count);
        json_object_foreach (versions, version, unused) {
            printf("%s", first ? "" : ", ");
            print_text(version);
            first = false;
        }
        printf("},\n  note = {SHA-256 of what made the runs: %s}\n}\n\n", text);
    }
    /* A plug-in that is not here is named by the store alone. */
    json_object_foreach (solvers, name, unused)
        if (ok && !cite_solver(cited, name, &(Status){0}))
            fprintf(stderr, "note: %s is not known here: name its paper yourself\n", name);
    json_decref(versions);
    json_decref(solvers);
    return ok;
}

/* --- Other files --- */

/* The solver of a recording; NULL with a message. Freed by the caller. */
static char *recording_solver(const char *path, Status *status)
{
    char *paths[] = {(char *)path}, *name = NULL;
    FILE *file = tmpfile();
    bool ok = file ? recordings_write(file, paths, 1, RECORDING_BRIEF, status)
                   : status_set(status, STATUS_FAILED, "no temporary file");
    if (ok) {
        rewind(file);
        json_t *document = json_loadf(file, 0, NULL);
        const json_t *run = json_object_get(json_array_get(json_object_get(document, "recordings"), 0), "run");
        const char *solver = json_string_value(json_object_get(run, "solver"));
        name = solver ? strdup(solver) : NULL;
        if (!name)
            status_set(status, STATUS_BAD_FILE, "%s: names no solver", path);
        json_decref(document);
    }
    if (file)
        fclose(file);
    return name;
}

static bool cite_file(Cited *cited, const char *path, Status *status)
{
    static const char SQLITE[] = "SQLite format 3", HDF5[] = "\211HDF\r\n\032\n";
    char text[SHA256_TEXT];
    if (file_begins(path, SQLITE, sizeof SQLITE))
        return cite_store(cited, path, status);
    bool recording = file_begins(path, HDF5, 8);
    char *solver = recording ? recording_solver(path, status) : NULL;
    bool ok = !recording || solver;
    ok = ok && sha256_file(path, text, status);
    if (ok) {
        printf("@misc{rigor-%s-%.12s,\n  title = {", recording ? "run" : "file", text);
        print_text(path);
        printf("},\n  note = {SHA-256 %s}\n}\n\n", text);
    }
    if (ok && solver && !cite_solver(cited, solver, &(Status){0}))
        fprintf(stderr, "note: %s is not known here: name its paper yourself\n", solver);
    free(solver);
    return ok;
}

static bool cite_command(const Arguments *arguments, Status *status)
{
    Cited cited = {.arguments = arguments, .solvers = json_object()};
    bool ok = cited.solvers || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < arguments->operand_count; i++) { /* names are checked before anything is printed */
        const char *what = arguments->operands[i];
        ok = access(what, F_OK) == 0 || solver_set_find(&arguments->solvers, what, status) != NULL;
    }
    if (ok)
        cite_rigor();
    for (int i = 0; ok && i < arguments->operand_count; i++) {
        const char *what = arguments->operands[i];
        ok = access(what, F_OK) == 0 ? cite_file(&cited, what, status) : cite_solver(&cited, what, status);
    }
    json_decref(cited.solvers);
    return ok;
}

const Command command_cite = {
    .name = "cite",
    .operands = "[FILE|DB|NAME...]",
    .summary = "BibTeX of rigor, and of the solvers, engines, recordings and stores that you used",
    .help =
        "A solver or engine has an entry of its own with the version, and the papers that it is made after as far as\n"
        "they are known here. A store names its solvers, the versions that made its runs, and the SHA-256 of what\n"
        "made them (made_of); a recording its solver and its SHA-256; any other file, as data, its SHA-256.",
    .least_operands = 0,
    .most_operands = 100,
    .options = TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = cite_command,
};
