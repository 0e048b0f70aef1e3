/* Every option that some command takes. */
#include "bench/cli/cli.h"

const OptionInfo all_options[OPTION_COUNT] = {
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

bool command_takes(const Command *command, int option)
{
    return option == OPTION_HELP || (command->options & TAKES(option));
}
