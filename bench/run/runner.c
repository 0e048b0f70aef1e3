/* SPDX-License-Identifier: MIT */
#include "bench/run/runner.h"

#include "bench/fits/median.h"
#include "bench/process/clock.h"
#include "bench/process/place.h"
#include "bench/run/rebound.h"
#include "model/energy.h"
#include "solvers/truth/unique.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More frames than any run can want; keeps the per-frame arrays in memory. */
static const double MAX_FRAMES = 1e8;

const char *const run_status_names[] = {"ok", "blew_up", "failed", "crashed", "timed_out"};

/* Told by the loop. */
static void run_part(void *context, StepPart part, int phase)
{
    place_part(part, phase);
    stopwatch_part(context, part, phase);
}

/* Wall time over CPU time from which on something else had the processor. */
static const double CONTENDED = 1.05;

/* us, one value a frame for each cost. */
typedef struct FrameCosts {
    double *solver, *detection, *frame;
    bool by_wall;      /* a thread's CPU time would miss its helpers, and an engine's process */
    double wall, cpu;  /* s, of all frames */
    double solver_cpu; /* s, of them in the solver's phases */
} FrameCosts;

static bool frame_costs_create(FrameCosts *costs, int frames)
{
    size_t bytes = sizeof(double) * (size_t)frames;
    *costs = (FrameCosts){.solver = malloc(bytes), .detection = malloc(bytes), .frame = malloc(bytes)};
    return costs->solver && costs->detection && costs->frame;
}

static void frame_costs_free(FrameCosts *costs)
{
    free(costs->solver);
    free(costs->detection);
    free(costs->frame);
}

/* s that the solver took so far, by its own clock if it has one. */
static double solver_seconds(const Stepper *stepper, const Stopwatch *watch)
{
    return stepper->traits & TRAIT_OWN_CLOCK ? stepper->step.own_seconds : stopwatch_account(watch, ON_SOLVER);
}

/* One frame on the clock; returns its residual. */
static double run_timed_frame(Stepper *stepper, Stopwatch *watch, FrameCosts *costs)
{
    double solver_before = solver_seconds(stepper, watch), detection_before = stopwatch_account(watch, ON_DETECTION);
    double between_before = watch->seconds[ON_BOOKKEEPING];
    int frame = stepper->frame;
    double cpu = clock_thread();
    stopwatch_go_on(watch, ON_BOOKKEEPING);
    double wall = watch->since, residual = stepper_frame(stepper, true);
    stopwatch_go_on(watch, ON_METRICS);
    wall = watch->since - wall;
    cpu = clock_thread() - cpu;
    double part = !costs->by_wall && cpu < wall ? cpu / wall : 1.0;
    double solver = part * (solver_seconds(stepper, watch) - solver_before);
    costs->wall += wall;
    costs->cpu += cpu;
    costs->solver_cpu += solver;
    costs->solver[frame] = 1e6 * solver;
    costs->detection[frame] = 1e6 * part * (stopwatch_account(watch, ON_DETECTION) - detection_before);
    costs->frame[frame] =
        costs->solver[frame] + costs->detection[frame] + 1e6 * part * (watch->seconds[ON_BOOKKEEPING] - between_before);
    return residual;
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

bool run_removals(const Problem *problem, Removals *removals)
{
    Removal *list = calloc((size_t)problem->event_count + 1, sizeof *list);
    for (int i = 0; list && i < problem->event_count; i++)
        list[i] = (Removal){problem->events[i].time, problem->events[i].remove};
    *removals = (Removals){.count = list ? problem->event_count : 0, .list = list};
    return list != NULL;
}

void run_removals_free(Removals *removals)
{
    free((Removal *)removals->list);
    *removals = (Removals){0};
}

/* Metrics leave out what a body takes along. */
static void run_removal(void *recorder, bool done)
{
    if (done)
        metrics_after_event(recorder);
    else
        metrics_before_event(recorder);
}

static bool run_watch(const RunWatch *watch, const Problem *problem, int frame, const MetricRecorder *recorder,
                      Status *status)
{
    return !watch || watch->frame(watch->context, problem, frame, metrics_last(recorder), status);
}

struct Running {
    Problem *problem;
    const RunWatch *watch;
    double row_solves_limit;
    Stepper stepper;
    Stopwatch stopwatch;
    FrameCosts costs;
    MetricRecorder *recorder;
    Team *team;
    Vec3 *places; /* of the bodies, when the last frame ended */
    Rebound rebound;
};

/* Whether a body came further in the last frame than the speed of a blow-up takes it, whatever speed its state tells.
 */
static bool running_jumped(const Running *running)
{
    const World *world = running->problem->world;
    double furthest = BLOW_UP_FACTOR * running->problem->speed_scale * running->stepper.dt;
    for (int i = 1; i < world->body_count; i++)
        if (vec3_norm(vec3_sub(world->pose[i].x, running->places[i])) > furthest)
            return true;
    return false;
}

static void running_note_places(Running *running)
{
    const World *world = running->problem->world;
    for (int i = 0; i < world->body_count; i++)
        running->places[i] = world->pose[i].x;
}

static bool running_fail(RunResult *result)
{
    result->status = RUN_FAILED;
    return false;
}

bool running_frame(Running *running, RunResult *result, Status *status)
{
    Problem *problem = running->problem;
    Stepper *stepper = &running->stepper;
    int frame = result->frames_done;
    if (result->status != RUN_OK || frame == result->frames)
        return false;
    place_frame(frame + 1);
    stopwatch_skip(&running->stopwatch, ON_METRICS);
    double residual = run_timed_frame(stepper, &running->stopwatch, &running->costs);
    if (stepper->step.failed) {
        *status = stepper->step.status;
        return running_fail(result);
    }
    if (running->row_solves_limit > 0.0 && (double)stepper->step.row_solves > running->row_solves_limit) {
        result->status = RUN_TIMED_OUT;
        result->row_solves = (double)stepper->step.row_solves;
        return status_set(status, STATUS_FAILED, "more than %.0f row solves after %g of %g s",
                          running->row_solves_limit, (frame + 1) * stepper->dt, result->frames * stepper->dt);
    }
    if (world_blew_up(problem->world, problem->speed_scale) || running_jumped(running) ||
        !metrics_record(running->recorder, frame + 1, residual)) {
        result->status = RUN_BLEW_UP;
        result->blew_up_at = (frame + 1) * stepper->dt;
        return false;
    }
    result->frames_done = frame + 1;
    if (stepper->solver->error_estimate && motion_is_unique(&stepper->step))
        horizons_note(&result->horizons, (frame + 1) * stepper->dt, stepper->solver->error_estimate(stepper->self));
    running_note_places(running);
    rebound_note(&running->rebound, problem->world, stepper->dt);
    stopwatch_go_on(&running->stopwatch, running->watch ? STRETCH_WATCH : ON_METRICS);
    bool goes_on = run_watch(running->watch, problem, frame + 1, running->recorder, status);
    stopwatch_go_on(&running->stopwatch, ON_METRICS);
    return goes_on || running_fail(result);
}

void running_metrics(const Running *running, const RunResult *result, double values[METRICS_MAX])
{
    metrics_finish(running->recorder, result->status == RUN_BLEW_UP, values);
}

double running_row_solves(const Running *running)
{
    return running->stepper.traits & TRAIT_NO_ROW_SOLVES ? NAN : (double)running->stepper.step.row_solves;
}

void running_collect(Running *running, RunResult *result, double whole)
{
    const Stepper *stepper = &running->stepper;
    int timed = stepper->frame;
    running_metrics(running, result, result->metrics);
    result->row_solves = running_row_solves(running);
    result->wall_s = solver_seconds(stepper, &running->stopwatch);
    result->cpu_s = running->costs.solver_cpu;
    result->contended = !running->costs.by_wall && running->costs.wall > CONTENDED * running->costs.cpu;
    result->us_per_frame = median(running->costs.solver, timed);
    if (stepper->traits & TRAIT_OWN_CLOCK) { /* detection is its own, and part of its frame */
        result->frame_us = result->us_per_frame;
    } else {
        result->detect_us_per_frame = median(running->costs.detection, timed);
        result->frame_us = median(running->costs.frame, timed);
    }
    if (stepper->solver->error_estimate)
        result->error_estimate = stepper->solver->error_estimate(stepper->self);
    if (stepper->solver->stable_step)
        result->stable_step = stepper->solver->stable_step(stepper->self);
    result->repeats = 1;
    result->parts = stopwatch_parts(&running->stopwatch, stepper, whole);
    result->limit_rebound = running->rebound.share;
    result->rebound_joint = running->rebound.joint;
    result->event_count = stepper->step.event_count;
    memcpy(result->events, stepper->step.events, sizeof result->events);
}

static void run_begin(RunResult *result)
{
    *result = (RunResult){.status = RUN_FAILED,
                          .blew_up_at = NAN,
                          .row_solves = NAN,
                          .detect_us_per_frame = NAN,
                          .us_per_frame_spread = NAN,
                          .us_interval = {NAN, NAN, NAN},
                          .rebound_joint = -1,
                          .error_estimate = NAN,
                          .stable_step = NAN};
    for (int i = 0; i < METRICS_MAX; i++)
        result->metrics[i] = NAN;
}

/* The memory of a run whose solver stands. */
static bool running_prepare(Running *running, const RunPlan *plan, RunResult *result, Status *status)
{
    running->stepper.hook = (StepHook){run_part, &running->stopwatch};
    running->stopwatch.by_part = plan->by_part;
    running->recorder = metrics_begin(running->problem, plan->dt, result->frames, running->stepper.traits,
                                      plan->keep_series || plan->watch);
    running->places = malloc(sizeof *running->places * (size_t)running->problem->world->body_count);
    if (!running->recorder || !running->places ||
        !rebound_begin(&running->rebound, running->problem->world, plan->dt, running->problem->speed_scale) ||
        !frame_costs_create(&running->costs, result->frames) ||
        !run_removals(running->problem, &running->stepper.removals))
        return status_set(status, STATUS_FAILED, "out of memory");
    running->costs.by_wall = plan->threads > 1 || running->stepper.traits & TRAIT_OWN_CLOCK;
    running->stepper.removals.watch = run_removal;
    running->stepper.removals.context = running->recorder;
    running_note_places(running);
    result->status = RUN_OK;
    result->traits = running->stepper.traits;
    return run_watch(running->watch, running->problem, 0, running->recorder, status) || running_fail(result);
}

Running *running_begin(Problem *problem, const RunPlan *plan, RunResult *result, Status *status)
{
    run_begin(result);
    result->frames = run_frame_count(plan->time, plan->dt, status);
    result->begun = result->frames > 0;
    Running *running = result->begun ? calloc(1, sizeof *running) : NULL;
    if (!running) {
        if (result->begun)
            status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    running->problem = problem;
    running->watch = plan->watch;
    running->row_solves_limit = plan->row_solves_limit;
    place_begin(plan->solver);
    running->team = problem->world->team = team_create(plan->threads, status);
    if ((plan->threads > 1 && !running->team) || !stepper_begin(&running->stepper, plan->solver, plan->options,
                                                                problem->world, plan->dt, plan->detect, status)) {
        running_end(running);
        return NULL;
    }
    place_created(&running->stepper);
    if (running_prepare(running, plan, result, status))
        return running;
    running_end(running);
    return NULL;
}

void running_end(Running *running)
{
    if (!running)
        return;
    frame_costs_free(&running->costs);
    free(running->places);
    rebound_free(&running->rebound);
    metrics_destroy(running->recorder);
    run_removals_free(&running->stepper.removals);
    stepper_end(&running->stepper);
    running->problem->world->team = NULL;
    team_destroy(running->team);
    place_end();
    free(running);
}

bool run_problem(Problem *problem, const RunPlan *plan, RunResult *result, Status *status)
{
    Running *running = running_begin(problem, plan, result, status);
    char label[128];
    snprintf(label, sizeof label, "%s with %s", problem->name, plan->solver->name);
    double begin = clock_now();
    while (running && running_frame(running, result, status))
        progress_tick_run(plan->progress, label, result->frames_done * plan->dt, result->frames * plan->dt);
    progress_clear(plan->progress);
    bool ok = running && (result->status == RUN_OK || result->status == RUN_BLEW_UP);
    if (ok) {
        running_collect(running, result, clock_now() - begin);
        result->series = metrics_take_series(running->recorder);
    }
    running_end(running);
    return ok;
}

void run_result_clear(RunResult *result)
{
    free(result->series);
    result->series = NULL;
}
