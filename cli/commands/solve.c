/* SPDX-License-Identifier: MIT */
/* rigor solve: one frozen step. The scene is brought to a time by one solver; from that state every solver takes one
 * substep of h = dt, and its residual is read after every iteration. So that all velocity-level solvers face the same
 * system, position errors stay out of it unless -s position asks for them; their multipliers are held against its
 * converged solution (bench/frozen/system.h). */
#include "bench/frozen/fclib_dump.h"
#include "bench/frozen/freeze.h"
#include "bench/process/child.h"
#include "bench/run/json.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "cli/solve_problem.h"

#include <stdlib.h>
#include <string.h>

extern const Solver pgs_solver;

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
    int truth;         /* which of the truths has its rows and its friction law; -1: it has no multipliers */
    double error;      /* of lambda against that; NaN: it has none */
    double *history;   /* lambda after each iteration, row_count of each; NULL: nobody asked, or it has none */
    int kept;          /* iterations in it */
    Remarks said;      /* of this one step */
} SolveResult;

typedef struct Solve {
    const Arguments *arguments;
    int count;
    Run *runs;
    SolveResult *results;
    Run from;
    Remarks from_said; /* of the run up to the frozen step */
    double at, h;
    Problem *problem; /* of the truths */
    int truth_count;
    FrozenSystem
        *truths;       /* one for each law and setting of rows; the first is that of the first velocity-level solver */
    double *distances; /* of each truth from the same rows with Coulomb's cone */
} Solve;

/* `count` doubles, and at least one, copied from `values` if there are any; NULL: out of memory. */
static double *doubles_create(int count, const double *values)
{
    double *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy && values)
        memcpy(copy, values, sizeof *copy * (size_t)count);
    return copy;
}

/* Keeps the multipliers as the loop looks at the residual, which is after each iteration. */
typedef struct HistoryKeeper {
    SolveResult *result;
    const Stepper *stepper;
    bool failed; /* out of memory */
} HistoryKeeper;

static void history_keep(void *context, StepPart part, int phase)
{
    HistoryKeeper *keeper = context;
    SolveResult *result = keeper->result;
    const double *lambda;
    if (part != STEP_JUDGE || phase != keeper->stepper->judged || keeper->failed)
        return;
    int rows = keeper->stepper->solver->multipliers(keeper->stepper->self, &lambda);
    if (!result->history) {
        result->row_count = rows;
        result->history = calloc((size_t)rows * (size_t)result->iterations + 1, sizeof *result->history);
    }
    keeper->failed = !result->history || rows != result->row_count;
    if (!keeper->failed)
        memcpy(result->history + (size_t)rows * (size_t)result->kept++, lambda, sizeof *lambda * (size_t)rows);
}

static bool solve_step(SolveResult *result, Stepper *stepper, bool history, Status *status)
{
    const Solver *solver = stepper->solver;
    HistoryKeeper keeper = {result, stepper, false};
    result->judged = stepper->judged >= 0;
    result->iterations = result->judged ? stepper->phases[stepper->judged].iterations : 0;
    result->residuals = doubles_create(result->iterations, NULL);
    if (!result->residuals)
        return status_set(status, STATUS_FAILED, "out of memory");
    if (history && result->judged && solver->multipliers)
        stepper->hook = (StepHook){history_keep, &keeper};
    world_begin_frame(stepper->step.world);
    stepper_substep(stepper, result->judged ? result->residuals : NULL, false);
    result->said = (Remarks){.row_solves = (double)stepper->step.row_solves, .event_count = stepper->step.event_count};
    memcpy(result->said.events, stepper->step.events, sizeof result->said.events);
    if (keeper.failed)
        return status_set(status, STATUS_FAILED, "--history: out of memory");
    if (!solver->multipliers)
        return true;
    const double *lambda;
    result->row_count = solver->multipliers(stepper->self, &lambda);
    result->lambda = doubles_create(result->row_count, lambda);
    return result->lambda || status_set(status, STATUS_FAILED, "out of memory");
}

/* Whether -s position was given, to all or to one. */
static bool solve_asks_position(const Arguments *arguments)
{
    for (int i = 0; i < arguments->given[OPTION_SOLVER_OPTION]; i++) {
        const char *text = arguments->values[OPTION_SOLVER_OPTION][i], *dot = strchr(text, '.');
        if (strncmp(text, "position=", 9) == 0 || (dot && strncmp(dot + 1, "position=", 9) == 0))
            return true;
    }
    return false;
}

/* The run as it takes the frozen step: one substep, and a velocity-level solver with its position errors left alone
 * unless the user says otherwise. */
static Run solve_run(const Solve *solve, int index)
{
    Run run = solve->runs[index];
    Status unused;
    ((CommonOptions *)run.options)->substeps = 1;
    if (run.solver->multipliers && !solve_asks_position(solve->arguments)) {
        if (run_find_option(&run, "position"))
            run_set_option(&run, "position", "none", &unused);
        else if (run_find_option(&run, "beta"))
            run_set_option(&run, "beta", "0", &unused);
    }
    return run;
}

/* The solver runs up to the frozen step by itself, for the impulses that it starts from; then everything is where that
 * step begins, as for everybody. */
static bool solve_warm_up(const Solve *solve, Stepper *stepper, Status *status)
{
    Problem *now = freeze_problem(&solve->from, solve->at, NULL, status);
    int frames = now ? run_frame_count(solve->at, solve->h, status) : 0;
    World *world = stepper->step.world;
    for (int i = 0; i < frames; i++)
        stepper_frame(stepper, false);
    stepper->step.row_solves = 0;
    if (frames == 0) {
        problem_destroy(now);
        return false;
    }
    memcpy(world->pose, now->world->pose, sizeof *world->pose * (size_t)world->body_count);
    memcpy(world->velocity, now->world->velocity, sizeof *world->velocity * (size_t)world->body_count);
    for (int b = 0; b < world->joint_block_count; b++) {
        world->blocks[b].off = now->world->blocks[b].off;
        *joint_terms(&world->blocks[b]) = *joint_terms(&now->world->blocks[b]);
    }
    problem_destroy(now);
    return true;
}

/* How far the newest truth is from the same rows with a cone. */
static bool solve_measure_law(Solve *solve, Status *status)
{
    FrozenSystem *truth = &solve->truths[solve->truth_count - 1], cone;
    solve->distances[solve->truth_count - 1] = 0.0;
    if (truth->setup.friction == FRICTION_CONE)
        return true;
    bool ok = frozen_system_init_cone(&cone, truth, status);
    if (ok)
        solve->distances[solve->truth_count - 1] = frozen_system_distance(truth, &cone);
    frozen_system_free(&cone);
    return ok;
}

/* The truth with the rows and the law of a solver that has multipliers, made if it is new. */
static bool solve_choose_truth(Solve *solve, int index, Status *status)
{
    SolveResult *result = &solve->results[index];
    Run like = solve_run(solve, index);
    result->truth = -1;
    if (!result->lambda)
        return true;
    for (int i = 0; i < solve->truth_count; i++)
        if (frozen_system_is_like(&solve->truths[i], &like)) {
            result->truth = i;
            return true;
        }
    result->truth = solve->truth_count++;
    return frozen_system_init_like(&solve->truths[result->truth], &solve->truths[0], &like, status) &&
           solve_measure_law(solve, status);
}

/* An error against a truth that is not converged is known no better than that truth. */
static void solve_judge(SolveResult *result, FrozenSystem *truth)
{
    result->error = frozen_system_error(truth, result->lambda);
    if (!truth->converged)
        warnings_add(&result->said.warnings, "the truth that lambda is held against is not converged: residual %.2g",
                     truth->residual);
}

/* False only if the command cannot go on; a solver that cannot run this scene is a row of the answer. */
static bool solve_one(Solve *solve, int index, Status *status)
{
    SolveResult *result = &solve->results[index];
    Run run = solve_run(solve, index);
    bool warm = solve->arguments->given[OPTION_WARM];
    Problem *problem = freeze_problem(&solve->from, warm ? 0.0 : solve->at, NULL, status);
    if (!problem)
        return false;
    Stepper stepper;
    bool ok = true;
    result->error = NAN;
    if (stepper_begin(&stepper, run.solver, run.options, problem->world, run.dt, run.detect, &result->status)) {
        ok = !warm || solve_warm_up(solve, &stepper, status);
        stepper.step.time = solve->at;
        ok = ok && solve_step(result, &stepper, solve->arguments->given[OPTION_HISTORY] > 0, status);
        stepper_end(&stepper);
        ok = ok && solve_choose_truth(solve, index, status);
        if (ok && result->truth >= 0 && result->row_count == solve->truths[result->truth].system.rows)
            solve_judge(result, &solve->truths[result->truth]);
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

/* Of each iteration the multipliers, and what the judge says of them, the same for every solver. */
static json_t *history_json(const Solve *solve, const SolveResult *result)
{
    json_t *array = json_array();
    FrozenSystem *truth = result->truth >= 0 ? &solve->truths[result->truth] : NULL;
    bool judged = truth && truth->system.rows == result->row_count;
    for (int i = 0; i < result->kept; i++) {
        const double *lambda = result->history + (size_t)i * (size_t)result->row_count;
        json_array_append_new(array,
                              json_pack("{s:i,s:o,s:o,s:o}", "iteration", i + 1, "residual",
                                        json_number(judged ? frozen_system_residual(truth, lambda) : NAN),
                                        "lambda_error", json_number(judged ? frozen_system_error(truth, lambda) : NAN),
                                        "lambda", numbers_json(lambda, result->row_count)));
    }
    return array;
}

/* Where a solution is called near: what `iterations_to_1e-3` counts up to. */
static const double NEAR = 1e-3;

/* The first iteration whose residual is that small; 0: none. */
static int solve_iterations_to_near(const SolveResult *result)
{
    for (int i = 0; result->judged && i < result->iterations; i++)
        if (result->residuals[i] <= NEAR)
            return i + 1;
    return 0;
}

static json_t *solve_json(const Solve *solve, int index)
{
    const Run *run = &solve->runs[index];
    const SolveResult *result = &solve->results[index];
    json_t *document = json_pack("{s:s}", "solver", run->solver->name);
    json_object_set_new(document, "lambda",
                        result->lambda ? numbers_json(result->lambda, result->row_count) : json_null());
    json_object_set_new(document, "lambda_error", json_number(result->error));
    if (result->truth >= 0) {
        char law[64];
        frozen_system_law(&solve->truths[result->truth], law, sizeof law);
        json_object_set_new(document, "law", law[0] ? json_string(law) : json_null());
        json_object_set_new(document, "law_distance", json_number(solve->distances[result->truth]));
        json_object_set_new(document, "truth_converged", json_boolean(solve->truths[result->truth].converged));
    }
    json_object_set_new(document, "residuals",
                        result->judged ? numbers_json(result->residuals, result->iterations) : json_null());
    if (result->history)
        json_object_set_new(document, "history", history_json(solve, result));
    json_set_remarks(document, &result->said);
    int near = solve_iterations_to_near(result);
    json_object_set_new(document, "iterations_to_1e-3", near > 0 ? json_integer(near) : json_null());
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

static void solve_print_truth(const Solve *solve)
{
    FILE *beside = form_beside(solve->arguments);
    const FrozenSystem *first = &solve->truths[0];
    fprintf(beside, "%d rows at %.4g s, one step of %.4g s\n", first->system.rows, solve->at, solve->h);
    for (int i = 0; i < solve->truth_count; i++) {
        const FrozenSystem *truth = &solve->truths[i];
        char law[64];
        frozen_system_law(truth, law, sizeof law);
        char how[128] = "direct solve";
        if (truth->sweeps > 0)
            snprintf(how, sizeof how, "projected Gauss-Seidel, %d sweeps, %d Newton steps", truth->sweeps,
                     truth->newton_steps);
        fold_line(form_beside(solve->arguments), "truth%s%s%s: %s, residual %.2g%s", law[0] ? " (" : "", law,
                  law[0] ? ")" : "", how, truth->residual, truth->converged ? "" : ": not converged");
        if (truth->setup.friction != FRICTION_CONE)
            fprintf(beside, "    its law is %.4g from Coulomb's cone in what it does\n", solve->distances[i]);
    }
    fprintf(beside, "residual after each iteration:\n\n");
}

static bool solve_print_residuals(const Solve *solve, Status *status)
{
    const SolveResult *results = solve->results;
    int most = 0;
    Table *table = table_create();
    table_add_column(table, "iteration", "", BEST_NONE);
    for (int s = 0; s < solve->count; s++) {
        table_add_column(table, solve->runs[s].solver->name, "", BEST_LOWEST);
        most = results[s].iterations > most ? results[s].iterations : most;
    }
    for (int i = 1; i <= most; i = i < most && next_shown(i) > most ? most : next_shown(i)) {
        table_add_number(table, i, false);
        for (int s = 0; s < solve->count; s++)
            table_add_number(table, i <= results[s].iterations ? results[s].residuals[i - 1] : NAN, false);
    }
    bool ok = form_print(solve->arguments, table, status);
    table_destroy(table);
    fputs("\n", form_beside(solve->arguments));
    return ok;
}

static void solve_print_result(const Solve *solve, int index)
{
    const Run *run = &solve->runs[index];
    const SolveResult *result = &solve->results[index];
    double ratio = result->judged ? solve_contraction(result) : NAN;
    if (result->status.code != STATUS_OK) {
        fold_line(form_beside(solve->arguments), "%s: n/a, %s", run->solver->name, result->status.message);
        return;
    }
    char off[128] = "", rate[64] = "n/a, has no residual;";
    if (!isnan(result->error)) {
        char law[64];
        frozen_system_law(&solve->truths[result->truth], law, sizeof law);
        snprintf(off, sizeof off, "lambda off by %.4g%s%s%s, ", result->error, law[0] ? " (" : "", law,
                 law[0] ? ")" : "");
    }
    if (result->judged && isnan(ratio))
        snprintf(rate, sizeof rate, "too few residuals above round-off for a rate;");
    else if (result->judged)
        snprintf(rate, sizeof rate, "contracts by %.6g an iteration,", ratio);
    char near[64] = "";
    if (solve_iterations_to_near(result) > 0)
        snprintf(near, sizeof near, ", a residual of 0.001 after %d", solve_iterations_to_near(result));
    fold_line(form_beside(solve->arguments), "%s: %s%s %.0f row solves%s", run->solver->name, off, rate,
              result->said.row_solves, near);
    for (int i = 0; i < result->said.event_count; i++)
        fold_line(form_beside(solve->arguments), "note: %s: %s, %ld times", run->solver->name,
                  result->said.events[i].what, result->said.events[i].count);
    for (int i = 0; i < result->said.warnings.count; i++)
        fold_line(form_beside(solve->arguments), "warning: %s: %s", run->solver->name, result->said.warnings.texts[i]);
}

static json_t *solve_truth_json(const FrozenSystem *frozen)
{
    return json_pack("{s:s,s:i,s:i,s:b,s:o,s:o}", "by", frozen->sweeps > 0 ? "projected Gauss-Seidel" : "direct solve",
                     "sweeps", frozen->sweeps, "newton_steps", frozen->newton_steps, "converged", frozen->converged,
                     "residual", json_number(frozen->residual), "lambda",
                     numbers_json(frozen->lambda, frozen->system.rows));
}

static bool solve_report(const Solve *solve, Status *status)
{
    if (!solve->arguments->given[OPTION_JSON]) {
        solve_print_truth(solve);
        if (!solve_print_residuals(solve, status))
            return false;
        for (int i = 0; i < solve->count; i++)
            solve_print_result(solve, i);
        return true;
    }
    json_t *array = json_array();
    for (int i = 0; i < solve->count; i++)
        json_array_append_new(array, solve_json(solve, i));
    return json_print(json_pack("{s:i,s:o,s:o,s:o,s:o,s:o}", "rows", solve->truths[0].system.rows, "at",
                                json_number(solve->at), "h", json_number(solve->h), "from",
                                freeze_describe(&solve->from, &solve->from_said), "truth",
                                solve_truth_json(&solve->truths[0]), "solvers", array),
                      status);
}

/* The system as the first velocity-level solver sets it up, or as `pgs` would. */
static bool solve_find_truth(Solve *solve, Status *status)
{
    Run like = solve->runs[0];
    run_choose_solver(&like, &pgs_solver);
    run_set_option(&like, "position", "none", status);
    for (int i = solve->count - 1; i >= 0; i--)
        if (solve->runs[i].solver->multipliers)
            like = solve_run(solve, i);
    solve->problem = freeze_problem(&solve->from, solve->at, &solve->from_said, status);
    progress_say(solve->arguments->progress, "solving the system to convergence");
    bool ok = solve->problem && stepper_find_contacts(solve->problem->world, solve->h, status) &&
              (solve->truth_count = 1) &&
              frozen_system_init(&solve->truths[0], solve->problem->world, &like, solve->h, status) &&
              solve_measure_law(solve, status);
    progress_clear(solve->arguments->progress);
    return ok;
}

static bool solve_write_dump(FILE *out, int in, void *context, Status *status)
{
    const Solve *solve = context;
    char title[256];
    (void)out, (void)in;
    snprintf(title, sizeof title, "rigor: %.128s at %.6g s, step %.6g s", solve->problem->name, solve->at, solve->h);
    return fclib_dump(argument(solve->arguments, OPTION_DUMP), &solve->truths[0], title, status);
}

/* In a child: HDF5 crashes on a full disk. */
static bool solve_dump(Solve *solve, Status *status)
{
    const char *path = argument(solve->arguments, OPTION_DUMP);
    return !path || write_in_child(solve_write_dump, solve, path, status);
}

static bool solve_all(Solve *solve, Status *status)
{
    if (!freeze_time(solve->arguments, &solve->at, status) ||
        !freeze_choose_from(solve->arguments, solve->runs, solve->count, &solve->runs[0], &solve->from, status) ||
        !solve_find_truth(solve, status))
        return false;
    bool ok = true;
    for (int i = 0; ok && i < solve->count; i++) {
        progress_show(i, solve->count, solve->runs[i].solver->name);
        ok = solve_one(solve, i, status);
    }
    progress_end();
    return ok && solve_dump(solve, status) && solve_report(solve, status);
}

static bool solve_command(const Arguments *arguments, Status *status)
{
    if (!form_check(arguments, NULL, status))
        return false;
    if (arguments->given[OPTION_PROBLEM])
        return solve_problems(arguments, status);
    if (arguments->operand_count != 1)
        return status_set(status, STATUS_USAGE, "solve takes one SCENE, or --problem FILE...");
    Solve solve = {.arguments = arguments};
    solve.runs = arguments_runs(arguments, argument(arguments, OPTION_SOLVERS), &solve.count, status);
    if (!solve.runs)
        return false;
    solve.h = solve.runs[0].dt;
    solve.results = calloc((size_t)solve.count + 1, sizeof *solve.results);
    solve.truths = calloc((size_t)solve.count + 1, sizeof *solve.truths);
    solve.distances = calloc((size_t)solve.count + 1, sizeof *solve.distances);
    bool ok = solve.results && solve.truths && solve.distances ? solve_all(&solve, status)
                                                               : status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; solve.results && i < solve.count; i++) {
        free(solve.results[i].residuals);
        free(solve.results[i].lambda);
        free(solve.results[i].history);
    }
    for (int i = 0; i < solve.truth_count; i++)
        frozen_system_free(&solve.truths[i]);
    free(solve.truths);
    free(solve.distances);
    problem_destroy(solve.problem);
    free(solve.results);
    free(solve.runs);
    return ok;
}

const Command command_solve = {
    .name = "solve",
    .operands = "SCENE | --problem FILE...",
    .summary = "one frozen step, the same system for every solver: residuals and multipliers",
    .help =
        "Substeps are forced to 1 in the frozen step; -s iterations=N sets how many residuals there are. Position\n"
        "errors stay out of the system, unless -s position=... is given. The multipliers of velocity-level solvers\n"
        "are held against the converged solution by their own law of friction, in the norm of A; how far that\n"
        "law is from Coulomb's cone stands beside it. --dump writes FCLIB's `fclib_local`.\n"
        "--problem reads frictional contact problems instead (FCLIB's HDF5, Siconos' text): residuals by iteration,\n"
        "Siconos' error and one scaled by the diagonal of W, 1,000 iterations unless -s iterations says otherwise.\n"
        "With --warm each solver runs up to --at by itself, and its own impulses are what it starts from.",
    .least_operands = 0,
    .most_operands = 1000,
    .options = TAKES_SCENE | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_PLUGIN) |
               TAKES(OPTION_SOLVERS) | TAKES(OPTION_AT) | TAKES(OPTION_FROM) | TAKES(OPTION_WARM) |
               TAKES(OPTION_HISTORY) | TAKES(OPTION_DUMP) | TAKES(OPTION_FORCE) | TAKES(OPTION_PROBLEM) | TAKES_FORM,
    .only_reads = true,
    .run = solve_command,
};
