#include "bench/cli/cli.h"

#include "bench/engine.h"
#include "bench/suggest.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct OptionInfo {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    const char *help;
} OptionInfo;

static const OptionInfo OPTIONS[OPTION_COUNT] = {
    [OPTION_PARAM] = {"param", 'p', "KEY=VALUE", "a scene parameter (repeatable)"},
    [OPTION_SOLVER_OPTION] = {"option", 's', "KEY=VALUE",
                              "a solver option (repeatable); `-s xpbd.substeps=20` addresses one of several"},
    [OPTION_DT] = {"dt", 0, "X", "frame time in s, as 0.01 or 1/60 (default 1/60)"},
    [OPTION_TIME] = {"time", 0, "T", "simulated seconds (default: the scene's)"},
    [OPTION_DETECT] = {"detect", 0, "WHEN", "contacts are looked for once a `frame` or a `substep` (default substep)"},
    [OPTION_PERTURB] = {"perturb", 0, "V",
                        "moving bodies start with a random velocity of at most V m/s in each direction: for timings"},
    [OPTION_TRUTH] = {"truth", 0, "WHICH",
                      "`none`: errors against a truth are not wanted, nor its time (default auto)"},
    [OPTION_JSON] = {"json", 0, NULL, "one JSON document on standard output, nothing else there"},
    [OPTION_STATE] = {"state", 0, NULL, "with --json: the final state of every body and joint"},
    [OPTION_SERIES] = {"series", 0, "F.csv", "metrics for every frame"},
    [OPTION_RECORD] = {"record", 0, "F.h5", "the whole trajectory (HDF5); compare: F-SOLVER.h5 for each solver"},
    [OPTION_REPEATS] = {"repeats", 0, "N", "time N runs after a warm-up: median and spread (default: the one run)"},
    [OPTION_PLUGIN] = {"plugin", 0, "F.so", "load a solver built outside the tree (repeatable)"},
    [OPTION_ENGINE] = {"engine", 0, "COMMAND",
                       "a bridge to an engine, which speaks solvers/engines/README.md (repeatable)"},
    [OPTION_SOLVERS] = {"solvers", 0, "a,b,c", "which solvers (default: all but engines)"},
    [OPTION_OVER] = {"over", 0, "NAME=LIST",
                     "dt, a solver option or a scene parameter; `1,2,4`, `1,2,4,...,512` or a range `1:512`"},
    [OPTION_METRIC] = {"metric", 0, "NAME", "which metric, or several, separated by commas (default error_end)"},
    [OPTION_AGAINST] = {"against", 0, "COST", "row_solves or time: error against cost, and its exponent"},
    [OPTION_UNTIL] = {"until", 0, "PREDICATE",
                      "what stable means: `ok`, or comparisons as `drift_max<0.01 and settled=1`; a blow-up never is\n"
                      "                           (default: no blow-up, and settled where the scene has it)"},
    [OPTION_TOLERANCE] = {"tolerance", 0, "X", "how near the bracket's ends come, relative (default 0.01; map: 0.05)"},
    [OPTION_BY] = {"by", 0, "WHAT", "solver: the best of its option sets; options: each set by itself (default)"},
    [OPTION_JOBS] = {"jobs", 0, "N", "runs at the same time (default: one for each core)"},
    [OPTION_RUN_TIME_LIMIT] = {"run-time-limit", 0, "S", "a run that takes longer has failed (default: none)"},
    [OPTION_AT] = {"at", 0, "T", "when, in s (default 0)"},
    [OPTION_FROM] = {"from", 0, "SOLVER", "which solver brings the scene there (default: the first)"},
    [OPTION_WARM] = {"warm", 0, NULL,
                     "each solver runs up to --at by itself first: its own impulses are its warm start"},
    [OPTION_DB] = {"db", 0, "F.sqlite", "the results store (default results.sqlite)"},
    [OPTION_FORCE] = {"force", 0, NULL,
                      "overwrite a file of another kind; sweep: make every run, also those that the store has"},
    [OPTION_WHERE] = {"where", 0, "CONDITION", "an SQL condition on the columns, as \"status = 'ok' AND dt < 0.01\""},
    [OPTION_CSV] = {"csv", 0, NULL, "comma-separated values on standard output"},
    [OPTION_DIFF] = {"diff", 0, NULL, "two stores: what changed from the first to the second"},
    [OPTION_DUMP] = {"dump", 0, "F.h5", "the system as a file of FCLIB, with M, J and the converged solution"},
    [OPTION_PROBLEM] = {"problem", 0, "FILE",
                        "a frictional contact problem (FCLIB .hdf5, Siconos .dat); operands are more"},
    [OPTION_OUTPUT] = {"output", 'o', "PATH", "where to write"},
    [OPTION_RESOLVED] = {"resolved", 0, NULL, "the world as a bridge to an engine is given it, on one line"},
    [OPTION_HELP] = {"help", 'h', NULL, "this text"},
};

const Command *command_find(const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < command_count; i++) {
        if (strcmp(all_commands[i]->name, name) == 0)
            return all_commands[i];
        suggestion_offer(&near, all_commands[i]->name);
    }
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown command '%s'%s", name, suggestion_text(&near, text));
    return NULL;
}

static bool command_takes(const Command *command, int option)
{
    return option == OPTION_HELP || (command->options & TAKES(option));
}

void command_print_help(const Command *command)
{
    printf("usage: rigor %s%s%s [options]\n\n%s\n", command->name, command->operands[0] ? " " : "", command->operands,
           command->summary);
    if (command->help)
        printf("\n%s\n", command->help);
    printf("\noptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const OptionInfo *option = &OPTIONS[i];
        if (!command_takes(command, i))
            continue;
        char name[48], letter[8] = "";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(name, sizeof name, "%s--%s %s", letter, option->name, option->argument ? option->argument : "");
        printf("  %-24s %s\n", name, option->help);
    }
}

/* getopt's tables of the options that a command takes; values are OptionId + 1, letters stand for themselves. */
static void options_list(const Command *command, struct option names[OPTION_COUNT + 1], char letters[])
{
    int count = 0;
    *letters++ = ':';
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!command_takes(command, i))
            continue;
        names[count++] =
            (struct option){OPTIONS[i].name, OPTIONS[i].argument ? required_argument : no_argument, NULL, i + 1};
        if (OPTIONS[i].letter) {
            *letters++ = OPTIONS[i].letter;
            if (OPTIONS[i].argument)
                *letters++ = ':';
        }
    }
    names[count] = (struct option){0};
    *letters = '\0';
}

static int option_of(int code)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (code == i + 1 || (OPTIONS[i].letter && code == OPTIONS[i].letter))
            return i;
    return -1;
}

static bool option_unknown(const Command *command, const char *typed, Status *status)
{
    if (strncmp(typed, "--", 2) != 0)
        return status_set(status, STATUS_USAGE, "unknown option '-%c'", optopt);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!command_takes(command, i))
            continue;
        if (strcmp(OPTIONS[i].name, name) == 0)
            return status_set(status, STATUS_USAGE, "option '--%s' takes no value", name);
        suggestion_offer(&near, OPTIONS[i].name);
    }
    char text[SUGGESTION_TEXT];
    return status_set(status, STATUS_USAGE, "unknown or ambiguous option '--%s'%s", name, suggestion_text(&near, text));
}

static bool options_parse(Arguments *arguments, const Command *command, int argc, char **argv, Status *status)
{
    struct option names[OPTION_COUNT + 1];
    char letters[2 * OPTION_COUNT + 2];
    options_list(command, names, letters);
    opterr = 0;
    optind = 0; /* begins anew, also where the last parsing stopped within a word */
    int code;
    while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
        if (code == ':')
            return status_set(status, STATUS_USAGE, "option '%s' needs a value", argv[optind - 1]);
        int option = option_of(code);
        if (option < 0)
            return option_unknown(command, argv[optind - 1], status);
        if (arguments->given[option] == OPTION_MOST)
            return status_set(status, STATUS_USAGE, "option '--%s' is given more than %d times", OPTIONS[option].name,
                              OPTION_MOST);
        arguments->values[option][arguments->given[option]++] = optarg;
    }
    arguments->operands = argv + optind;
    arguments->operand_count = argc - optind;
    return true;
}

bool arguments_read(Arguments *arguments, const Command *command, int argc, char **argv, Status *status)
{
    *arguments = (Arguments){0};
    if (!options_parse(arguments, command, argc, argv, status))
        return false;
    if (arguments->given[OPTION_HELP])
        return true;
    arguments->truths = reference_truths_create();
    if (!solver_set_open(&arguments->solvers, status))
        return false;
    if (arguments->operand_count < command->least_operands)
        return status_set(status, STATUS_USAGE, "usage: rigor %s %s [options]; see rigor %s --help", command->name,
                          command->operands, command->name);
    if (arguments->operand_count > command->most_operands)
        return status_set(status, STATUS_USAGE, "'%s' is one argument too many",
                          arguments->operands[command->most_operands]);
    for (int i = 0; i < arguments->operand_count; i++)
        if (!pipe_keep(&arguments->operands[i], status))
            return false;
    return true;
}

bool arguments_load_plugins(Arguments *arguments, Status *status)
{
    for (int i = 0; i < arguments->given[OPTION_PLUGIN]; i++)
        if (!solver_set_load(&arguments->solvers, arguments->values[OPTION_PLUGIN][i], status))
            return false;
    for (int i = 0; i < arguments->given[OPTION_ENGINE]; i++)
        if (!solver_set_add_engine(&arguments->solvers, arguments->values[OPTION_ENGINE][i], status))
            return false;
    return true;
}

bool arguments_may_write(const Arguments *arguments, const char *path, FileKind kind, Status *status)
{
    return !path || file_may_be_written(path, kind, arguments->given[OPTION_FORCE], arguments->operands,
                                        arguments->operand_count, status);
}

/* Before any work: what the command is told to write. */
static bool arguments_check_outputs(const Arguments *arguments, Status *status)
{
    return arguments_may_write(arguments, argument(arguments, OPTION_SERIES), FILE_SERIES, status) &&
           arguments_may_write(arguments, argument(arguments, OPTION_RECORD), FILE_HDF5, status) &&
           arguments_may_write(arguments, argument(arguments, OPTION_DUMP), FILE_HDF5, status);
}

bool arguments_parse(Arguments *arguments, const Command *command, int argc, char **argv, Status *status)
{
    return arguments_read(arguments, command, argc, argv, status) && arguments_check_outputs(arguments, status) &&
           arguments_load_plugins(arguments, status);
}

void arguments_clear(Arguments *arguments)
{
    solver_set_close(&arguments->solvers);
    reference_truths_destroy(arguments->truths);
}

const char *argument(const Arguments *arguments, OptionId option)
{
    int given = arguments->given[option];
    return given > 0 ? arguments->values[option][given - 1] : NULL;
}

bool argument_seconds(const Arguments *arguments, OptionId option, double otherwise, double *value, Status *status)
{
    const char *text = argument(arguments, option);
    *value = otherwise;
    if (!text)
        return true;
    if (!number_parse(text, value) || !(*value > 0.0))
        return status_set(status, STATUS_USAGE, "--%s: '%s' is not a number of seconds above 0", OPTIONS[option].name,
                          text);
    return true;
}

bool argument_whole(const Arguments *arguments, OptionId option, int least, int fallback, int *value, Status *status)
{
    const char *text = argument(arguments, option);
    double number = fallback;
    if (text && (!number_parse(text, &number) || number != round(number) || number < least || number > INT_MAX))
        return status_set(status, STATUS_USAGE, "--%s: '%s' is not a whole number from %d on", OPTIONS[option].name,
                          text, least);
    *value = (int)number;
    return true;
}

bool argument_tolerance(const Arguments *arguments, double fallback, double *value, Status *status)
{
    const char *text = argument(arguments, OPTION_TOLERANCE);
    *value = fallback;
    return !text || (number_parse(text, value) && *value > 0.0 && *value < 1.0) ||
           status_set(status, STATUS_USAGE, "--tolerance: '%s' is not a number between 0 and 1", text);
}

static bool argument_detection(const Arguments *arguments, Detection *detect, Status *status)
{
    const char *text = argument(arguments, OPTION_DETECT);
    *detect = DETECT_SUBSTEP;
    while (text && *detect < DETECTION_COUNT && strcmp(text, detection_names[*detect]) != 0)
        ++*detect;
    return *detect < DETECTION_COUNT ||
           status_set(status, STATUS_USAGE, "--detect: '%s' is neither frame nor substep", text);
}

static bool argument_perturb(const Arguments *arguments, double *speed, Status *status)
{
    const char *text = argument(arguments, OPTION_PERTURB);
    *speed = 0.0;
    return !text || (number_parse(text, speed) && *speed >= 0.0 && isfinite(*speed)) ||
           status_set(status, STATUS_USAGE, "--perturb: '%s' is no speed", text);
}

static bool argument_truth(const Arguments *arguments, bool *none, Status *status)
{
    const char *text = argument(arguments, OPTION_TRUTH);
    *none = text && strcmp(text, "none") == 0;
    return !text || *none || strcmp(text, "auto") == 0 ||
           status_set(status, STATUS_USAGE, "--truth: '%s' is neither auto nor none", text);
}

bool arguments_scene(const Arguments *arguments, Run *run, Status *status)
{
    *run = (Run){.truths = arguments->truths};
    if (!run_choose_scene(run, arguments->operands[0], status))
        return false;
    for (int i = 0; i < arguments->given[OPTION_PARAM]; i++) {
        char key[RUN_KEY];
        const char *value;
        if (!assignment_split(arguments->values[OPTION_PARAM][i], key, &value, status) ||
            !run_set_param(run, key, value, status))
            return false;
    }
    return argument_seconds(arguments, OPTION_DT, RUN_DEFAULT_DT, &run->dt, status) &&
           argument_seconds(arguments, OPTION_TIME, NAN, &run->time, status) &&
           argument_detection(arguments, &run->detect, status) && argument_perturb(arguments, &run->perturb, status) &&
           argument_truth(arguments, &run->refuses_truth, status);
}

/* Plain assignments first, so that one addressed to a solver wins wherever it stands. */
bool runs_assign_options(const Arguments *arguments, Run *runs, int count, Status *status)
{
    for (int addressed = 0; addressed < 2; addressed++)
        for (int i = 0; i < arguments->given[OPTION_SOLVER_OPTION]; i++) {
            const char *text = arguments->values[OPTION_SOLVER_OPTION][i];
            if (assignment_is_addressed(runs, count, text) == (addressed == 1) &&
                !runs_assign_option(runs, count, text, status))
                return false;
        }
    return true;
}

static bool runs_add(const SolverSet *set, Run *runs, int *count, const Solver *solver, Status *status)
{
    for (int i = 0; i < *count; i++)
        if (runs[i].solver == solver)
            return status_set(status, STATUS_USAGE, "solver %s is named twice", solver->name);
    if (*count > 0)
        runs[*count] = runs[0];
    runs[*count].in_child = solver_set_is_plugin(set, solver);
    run_choose_solver(&runs[(*count)++], solver);
    return true;
}

/* Every backend, without its variants. */
static bool runs_choose_all(const SolverSet *set, Run *runs, int *count, Status *status)
{
    for (int i = 0; i < set->count; i++)
        if (!set->solvers[i]->variant_of && !engine_of(set->solvers[i]) &&
            !runs_add(set, runs, count, set->solvers[i], status))
            return false;
    return true;
}

static bool runs_choose(const SolverSet *set, const char *names, Run *runs, int *count, Status *status)
{
    while (names) {
        char name[SOLVER_LABEL];
        size_t length = strcspn(names, ",");
        if (length >= sizeof name)
            return status_set(status, STATUS_USAGE, "'%.32s...' is too long for a solver", names);
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        const Solver *solver = solver_set_find(set, name, status);
        if (!solver || !runs_add(set, runs, count, solver, status))
            return false;
        names = names[length] ? names + length + 1 : NULL;
    }
    return true;
}

/* How many names a comma list has. */
static size_t names_count(const char *names)
{
    size_t count = 1;
    for (const char *comma = strchr(names, ','); comma; comma = strchr(comma + 1, ','))
        count++;
    return count;
}

/* With the scene operand, or without. */
static Run *runs_create(const Arguments *arguments, bool scene, const char *solver_names, int *count, Status *status)
{
    const SolverSet *set = &arguments->solvers;
    Run *runs = calloc(solver_names ? names_count(solver_names) : (size_t)set->count, sizeof *runs);
    *count = 0;
    if (!runs) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    bool ok = (!scene || arguments_scene(arguments, &runs[0], status)) &&
              (solver_names ? runs_choose(set, solver_names, runs, count, status)
                            : runs_choose_all(set, runs, count, status)) &&
              runs_assign_options(arguments, runs, *count, status);
    if (ok)
        return runs;
    free(runs);
    return NULL;
}

Run *arguments_runs(const Arguments *arguments, const char *solver_names, int *count, Status *status)
{
    return runs_create(arguments, true, solver_names, count, status);
}

Run *arguments_solver_runs(const Arguments *arguments, const char *solver_names, int *count, Status *status)
{
    return runs_create(arguments, false, solver_names, count, status);
}

void notes_print(const Problem *problem)
{
    if (problem->notes)
        fputs(problem->notes, stderr);
}

void progress_show(int done, int total, const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K[%d/%d] %s", done, total, what);
}

void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}
