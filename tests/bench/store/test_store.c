/* SPDX-License-Identifier: MIT */
#include "bench/store/store.h"

#include "bench/store/diff.h"
#include "tests/support/random.h"
#include "tests/support/scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char GRID[] = "{ 'rigor': 1, 'grid': [ { 'scene': 'pendulum', 'solver': ['xpbd', 'pgs'],"
                           "'params': { 'angle': { 'linear': [0.1, 1.4, 200] } }, 'time': 0.5 } ] }";

/* An outcome with high-entropy numbers in it. */
static Outcome outcome_of(int run, uint64_t seed)
{
    Random random = {seed + (uint64_t)run};
    Outcome outcome = outcome_empty(run, OUTCOME_OK);
    outcome.said.row_solves = (double)(random_bits(&random) >> 11);
    outcome.said.verdict = VERDICT_DRIFTS;
    outcome.us_per_frame = random_in(&random, 10.0, 11.0);
    outcome.us_low = 0.97 * outcome.us_per_frame;
    outcome.us_high = 1.03 * outcome.us_per_frame;
    outcome.wall_s = random_in(&random, 0.0, 1.0);
    for (int i = 0; i < metric_count; i++)
        outcome.metrics[i] = random_in(&random, 0.0, 1.0);
    strcpy(outcome.machine, "a machine");
    return outcome;
}

static Store *store_make(const char *path)
{
    Status status = {0};
    Store *store = store_open(path, &status);
    if (!store)
        fail_msg("%s", status.message);
    return store;
}

static void put(Store *store, const Experiment *experiment, const Outcome *outcome)
{
    Status status = {0};
    if (!store_put(store, experiment, outcome, experiment->metrics, &status))
        fail_msg("%s", status.message);
}

static bool has(Store *store, const Experiment *experiment, int run)
{
    Status status = {0};
    bool there = false;
    uint32_t kept;
    assert_true(store_has(store, experiment, run, &there, &kept, &status));
    return there;
}

static void make_store(const char *path, const Experiment *experiment, int runs, uint64_t seed)
{
    Store *store = store_make(path);
    for (int i = 0; i < runs; i++) {
        Outcome outcome = outcome_of(i, seed);
        put(store, experiment, &outcome);
    }
    store_close(store);
}

/* The one value that a statement gives, as a number. */
static double ask(const char *path, const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    double answer = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_double(statement, 0) : NAN;
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    return answer;
}

static void execute(const char *path, const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void assert_refused(const char *path, const char *message)
{
    Status status = {0};
    Store *store = store_open(path, &status);
    if (store || !strstr(status.message, message))
        fail_msg("'%s', not '%s'", store ? "opened" : status.message, message);
}

static void what_is_put_is_read_back(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    Outcome outcome = outcome_of(7, 1), failed = outcome_empty(8, OUTCOME_CRASHED);
    strcpy(failed.message, "killed by signal 6");
    outcome.metrics[2] = NAN;
    Store *store = store_make(path);
    put(store, e, &outcome);
    put(store, e, &outcome); /* replaces */
    put(store, e, &failed);
    assert_true(has(store, e, 7));
    assert_true(has(store, e, 8));
    assert_false(has(store, e, 9));
    store_close(store);
    assert_near(ask(path, "SELECT count(*) FROM results"), 2, 0.0);
    assert_near(ask(path, "SELECT drift_rms FROM results WHERE status = 'ok'"), outcome.metrics[1], 0.0);
    assert_near(ask(path, "SELECT drift_angle_max IS NULL FROM results WHERE status = 'ok'"), 1, 0.0);
    assert_near(ask(path, "SELECT blew_up_at IS NULL AND wall_s NOT NULL FROM results WHERE status = 'ok'"), 1, 0.0);
    assert_near(ask(path, "SELECT json_extract(params, '$.angle') FROM results WHERE status = 'ok'"),
                0.1 + 1.3 * 7 / 199, 1e-15);
    assert_near(ask(path, "SELECT json_extract(options, '$.substeps') FROM results"), 20, 0.0);
    assert_near(ask(path, "SELECT row_solves IS NULL AND message LIKE '%signal 6' FROM runs WHERE status = 'crashed'"),
                1, 0.0);
    assert_near(ask(path, "PRAGMA user_version"), 1, 0.0);
    assert_near(ask(path, "SELECT strict FROM pragma_table_list WHERE name = 'runs'"), 1, 0.0);
    assert_near(ask(path, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1, 0.0);
    experiment_destroy(e);
}

static void a_store_without_a_new_metric_gets_it(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    make_store(path, e, 3, 1);
    execute(path, "DROP VIEW results; ALTER TABLE runs DROP COLUMN drift_rms; ALTER TABLE runs ADD COLUMN later REAL;"
                  "UPDATE runs SET later = 0.73");
    make_store(path, e, 1, 1);
    assert_near(ask(path, "SELECT count(drift_rms) FROM results"), 1, 0.0);
    assert_near(ask(path, "SELECT sum(later) FROM results"), 2 * 0.73, 1e-15);
    experiment_destroy(e);
}

/* Old stores are read as they are; a run without a verdict is made again by the sweep that wants it. */
static void a_store_without_verdicts_is_read_and_gets_them(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    Status status = {0};
    make_store(path, e, 3, 1);
    assert_near(ask(path, "SELECT count(*) FROM results WHERE verdict = 'drifts'"), 3, 0.0);
    execute(path, "DROP VIEW results; ALTER TABLE runs DROP COLUMN verdict;"
                  "CREATE VIEW results AS SELECT key, scene, solver, status FROM runs");
    Store *store = store_open_to_read(path, &status);
    assert_non_null(store);
    store_close(store);
    store = store_make(path);
    assert_false(has(store, e, 1));
    Outcome outcome = outcome_of(1, 1), refused = outcome_empty(2, OUTCOME_UNSUPPORTED);
    put(store, e, &outcome);
    put(store, e, &refused);
    assert_true(has(store, e, 1));
    assert_true(has(store, e, 2)); /* nothing to judge */
    store_close(store);
    assert_near(ask(path, "SELECT count(verdict) FROM results"), 1, 0.0);
    experiment_destroy(e);
}

static void a_store_of_a_newer_version_is_left_alone(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    make_store(path, e, 3, 1);
    execute(path, "PRAGMA user_version = 2");
    assert_refused(path, "written by a newer version of rigor (store version 2; this one knows up to 1)");
    Status status = {0};
    assert_null(store_open_to_read(path, &status));
    assert_near(ask(path, "SELECT count(*) FROM runs"), 3, 0.0);
    experiment_destroy(e);
}

static void another_sqlite_file_is_left_alone(void **state)
{
    const char *path = scratch_path(*state, "x.sqlite");
    execute(path, "CREATE TABLE diary (day TEXT)");
    assert_refused(path, "a SQLite file, but no results store");
    assert_near(ask(path, "SELECT count(*) FROM sqlite_schema"), 1, 0.0);
    assert_refused(scratch_write(*state, "x.txt",
                                 "no database at all, but long enough to be read as one, "
                                 "with a header of a hundred bytes and more than that ......"),
                   "file is not a database");
}

static long file_size(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return (long)facts.st_size;
}

static void a_damaged_store_is_told_and_left_alone(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    make_store(path, e, 200, 1);
    long size = file_size(path);
    FILE *file = fopen(path, "r+");
    for (long at = 8192; at < size; at += 4096) {
        fseek(file, at, SEEK_SET);
        fputs("nonsense nonsense nonsense nonsense", file);
    }
    fclose(file);
    assert_refused(path, "the store is damaged and was left as it is");
    Status status = {0};
    assert_null(store_open_to_read(path, &status));
    assert_non_null(strstr(status.message, "damaged"));
    /* Cut short, as by an interrupted copy. */
    assert_int_equal(truncate(path, size / 2), 0);
    assert_refused(path, "damaged");
    assert_int_equal(file_size(path), size / 2);
    experiment_destroy(e);
}

/* What a process of its own makes of the store: its exit status. */
static int in_child(int (*act)(const char *path, const Experiment *experiment), const char *path,
                    const Experiment *experiment)
{
    int how = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(act(path, experiment));
    assert_int_equal(waitpid(pid, &how, 0), pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/* A file size limit stands for a full disk: writes fail, and the program says which. */
static int fill_disk(const char *path, const Experiment *experiment)
{
    struct rlimit limit = {1000000, 1000000};
    Status status = {0};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    Store *store = store_open(path, &status);
    if (!store)
        return 1;
    int run = 0;
    for (; run < experiment->run_count && status.code == STATUS_OK; run++) {
        Outcome outcome = outcome_of(run, 3);
        store_put(store, experiment, &outcome, experiment->metrics, &status);
    }
    store_close(store);
    if (!strstr(status.message, "a run could not be stored") || !strstr(status.message, "what is stored is safe"))
        return 2;
    return run > 10 ? 0 : 3;
}

static void a_full_disk_loses_nothing_that_was_stored(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    make_store(path, e, 5, 1);
    assert_int_equal(in_child(fill_disk, path, e), 0);
    double before = ask(path, "SELECT count(*) FROM runs");
    assert_true(before > 10 && before < e->run_count);
    /* With room again the rest fits. */
    Store *store = store_make(path);
    int missing = 0;
    for (int i = 0; i < e->run_count; i++) {
        Outcome outcome = outcome_of(i, 3);
        missing += !has(store, e, i);
        put(store, e, &outcome);
    }
    store_close(store);
    assert_int_equal(missing, e->run_count - (int)before);
    assert_near(ask(path, "SELECT count(*) FROM runs"), e->run_count, 0.0);
    experiment_destroy(e);
}

/* Permissions mean nothing to root: the child becomes nobody first. */
static int open_read_only(const char *path, const Experiment *experiment)
{
    enum { NOBODY = 65534 };
    Status status = {0};
    (void)experiment;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        return 1;
    Store *store = store_open(path, &status);
    if (store || !strstr(status.message, "is read-only: make it writable, or give another --db"))
        return 2;
    store = store_open_to_read(path, &status);
    StoreDiff diff;
    bool readable = store && store_diff(path, path, &diff, &status) && diff.common == 3;
    store_close(store);
    return readable ? 0 : 3;
}

static void a_read_only_store_is_read_but_not_written(void **state)
{
    Scratch *scratch = *state;
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(scratch, "x.sqlite");
    make_store(path, e, 3, 1);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(scratch->folder, 0555), 0);
    assert_int_equal(in_child(open_read_only, path, e), 0);
    assert_int_equal(chmod(scratch->folder, 0755), 0);
    assert_near(ask(path, "SELECT count(*) FROM runs"), 3, 0.0);
    experiment_destroy(e);
}

static int open_second(const char *path, const Experiment *experiment)
{
    Status status = {0};
    (void)experiment;
    Store *store = store_open(path, &status);
    if (store || !strstr(status.message, "another sweep is writing"))
        return 1;
    store = store_open_to_read(path, &status);
    bool readable = store != NULL;
    store_close(store);
    return readable ? 0 : 2;
}

static void a_second_sweep_waits_outside_but_readers_do_not(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    make_store(path, e, 3, 1);
    Store *store = store_make(path);
    assert_int_equal(in_child(open_second, path, e), 0);
    Outcome outcome = outcome_of(5, 1);
    put(store, e, &outcome);
    store_close(store);
    assert_near(ask(path, "SELECT count(*) FROM runs"), 4, 0.0);
    make_store(path, e, 1, 1); /* the lock is gone */
    experiment_destroy(e);
}

static int die_holding(const char *path, const Experiment *experiment)
{
    Status status = {0};
    Store *store = store_open(path, &status);
    Outcome outcome = outcome_of(11, 1);
    if (!store || !store_put(store, experiment, &outcome, experiment->metrics, &status))
        return 1;
    kill(getpid(), SIGKILL);
    return 2;
}

static void a_killed_sweep_leaves_no_lock_and_what_it_stored(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    assert_int_equal(in_child(die_holding, path, e), -1);
    Store *store = store_make(path);
    assert_true(has(store, e, 11));
    store_close(store);
    experiment_destroy(e);
}

static void runs_are_made_again_for_metrics_repeats_and_time(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    Store *store = store_make(scratch_path(*state, "x.sqlite"));
    Outcome outcome = outcome_of(4, 1), slow = outcome_empty(5, OUTCOME_TIMED_OUT);
    uint32_t all = e->metrics;
    e->metrics = 0x15;
    put(store, e, &outcome);
    put(store, e, &slow);
    assert_true(has(store, e, 4));
    e->metrics = 0x14;
    assert_true(has(store, e, 4));
    e->metrics = all;
    assert_false(has(store, e, 4));
    e->metrics = 0x15;
    e->repeats = 2;
    assert_false(has(store, e, 4));
    e->repeats = 1;
    e->run_time_limit *= 1.5;
    assert_true(has(store, e, 4));
    assert_false(has(store, e, 5));
    store_close(store);
    experiment_destroy(e);
}

/* More repeats are the better time; the results are the same, and a run made again may have more of them. */
static void times_of_more_repeats_stay(void **state)
{
    static const struct {
        int repeats;
        const char *machine;
        bool taken;
    } CASES[] = {{3, "a machine", true}, {1, "a machine", false}, {4, "a machine", true}, {2, "another", true}};
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "x.sqlite");
    Outcome stands = {0};
    int repeats = 0;
    for (uint64_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Outcome outcome = outcome_of(4, i + 1);
        strcpy(outcome.machine, CASES[i].machine);
        e->repeats = CASES[i].repeats;
        Store *store = store_make(path);
        put(store, e, &outcome);
        store_close(store);
        if (CASES[i].taken) {
            stands = outcome;
            repeats = e->repeats;
        }
        assert_true(ask(path, "SELECT us_per_frame FROM runs") == stands.us_per_frame);
        assert_true(ask(path, "SELECT wall_s FROM runs") == stands.wall_s);
        assert_true(ask(path, "SELECT repeats FROM runs") == repeats);
        assert_true(ask(path, "SELECT drift_max FROM runs") == outcome.metrics[metric_find("drift_max")]);
    }
    experiment_destroy(e);
}

static void differences_beyond_noise_are_found(void **state)
{
    Experiment *e = scratch_experiment(*state, GRID);
    char first[160];
    strcpy(first, scratch_path(*state, "a.sqlite"));
    const char *second = scratch_path(*state, "b.sqlite");
    e->repeats = 5;
    make_store(first, e, 20, 1);
    for (int i = 0; i < e->run_count; i++)
        strcpy(e->runs[i].key, e->runs[e->run_count - 1 - i].identity); /* another version: other keys */
    make_store(second, e, 18, 1);
    StoreDiff diff;
    Status status = {0};
    assert_true(store_diff(first, second, &diff, &status));
    assert_int_equal(diff.common, 18);
    assert_int_equal(diff.only_first, 2);
    assert_int_equal(diff.changed, 0);
    assert_int_equal(diff.count, 0);
    assert_int_equal(diff.timed, 18);
    store_diff_clear(&diff);
    /* Round-off is no change; 2e-9 is one; so are another status, a NULL and another count. The time within its spread
     * is none, one beyond it is reported, but no change of results. */
    execute(second, "UPDATE runs SET drift_max = drift_max * (1 + 1e-10);"
                    "UPDATE runs SET drift_max = drift_max * (1 + 2e-9) WHERE rowid = 2;"
                    "UPDATE runs SET status = 'blew_up' WHERE rowid = 4;"
                    "UPDATE runs SET error_end = NULL WHERE rowid = 6;"
                    "UPDATE runs SET row_solves = row_solves / 2 WHERE rowid = 8;"
                    "UPDATE runs SET us_per_frame = us_per_frame * 1.04 WHERE rowid = 10;"
                    "UPDATE runs SET us_per_frame = us_per_frame * 2, us_low = us_low * 2, us_high = us_high * 2 "
                    "WHERE rowid = 12");
    assert_true(store_diff(first, second, &diff, &status));
    assert_int_equal(diff.changed, 4);
    assert_int_equal(diff.count, 5);
    int timing = 0;
    for (int i = 0; i < diff.count; i++) {
        timing += diff.differences[i].timing;
        if (strcmp(diff.differences[i].what, "drift_max") == 0)
            assert_near(diff.differences[i].change, 2.1e-9, 1e-12); /* products of 1 + tiny numbers */
    }
    assert_int_equal(timing, 1);
    store_diff_clear(&diff);
    /* A metric that one of the two programs did not know is passed over. */
    execute(second, "DROP VIEW results; ALTER TABLE runs DROP COLUMN error_end;"
                    "UPDATE runs SET kept = replace(kept, 'error_end,', '')");
    assert_true(store_diff(first, second, &diff, &status));
    assert_int_equal(diff.changed, 3);
    store_diff_clear(&diff);
    experiment_destroy(e);
}

/* SQLite's own file system, watched: what does this process open by its name? */
static sqlite3_vfs *usual;
static const char *watched;
static int opened;

static int watch_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    (void)vfs;
    opened += name && strstr(name, watched) != NULL;
    return usual->xOpen(usual, name, file, flags, given);
}

static void a_store_that_is_only_read_is_parsed_in_another_process(void **state)
{
    Status status = {0};
    Experiment *e = scratch_experiment(*state, GRID);
    const char *path = scratch_path(*state, "read.sqlite");
    make_store(path, e, 5, 20260118);
    usual = sqlite3_vfs_find(NULL);
    sqlite3_vfs watch = *usual;
    watch.zName = "watch";
    watch.xOpen = watch_open;
    watched = "read.sqlite";
    sqlite3_vfs_register(&watch, 1);
    Store *store = store_open(path, &status);
    assert_true(opened > 0); /* who writes it opens it: the watch sees */
    Outcome sixth = outcome_of(5, 20260118);
    put(store, e, &sixth);
    opened = 0;
    Store *copy = store_open_to_read(path, &status);
    assert_non_null(copy);
    assert_int_equal(opened, 0);
    /* What is only in the log is there; and who asks cannot change what others have. */
    sqlite3_stmt *count = NULL;
    assert_int_equal(sqlite3_prepare_v2(store_database(copy), "SELECT count(*) FROM results", -1, &count, NULL), 0);
    assert_int_equal(sqlite3_step(count), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(count, 0), 6);
    sqlite3_finalize(count);
    store_close(copy);
    store_close(store);
    sqlite3_vfs_unregister(&watch);
    experiment_destroy(e);
}

static void a_write_that_was_broken_off_is_told_to_readers_and_repaired_by_a_sweep(void **state)
{
    Status status = {0};
    Experiment *e = scratch_experiment(*state, GRID);
    char path[128];
    snprintf(path, sizeof path, "%s", scratch_path(*state, "broken.sqlite"));
    make_store(path, e, 5, 20260118);
    scratch_write(*state, "broken.sqlite-journal", "what a kill leaves");
    assert_null(store_open_to_read(path, &status));
    assert_non_null(strstr(status.message, "a write to it was broken off"));
    store_close(store_make(path));
    store_close(store_open_to_read(path, &(Status){0}));
    assert_int_not_equal(access(scratch_path(*state, "broken.sqlite-journal"), F_OK), 0);
    experiment_destroy(e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_put_is_read_back),
        TEST(a_store_without_a_new_metric_gets_it),
        TEST(a_store_without_verdicts_is_read_and_gets_them),
        TEST(a_store_of_a_newer_version_is_left_alone),
        TEST(another_sqlite_file_is_left_alone),
        TEST(a_damaged_store_is_told_and_left_alone),
        TEST(a_full_disk_loses_nothing_that_was_stored),
        TEST(a_read_only_store_is_read_but_not_written),
        TEST(a_second_sweep_waits_outside_but_readers_do_not),
        TEST(a_killed_sweep_leaves_no_lock_and_what_it_stored),
        TEST(runs_are_made_again_for_metrics_repeats_and_time),
        TEST(times_of_more_repeats_stay),
        TEST(a_store_that_is_only_read_is_parsed_in_another_process),
        TEST(a_write_that_was_broken_off_is_told_to_readers_and_repaired_by_a_sweep),
        TEST(differences_beyond_noise_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
