/* SPDX-License-Identifier: MIT */
/* One run as a user asks for it: a scene with its parameters, a solver with its options, dt and time, set by name from
 * text; and what came of it. */
#ifndef RIGOR_BENCH_RUN_RUN_H
#define RIGOR_BENCH_RUN_RUN_H

#include "bench/run/runner.h"
#include "bench/truth/reference_truth.h"
#include "model/order.h"
#include "scenes/robot/robot.h"

/* A frame unless said otherwise, s. */
static const double RUN_DEFAULT_DT = 1.0 / 60.0;

typedef struct Run {
    const Scene *scene; /* NULL: a scene file */
    const char *file;
    bool robot_file; /* the file is a robot's, which has parameters of its own */
    RobotParams robot;
    _Alignas(16) unsigned char params[SETTINGS_MAX_BYTES];
    const Solver *solver;
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
    double dt, time;         /* s; time NaN: the scene's */
    ReferenceTruths *truths; /* shared with other runs; NULL: the run looks for its own */
    bool without_truth;      /* nobody asks for the errors against it: the `reference` backend is spared */
    bool refuses_truth;      /* errors against any truth are not wanted */
    Detection detect;
    ConstraintOrder order; /* of joints and contacts */
    unsigned order_seed;   /* of a shuffled one */
    double perturb;        /* m/s: moving bodies start with a seeded random velocity of at most this in every direction,
                            * within the x-y plane if the scene lies in it */
    bool keep_series;      /* every metric of every frame */
    int threads;           /* 0 or 1: none beside this one */
    bool profile;          /* the time of every part is taken */
    Progress *progress;    /* NULL: no progress is shown */
    double row_solves_limit; /* of the whole run; 0: none */
    double most_memory;      /* bytes that it may take; 0: memory_allowed() */
    bool in_child;           /* the solver may crash: it runs in a process of its own, where nobody can watch */

    /* What came of it. */
    bool made;                   /* else `status` says why not */
    Problem *problem;            /* in its final state */
    ReferenceTruths *own_truths; /* between run_prepare and run_settle */
    RunResult result;
    double amplification; /* of an error in a substep, by warm start with Baumgarte; 0: nobody looked, NaN: no such
                             thing */
    double truth_error; /* m, of the truth, as `reference` estimates it; NaN: the truth is another, or there is none */
    Status status;
} Run;

/* The scene so named, or a scene file if the name is a path (has a '/' or ends in .json); default parameters. */
bool run_choose_scene(Run *run, const char *name, Status *status);
bool run_set_param(Run *run, const char *key, const char *value, Status *status);

/* Default options. */
void run_choose_solver(Run *run, const Solver *solver);
bool run_set_option(Run *run, const char *key, const char *value, Status *status);
const Setting *run_find_param(const Run *run, const char *key);
const Setting *run_find_option(const Run *run, const char *key);

/* `key=value` for every run whose solver has that option, or `solver.key=value` for one, as the solver is labelled; an
 * error if none has it. */
bool runs_assign_option(Run *runs, int count, const char *assignment, Status *status);
bool assignment_is_addressed(const Run *runs, int count, const char *assignment);

/* Splits `key=value`; key has room for RUN_KEY characters, *value points into the text. */
enum { RUN_KEY = 256 };
bool assignment_split(const char *assignment, char key[RUN_KEY], const char **value, Status *status);

/* A fresh problem of this run; NULL with a message. */
Problem *run_build(const Run *run, Status *status);

/* The same, within the memory that it may take; and whether the whole run fits there, by an estimate. */
Problem *run_build_within(const Run *run, Status *status);
bool run_fits(const Run *run, const Problem *problem, double time, Status *status);

/* Builds and runs, with somebody watching or NULL; made, problem, result and status tell the outcome. Returns made. */
bool run_make(Run *run, const RunWatch *watch);

/* Its parts: the problem is built and its truth found, or made stays false with a message; the run; what only the run
 * needed is given back. */
bool run_prepare(Run *run);
bool run_go(Run *run, const RunWatch *watch);
void run_settle(Run *run);

/* Errors that the truth's own error may have made get no value; run_settle does it. */
void run_blank_errors(Run *run);

/* s, the length of a substep. */
static inline double run_substep(const Run *run)
{
    return run->dt / ((const CommonOptions *)run->options)->substeps;
}

/* Makes every run `repeats` times more, in turns, so that what slows the machine down slows all of them; what was made
 * before serves as warm-up. Their times become the medians, with their spread; nothing else changes. False, with a
 * message, when out of memory. */
bool runs_repeat(Run *runs, int count, int repeats, Status *status);

/* The outcome in a word: a name of run_status_names, `unsupported`, or `not_installed`. */
const char *run_status_text(const Run *run);

void run_clear(Run *run);

#endif
