/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* getentropy */
#include "bench/experiment/audit.h"

#include "bench/experiment/grid.h"
#include "bench/process/workers.h"
#include "bench/store/diff.h"
#include "scenes/file/file.h"
#include "solvers/engines/engine.h"
#include "solvers/variants.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A row of the store that was chosen, and the experiment of one run that makes it again. */
typedef struct Choice {
    json_t *row; /* column -> value */
    Experiment *experiment;
} Choice;

typedef struct Choices {
    Choice *list;
    int count;
} Choices;

/* In [0, 1), and not to be guessed. */
static double fresh_number(void)
{
    uint64_t bits = 0;
    if (getentropy(&bits, sizeof bits) != 0)
        return 0.0; /* rather all rows than ones that can be foreseen */
    return (double)(bits >> 11) * 0x1p-53;
}

static json_t *row_object(sqlite3_stmt *row)
{
    json_t *object = json_object();
    for (int c = 0; object && c < sqlite3_column_count(row); c++) {
        int type = sqlite3_column_type(row, c);
        json_t *value = type == SQLITE_INTEGER ? json_integer(sqlite3_column_int64(row, c))
                        : type == SQLITE_FLOAT ? json_real(sqlite3_column_double(row, c))
                        : type == SQLITE_TEXT  ? json_string((const char *)sqlite3_column_text(row, c))
                                               : json_null();
        json_object_set_new(object, sqlite3_column_name(row, c), value ? value : json_null());
    }
    return object;
}

/* The k-th of n rows is taken with the probability (wanted - taken) / (n - k): exactly so many, each set alike. */
static bool choose_rows(Choices *choices, Audit *audit, sqlite3_stmt *rows, int wanted)
{
    int step, seen = 0;
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        bool taken = fresh_number() * (audit->rows - seen++) < wanted - choices->count;
        if (taken && choices->count < wanted && !(choices->list[choices->count++].row = row_object(rows)))
            return false;
    }
    return step == SQLITE_DONE;
}

static const char *text_of(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));
    return text ? text : "";
}

/* The run as an experiment would ask for it; NULL: no such run is to be had. */
static json_t *choice_document(const json_t *row)
{
    json_t *params = json_loads(text_of(row, "params"), 0, NULL),
           *options = json_loads(text_of(row, "options"), 0, NULL);
    const char *file = text_of(row, "scene_file");
    json_t *entry = json_pack("{s:s,s:o,s:s,s:o,s:O,s:O}", "scene", file[0] ? file : text_of(row, "scene"), "params",
                              params ? params : json_object(), "solver", text_of(row, "solver"), "options",
                              options ? options : json_object(), "dt", json_object_get(row, "dt"), "time",
                              json_object_get(row, "time"));
    return entry ? json_pack("{s:i,s:s,s:[o]}", "rigor", 1, "name", "audit", "grid", entry) : NULL;
}

/* Its content is what the row's identity says: else the scene file is another, or the solver has other options now. An
 * engine is not started because of a name in a store. */
static bool choice_prepare(Choice *choice, const SolverSet *solvers)
{
    Status ignored = {0};
    Reader reader = {.path = "store", .status = &ignored};
    Node root = {.reader = &reader, .value = choice_document(choice->row)};
    if (!root.value)
        return false;
    Node grid = node_get(&root, "grid");
    const char *const no_plugins[PLUGINS_MAX] = {0};
    choice->experiment = experiment_read_entry(&root, node_at(&grid, 0), solvers, no_plugins);
    json_decref(root.value);
    const Experiment *made = choice->experiment;
    return made && made->run_count == 1 && !experiment_run_is_problem(&made->runs[0]) &&
           !engine_of(solver_backend(made->runs[0].solver)) &&
           strcmp(made->runs[0].identity, text_of(choice->row, "identity")) == 0;
}

static void make_again(void *context, int index, void *result)
{
    Choices *choices = context;
    outcome_of_run(choices->list[index].experiment, 0, result);
}

static bool audit_tell(Audit *audit, const json_t *row, const char *what, const char *stored, const char *found)
{
    AuditRow *grown = realloc(audit->different, sizeof *grown * (size_t)(audit->count + 1));
    if (!grown)
        return false;
    audit->different = grown;
    AuditRow *told = &grown[audit->count++];
    snprintf(told->key, sizeof told->key, "%s", text_of(row, "key"));
    snprintf(told->scene, sizeof told->scene, "%s", text_of(row, "scene"));
    snprintf(told->solver, sizeof told->solver, "%s", text_of(row, "solver"));
    snprintf(told->what, sizeof told->what, "%s", what);
    snprintf(told->stored, sizeof told->stored, "%s", stored);
    snprintf(told->found, sizeof told->found, "%s", found);
    return true;
}

static double number_of(const json_t *row, const char *column)
{
    const json_t *value = json_object_get(row, column);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

typedef enum Agreement { AGREE_SAME, AGREE_ROUND_OFF, AGREE_NOT } Agreement;

static Agreement numbers_agree(double a, double b)
{
    double scale = fmax(fabs(a), fabs(b));
    if (memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)) || a == b)
        return AGREE_SAME;
    return scale <= DIFF_ABSOLUTE || fabs(a - b) <= DIFF_RELATIVE * scale ? AGREE_ROUND_OFF : AGREE_NOT;
}

typedef struct Comparison {
    Agreement worst;
    const char *what; /* the first that does not agree */
    double stored, found;
} Comparison;

static void compare_number(Comparison *comparison, const char *what, double stored, double found)
{
    Agreement agreement = numbers_agree(stored, found);
    if (agreement == AGREE_NOT && comparison->worst != AGREE_NOT)
        *comparison = (Comparison){agreement, what, stored, found};
    else if (agreement > comparison->worst)
        comparison->worst = agreement;
}

/* What is there is compared, whether the row says that it was kept or not. */
static void compare_metrics(Comparison *comparison, const json_t *row, const Outcome *outcome)
{
    for (int i = 0; i < metric_count; i++) {
        char name[64];
        double stored = number_of(row, all_metrics[i]->name);
        snprintf(name, sizeof name, ",%s,", all_metrics[i]->name);
        if (!isnan(stored) || strstr(text_of(row, "kept"), name))
            compare_number(comparison, all_metrics[i]->name, stored, outcome->metrics[i]);
    }
}

/* A column of texts, as JSON; the list is taken over. */
static bool lists_agree(const json_t *row, const char *column, json_t *found)
{
    json_t *stored = json_loads(text_of(row, column), 0, NULL);
    char *text = json_dumps(found, JSON_REAL_PRECISION(17));
    json_t *again = text ? json_loads(text, 0, NULL) : NULL;
    bool agree = stored && again && json_equal(stored, again);
    free(text);
    json_decref(again);
    json_decref(found);
    json_decref(stored);
    return agree;
}

/* The first text of the row that is another; NULL: all agree. A row may be older than a column. Events and warnings
 * have numbers in their words, which another compiler may round otherwise. */
static const char *texts_differ(const json_t *row, const Outcome *outcome, bool same_program)
{
    const char *verdict = verdict_names[outcome->said.verdict];
    if (strcmp(text_of(row, "status"), outcome_names[outcome->status]) != 0)
        return "status";
    if (json_is_string(json_object_get(row, "verdict")) && (!verdict || strcmp(text_of(row, "verdict"), verdict) != 0))
        return "verdict";
    if (same_program && !lists_agree(row, "events", json_events(outcome->said.events, outcome->said.event_count)))
        return "events";
    if (same_program && !lists_agree(row, "warnings", json_warnings(&outcome->said.warnings)))
        return "warnings";
    return NULL;
}

static bool audit_compare(Audit *audit, const Choice *choice, const Outcome *outcome)
{
    const json_t *row = choice->row;
    bool same_program = strcmp(text_of(row, "made_of"), choice->experiment->runs[0].made_of) == 0;
    const char *other = texts_differ(row, outcome, same_program);
    char stored[32], found[32];
    Comparison comparison = {0};
    audit->checked++;
    if (other)
        return audit_tell(audit, row, other, text_of(row, other),
                          strcmp(other, "status") == 0 ? outcome_names[outcome->status] : "another");
    compare_number(&comparison, "row_solves", number_of(row, "row_solves"), outcome->said.row_solves);
    compare_number(&comparison, "blew_up_at", number_of(row, "blew_up_at"), outcome->blew_up_at);
    compare_metrics(&comparison, row, outcome);
    if (comparison.worst == AGREE_NOT) {
        snprintf(stored, sizeof stored, "%.17g", comparison.stored);
        snprintf(found, sizeof found, "%.17g", comparison.found);
        return audit_tell(audit, row, comparison.what, stored, found);
    }
    /* Another compiler or library may round otherwise; the same may not. */
    if (comparison.worst == AGREE_ROUND_OFF && same_program)
        return audit_tell(audit, row, "bits", "the same program", "other bits");
    audit->same += comparison.worst == AGREE_SAME;
    audit->round_off += comparison.worst == AGREE_ROUND_OFF;
    return true;
}

static bool audit_run(Audit *audit, Choices *choices, int jobs, Status *status)
{
    Work work = {choices->count, sizeof(Outcome), make_again, choices, NULL};
    WorkResults *results = choices->count > 0 ? workers_run(&work, jobs, status) : NULL;
    bool ok = results || choices->count == 0;
    for (int i = 0; ok && i < choices->count; i++) {
        const Outcome *outcome = work_result(results, i);
        Outcome crashed = outcome_empty(0, OUTCOME_CRASHED);
        ok = audit_compare(audit, &choices->list[i], outcome ? outcome : &crashed) ||
             status_set(status, STATUS_FAILED, "out of memory");
    }
    work_results_destroy(results);
    return ok;
}

/* Those that cannot be made again leave the list. */
static void choices_prepare(Audit *audit, Choices *choices, const SolverSet *solvers)
{
    int kept = 0;
    for (int i = 0; i < choices->count; i++) {
        Choice choice = choices->list[i];
        if (choice_prepare(&choice, solvers)) {
            choices->list[kept++] = choice;
            continue;
        }
        experiment_destroy(choice.experiment);
        json_decref(choice.row);
        audit->left_out++;
    }
    choices->count = kept;
}

static bool audit_read(Audit *audit, Choices *choices, Store *store, double share, Status *status)
{
    sqlite3_stmt *count = NULL, *rows = NULL;
    sqlite3 *database = store_database(store);
    bool ok = sqlite3_prepare_v2(database, "SELECT count(*) FROM runs", -1, &count, NULL) == SQLITE_OK &&
              sqlite3_step(count) == SQLITE_ROW;
    audit->rows = ok ? sqlite3_column_int(count, 0) : 0;
    sqlite3_finalize(count);
    int wanted = (int)ceil(share * audit->rows);
    choices->list = calloc((size_t)wanted + 1, sizeof *choices->list);
    ok = ok && choices->list &&
         sqlite3_prepare_v2(database, "SELECT * FROM runs ORDER BY key", -1, &rows, NULL) == SQLITE_OK &&
         choose_rows(choices, audit, rows, wanted);
    sqlite3_finalize(rows);
    return ok || store_fail(store, "cannot be read", status);
}

bool audit_make(Audit *audit, const char *path, double share, int jobs, const SolverSet *solvers, Status *status)
{
    Choices choices = {0};
    *audit = (Audit){0};
    Store *store = store_open_to_read(path, status);
    bool ok = store && audit_read(audit, &choices, store, share, status);
    store_close(store);
    if (ok) {
        choices_prepare(audit, &choices, solvers);
        ok = audit_run(audit, &choices, jobs, status);
    }
    for (int i = 0; i < choices.count; i++) {
        experiment_destroy(choices.list[i].experiment);
        json_decref(choices.list[i].row);
    }
    free(choices.list);
    return ok;
}

void audit_clear(Audit *audit)
{
    free(audit->different);
    *audit = (Audit){0};
}
