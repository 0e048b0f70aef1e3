/* rigor profile: a performance profile of the solvers over the problems of a results store. A problem is a scene with
 * its parameters, dt and time; a contender is a solver, or a solver with one set of options. */
#include "bench/cli.h"
#include "bench/json.h"
#include "bench/profile.h"
#include "bench/quantity.h"
#include "bench/table.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Different texts, numbered as they come. */
typedef struct Names {
    int count;
    char **texts; /* owned */
} Names;

typedef struct StoreRow {
    int problem, contender;
    double cost; /* infinite: not solved */
} StoreRow;

typedef struct Contest {
    bool by_solver; /* the best of a solver's option sets */
    Names problems, contenders;
    int described;             /* contenders that have the next two */
    char **solvers, **options; /* owned */
    int row_count;
    StoreRow *rows;
    double *cost; /* problem by problem */
    int missing;  /* pairs that the store does not have */
} Contest;

static void names_clear(Names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
}

/* -1: out of memory */
static int names_number(Names *names, const char *text)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->texts[i], text) == 0)
            return i;
    char **grown = realloc(names->texts, sizeof *grown * (size_t)(names->count + 1));
    if (!grown)
        return -1;
    names->texts = grown;
    grown[names->count] = strdup(text);
    return grown[names->count] ? names->count++ : -1;
}

static bool contest_add_contender(Contest *contest, const char *solver, const char *options)
{
    size_t count = (size_t)contest->described + 1;
    char **solvers = realloc(contest->solvers, sizeof *solvers * count);
    contest->solvers = solvers ? solvers : contest->solvers;
    char **sets = realloc(contest->options, sizeof *sets * count);
    contest->options = sets ? sets : contest->options;
    if (!solvers || !sets)
        return false;
    solvers[count - 1] = strdup(solver);
    sets[count - 1] = strdup(options);
    contest->described++;
    return solvers[count - 1] && sets[count - 1];
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

/* Columns: scene, params, dt, time, solver, options, status, metric. */
static bool contest_add_row(Contest *contest, sqlite3_stmt *statement)
{
    const char *solver = column_text(statement, 4), *options = column_text(statement, 5);
    char *problem = sqlite3_mprintf("%s %s dt=%s time=%s", column_text(statement, 0), column_text(statement, 1),
                                    column_text(statement, 2), column_text(statement, 3));
    char *contender = contest->by_solver ? sqlite3_mprintf("%s", solver) : sqlite3_mprintf("%s %s", solver, options);
    StoreRow *rows = realloc(contest->rows, sizeof *rows * (size_t)(contest->row_count + 1));
    contest->rows = rows ? rows : contest->rows;
    int known = contest->contenders.count;
    bool solved = strcmp(column_text(statement, 6), "ok") == 0 && sqlite3_column_type(statement, 7) != SQLITE_NULL;
    bool ok = problem && contender && rows;
    if (ok) {
        StoreRow *row = &rows[contest->row_count++];
        *row = (StoreRow){names_number(&contest->problems, problem), names_number(&contest->contenders, contender),
                          solved ? sqlite3_column_double(statement, 7) : INFINITY};
        ok = row->problem >= 0 && row->contender >= 0 &&
             (contest->contenders.count == known || contest_add_contender(contest, solver, options));
    }
    sqlite3_free(problem);
    sqlite3_free(contender);
    return ok;
}

static bool contest_read(Contest *contest, const char *path, int quantity, Status *status)
{
    sqlite3 *store = NULL;
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT scene, params, dt, time, solver, options, status, results.\"%w\" FROM results "
                                "ORDER BY scene, params, dt, time, solver, options, finished_at",
                                quantity_name(quantity));
    int code = sql ? sqlite3_open_v2(path, &store, SQLITE_OPEN_READONLY, NULL) : SQLITE_NOMEM;
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(store, sql, -1, &statement, NULL);
    bool memory = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW && !(memory = contest_add_row(contest, statement)))
            break;
    }
    bool ok = code == SQLITE_DONE;
    if (!memory)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (!ok)
        status_set(status, STATUS_BAD_FILE, "%s: not a store of results: %s", path,
                   store ? sqlite3_errmsg(store) : sqlite3_errstr(code));
    sqlite3_finalize(statement);
    sqlite3_close(store);
    sqlite3_free(sql);
    return ok;
}

/* A later run of the same thing replaces an earlier one; by solver the best of all counts. */
static bool contest_fill(Contest *contest, Status *status)
{
    size_t contenders = (size_t)contest->contenders.count, pairs = contenders * (size_t)contest->problems.count;
    contest->cost = malloc(sizeof(double) * (pairs + 1));
    if (!contest->cost)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < pairs; i++)
        contest->cost[i] = NAN;
    for (int i = 0; i < contest->row_count; i++) {
        const StoreRow *row = &contest->rows[i];
        double *cost = &contest->cost[(size_t)row->problem * contenders + (size_t)row->contender];
        *cost = contest->by_solver ? fmin(*cost, row->cost) : row->cost;
    }
    for (size_t i = 0; i < pairs; i++)
        contest->missing += isnan(contest->cost[i]);
    return true;
}

static bool contest_alone(const Contest *contest, int contender)
{
    for (int i = 0; i < contest->contenders.count; i++)
        if (i != contender && strcmp(contest->solvers[i], contest->solvers[contender]) == 0)
            return false;
    return true;
}

/* The option sets of one solver are told apart by what differs among them. */
static bool option_differs(const Contest *contest, int contender, const char *key, const json_t *value)
{
    bool differs = false;
    for (int i = 0; !differs && i < contest->contenders.count; i++) {
        if (strcmp(contest->solvers[i], contest->solvers[contender]) != 0)
            continue;
        json_t *other = json_loads(contest->options[i], 0, NULL);
        differs = !json_equal(json_object_get(other, key), value);
        json_decref(other);
    }
    return differs;
}

/* "xpbd", or "xpbd substeps=20" where the solver has several option sets; freed by the caller. */
static char *contender_label(const Contest *contest, int contender)
{
    char *label = sqlite3_mprintf("%s", contest->solvers[contender]);
    if (contest->by_solver || contest_alone(contest, contender))
        return label;
    json_t *options = json_loads(contest->options[contender], 0, NULL), *value;
    const char *key;
    json_object_foreach(options, key, value)
    {
        if (!option_differs(contest, contender, key, value))
            continue;
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        label = sqlite3_mprintf("%z %s=%s", label, key, text);
        free(text);
    }
    json_decref(options);
    return label;
}

static void profile_print(const Contest *contest, const Profile *profile, const char *metric)
{
    /* Powers of two until everything solved is in; more would only repeat the last column. */
    enum { MOST_DOUBLINGS = 10 };
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    double reach = profile_reach(profile);
    int doublings = 0;
    while (doublings < MOST_DOUBLINGS && ldexp(1.0, doublings) < reach)
        doublings++;
    for (int k = 0; k <= doublings; k++) {
        char name[32];
        snprintf(name, sizeof name, "%g", ldexp(1.0, k));
        table_add_column(table, name, "", BEST_HIGHEST);
    }
    table_add_column(table, "solved", "", BEST_HIGHEST);
    for (int s = 0; s < profile->contenders; s++) {
        char *label = contender_label(contest, s);
        table_add_text(table, label ? label : contest->solvers[s]);
        sqlite3_free(label);
        for (int k = 0; k <= doublings; k++)
            table_add_number(table, profile_at(profile, s, ldexp(1.0, k)), true);
        table_add_number(table, profile_at(profile, s, INFINITY), true);
    }
    printf(
        "%s over %d problems: the part of them on which a solver is within tau of the best; * best of its column\n\n",
        metric, profile->problems);
    table_print(table, stdout);
    table_destroy(table);
    if (contest->missing > 0)
        printf("note: %d pairs of problem and solver are not in the store; they count as not solved\n",
               contest->missing);
}

/* The steps of rho: [tau, rho] wherever it rises. */
static json_t *profile_steps(const Profile *profile, int contender)
{
    json_t *steps = json_array();
    const double *ratio = profile->ratio + (size_t)contender * (size_t)profile->problems;
    for (int i = 0; i < profile->problems && isfinite(ratio[i]); i++)
        if (i + 1 == profile->problems || ratio[i + 1] > ratio[i])
            json_array_append_new(steps, json_pack("[f,f]", ratio[i], (i + 1.0) / profile->problems));
    return steps;
}

static bool profile_print_json(const Contest *contest, const Profile *profile, const char *metric, Status *status)
{
    json_t *array = json_array(), *problems = json_array();
    for (int s = 0; s < profile->contenders; s++) {
        char *label = contender_label(contest, s);
        json_t *options = contest->by_solver ? json_null() : json_loads(contest->options[s], 0, NULL);
        json_array_append_new(array, json_pack("{s:s,s:s,s:o,s:f,s:f,s:o}", "name", label, "solver",
                                               contest->solvers[s], "options", options ? options : json_null(), "best",
                                               profile_at(profile, s, 1.0), "solved", profile_at(profile, s, INFINITY),
                                               "steps", profile_steps(profile, s)));
        sqlite3_free(label);
    }
    for (int p = 0; p < profile->problems; p++)
        json_array_append_new(problems, json_string(contest->problems.texts[p]));
    return json_print(json_pack("{s:s,s:s,s:o,s:i,s:o}", "metric", metric, "by",
                                contest->by_solver ? "solver" : "options", "problems", problems, "missing",
                                contest->missing, "solvers", array),
                      status);
}

static void contest_clear(Contest *contest)
{
    for (int i = 0; i < contest->described; i++) {
        free(contest->solvers[i]);
        free(contest->options[i]);
    }
    free(contest->solvers);
    free(contest->options);
    names_clear(&contest->problems);
    names_clear(&contest->contenders);
    free(contest->rows);
    free(contest->cost);
}

static bool profile_choose(const Arguments *arguments, Contest *contest, int *quantity, Status *status)
{
    const char *metric = argument(arguments, OPTION_METRIC), *by = argument(arguments, OPTION_BY);
    if (!metric)
        return status_set(status, STATUS_USAGE, "--metric is missing, as in --metric error_end");
    if (by && strcmp(by, "solver") != 0 && strcmp(by, "options") != 0)
        return status_set(status, STATUS_USAGE, "--by: '%s' is neither solver nor options", by);
    contest->by_solver = by && strcmp(by, "solver") == 0;
    *quantity = quantity_find(metric, status);
    if (*quantity < 0)
        return false;
    return !quantity_more_is_better(*quantity) ||
           status_set(status, STATUS_USAGE, "--metric: more %s is better; a profile compares costs and errors", metric);
}

static bool profile_command(const Arguments *arguments, Status *status)
{
    Contest contest = {0};
    Profile profile = {0};
    int quantity = 0;
    const char *path = arguments->operands[0], *metric = argument(arguments, OPTION_METRIC);
    bool ok = profile_choose(arguments, &contest, &quantity, status) &&
              contest_read(&contest, path, quantity, status) &&
              (contest.row_count > 0 || status_set(status, STATUS_BAD_FILE, "%s: the store has no results", path)) &&
              contest_fill(&contest, status) &&
              profile_make(&profile, contest.cost, contest.problems.count, contest.contenders.count, status);
    if (ok && arguments->given[OPTION_JSON])
        ok = profile_print_json(&contest, &profile, metric, status);
    else if (ok)
        profile_print(&contest, &profile, metric);
    profile_clear(&profile);
    contest_clear(&contest);
    return ok;
}

const Command command_profile = {
    .name = "profile",
    .operands = "DB",
    .summary = "performance profile of the solvers over the problems of a results store",
    .help =
        "A problem is a scene with its parameters, dt and time. For every solver: the part of the problems on which\n"
        "its metric is within a factor tau of the best (Dolan and More). A run that failed or blew up is infinitely\n"
        "bad. A solver with several option sets has a row for each; --by solver takes the best of them.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_METRIC) | TAKES(OPTION_BY),
    .run = profile_command,
};
