/* The runner: the one loop that every solver runs in, frame -> substep -> phases -> iterations, as solvers/solver.h
 * describes it. Fairness stands here: the clock (wall time, CLOCK_MONOTONIC) runs inside the phases only; events,
 * bookkeeping, residuals and metrics are off it, and the same for everybody. A residual that decides whether to sweep
 * on (`stop_residual`) is part of the method, and on the clock. */
#ifndef RIGOR_BENCH_RUNNER_H
#define RIGOR_BENCH_RUNNER_H

#include "bench/metrics/metrics.h"
#include "scenes/scene.h"
#include "solvers/solver.h"

/* When contacts are looked for: before every substep, or once a frame with the look-ahead of a frame; the same for
 * every solver. */
typedef enum Detection { DETECT_SUBSTEP, DETECT_FRAME, DETECTION_COUNT } Detection;

extern const char *const detection_names[DETECTION_COUNT];

/* A solver at work on a world. */
typedef struct Stepper {
    const Solver *solver;
    void *self;
    Phase phases[SOLVER_MAX_PHASES];
    int phase_count;
    int judged; /* the first phase that has a residual; -1: none */
    int substeps;
    double stop_residual;
    int detect_every, undetected; /* substeps from one detection to the next; since the last */
    double dt;                    /* s, of a frame */
    Step step;
    unsigned traits; /* of Trait */
    double seconds;  /* on the clock so far */
} Stepper;

/* Refuses what the solver cannot do. On failure nothing is left to end. */
bool stepper_begin(Stepper *stepper, const Solver *solver, const void *options, World *world, double dt,
                   Detection detect, Status *status);
void stepper_end(Stepper *stepper);

/* One substep from step.time. With `residuals`, an array as long as the judged phase has iterations, the residual after
 * each of them is stored, and none is left out. With `judge` the residual after the last one is returned; else, or if
 * there is none, NaN. */
double stepper_substep(Stepper *stepper, double *residuals, bool judge);

/* One frame; returns the residual of its last substep. */
double stepper_frame(Stepper *stepper, int frame);

/* Takes a body out of the world, and tells the solver. */
void stepper_remove_body(Stepper *stepper, int body);

typedef enum RunStatus { RUN_OK, RUN_BLEW_UP, RUN_FAILED } RunStatus;

extern const char *const run_status_names[];

typedef struct RunResult {
    RunStatus status;
    double blew_up_at;           /* s; NaN: it did not */
    bool begun;                  /* the scene stood and frames were asked for: what ends the run now is an outcome */
    int frames;                  /* asked for */
    int frames_done;             /* that the metrics cover */
    double metrics[METRICS_MAX]; /* NaN: does not apply */
    double row_solves;           /* NaN: the solver does not count them */
    double wall_s, us_per_frame; /* inside the solver's phases: the sum, and the median over frames */
    int repeats;                 /* runs that the times are the median of; 1: this one alone */
    double us_per_frame_spread;  /* standard deviation over the repeats, from their median deviation; NaN: one run */
    double error_estimate;       /* m, the solver's own; NaN: it has none */
    double stable_step;          /* s, the longest substep that the solver's forces allow; NaN: nothing limits it */
    int event_count;
    StepEvent events[STEP_MAX_EVENTS];
    double *series; /* metric_count values for each of frames_done frames; NULL unless asked for */
} RunResult;

/* round(time/dt); 0 with a message if that is no number of frames to run. */
int run_frame_count(double time, double dt, Status *status);

/* The scene's events that are due as a frame, from 0, begins; the recorder, if there is one, leaves them out. */
void run_events(const Problem *problem, int frame, Stepper *stepper, MetricRecorder *recorder);

/* Sees a run as it goes: called with frame 0 before the first frame, then after each frame 1 .. frames with what every
 * metric has there (metric_count values; NULL at frame 0). False, with a message, ends the run as one not made. */
typedef struct RunWatch {
    bool (*frame)(void *context, const Problem *problem, int frame, const double *metrics, Status *status);
    void *context;
} RunWatch;

/* One run of a fresh problem; its world is left in the final state. A blow-up is a result; false, with a message, is a
 * run that could not be made. */
bool run_problem(Problem *problem, const Solver *solver, const void *options, double dt, double time, Detection detect,
                 bool keep_series, RunResult *result, Status *status);

/* The same with somebody watching (NULL: nobody); a watched run keeps its series. */
bool run_problem_watched(Problem *problem, const Solver *solver, const void *options, double dt, double time,
                         Detection detect, bool keep_series, const RunWatch *watch, RunResult *result, Status *status);

void run_result_clear(RunResult *result);

#endif
