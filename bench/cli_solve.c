/* rigor solve: one frozen step. The scene is brought to a time by one solver; from that state every solver takes one
 * substep of h = dt (so that all face the same system), and its residual is read after every iteration. */
#include "bench/cli.h"
#include "bench/json.h"
#include "bench/table.h"

#include <stdlib.h>
#include <string.h>

/* Residuals below this are round-off: they say nothing about contraction. */
static const double ROUND_OFF = 1e-13;

/* The contraction ratio is taken over at most this many last iterations: the asymptotic rate. */
enum { CONTRACTION_WINDOW = 10 };

typedef struct SolveResult {
    bool judged;   /* the solver has a residual */
    Status status; /* code not OK: cannot run this scene */
    int iterations, row_count;
    double *residuals; /* after each iteration */
    double *lambda;    /* N s */
    long long row_solves;
} SolveResult;

/* Scalar rows of the system at hand. */
static int solve_rows(const World *world)
{
    int count = 0;
    for (int b = 0; b < world->block_count; b++) {
        Rows rows;
        block_rows(world, &world->blocks[b], &rows);
        count += rows.count;
    }
    return count;
}

/* A fresh problem, run to time `at`: the same bits every time. */
static Problem *solve_freeze(const Run *from, double at, Status *status)
{
    Problem *problem = run_build(from, status);
    RunResult result = {0};
    if (!problem || at == 0.0)
        return problem;
    bool ok = run_problem(problem, from->solver, from->options, from->dt, at, from->detect, false, &result, status);
    run_result_clear(&result);
    if (ok && result.status != RUN_OK)
        ok = status_set(status, STATUS_FAILED, "%s blew up at %g s, before %g s", from->solver->name, result.blew_up_at,
                        at);
    if (ok)
        return problem;
    problem_destroy(problem);
    return NULL;
}

/* `count` doubles, and at least one, copied from `values` if there are any; NULL: out of memory. */
static double *doubles_create(int count, const double *values)
{
    double *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy && values)
        memcpy(copy, values, sizeof *copy * (size_t)count);
    return copy;
}

static bool solve_step(SolveResult *result, Stepper *stepper, Status *status)
{
    const Solver *solver = stepper->solver;
    result->judged = stepper->judged >= 0;
    result->iterations = result->judged ? stepper->phases[stepper->judged].iterations : 0;
    result->residuals = doubles_create(result->iterations, NULL);
    if (!result->residuals)
        return status_set(status, STATUS_FAILED, "out of memory");
    world_begin_frame(stepper->step.world);
    stepper_substep(stepper, result->judged ? result->residuals : NULL, false);
    result->row_solves = stepper->step.row_solves;
    if (!solver->multipliers)
        return true;
    const double *lambda;
    result->row_count = solver->multipliers(stepper->self, &lambda);
    result->lambda = doubles_create(result->row_count, lambda);
    return result->lambda || status_set(status, STATUS_FAILED, "out of memory");
}

/* The frame before, by the solver itself: not counted. */
static void solve_warm_up(Stepper *stepper, double time)
{
    world_begin_frame(stepper->step.world);
    stepper->step.time = time;
    stepper_substep(stepper, NULL, false);
    stepper->step.row_solves = 0;
}

/* False only if the command cannot go on; a solver that cannot run this scene is a row of the answer. */
static bool solve_one(SolveResult *result, const Run *run, const Run *from, double at, bool warm, int *rows,
                      Status *status)
{
    /* Less than half a frame after the start is the start. */
    double frozen = !warm ? at : at < 1.5 * run->dt ? 0.0 : at - run->dt;
    Problem *problem = solve_freeze(from, frozen, status);
    if (!problem)
        return false;
    *rows = solve_rows(problem->world);
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
    memcpy(options, run->options, sizeof options);
    ((CommonOptions *)options)->substeps = 1;
    Stepper stepper;
    bool ok = true;
    if (stepper_begin(&stepper, run->solver, options, problem->world, run->dt, run->detect, &result->status)) {
        if (warm)
            solve_warm_up(&stepper, frozen);
        *rows = solve_rows(problem->world);
        stepper.step.time = at;
        ok = solve_step(result, &stepper, status);
        stepper_end(&stepper);
    } else if (result->status.code != STATUS_UNSUPPORTED) {
        *status = result->status;
        ok = false;
    }
    problem_destroy(problem);
    return ok;
}

/* Geometric mean of the last ratios of successive residuals above round-off; NaN: fewer than two of them. */
static double solve_contraction(const SolveResult *result)
{
    int last = result->iterations - 1;
    while (last > 0 && !(result->residuals[last] > ROUND_OFF))
        last--;
    int first = last - CONTRACTION_WINDOW > 0 ? last - CONTRACTION_WINDOW : 0;
    if (last <= first || !(result->residuals[first] > ROUND_OFF))
        return NAN;
    return pow(result->residuals[last] / result->residuals[first], 1.0 / (last - first));
}

static json_t *numbers_json(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_number(values[i]));
    return array;
}

static json_t *solve_json(const Run *run, const SolveResult *result)
{
    json_t *document = json_pack("{s:s}", "solver", run->solver->name);
    json_object_set_new(document, "lambda",
                        result->lambda ? numbers_json(result->lambda, result->row_count) : json_null());
    json_object_set_new(document, "residuals",
                        result->judged ? numbers_json(result->residuals, result->iterations) : json_null());
    json_object_set_new(document, "row_solves", json_integer((json_int_t)result->row_solves));
    json_object_set_new(document, "contraction", result->judged ? json_number(solve_contraction(result)) : json_null());
    if (result->status.code != STATUS_OK)
        json_object_set_new(document, "message", json_string(result->status.message));
    return document;
}

/* 1, 2, 5, 10, 20, 50 ...: enough rows to see a rate on. */
static int next_shown(int iteration)
{
    int decade = 1;
    while (decade * 10 <= iteration)
        decade *= 10;
    int lead = iteration / decade;
    return decade * (lead < 2 ? 2 : lead < 5 ? 5 : 10);
}

static void solve_print(const Run *runs, const SolveResult *results, int count, int rows, double at)
{
    int most = 0;
    printf("%d rows at %.4g s, one step of %.4g s; residual after each iteration\n\n", rows, at, runs[0].dt);
    Table *table = table_create();
    table_add_column(table, "iteration", "", BEST_NONE);
    for (int s = 0; s < count; s++) {
        table_add_column(table, runs[s].solver->name, "", BEST_LOWEST);
        most = results[s].iterations > most ? results[s].iterations : most;
    }
    for (int i = 1; i <= most; i = i < most && next_shown(i) > most ? most : next_shown(i)) {
        table_add_number(table, i, false);
        for (int s = 0; s < count; s++)
            table_add_number(table, i <= results[s].iterations ? results[s].residuals[i - 1] : NAN, false);
    }
    table_print(table, stdout);
    table_destroy(table);
    printf("\n");
    for (int s = 0; s < count; s++) {
        double ratio = results[s].judged ? solve_contraction(&results[s]) : NAN;
        printf("%s: ", runs[s].solver->name);
        if (results[s].status.code != STATUS_OK)
            printf("n/a, %s\n", results[s].status.message);
        else if (!results[s].judged)
            printf("n/a, has no residual; %lld row solves\n", results[s].row_solves);
        else if (isnan(ratio))
            printf("too few residuals above round-off for a rate; %lld row solves\n", results[s].row_solves);
        else
            printf("contracts by %.6g an iteration, %lld row solves\n", ratio, results[s].row_solves);
    }
}

static bool solve_report(const Arguments *arguments, const Run *runs, const SolveResult *results, int count, int rows,
                         double at, Status *status)
{
    if (!arguments->given[OPTION_JSON]) {
        solve_print(runs, results, count, rows, at);
        return true;
    }
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, solve_json(&runs[i], &results[i]));
    return json_print(json_pack("{s:i,s:o,s:o,s:o}", "rows", rows, "at", json_number(at), "h", json_number(runs[0].dt),
                                "solvers", array),
                      status);
}

/* The run that brings the scene there: --from with its default options, or the first solver as it was set. */
static bool solve_choose_from(const Arguments *arguments, const Run *runs, int count, Run *from, Status *status)
{
    const char *name = argument(arguments, OPTION_FROM);
    *from = runs[0];
    if (!name)
        return true;
    for (int i = 0; i < count; i++)
        if (strcmp(runs[i].solver->name, name) == 0) {
            *from = runs[i];
            return true;
        }
    const Solver *solver = solver_set_find(&arguments->solvers, name, status);
    if (solver)
        run_choose_solver(from, solver);
    return solver != NULL;
}

static bool solve_all(const Arguments *arguments, const Run *runs, int count, SolveResult *results, Status *status)
{
    const char *text = argument(arguments, OPTION_AT);
    double at = 0.0;
    int rows = 0;
    bool warm = arguments->given[OPTION_WARM];
    Run from;
    if (text && (!number_parse(text, &at) || at < 0.0))
        return status_set(status, STATUS_USAGE, "--at: '%s' is not a time", text);
    if (warm && at < runs[0].dt * (1.0 - 1e-9))
        return status_set(status, STATUS_USAGE, "--warm: there is no frame before %g s", at);
    if (!solve_choose_from(arguments, runs, count, &from, status))
        return false;
    for (int i = 0; i < count; i++) {
        progress_show(i, count, runs[i].solver->name);
        if (!solve_one(&results[i], &runs[i], &from, at, warm, &rows, status)) {
            progress_end();
            return false;
        }
    }
    progress_end();
    return solve_report(arguments, runs, results, count, rows, at, status);
}

static bool solve_command(const Arguments *arguments, Status *status)
{
    int count;
    Run *runs = arguments_runs(arguments, argument(arguments, OPTION_SOLVERS), &count, status);
    if (!runs)
        return false;
    SolveResult *results = calloc((size_t)count + 1, sizeof *results);
    bool ok = results ? solve_all(arguments, runs, count, results, status)
                      : status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; results && i < count; i++) {
        free(results[i].residuals);
        free(results[i].lambda);
    }
    free(results);
    free(runs);
    return ok;
}

const Command command_solve = {
    .name = "solve",
    .operands = "SCENE",
    .summary = "one frozen step, the same system for every solver: residuals and multipliers",
    .help = "Substeps are forced to 1 in the frozen step; -s iterations=N sets how many residuals there are.\n"
            "With --warm each solver takes the frame before --at itself: its own impulses are what it starts from.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES_SCENE | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_PLUGIN) |
               TAKES(OPTION_SOLVERS) | TAKES(OPTION_AT) | TAKES(OPTION_FROM) | TAKES(OPTION_WARM),
    .run = solve_command,
};
