#include "bench/runner.h"

#include "bench/median.h"
#include "model/energy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A body faster than this many times the scene's speed scale has blown up. */
static const double BLOW_UP_FACTOR = 100.0;

/* More frames than any run can want; keeps the per-frame arrays in memory. */
static const double MAX_FRAMES = 1e8;

const char *const run_status_names[] = {"ok", "blew_up", "failed"};

const char *const detection_names[] = {"substep", "frame"};

/* Wall time in s. A thread's CPU time would miss a solver's other threads. */
static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool stepper_begin(Stepper *stepper, const Solver *solver, const void *options, World *world, double dt,
                   Detection detect, Status *status)
{
    *stepper = (Stepper){.solver = solver, .judged = -1, .dt = dt, .step = {.world = world}};
    if (!solver_supports(solver, world, status))
        return false;
    stepper->substeps = ((const CommonOptions *)options)->substeps;
    stepper->stop_residual = ((const CommonOptions *)options)->stop_residual;
    stepper->detect_every = detect == DETECT_FRAME ? stepper->substeps : 1;
    stepper->step.h = dt / stepper->substeps;
    stepper->self = solver->create(&(SolverTask){solver, world, options, dt}, status);
    if (!stepper->self)
        return false;
    stepper->traits = solver->traits ? solver->traits(stepper->self) : 0;
    stepper->phase_count = solver->plan(stepper->self, stepper->phases);
    assert(stepper->phase_count >= 0 && stepper->phase_count <= SOLVER_MAX_PHASES);
    for (int i = stepper->phase_count - 1; i >= 0; i--)
        if (stepper->phases[i].residual)
            stepper->judged = i;
    return true;
}

void stepper_end(Stepper *stepper)
{
    stepper->solver->destroy(stepper->self);
    stepper->self = NULL;
}

/* Only asked where somebody wants to stop: a residual costs about a sweep. */
static bool stepper_has_converged(const Stepper *stepper, const Phase *phase)
{
    double stop = phase->stop > 0.0 ? phase->stop : stepper->stop_residual;
    return stop > 0.0 && phase->residual && phase->residual(stepper->self, &stepper->step) <= stop;
}

/* What was on the clock, by the solver's own if it has one. */
static double stepper_seconds(const Stepper *stepper)
{
    return stepper->traits & TRAIT_OWN_CLOCK ? stepper->step.own_seconds : stepper->seconds;
}

static void stepper_phase(Stepper *stepper, const Phase *phase, double *residuals)
{
    double begin = clock_now();
    if (phase->enter)
        phase->enter(stepper->self, &stepper->step);
    for (int i = 0; i < phase->iterations && !stepper->step.failed; i++) {
        phase->iterate(stepper->self, &stepper->step);
        if (residuals) {
            stepper->seconds += clock_now() - begin;
            residuals[i] = phase->residual(stepper->self, &stepper->step);
            begin = clock_now();
        } else if (stepper_has_converged(stepper, phase)) {
            break;
        }
    }
    stepper->seconds += clock_now() - begin;
}

/* Looks for contacts when it is time to, as far ahead as they must last; false, for good, when that fails. */
static bool stepper_detect(Stepper *stepper)
{
    Step *step = &stepper->step;
    double ahead = stepper->detect_every * step->h;
    if (stepper->undetected == 0 && !step->failed)
        step->failed = !solver_refresh_contacts(stepper->solver, stepper->self, step->world, ahead, &step->status);
    stepper->undetected = (stepper->undetected + 1) % stepper->detect_every;
    return !step->failed;
}

double stepper_substep(Stepper *stepper, double *residuals, bool judge)
{
    Step *step = &stepper->step;
    double left = NAN;
    if (!stepper_detect(stepper))
        return NAN;
    world_begin_substep(step->world, step->h);
    for (int i = 0; i < stepper->phase_count && !step->failed; i++) {
        const Phase *phase = &stepper->phases[i];
        stepper_phase(stepper, phase, i == stepper->judged ? residuals : NULL);
        if (judge && i == stepper->judged && !step->failed)
            left = phase->residual(stepper->self, step);
    }
    world_end_substep(step->world, step->h);
    return left;
}

double stepper_frame(Stepper *stepper, int frame)
{
    double left = NAN;
    world_begin_frame(stepper->step.world);
    for (int i = 0; i < stepper->substeps; i++) {
        stepper->step.time = frame * stepper->dt + i * stepper->step.h;
        left = stepper_substep(stepper, NULL, i == stepper->substeps - 1);
    }
    return left;
}

void stepper_remove_body(Stepper *stepper, int body)
{
    world_remove_body(stepper->step.world, body);
    if (stepper->solver->removed)
        stepper->solver->removed(stepper->self, body);
}

int run_frame_count(double time, double dt, Status *status)
{
    if (!(dt > 0.0) || !isfinite(dt))
        return status_set(status, STATUS_USAGE, "dt: %g is not a time step", dt);
    if (!(time > 0.0) || !isfinite(time))
        return status_set(status, STATUS_USAGE, "time: %g is not a length of time", time);
    double frames = round(time / dt);
    if (frames < 1.0)
        return status_set(status, STATUS_USAGE, "time: %g s is less than half a frame of %g s", time, dt);
    if (frames > MAX_FRAMES)
        return status_set(status, STATUS_USAGE, "time: %g s has more than %g frames of %g s", time, MAX_FRAMES, dt);
    return (int)frames;
}

/* Events happen as a frame begins: the first one that begins at or after their time. The margin is round-off's. */
static bool event_due(const SceneEvent *event, int frame, double dt)
{
    return ceil(event->time / dt - 1e-9) == frame;
}

void run_events(const Problem *problem, int frame, Stepper *stepper, MetricRecorder *recorder)
{
    for (int i = 0; i < problem->event_count; i++) {
        if (!event_due(&problem->events[i], frame, stepper->dt))
            continue;
        if (recorder)
            metrics_before_event(recorder);
        stepper_remove_body(stepper, problem->events[i].remove);
        if (recorder)
            metrics_after_event(recorder);
    }
}

static bool run_blew_up(const Problem *problem)
{
    double speed = world_max_speed(problem->world);
    return !isfinite(speed) || speed > BLOW_UP_FACTOR * problem->speed_scale;
}

static bool run_watch(const RunWatch *watch, const Problem *problem, int frame, const MetricRecorder *recorder,
                      Status *status)
{
    return !watch || watch->frame(watch->context, problem, frame, metrics_last(recorder), status);
}

/* frame_seconds has room for every frame. */
static bool run_loop(Problem *problem, Stepper *stepper, MetricRecorder *recorder, const RunWatch *watch,
                     double *frame_seconds, RunResult *result, Status *status)
{
    if (!run_watch(watch, problem, 0, recorder, status))
        return false;
    for (int frame = 0; frame < result->frames; frame++) {
        run_events(problem, frame, stepper, recorder);
        double before = stepper_seconds(stepper);
        double residual = stepper_frame(stepper, frame);
        frame_seconds[frame] = stepper_seconds(stepper) - before;
        if (stepper->step.failed) {
            *status = stepper->step.status;
            return false;
        }
        if (run_blew_up(problem)) {
            result->status = RUN_BLEW_UP;
            result->blew_up_at = (frame + 1) * stepper->dt;
            return true;
        }
        metrics_record(recorder, frame + 1, residual);
        result->frames_done = frame + 1;
        if (!run_watch(watch, problem, frame + 1, recorder, status))
            return false;
    }
    return true;
}

static void run_collect(RunResult *result, const Stepper *stepper, MetricRecorder *recorder, double *frame_seconds)
{
    int timed = result->frames_done + (result->status == RUN_BLEW_UP);
    metrics_finish(recorder, result->status == RUN_BLEW_UP, result->metrics);
    result->series = metrics_take_series(recorder);
    result->row_solves = stepper->traits & TRAIT_NO_ROW_SOLVES ? NAN : (double)stepper->step.row_solves;
    result->wall_s = stepper_seconds(stepper);
    result->us_per_frame = 1e6 * median(frame_seconds, timed);
    if (stepper->solver->error_estimate)
        result->error_estimate = stepper->solver->error_estimate(stepper->self);
    if (stepper->solver->stable_step)
        result->stable_step = stepper->solver->stable_step(stepper->self);
    result->us_per_frame_spread = NAN;
    result->repeats = 1;
    result->event_count = stepper->step.event_count;
    memcpy(result->events, stepper->step.events, sizeof result->events);
}

static void run_begin(RunResult *result)
{
    *result = (RunResult){.status = RUN_FAILED,
                          .blew_up_at = NAN,
                          .row_solves = NAN,
                          .us_per_frame_spread = NAN,
                          .error_estimate = NAN,
                          .stable_step = NAN};
    for (int i = 0; i < METRICS_MAX; i++)
        result->metrics[i] = NAN;
}

bool run_problem_watched(Problem *problem, const Solver *solver, const void *options, double dt, double time,
                         Detection detect, bool keep_series, const RunWatch *watch, RunResult *result, Status *status)
{
    run_begin(result);
    result->frames = run_frame_count(time, dt, status);
    if (result->frames == 0)
        return false;
    Stepper stepper;
    if (!stepper_begin(&stepper, solver, options, problem->world, dt, detect, status))
        return false;
    MetricRecorder *recorder = metrics_begin(problem, dt, result->frames, stepper.traits, keep_series || watch);
    double *frame_seconds = malloc(sizeof *frame_seconds * (size_t)result->frames);
    bool ok = recorder && frame_seconds;
    if (ok) {
        result->status = RUN_OK;
        result->begun = true;
        ok = run_loop(problem, &stepper, recorder, watch, frame_seconds, result, status);
        if (ok)
            run_collect(result, &stepper, recorder, frame_seconds);
        else
            result->status = RUN_FAILED;
    } else {
        status_set(status, STATUS_FAILED, "out of memory");
    }
    free(frame_seconds);
    metrics_destroy(recorder);
    stepper_end(&stepper);
    return ok;
}

bool run_problem(Problem *problem, const Solver *solver, const void *options, double dt, double time, Detection detect,
                 bool keep_series, RunResult *result, Status *status)
{
    return run_problem_watched(problem, solver, options, dt, time, detect, keep_series, NULL, result, status);
}

void run_result_clear(RunResult *result)
{
    free(result->series);
    result->series = NULL;
}
