/* SPDX-License-Identifier: MIT */
/* The command line: commands, their options, and what several of them share.
 * A command is a `const Command` at the end of its file here and a line of commands.def; an option is a line
 * of the table in options.c and its name below. */
#ifndef RIGOR_CLI_CLI_H
#define RIGOR_CLI_CLI_H

#include "bench/files/write_file.h"
#include "bench/frozen/freeze.h"
#include "bench/run/run.h"
#include "bench/run/solver_set.h"
#include "bench/text/table.h"

#include <jansson.h>
#include <stdint.h>

typedef enum OptionId {
    OPTION_PARAM,
    OPTION_SOLVER_OPTION,
    OPTION_DT,
    OPTION_TIME,
    OPTION_DETECT,
    OPTION_THREADS,
    OPTION_ORDER,
    OPTION_PERTURB,
    OPTION_TRUTH,
    OPTION_JSON,
    OPTION_STATE,
    OPTION_SERIES,
    OPTION_RECORD,
    OPTION_REPEATS,
    OPTION_PROFILE,
    OPTION_MAX_MEMORY,
    OPTION_ROW_SOLVES_LIMIT,
    OPTION_PLUGIN,
    OPTION_ENGINE,
    OPTION_SOLVERS,
    OPTION_OVER,
    OPTION_METRIC,
    OPTION_AGAINST,
    OPTION_PLOT,
    OPTION_EQUAL_WORK,
    OPTION_SOLVER,
    OPTION_SEED,
    OPTION_BUDGET,
    OPTION_UNTIL,
    OPTION_TOLERANCE,
    OPTION_BY,
    OPTION_JOBS,
    OPTION_RUN_TIME_LIMIT,
    OPTION_AT,
    OPTION_FROM,
    OPTION_WARM,
    OPTION_HISTORY,
    OPTION_DB,
    OPTION_FORCE,
    OPTION_WHERE,
    OPTION_CSV,
    OPTION_DIFF,
    OPTION_SHARE,
    OPTION_DUMP,
    OPTION_PROBLEM,
    OPTION_SLIDE,
    OPTION_DARK,
    OPTION_OUTPUT,
    OPTION_RESOLVED,
    OPTION_MATRIX,
    OPTION_VIEW,
    OPTION_FPS,
    OPTION_SIZE,
    OPTION_OVERLAY,
    OPTION_ESTIMATE,
    OPTION_CHECK,
    OPTION_MD,
    OPTION_STEP,
    OPTION_FIRST,
    OPTION_SWEEPS,
    OPTION_MASS_MATRIX,
    OPTION_STATES,
    OPTION_FIT,
    OPTION_CLASS,
    OPTION_EVERY,
    OPTION_ECDF,
    OPTION_RANK,
    OPTION_TARGETS,
    OPTION_LATEX,
    OPTION_METRICS,
    OPTION_DIGITS,
    OPTION_GROUP,
    OPTION_PIVOT,
    OPTION_AGG,
    OPTION_SHARD,
    OPTION_PROGRESS,
    OPTION_HELP,
    OPTION_COUNT
} OptionId;

typedef struct OptionInfo {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    const char *help;
} OptionInfo;

extern const OptionInfo all_options[OPTION_COUNT];

/* A set of options, one bit each. */
__extension__ typedef unsigned __int128 OptionSet;
_Static_assert(OPTION_COUNT <= 128, "an option has no bit");
#define TAKES(option) ((OptionSet)1 << (option))
#define TAKES_SCENE (TAKES(OPTION_PARAM) | TAKES(OPTION_JSON) | TAKES(OPTION_MAX_MEMORY))
#define TAKES_RUN                                                                                                      \
    (TAKES_SCENE | TAKES(OPTION_THREADS) | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_TIME) |       \
     TAKES(OPTION_DETECT) | TAKES(OPTION_TRUTH) | TAKES(OPTION_ORDER) | TAKES(OPTION_PERTURB) | TAKES(OPTION_STATE) |  \
     TAKES(OPTION_SERIES) | TAKES(OPTION_FORCE) | TAKES(OPTION_ROW_SOLVES_LIMIT) | TAKES(OPTION_PLUGIN) |              \
     TAKES(OPTION_ENGINE))

/* Of a command that prints a table (form_print). */
#define TAKES_FORM                                                                                                     \
    (TAKES(OPTION_CSV) | TAKES(OPTION_MD) | TAKES(OPTION_LATEX) | TAKES(OPTION_METRICS) | TAKES(OPTION_DIGITS))

enum { OPTION_MOST = 64 }; /* times that one option may be given */

typedef struct Arguments {
    int operand_count;
    char **operands;
    int given[OPTION_COUNT]; /* how often */
    const char *values[OPTION_COUNT][OPTION_MOST];
    SolverSet solvers;       /* with the plug-ins loaded */
    ReferenceTruths *truths; /* shared by the command's runs */
    Progress *progress;      /* of what takes long */
} Arguments;

/* What an option means for a command that uses it in a way of its own; a list ends where `help` is NULL. */
typedef struct OptionNote {
    OptionId option;
    const char *help;
} OptionNote;

typedef struct Command {
    const char *name;
    const char *operands; /* "SCENE SOLVER" */
    const char *summary;  /* one line */
    const char *help;     /* more lines, or NULL */
    int least_operands, most_operands;
    OptionSet options;       /* TAKES() of each */
    const OptionNote *notes; /* NULL: every option has its general meaning */
    bool only_reads;         /* writes no file unless an option names one: figures may run it */
    /* Results go to standard output; false, with a message and the exit status, if it cannot be done. */
    bool (*run)(const Arguments *arguments, Status *status);
} Command;

extern const Command *const all_commands[];
extern const int command_count;

/* What `rigor list` lists: an array of objects with at least `name` and `summary`. */
typedef struct ListKind {
    const char *name;
    json_t *(*list)(const SolverSet *set);
    bool by_name_only; /* not among what a plain `rigor list` shows */
} ListKind;

extern const ListKind *const all_list_kinds[];
extern const int list_kind_count;

/* A kind of file that `rigor check` knows by what its document has. */
typedef struct CheckKind {
    bool (*is)(const json_t *document);
    bool (*check)(const Arguments *arguments, Status *status); /* the first operand is its path */
} CheckKind;

/* The first whose `is` holds counts. */
extern const CheckKind *const all_check_kinds[];
extern const int check_kind_count;

const Command *command_find(const char *name, Status *status);
bool command_takes(const Command *command, int option);
const char *command_option_help(const Command *command, int option);
void command_print_help(const Command *command);

/* Every command with its summary. */
void commands_print(FILE *file);

/* argv[0] is the command's name. Parsing is reading, then loading the plug-ins. */
bool arguments_read(Arguments *arguments, const Command *command, int argc, char **argv, Status *status);
bool arguments_load_plugins(Arguments *arguments, Status *status);
bool arguments_parse(Arguments *arguments, const Command *command, int argc, char **argv, Status *status);
void arguments_clear(Arguments *arguments);

/* An operand that is a pipe becomes a file that can be read again; false with a message. */
bool pipe_keep(char **operand, Status *status);

/* The last value given to an option, or NULL. */
const char *argument(const Arguments *arguments, OptionId option);

/* The same as seconds above 0. */
bool argument_seconds(const Arguments *arguments, OptionId option, double otherwise, double *value, Status *status);

/* The same as a whole number, least or more; `fallback` if it is not given. */
bool argument_threads(const Arguments *arguments, int *threads, Status *status);
bool argument_whole(const Arguments *arguments, OptionId option, int least, int fallback, int *value, Status *status);

/* May the command write a file of this kind there? Not over its operands; over other kinds only with --force. A path
 * of NULL is no file. */
bool arguments_may_write(const Arguments *arguments, const char *path, FileKind kind, Status *status);

/* --tolerance: a relative width above 0 and below 1. */
bool argument_tolerance(const Arguments *arguments, double fallback, double *value, Status *status);

/* A run of the scene operand with parameters, dt, time and detection, and no solver yet. */
bool arguments_scene(const Arguments *arguments, Run *run, Status *status);

/* The same of a scene that is no operand. */
bool arguments_named_scene(const Arguments *arguments, const char *name, Run *run, Status *status);

/* One run for each solver of a comma list (NULL: every solver there is), with its options. Freed by the caller, who
 * clears each run; NULL with a message. */
Run *arguments_runs(const Arguments *arguments, const char *solver_names, int *count, Status *status);

/* Every -s of the command line. */
bool runs_assign_options(const Arguments *arguments, Run *runs, int count, Status *status);

/* The same without a scene: of each run only the solver and its options are set. */
Run *arguments_solver_runs(const Arguments *arguments, const char *solver_names, int *count, Status *status);

/* --at, 0 if it is not given. */
bool freeze_time(const Arguments *arguments, double *at, Status *status);

/* The run that brings the scene there: --from with the options it has in `runs`, or its defaults; else `otherwise`. */
bool freeze_choose_from(const Arguments *arguments, const Run *runs, int count, const Run *otherwise, Run *from,
                        Status *status);

/* The scene at that time, brought there by --from without options of its own, else by `run`. Says what the reader of
 * its file changed; NULL with a message. */
Problem *freeze_scene(const Arguments *arguments, const Run *run, double at, Run *from, Remarks *said, Status *status);

/* Says on standard error what the reader of a scene file changed on its own. */
void notes_print(const Problem *problem);

/* The form of tables: --csv, --md, --latex, --metrics, --digits. Checked before work is done; `columns` are those that
 * --metrics may name beside metrics, NULL at the end (NULL: the table alone can tell). */
bool form_check(const Arguments *arguments, const char *const *columns, Status *status);
bool form_print(const Arguments *arguments, Table *table, Status *status);
bool form_print_whole(const Arguments *arguments, Table *table, Status *status); /* whatever --metrics says */

/* Where what stands around a table goes: standard output beside a readable one, standard error beside others. */
FILE *form_beside(const Arguments *arguments);

/* Tells how far a long command is, on standard error if that is a terminal. */
void progress_show(int done, int total, const char *what);
void progress_end(void);

#endif
