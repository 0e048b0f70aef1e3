/* SPDX-License-Identifier: MIT */
/* The runner: one run of one solver, its metrics and its cost. The loop is that of solvers/stepper.h. Fairness of times
 * stands here: a solver's clock runs inside its phases only; events, bookkeeping, residuals and metrics are off it, and
 * the same for everybody. A residual that decides whether to sweep on (`stop_residual`) is part of the method, and on
 * the clock. Costs are CPU time of the thread: the wall time of each part of a frame, times the share of the frame in
 * which the thread had a processor. With helper threads they are wall time. */
#ifndef RIGOR_BENCH_RUN_RUNNER_H
#define RIGOR_BENCH_RUN_RUNNER_H

#include "bench/fits/median.h"
#include "bench/metrics/metrics.h"
#include "bench/process/progress.h"
#include "bench/run/horizon.h"
#include "bench/run/stopwatch.h"
#include "scenes/scene.h"
#include "solvers/stepper.h"

typedef enum RunStatus { RUN_OK, RUN_BLEW_UP, RUN_FAILED, RUN_CRASHED, RUN_TIMED_OUT } RunStatus;

extern const char *const run_status_names[];

typedef struct RunResult {
    RunStatus status;
    double blew_up_at;           /* s; NaN: it did not */
    bool begun;                  /* the scene stood and frames were asked for: what ends the run now is an outcome */
    unsigned traits;             /* of Trait, the solver's */
    int frames;                  /* asked for */
    int frames_done;             /* that the metrics cover */
    double metrics[METRICS_MAX]; /* NaN: does not apply */
    double row_solves;           /* NaN: the solver does not count them */
    double wall_s, cpu_s;        /* inside the solver's phases */
    bool contended;              /* frames took more than 5 % longer than the thread had a processor */
    double us_per_frame;         /* inside the solver's phases, CPU time: the median over frames */
    double detect_us_per_frame;  /* median: finding contacts, making their blocks and room for them; NaN: the solver's
                                    own */
    double frame_us;             /* median of whole frames, without metrics and what is judged for them */
    int repeats;                 /* runs that the times are the median of; 1: this one alone */
    double us_per_frame_spread;  /* standard deviation over the repeats, from their median deviation; NaN: one run */
    MedianInterval us_interval;  /* of the median over the repeats; NaN: one run */
    double limit_rebound;        /* largest speed at which a joint left its limit, over that of its arrival */
    int rebound_joint;           /* which; -1: none did */
    double error_estimate;       /* m, the solver's own; NaN: it has none */
    Horizons horizons;           /* of its own estimate, while the motion is the only one */
    double stable_step;          /* s, the longest substep that the solver's forces allow; NaN: nothing limits it */
    TimeParts parts;             /* of a run that is profiled */
    int event_count;
    StepEvent events[STEP_MAX_EVENTS];
    double *series; /* metric_count values for each of frames_done frames; NULL unless asked for */
} RunResult;

/* round(time/dt); 0 with a message if that is no number of frames to run. */
int run_frame_count(double time, double dt, Status *status);

/* The scene's events, for a stepper; false when out of memory. */
bool run_removals(const Problem *problem, Removals *removals);
void run_removals_free(Removals *removals);

/* Sees a run as it goes: called with frame 0 before the first frame, then after each frame 1 .. frames with what every
 * metric has there (metric_count values; NULL at frame 0). False, with a message, ends the run as one not made. */
typedef struct RunWatch {
    bool (*frame)(void *context, const Problem *problem, int frame, const double *metrics, Status *status);
    void *context;
} RunWatch;

/* How a problem is to be run. */
typedef struct RunPlan {
    const Solver *solver;
    const void *options;
    double dt, time; /* s */
    Detection detect;
    bool keep_series;
    double row_solves_limit; /* a run beyond it, at a frame's end, has timed out; 0: none */
    const RunWatch *watch;   /* NULL: nobody; a watched run keeps its series */
    Progress *progress;      /* NULL: no progress is shown */
    bool by_part;            /* the time of every part is taken: RunResult's parts */
    int threads;             /* 0 or 1: none beside this one */
} RunPlan;

/* A run at work, frame by frame, for a caller that looks in between: begin, frame until it says no, end. */
typedef struct Running Running;

/* NULL, with a message: this run cannot be made. */
Running *running_begin(Problem *problem, const RunPlan *plan, RunResult *result, Status *status);

/* The next frame. False: the run is over, or blew up, or, with a message and result->status RUN_FAILED, cannot go on.
 */
bool running_frame(Running *running, RunResult *result, Status *status);

/* The metrics over the frames so far, and their row solves; NaN: does not apply, are not counted. */
void running_metrics(const Running *running, const RunResult *result, double values[METRICS_MAX]);
double running_row_solves(const Running *running);

/* Everything else that the result holds, of the frames so far; it took `whole` seconds (NaN: nobody looked). */
void running_collect(Running *running, RunResult *result, double whole);
void running_end(Running *running);

/* One run of a fresh problem; its world is left in the final state. A blow-up is a result; false, with a message, is a
 * run that could not be made. */
bool run_problem(Problem *problem, const RunPlan *plan, RunResult *result, Status *status);

void run_result_clear(RunResult *result);

#endif
