/* SPDX-License-Identifier: MIT */
#include "solvers/stepper.h"

#include "model/contact.h"
#include "model/contact/stiction.h"

#include <assert.h>

const char *const detection_names[] = {"substep", "frame", "lazy"};

/* Substeps: a time that falls on a substep's end, or on its middle, up to round-off is that. */
static const double REMOVAL_ROUND_OFF = 1e-9;

static void stepper_tell(StepHook hook, StepPart part, int phase)
{
    if (hook.part)
        hook.part(hook.context, part, phase);
}

bool stepper_begin(Stepper *stepper, const Solver *solver, const void *options, World *world, double dt,
                   Detection detect, Status *status)
{
    int substeps = ((const CommonOptions *)options)->substeps;
    *stepper = (Stepper){
        .solver = solver,
        .substeps = substeps,
        .stop_residual = ((const CommonOptions *)options)->stop_residual,
        .detect_every = detect == DETECT_FRAME ? substeps : 1,
        .dt = dt,
        .step = {.world = world, .h = dt / substeps},
    };
    world->contacts->keep = detect == DETECT_LAZY ? CONTACT_KEEP * world->length_scale : 0.0;
    return solver_supports(solver, world, status) && stepper_renew(stepper, options, status);
}

/* The solver's next memory, and its phases. What it remembers it finds in `before`, which is destroyed. */
static bool stepper_create(Stepper *stepper, const void *options, void *before, Status *status)
{
    const Solver *solver = stepper->solver;
    Step *step = &stepper->step;
    stepper->phase_count = 0;
    stepper->judged = -1;
    SolverTask task = {solver, step->world, options, stepper->dt, stepper->frame > 0, before};
    stepper->self = solver->create(&task, status);
    if (before)
        solver->destroy(before);
    step->failed = !stepper->self;
    if (step->failed) {
        step->status = *status;
        return false;
    }
    stepper->traits = solver->traits ? solver->traits(stepper->self) : 0;
    stepper->phase_count = solver->plan(stepper->self, stepper->phases);
    assert(stepper->phase_count >= 0 && stepper->phase_count <= SOLVER_MAX_PHASES);
    for (int i = stepper->phase_count - 1; i >= 0; i--)
        if (stepper->phases[i].residual)
            stepper->judged = i;
    return true;
}

bool stepper_renew(Stepper *stepper, const void *options, Status *status)
{
    stepper_end(stepper);
    return stepper_create(stepper, options, NULL, status);
}

/* What pushes with the same force in a substep of another length gives another impulse. */
static void world_scale_impulses(World *world, double ratio)
{
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3_scale(ratio, world->block_impulse[b]);
}

bool stepper_retune(Stepper *stepper, const void *options, double dt, Status *status)
{
    const CommonOptions *common = options;
    bool once_a_frame = stepper->detect_every > 1;
    stepper->tuned_at += (stepper->frame - stepper->tuned_frame) * stepper->dt;
    stepper->tuned_frame = stepper->frame;
    stepper->substeps = common->substeps;
    stepper->stop_residual = common->stop_residual;
    stepper->detect_every = once_a_frame ? common->substeps : 1;
    stepper->dt = dt;
    world_scale_impulses(stepper->step.world, dt / common->substeps / stepper->step.h);
    stepper->step.h = dt / common->substeps;
    return stepper_create(stepper, options, stepper->self, status);
}

bool stepper_take_over(Stepper *stepper, const void *options, Stepper *from, Status *status)
{
    void *before = from->self;
    assert(from->solver == stepper->solver);
    from->self = NULL;
    stepper_end(stepper);
    stepper->frame = from->frame;
    stepper->tuned_at = from->tuned_at;
    stepper->tuned_frame = from->tuned_frame;
    stepper->step.time = from->step.time;
    stepper->step.row_solves = from->step.row_solves;
    return stepper_create(stepper, options, before, status);
}

void stepper_end(Stepper *stepper)
{
    if (stepper->self)
        stepper->solver->destroy(stepper->self);
    stepper->self = NULL;
}

/* Only asked where somebody wants to stop: a residual costs about a sweep. */
static bool stepper_has_converged(const Stepper *stepper, const Phase *phase)
{
    double stop = phase->stop > 0.0 ? phase->stop : stepper->stop_residual;
    return stop > 0.0 && phase->residual && phase->residual(stepper->self, &stepper->step) <= stop;
}

static void stepper_phase(Stepper *stepper, int index, double *residuals)
{
    const Phase *phase = &stepper->phases[index];
    stepper->step.phase = index;
    stepper->step.sweep = 0;
    stepper_tell(stepper->hook, STEP_ENTER, index);
    if (phase->enter)
        phase->enter(stepper->self, &stepper->step);
    stepper_tell(stepper->hook, STEP_SWEEP, index);
    for (int i = 0; i < phase->iterations && !stepper->step.failed; i++) {
        stepper->step.sweep = i + 1;
        phase->iterate(stepper->self, &stepper->step);
        if (residuals) {
            stepper_tell(stepper->hook, STEP_JUDGE, index);
            residuals[i] = phase->residual(stepper->self, &stepper->step);
            stepper_tell(stepper->hook, STEP_SWEEP, index);
        } else if (stepper_has_converged(stepper, phase)) {
            break;
        }
    }
}

/* The parts of a detection, each told to the hook of `stepper`, if there is one. */
static bool stepper_contacts(const Stepper *stepper, World *world, double ahead)
{
    StepHook nobody = {0}, hook = stepper ? stepper->hook : nobody;
    world->contacts->reach = ahead;
    stepper_tell(hook, STEP_BROAD, -1);
    contacts_store_impulses(world);
    if (!contacts_find_pairs(world))
        return false;
    stepper_tell(hook, STEP_NARROW, -1);
    if (!contacts_collide_pairs(world))
        return false;
    stepper_tell(hook, STEP_BLOCKS, -1);
    return contacts_add_blocks(world);
}

bool stepper_find_contacts(World *world, double ahead, Status *status)
{
    return !world->collide || stepper_contacts(NULL, world, ahead) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static bool stepper_refresh_contacts(Stepper *stepper, double ahead)
{
    const Solver *solver = stepper->solver;
    World *world = stepper->step.world;
    Status *status = &stepper->step.status;
    if (!stepper_contacts(stepper, world, ahead))
        return status_set(status, STATUS_FAILED, "out of memory");
    if (world->contacts->left_out)
        step_report(&stepper->step, "too many contacts: pairs beyond the bound were left out");
    return !solver->reserve || solver->reserve(stepper->self, world, status);
}

/* Looks for contacts when it is time to, as far ahead as they must last; false, for good, when that fails. */
static bool stepper_detect(Stepper *stepper)
{
    Step *step = &stepper->step;
    if (stepper->undetected == 0 && !step->failed && step->world->collide) {
        step->failed = !stepper_refresh_contacts(stepper, stepper->detect_every * step->h);
        stepper_tell(stepper->hook, STEP_BETWEEN, -1);
    }
    stepper->undetected = (stepper->undetected + 1) % stepper->detect_every;
    return !step->failed;
}

double stepper_substep(Stepper *stepper, double *residuals, bool judge)
{
    Step *step = &stepper->step;
    double left = NAN;
    if (!stepper_detect(stepper))
        return NAN;
    contacts_set_stiction(step->world, step->h);
    world_begin_substep(step->world, step->h);
    for (int i = 0; i < stepper->phase_count && !step->failed; i++) {
        stepper_phase(stepper, i, i == stepper->judged ? residuals : NULL);
        if (!judge || i != stepper->judged || step->failed)
            continue;
        stepper_tell(stepper->hook, STEP_JUDGE, i);
        left = stepper->phases[i].residual(stepper->self, step);
    }
    stepper_tell(stepper->hook, STEP_BETWEEN, -1);
    world_drop_traces(step->world);
    world_end_substep(step->world, step->h);
    return left;
}

static double stepper_time(const Stepper *stepper, int substep)
{
    return stepper->tuned_at + (stepper->frame - stepper->tuned_frame) * stepper->dt + substep * stepper->step.h;
}

double removal_time(double time, double h, unsigned traits)
{
    return traits & TRAIT_ANY_STEP ? time : h * floor(time / h + 0.5 + REMOVAL_ROUND_OFF);
}

/* The next body to leave of those that are due before the time `end`; NULL: none. */
static const Removal *stepper_next_removal(const Stepper *stepper, double end)
{
    const Removal *next = NULL;
    for (int i = 0; i < stepper->removals.count; i++) {
        const Removal *removal = &stepper->removals.list[i];
        if (!stepper->step.world->removed[removal->body] && removal->time < end &&
            (!next || removal->time < next->time))
            next = removal;
    }
    return next;
}

static void stepper_remove(Stepper *stepper, const Removal *removal)
{
    const Removals *removals = &stepper->removals;
    if (removals->watch)
        removals->watch(removals->context, false);
    stepper_remove_body(stepper, removal->body);
    if (removals->watch)
        removals->watch(removals->context, true);
}

/* All that are due as the substep at `time` begins. */
static void stepper_remove_due(Stepper *stepper, double time)
{
    double ahead = stepper->traits & TRAIT_ANY_STEP ? REMOVAL_ROUND_OFF : 0.5 - REMOVAL_ROUND_OFF;
    const Removal *removal;
    while ((removal = stepper_next_removal(stepper, time + ahead * stepper->step.h)) != NULL)
        stepper_remove(stepper, removal);
}

/* A substep from step.time on, cut where bodies leave. */
static double stepper_cut_substep(Stepper *stepper, bool judge)
{
    Step *step = &stepper->step;
    double whole = step->h, end = step->time + whole;
    const Removal *removal;
    while (!step->failed && (removal = stepper_next_removal(stepper, end - REMOVAL_ROUND_OFF * whole)) != NULL) {
        step->h = removal->time - step->time;
        stepper_substep(stepper, NULL, false);
        step->time = removal->time;
        stepper_remove(stepper, removal);
        step->h = end - step->time;
    }
    double left = stepper_substep(stepper, NULL, judge);
    step->h = whole;
    return left;
}

double stepper_frame(Stepper *stepper, bool judge)
{
    double left = NAN;
    bool cuts = stepper->removals.count > 0 && stepper->traits & TRAIT_ANY_STEP;
    world_begin_frame(stepper->step.world);
    for (int i = 0; i < stepper->substeps; i++) {
        bool judged = judge && i == stepper->substeps - 1;
        stepper->step.time = stepper_time(stepper, i);
        stepper_remove_due(stepper, stepper->step.time);
        left = cuts ? stepper_cut_substep(stepper, judged) : stepper_substep(stepper, NULL, judged);
    }
    stepper->frame++;
    return left;
}

void stepper_catch_up(Stepper *stepper)
{
    stepper_remove_due(stepper, stepper_time(stepper, 0));
}

void stepper_remove_body(Stepper *stepper, int body)
{
    world_remove_body(stepper->step.world, body);
    if (stepper->solver->removed)
        stepper->solver->removed(stepper->self, body);
}
