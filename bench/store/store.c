/* SPDX-License-Identifier: MIT */
#include "bench/store/store.h"

#include "bench/build.h"
#include "bench/process/child.h"
#include "bench/store/copy.h"
#include "bench/store/guard.h"
#include "scenes/file/file.h"
#include "solvers/engines/engine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The schema's version; raised when a program that knows the old one could no longer read or write it. */
enum { STORE_VERSION = 1 };

/* "RIGR": tells a store from any other SQLite file. */
enum { STORE_APPLICATION = 0x52494752 };

/* Another program's write (a shell, a copy) is waited for so long: ms. */
enum { BUSY_MILLISECONDS = 10000 };

static const char COLUMNS[] = "key, identity, scene, params, solver, options, dt, time, status, message, blew_up_at, "
                              "row_solves, us_per_frame, us_low, us_high, wall_s, repeats, time_limit, kept, version, "
                              "machine, finished_at, scene_file, scene_hash, events, warnings, verdict, made_of";
enum { COLUMN_COUNT = 28 };

/* Columns that came later than the first stores: added like the metrics', and not among them. */
static const char *const LATER_COLUMNS[] = {"scene_file", "scene_hash", "events", "warnings", "verdict", "made_of"};
enum { LATER_COUNT = 6 };

/* A run made again keeps metrics that are not wanted this time, and times from more repeats on the same machine. Times
 * stand together among the columns, from TIMES_AT (counted from 1) on. */
static const char *const TIME_COLUMNS[] = {"us_per_frame", "us_low", "us_high", "wall_s", "repeats"};
enum { TIMES_AT = 13, REPEATS_AT = 17, MACHINE_AT = 21 };
static const char SAME_RUN[] = "FROM runs WHERE key = ?1 AND status = ?9";

static const char TABLE[] = STORE_TABLE STORE_TABLE_END ";" STORE_INDEX;

static const char VIEW_COLUMNS[] = "key, scene, solver, params, options, dt, time, status, blew_up_at, row_solves, "
                                   "us_per_frame, wall_s, version, machine, finished_at, scene_file, "
                                   "coalesce(scene_hash, scene) AS scene_hash, events, warnings, verdict, made_of";

struct Store {
    char *path;
    char name[64]; /* as SQLite can attach it; "": by its path */
    sqlite3 *database;
    sqlite3_stmt *find, *put;
    StoreLock lock;
};

sqlite3 *store_database(const Store *store)
{
    return store->database;
}

const char *store_path(const Store *store)
{
    return store->path;
}

const char *store_attached_as(const Store *store)
{
    return store->name[0] ? store->name : store->path;
}

/* What a user can do about it. */
static const char *store_advice(int code)
{
    switch (code) {
    case SQLITE_FULL:
        return "; the disk is full: what is stored is safe, free some space and start the same sweep again";
    case SQLITE_IOERR:
        return "; what is stored is safe: the same sweep goes on from there once the disk can be written";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "; another program holds the store: what is stored is safe, start the same sweep again later";
    case SQLITE_INTERRUPT:
        return "; it takes longer than 20 s: the store is not what a sweep makes, or the condition asks for too much";
    case SQLITE_CORRUPT:
        return "; the store is damaged and was left as it is: `sqlite3 STORE .recover` saves what can be read";
    case SQLITE_NOTADB:
        return "; it is no results store, or damaged, and was left as it is";
    case SQLITE_READONLY_ROLLBACK:
        return "; a write to it was broken off: the same sweep, started again, repairs it";
    case SQLITE_READONLY:
        return "; it is read-only: make it writable, or give another --db";
    default:
        return "";
    }
}

bool store_fail(const Store *store, const char *what, Status *status)
{
    int whole = sqlite3_extended_errcode(store->database), code = whole & 0xff;
    int error = sqlite3_system_errno(store->database);
    /* Also before it is locked, while its tables are made. */
    if (code == SQLITE_IOERR && access(store->path, F_OK) != 0 && errno == ENOENT)
        return store_gone(store->path, status);
    bool io = (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL) && error != 0;
    return status_set(status, STATUS_FAILED, "%s: %s: %s%s%s%s%s", store->path, what, sqlite3_errmsg(store->database),
                      io ? " (" : "", io ? strerror(error) : "", io ? ")" : "",
                      store_advice(whole == SQLITE_READONLY_ROLLBACK ? whole : code));
}

static bool store_execute(Store *store, const char *sql, const char *what, Status *status)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(store, what, status);
}

/* The one number that a statement gives. */
static bool store_number(Store *store, const char *sql, long long *number, Status *status)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
    if (ok)
        *number = sqlite3_column_int64(statement, 0);
    else
        store_fail(store, "cannot be read", status);
    sqlite3_finalize(statement);
    return ok;
}

/* Ours, and of a version that we know; *empty: just made. */
static bool store_check(Store *store, bool *empty, Status *status)
{
    long long application = 0, version = 0, tables = 0;
    if (!store_number(store, "PRAGMA application_id", &application, status) ||
        !store_number(store, "PRAGMA user_version", &version, status) ||
        !store_number(store, "SELECT count(*) FROM sqlite_schema", &tables, status))
        return false;
    *empty = tables == 0 && application == 0;
    if (!*empty && application != STORE_APPLICATION)
        return status_set(status, STATUS_BAD_FILE, "%s: a SQLite file, but no results store", store->path);
    if (!*empty && !store_schema_is_ours(store->database))
        return status_set(status, STATUS_BAD_FILE, "%s: its tables and views are not those of a results store",
                          store->path);
    if (version > STORE_VERSION)
        return status_set(status, STATUS_BAD_FILE,
                          "%s: written by a newer version of rigor (store version %lld; this one knows up to %d)",
                          store->path, version, STORE_VERSION);
    return true;
}

static bool store_check_damage(Store *store, Status *status)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK)
        step = sqlite3_step(statement);
    const char *found = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool ok = found && strcmp(found, "ok") == 0;
    if (found && !ok)
        status_set(status, STATUS_BAD_FILE, "%s: %.300s%s", store->path, found, store_advice(SQLITE_CORRUPT));
    else if (!ok)
        store_fail(store, "cannot be read", status);
    sqlite3_finalize(statement);
    return ok;
}

static bool store_has_column(Store *store, const char *name)
{
    return sqlite3_table_column_metadata(store->database, NULL, "runs", name, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* A column as SQL writes it, whatever its name holds. */
static void text_add_name(Text *sql, const char *name)
{
    char *quoted = sqlite3_mprintf(", \"%w\"", name);
    text_add(sql, "%s", quoted ? quoted : "");
    sql->failed = sql->failed || !quoted;
    sqlite3_free(quoted);
}

/* A column for each metric and each measure of problems beside those that are there, and the view of them all. */
static bool store_add_metrics(Store *store, bool fresh, Status *status)
{
    Text sql = {0};
    for (int i = 0; i < LATER_COUNT; i++)
        if (!store_has_column(store, LATER_COLUMNS[i]))
            text_add(&sql, "ALTER TABLE runs ADD COLUMN %s TEXT;", LATER_COLUMNS[i]);
    for (int i = 0; i < metric_count; i++)
        if (!store_has_column(store, all_metrics[i]->name))
            text_add(&sql, "ALTER TABLE runs ADD COLUMN %s REAL;", all_metrics[i]->name);
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (!store_has_column(store, measure_names[i]))
            text_add(&sql, "ALTER TABLE runs ADD COLUMN \"%s\" REAL;", measure_names[i]);
    bool ok = sql.length == 0 || (!sql.failed && store_execute(store, sql.data, "cannot be written", status));
    bool changed = sql.length > 0 || fresh;
    free(sql.data);
    if (!ok || !changed)
        return ok;
    sqlite3_stmt *names = NULL;
    Text view = {0};
    text_add(&view, "DROP VIEW IF EXISTS results; CREATE VIEW results AS SELECT %s", VIEW_COLUMNS);
    ok = sqlite3_prepare_v2(store->database,
                            "SELECT name FROM pragma_table_info('runs') WHERE cid >= ? AND type = 'REAL'", -1, &names,
                            NULL) == SQLITE_OK &&
         sqlite3_bind_int(names, 1, COLUMN_COUNT - LATER_COUNT) == SQLITE_OK;
    while (ok && sqlite3_step(names) == SQLITE_ROW)
        text_add_name(&view, (const char *)sqlite3_column_text(names, 0));
    sqlite3_finalize(names);
    text_add(&view, " FROM runs");
    ok = ok && !view.failed && store_execute(store, view.data, "cannot be written", status);
    free(view.data);
    return ok;
}

static bool store_prepare_schema(Store *store, bool fresh, Status *status)
{
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION,
             STORE_VERSION);
    bool ok = store_execute(store, "BEGIN IMMEDIATE", "cannot be written", status) &&
              (!fresh || (store_execute(store, TABLE, "cannot be written", status) &&
                          store_execute(store, marks, "cannot be written", status))) &&
              store_add_metrics(store, fresh, status) && store_execute(store, "COMMIT", "cannot be written", status);
    if (!ok && !sqlite3_get_autocommit(store->database))
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

static bool store_prepare_statements(Store *store, Status *status)
{
    Text sql = {0};
    text_add(&sql, "INSERT OR REPLACE INTO runs (%s", COLUMNS);
    for (int i = 0; i < metric_count; i++)
        text_add(&sql, ", %s", all_metrics[i]->name);
    for (int i = 0; i < MEASURE_COUNT; i++)
        text_add(&sql, ", \"%s\"", measure_names[i]);
    text_add(&sql, ") VALUES (?1");
    for (int i = 2; i <= COLUMN_COUNT; i++)
        if (i < TIMES_AT || i > REPEATS_AT)
            text_add(&sql, ", ?%d", i);
        else
            text_add(&sql, ", coalesce((SELECT %s %s AND repeats > ?%d AND machine = ?%d), ?%d)",
                     TIME_COLUMNS[i - TIMES_AT], SAME_RUN, REPEATS_AT, MACHINE_AT, i);
    for (int i = 0; i < metric_count; i++)
        text_add(&sql, ", coalesce(?%d, (SELECT %s %s))", COLUMN_COUNT + 1 + i, all_metrics[i]->name, SAME_RUN);
    for (int i = 0; i < MEASURE_COUNT; i++)
        text_add(&sql, ", ?%d", COLUMN_COUNT + 1 + metric_count + i);
    text_add(&sql, ")");
    bool ok = !sql.failed && sqlite3_prepare_v2(store->database, sql.data, -1, &store->put, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(
                  store->database,
                  "SELECT kept, repeats, status, time_limit, row_solves, verdict, message FROM runs WHERE key = ?", -1,
                  &store->find, NULL) == SQLITE_OK;
    free(sql.data);
    return ok || store_fail(store, "cannot be read", status);
}

/* `name`: where SQLite finds it; NULL: at its path. */
static Store *store_create(const char *path, const char *name, int flags, const char *vfs, Status *status)
{
    Store *store = calloc(1, sizeof *store);
    if (store) {
        store->path = strdup(path);
        store->lock.fd = -1;
    }
    if (!store || !store->path) {
        status_set(status, STATUS_FAILED, "out of memory");
        store_close(store);
        return NULL;
    }
    if (sqlite3_open_v2(name ? name : path, &store->database, flags, vfs) == SQLITE_OK) {
        sqlite3_busy_timeout(store->database, BUSY_MILLISECONDS);
        store_guard(store->database);
        return store;
    }
    store_fail(store, "cannot be opened", status);
    store_close(store);
    return NULL;
}

/* SQLite opens for reading what it may not write, and says so only here. */
static bool store_writable(Store *store, Status *status)
{
    return sqlite3_db_readonly(store->database, "main") == 0 ||
           status_set(status, STATUS_FAILED, "%s: is read-only: make it writable, or give another --db", store->path);
}

Store *store_open(const char *path, Status *status)
{
    Store *store = store_create(path, NULL, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL, status);
    bool fresh = false;
    /* With WAL a kill loses nothing that was committed; a power cut may lose the last runs, which are then repeated. */
    if (store && store_writable(store, status) && store_lock(&store->lock, path, status) &&
        store_check(store, &fresh, status) && store_check_damage(store, status) &&
        store_execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "cannot be written", status) &&
        store_prepare_schema(store, fresh, status) && store_prepare_statements(store, status))
        return store;
    store_close(store);
    return NULL;
}

/* What is opened to be read: its files, and what they are called. */
typedef struct Foreign {
    const char *path;
    const StoreFiles *files;
} Foreign;

/* In the process that reads: sees that it is a store, and gives its rows away. Without shared memory SQLite reads a log
 * only where it is alone; here it is. */
static bool store_give(FILE *out, int in, void *context, Status *status)
{
    const Foreign *foreign = context;
    const char *vfs = store_files_vfs(foreign->files);
    Store *store = vfs ? store_create(foreign->path, NULL, SQLITE_OPEN_READONLY, vfs, status) : NULL;
    bool empty = false, ok = false;
    (void)in;
    if (store && store_execute(store, "PRAGMA locking_mode = EXCLUSIVE", "cannot be read", status)) {
        store_guard_time(store->database);
        ok = store_check(store, &empty, status) && store_check_damage(store, status) &&
             (!empty || status_set(status, STATUS_BAD_FILE, "%s: is empty, and no results store", foreign->path));
    }
    if (ok) {
        store_guard_reading(store->database);
        ok = store_copy_send(store->database, out) || store_fail(store, "cannot be read", status);
    }
    store_close(store);
    return ok;
}

/* A database in memory, with a name by which another one of this process can attach it. */
static Store *store_create_copy(const char *path, Status *status)
{
    static int count;
    char name[sizeof((Store *)0)->name];
    snprintf(name, sizeof name, "file:/rigor_store_%d?vfs=memdb", count++);
    Store *store = store_create(path, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL, status);
    if (store)
        memcpy(store->name, name, sizeof name);
    return store;
}

/* Where the answer is ready, and then ask. */
static Store *store_take(const char *path, char *bytes, size_t size, Status *status)
{
    FILE *in = size > 0 ? fmemopen(bytes, size, "rb") : NULL;
    Store *store = in ? store_create_copy(path, status) : NULL;
    if (store && !store_copy_receive(store->database, in)) {
        if (sqlite3_errcode(store->database) == SQLITE_OK)
            status_set(status, STATUS_BAD_FILE, "%s: its tables and views are not those of a results store", path);
        else
            store_fail(store, "cannot be read", status);
        store_close(store);
        store = NULL;
    } else if (!in) {
        status_set(status, STATUS_FAILED, "%s: out of memory", path);
    }
    if (store) {
        store_guard_time(store->database);
        store_guard_reading(store->database);
    }
    if (in)
        fclose(in);
    return store;
}

static Store *store_open_files(const Foreign *foreign, bool confined, Status *status)
{
    char *bytes = NULL;
    size_t size = 0;
    const StoreFiles *files = foreign->files;
    const int kept[] = {files->store, files->log, files->journal};
    FILE *out = open_memstream(&bytes, &size);
    bool ok = out || status_set(status, STATUS_FAILED, "%s: out of memory", foreign->path);
    ok = ok && (confined ? read_descriptors_in_child(out, store_give, (void *)foreign, foreign->path, kept, 3,
                                                     files->bytes, status)
                         : store_give(out, files->store, (void *)foreign, status));
    if (out && fclose(out) != 0 && ok)
        ok = status_set(status, STATUS_FAILED, "%s: out of memory", foreign->path);
    Store *store = ok ? store_take(foreign->path, bytes, size, status) : NULL;
    free(bytes);
    return store;
}

Store *store_open_to_read(const char *path, Status *status)
{
    if (access(path, R_OK) != 0) {
        status_set(status, STATUS_BAD_FILE, "%s: there is no such store, or it cannot be read", path);
        return NULL;
    }
    StoreFiles files;
    Store *store =
        store_files_open(&files, path, status) ? store_open_files(&(Foreign){path, &files}, true, status) : NULL;
    store_files_close(&files);
    return store;
}

Store *store_open_here(const StoreFiles *files, Status *status)
{
    return store_open_files(&(Foreign){"store", files}, false, status);
}

void store_close(Store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->find);
    sqlite3_finalize(store->put);
    sqlite3_close(store->database);
    store_unlock(&store->lock);
    free(store->path);
    free(store);
}

/* ",a,b,": a name between commas is in it. */
static void kept_text(uint32_t metrics, Text *text)
{
    text_add(text, ",");
    for (int i = 0; i < metric_count; i++)
        if (metrics >> i & 1)
            text_add(text, "%s,", all_metrics[i]->name);
}

static uint32_t kept_bits(const char *text)
{
    uint32_t metrics = 0;
    for (int i = 0; i < metric_count; i++) {
        char name[64];
        snprintf(name, sizeof name, ",%s,", all_metrics[i]->name);
        if (strstr(text, name))
            metrics |= UINT32_C(1) << i;
    }
    return metrics;
}

/* Whether the run would end as it did within the limits of now. What ran out of work says how far it came; what ran out
 * of time does not. */
static bool limits_agree(const Experiment *experiment, sqlite3_stmt *find, bool timed_out)
{
    bool counted = sqlite3_column_type(find, 4) != SQLITE_NULL;
    double limit = experiment->row_solves_limit > 0.0 ? experiment->row_solves_limit : INFINITY;
    if (counted)
        return timed_out == (sqlite3_column_double(find, 4) > limit);
    return !timed_out || sqlite3_column_double(find, 3) >= experiment->run_time_limit;
}

/* A run from before there were verdicts ended, and was not judged. */
static bool lacks_verdict(sqlite3_stmt *find)
{
    const char *status = (const char *)sqlite3_column_text(find, 2);
    return sqlite3_column_type(find, 5) == SQLITE_NULL && (strcmp(status, "ok") == 0 || strcmp(status, "blew_up") == 0);
}

/* A run of an engine that was not there is made once it is. */
static bool waits_for_engine(sqlite3_stmt *find, const ExperimentRun *run)
{
    const char *message = (const char *)sqlite3_column_text(find, 6);
    return message && engine_said_missing(message) && !engine_is_missing(run->solver);
}

bool store_has(Store *store, const Experiment *experiment, int run, bool *has, uint32_t *kept, Status *status)
{
    sqlite3_stmt *find = store->find;
    *has = false;
    *kept = 0;
    sqlite3_bind_text(find, 1, experiment->runs[run].key, -1, SQLITE_STATIC);
    int step = sqlite3_step(find);
    if (step == SQLITE_ROW) {
        bool timed_out = strcmp((const char *)sqlite3_column_text(find, 2), "timed_out") == 0;
        *kept = kept_bits((const char *)sqlite3_column_text(find, 0));
        *has = (experiment->metrics & ~*kept) == 0 && sqlite3_column_int(find, 1) >= experiment->repeats &&
               (experiment_run_is_problem(&experiment->runs[run]) ||
                (limits_agree(experiment, find, timed_out) && !lacks_verdict(find) &&
                 !waits_for_engine(find, &experiment->runs[run])));
    }
    bool ok = step == SQLITE_ROW || step == SQLITE_DONE || store_fail(store, "cannot be read", status);
    sqlite3_reset(find);
    return ok;
}

static void put_text(sqlite3_stmt *put, int *column, const char *text)
{
    sqlite3_bind_text(put, ++*column, text, -1, SQLITE_TRANSIENT);
}

/* NaN is NULL to SQLite. */
static void put_real(sqlite3_stmt *put, int *column, double value)
{
    sqlite3_bind_double(put, ++*column, value);
}

/* A list as JSON, which is taken over; NULL: out of memory. */
static void put_json(sqlite3_stmt *put, int *column, json_t *list)
{
    char *text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17));
    put_text(put, column, text);
    free(text);
    json_decref(list);
}

static void time_text(char *text, size_t size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t length = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + length, size - length, ".%03ldZ", now.tv_nsec / 1000000);
}

/* In the order of COLUMNS, then the metrics, then the measures of problems. */
static void put_bind(sqlite3_stmt *put, const Experiment *experiment, const Outcome *outcome, uint32_t metrics,
                     const char *params, const char *options, const char *kept)
{
    const ExperimentRun *run = &experiment->runs[outcome->run];
    char version[96], finished[32];
    int column = 0;
    snprintf(version, sizeof version, "%s+%s", build_version(), build_commit());
    time_text(finished, sizeof finished);
    put_text(put, &column, run->key);
    put_text(put, &column, run->identity);
    put_text(put, &column, experiment_scene_name(run));
    put_text(put, &column, params);
    put_text(put, &column, run->solver->name);
    put_text(put, &column, options);
    put_real(put, &column, run->dt);
    put_real(put, &column, run->time);
    put_text(put, &column, outcome_names[outcome->status]);
    put_text(put, &column, outcome->message[0] ? outcome->message : NULL);
    put_real(put, &column, outcome->blew_up_at);
    if (isnan(outcome->said.row_solves))
        sqlite3_bind_null(put, ++column);
    else
        sqlite3_bind_int64(put, ++column, (sqlite3_int64)outcome->said.row_solves);
    put_real(put, &column, outcome->us_per_frame);
    put_real(put, &column, outcome->us_low);
    put_real(put, &column, outcome->us_high);
    put_real(put, &column, outcome->wall_s);
    sqlite3_bind_int(put, ++column, experiment->repeats);
    put_real(put, &column, experiment->run_time_limit);
    put_text(put, &column, kept);
    put_text(put, &column, version);
    put_text(put, &column, outcome->machine);
    put_text(put, &column, finished);
    put_text(put, &column, run->file && !run->file->frozen ? run->file->path : NULL);
    put_text(put, &column, run->file ? run->file->hash : experiment_scene_name(run));
    put_json(put, &column, json_events(outcome->said.events, outcome->said.event_count));
    put_json(put, &column, json_warnings(&outcome->said.warnings));
    put_text(put, &column, verdict_names[outcome->said.verdict]);
    put_text(put, &column, run->made_of);
    for (int i = 0; i < metric_count; i++)
        put_real(put, &column, metrics >> i & 1 ? outcome->metrics[i] : NAN);
    for (int i = 0; i < MEASURE_COUNT; i++)
        put_real(put, &column, outcome->measures[i]);
}

bool store_put(Store *store, const Experiment *experiment, const Outcome *outcome, uint32_t metrics, Status *status)
{
    const ExperimentRun *run = &experiment->runs[outcome->run];
    char *params = experiment_params_text(run), *options = experiment_options_text(run);
    Text kept = {0};
    kept_text(metrics, &kept);
    bool ok = params && options && !kept.failed;
    if (ok) {
        put_bind(store->put, experiment, outcome, metrics, params, options, kept.data);
        /* Outside BEGIN a statement is a transaction of its own. */
        bool stored = sqlite3_step(store->put) == SQLITE_DONE;
        ok = store_lock_holds(&store->lock, store->path, status) &&
             (stored || store_fail(store, "a run could not be stored", status));
        sqlite3_reset(store->put);
        sqlite3_clear_bindings(store->put);
    } else {
        status_set(status, STATUS_FAILED, "out of memory");
    }
    free(params);
    free(options);
    free(kept.data);
    return ok;
}
