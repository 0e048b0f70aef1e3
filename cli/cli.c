/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include "bench/process/clock.h"
#include "bench/run/memory.h"
#include "cli/hints.h"
#include "model/suggest.h"
#include "solvers/engines/engine.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const Command *command_find(const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < command_count; i++) {
        if (strcmp(all_commands[i]->name, name) == 0)
            return all_commands[i];
        suggestion_offer(&near, all_commands[i]->name);
    }
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown command '%s'%s%s", name, suggestion_text(&near, text),
               near.best ? "" : "; rigor help lists them");
    return NULL;
}

/* Codes of long options begin beyond every character, ':' and '?' among them. */
enum { LONG_OPTION = 256 };

/* getopt's tables of the options that a command takes; letters stand for themselves. */
static void options_list(const Command *command, struct option names[OPTION_COUNT + 1], char letters[])
{
    int count = 0;
    *letters++ = ':';
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!command_takes(command, i))
            continue;
        names[count++] = (struct option){all_options[i].name, all_options[i].argument ? required_argument : no_argument,
                                         NULL, LONG_OPTION + i};
        if (all_options[i].letter) {
            *letters++ = all_options[i].letter;
            if (all_options[i].argument)
                *letters++ = ':';
        }
    }
    names[count] = (struct option){0};
    *letters = '\0';
}

static int option_of(int code)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (code == LONG_OPTION + i || (all_options[i].letter && code == all_options[i].letter))
            return i;
    return -1;
}

/* `--name=value` or `--name value`; `next` is the word after it, or NULL. */
static bool option_unknown(const Command *command, const char *typed, const char *next, Status *status)
{
    int letter = strncmp(typed, "--", 2) != 0 ? option_of(optopt) : -1;
    if (letter >= 0)
        return hint_unknown_option(command, all_options[letter].name, NULL, status);
    if (strncmp(typed, "--", 2) != 0 && (optopt == 'v' || optopt == 'V'))
        return status_set(
            status, STATUS_USAGE,
            "unknown option '-%c': `rigor version` tells the version, and what takes long says so by itself", optopt);
    if (strncmp(typed, "--", 2) != 0)
        return status_set(status, STATUS_USAGE, "unknown option '-%c'; rigor help %s lists those there are", optopt,
                          command->name);
    char name[64];
    const char *equals = strchr(typed, '=');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (command_takes(command, i) && strcmp(all_options[i].name, name) == 0)
            return status_set(status, STATUS_USAGE, "option '--%s' takes no value", name);
    return hint_unknown_option(command, name, equals ? equals + 1 : next, status);
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
            return option_unknown(command, argv[optind - 1], optind < argc ? argv[optind] : NULL, status);
        if (arguments->given[option] == OPTION_MOST)
            return status_set(status, STATUS_USAGE, "option '--%s' is given more than %d times",
                              all_options[option].name, OPTION_MOST);
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
    arguments->progress = calloc(1, sizeof *arguments->progress);
    reference_truths_tell(arguments->truths, arguments->progress);
    if (!solver_set_open(&arguments->solvers, status))
        return false;
    if (arguments->operand_count < command->least_operands)
        return hint_missing_operand(arguments, command, status);
    if (arguments->operand_count > command->most_operands)
        return hint_extra_operand(arguments, command, status);
    if (!hint_wrong_name(arguments, command, status))
        return false;
    for (int i = 0; i < arguments->operand_count; i++)
        if (!pipe_keep(&arguments->operands[i], status))
            return false;
    return true;
}

bool arguments_load_plugins(Arguments *arguments, Status *status)
{
    for (int i = 0; i < arguments->given[OPTION_PLUGIN]; i++) {
        const char *path = arguments->values[OPTION_PLUGIN][i];
        bool metric;
        if (!metrics_load(path, &metric, status) || (!metric && !solver_set_load(&arguments->solvers, path, status)))
            return false;
    }
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

/* A recording has no other ending than HDF5's, or none. */
static bool record_check_ending(const char *path, Status *status)
{
    const char *name = path ? (strrchr(path, '/') ? strrchr(path, '/') + 1 : path) : "", *ending = strrchr(name, '.');
    return !ending || strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ||
           status_set(status, STATUS_USAGE,
                      "--record: %s: a recording is HDF5: name it %.*s.h5; for text there is --series F.csv", path,
                      (int)(ending - path), path);
}

/* Before any work: what the command shall write. */
static bool arguments_check_outputs(const Arguments *arguments, Status *status)
{
    return arguments_may_write(arguments, argument(arguments, OPTION_SERIES), FILE_SERIES, status) &&
           arguments_may_write(arguments, argument(arguments, OPTION_RECORD), FILE_HDF5, status) &&
           (arguments->given[OPTION_FORCE] || record_check_ending(argument(arguments, OPTION_RECORD), status)) &&
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
    free(arguments->progress);
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
        return status_set(status, STATUS_USAGE, "--%s: '%s' is not a number of seconds above 0, as 0.01 or 1/60",
                          all_options[option].name, text);
    return true;
}

bool argument_whole(const Arguments *arguments, OptionId option, int least, int fallback, int *value, Status *status)
{
    const char *text = argument(arguments, option);
    double number = fallback;
    if (text && (!number_parse(text, &number) || number != round(number) || number < least || number > INT_MAX))
        return status_set(status, STATUS_USAGE, "--%s: '%s' is not a whole number from %d on", all_options[option].name,
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
           status_set(status, STATUS_USAGE, "--detect: '%s' is none of substep, frame, lazy", text);
}

/* `shuffled:7`: the seed behind the name, which no other order has. */
static bool argument_order(const Arguments *arguments, Run *run, Status *status)
{
    const char *text = argument(arguments, OPTION_ORDER), *colon = text ? strchr(text, ':') : NULL;
    size_t length = colon ? (size_t)(colon - text) : text ? strlen(text) : 0;
    double seed = 1.0;
    int order = 0;
    run->order = ORDER_CREATED;
    run->order_seed = 1;
    if (!text)
        return true;
    while (order < ORDER_COUNT && (strlen(constraint_order_names[order]) != length ||
                                   strncmp(text, constraint_order_names[order], length) != 0))
        order++;
    if (order == ORDER_COUNT || (colon && (order != ORDER_SHUFFLED || !number_parse(colon + 1, &seed) || seed < 0.0 ||
                                           seed > 1e9 || seed != floor(seed))))
        return status_set(status, STATUS_USAGE, "--order: '%s' is none of created, reversed, coloured, shuffled[:SEED]",
                          text);
    run->order = (ConstraintOrder)order;
    run->order_seed = (unsigned)seed;
    return true;
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

bool argument_threads(const Arguments *arguments, int *threads, Status *status)
{
    return argument_whole(arguments, OPTION_THREADS, 1, 1, threads, status) &&
           (*threads <= TEAM_MOST ||
            status_set(status, STATUS_USAGE, "--threads: %d are more than %d", *threads, TEAM_MOST));
}

static bool argument_memory(const Arguments *arguments, double *bytes, Status *status)
{
    const char *text = argument(arguments, OPTION_MAX_MEMORY);
    *bytes = 0.0;
    return !text || memory_parse(text, bytes) ||
           status_set(status, STATUS_USAGE, "--max-memory: '%s' is no size, as 500M or 2G", text);
}

static bool argument_work(const Arguments *arguments, double *rows, Status *status)
{
    const char *text = argument(arguments, OPTION_ROW_SOLVES_LIMIT);
    *rows = 0.0;
    return !text || (number_parse(text, rows) && *rows > 0.0) ||
           status_set(status, STATUS_USAGE, "--row-solves-limit: '%s' is not a number above 0", text);
}

bool arguments_scene(const Arguments *arguments, Run *run, Status *status)
{
    return arguments_named_scene(arguments, arguments->operands[0], run, status);
}

bool arguments_named_scene(const Arguments *arguments, const char *name, Run *run, Status *status)
{
    *run = (Run){.truths = arguments->truths, .progress = arguments->progress};
    if (!run_choose_scene(run, name, status))
        return hint_unknown_scene(arguments, name, status);
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
           argument_order(arguments, run, status) && argument_truth(arguments, &run->refuses_truth, status) &&
           argument_memory(arguments, &run->most_memory, status) &&
           argument_threads(arguments, &run->threads, status) &&
           argument_work(arguments, &run->row_solves_limit, status);
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

/* Every backend, and what is another form of its contacts; a lecture text would only repeat its namesake. */
static bool runs_choose_all(const SolverSet *set, Run *runs, int *count, Status *status)
{
    for (int i = 0; i < set->count; i++) {
        const Solver *solver = set->solvers[i];
        bool own = !solver->variant_of || variant_is_form(solver);
        if (own && !engine_of(solver) && !solver->text_of && !runs_add(set, runs, count, solver, status))
            return false;
    }
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
        if (!solver)
            return hint_unknown_solver(set, name, status);
        if (!runs_add(set, runs, count, solver, status))
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

/* s: until the first line outside of a terminal. Each comes twice as late as the one before. */
static const double SHOW_PATIENCE = 1.0;

/* When the first step was shown, and the last line; 0: none was. */
static double show_began, show_said;

void progress_show(int done, int total, const char *what)
{
    double now = clock_now();
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%d/%d] %s", done, total, what);
        return;
    }
    if (show_began == 0.0)
        show_began = now;
    double took = now - show_began, next = show_said == 0.0 ? SHOW_PATIENCE : 2.0 * (show_said - show_began);
    if (took < next || done == 0)
        return;
    show_said = now;
    fprintf(stderr, "[%d/%d] %s, %.*f s more at this rate\n", done, total, what, took < 10.0,
            took * (total - done) / done);
}

void progress_end(void)
{
    show_began = show_said = 0.0;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}
