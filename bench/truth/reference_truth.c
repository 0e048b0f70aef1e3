/* SPDX-License-Identifier: MIT */
#include "bench/truth/reference_truth.h"

#include "bench/build.h"
#include "bench/process/clock.h"
#include "bench/run/horizon.h"
#include "bench/run/runner.h"
#include "bench/truth/reference_cache.h"
#include "model/energy.h"
#include "solvers/systems/lagrange.h"
#include "solvers/truth/checkpoint.h"
#include "solvers/truth/unique.h"

#include <stdlib.h>
#include <string.h>

extern const Solver reference_solver;

/* A world with more rows is refused: a frame of 3000 rows takes a second where rows form a chain, and far more where
 * they do not. */
enum { REFERENCE_MAX_ROWS = 3000 };

/* A motion that needs more row solves is given up: at 1e6 (loops) to 2e7 (trees) in a second, a minute at the most. It
 * is work that is counted, not time, so that the same command gives the same result everywhere. */
static const long long REFERENCE_MAX_WORK = 60000000;

/* A motion whose own error estimate is larger than this part of the length scale is no truth: the scene is chaotic, and
 * only its first part is known. Far below the errors that are to be measured. */
static const double REFERENCE_MAX_ERROR = 1e-6;

static const char *const PATH_ENDINGS[PATH_ENDS] = {
    [PATH_UNCERTAIN] = "its own error estimate exceeds 1e-6 of the length scale (the motion is chaotic)",
    [PATH_TOO_MUCH_WORK] = "it needs more than 6e7 row solves",
    [PATH_LOST] = "it did not find its way",
    [PATH_NOT_UNIQUE] = "bodies collide at one instant, and the outcome depends on the order",
    [PATH_SEVERAL] = "several motions obey Coulomb's law",
    [PATH_BEYOND] = "its contacts are beyond `reference`, which says why where it is run itself",
};

typedef struct KeptPath {
    char key[SHA256_TEXT];
    ReferencePath path;
    struct KeptPath *next;
} KeptPath;

struct ReferenceTruths {
    KeptPath *kept;
    Progress *progress; /* NULL: nobody listens */
};

bool reference_path_allocate(ReferencePath *path, int bodies, int joints, int frames)
{
    size_t count = (size_t)frames + 1;
    *path = (ReferencePath){.bodies = bodies, .joints = joints};
    path->poses = calloc(count * (size_t)bodies, sizeof *path->poses);
    path->forces = calloc(count * (size_t)joints + 1, sizeof *path->forces);
    path->errors = calloc(count, sizeof *path->errors);
    if (path->poses && path->forces && path->errors)
        return true;
    reference_path_free(path);
    return false;
}

void reference_path_free(ReferencePath *path)
{
    free(path->poses);
    free(path->forces);
    free(path->errors);
    free(path->state);
    *path = (ReferencePath){0};
}

ReferenceTruths *reference_truths_create(void)
{
    return calloc(1, sizeof(ReferenceTruths));
}

void reference_truths_tell(ReferenceTruths *truths, Progress *progress)
{
    if (truths)
        truths->progress = progress;
}

void reference_truths_destroy(ReferenceTruths *truths)
{
    while (truths && truths->kept) {
        KeptPath *kept = truths->kept;
        truths->kept = kept->next;
        reference_path_free(&kept->path);
        free(kept);
    }
    free(truths);
}

/* All that the motion depends on: the scene, the frame, the backend's options, this program and its libraries. */
static bool truth_key(const Problem *problem, double dt, const void *options, char key[SHA256_TEXT])
{
    char *scene = problem_write(problem);
    if (!scene)
        return false;
    Sha256 hash = sha256_begin();
    sha256_add_text(&hash, scene);
    sha256_add_text(&hash, build_version());
    sha256_add_text(&hash, build_commit());
    sha256_add_text(&hash, build_compiler());
    sha256_add_text(&hash, build_libraries());
    sha256_add(&hash, &dt, sizeof dt);
    sha256_add(&hash, options, reference_solver.options_size);
    sha256_text(&hash, key);
    free(scene);
    return true;
}

static bool forces_are_unique(const Step *step)
{
    return !step_met(step, LAGRANGE_DEPENDENT_ROWS);
}

static void path_record(ReferencePath *path, const World *world, double dt, double error)
{
    size_t frame = (size_t)path->frames++;
    for (int i = 0; i < path->bodies; i++)
        path->poses[frame * (size_t)path->bodies + (size_t)i] =
            (Pose){world_reported_position(world, i), world_reported_orientation(world, i)};
    for (int j = 0; j < path->joints; j++) {
        Vec3 torque;
        world_reaction(world, j, dt, &path->forces[frame * (size_t)path->joints + (size_t)j], &torque);
    }
    path->errors[frame] = error;
}

/* What a motion is followed with. */
typedef struct PathWork {
    Problem *problem;
    double dt; /* s */
    int frames;
    const char *key; /* NULL: nothing is kept */
    Progress *progress;
    Stepper stepper;
    double kept_at, keeping; /* s: when the motion so far was last written, and how long that took */
} PathWork;

/* Motions that take longer are written as they grow, this often (s), and seldom enough to cost little. */
static const double KEEP_EVERY = 2.0, KEEPING_PART = 0.05;

/* The state is that of the last frame, after so much work as it may take. */
static bool path_ends_at(const ReferencePath *path, const Step *step)
{
    const Pose *last = path->poses + (size_t)(path->frames - 1) * (size_t)path->bodies;
    bool ok = step->row_solves >= 0 && step->row_solves <= REFERENCE_MAX_WORK;
    for (int i = 1; ok && i < path->bodies; i++)
        ok = memcmp(&last[i].x, &step->world->pose[i].x, sizeof last[i].x) == 0;
    return ok;
}

/* The backend's state in bytes, in whichever direction. */
static bool path_checkpoint(ReferencePath *path, PathWork *work, bool restores)
{
    Stepper *stepper = &work->stepper;
    Step *step = &stepper->step;
    Checkpoint checkpoint = {.restores = restores};
    for (int pass = 0; pass < 2; pass++) { /* counts, then copies */
        checkpoint.at = 0;
        checkpoint_part(&checkpoint, &step->row_solves, sizeof step->row_solves);
        checkpoint_choices(&checkpoint, &step->event_count, 1, STEP_MAX_EVENTS);
        checkpoint_part(&checkpoint, step->events, sizeof step->events);
        reference_checkpoint(stepper->self, step->world, &checkpoint);
        if (pass > 0)
            break;
        checkpoint.size = checkpoint.at;
        if (!restores && path->state_size != checkpoint.size) {
            free(path->state);
            path->state = malloc(checkpoint.size);
            path->state_size = path->state ? checkpoint.size : 0;
        }
        checkpoint.bytes = path->state_size == checkpoint.size ? path->state : NULL;
        if (!checkpoint.bytes)
            return false;
    }
    for (int i = 0; restores && i < STEP_MAX_EVENTS; i++)
        step->events[i].what[STEP_EVENT_TEXT - 1] = '\0';
    stepper->frame = path->frames;
    return !checkpoint.failed && (!restores || path_ends_at(path, step));
}

static void path_keep(ReferencePath *path, PathWork *work, bool ended)
{
    double now = clock_now(), since = now - work->kept_at;
    if (!work->key || (!ended && (since < KEEP_EVERY || since * KEEPING_PART < work->keeping)))
        return;
    path->has_forces = forces_are_unique(&work->stepper.step);
    if (path->end == PATH_GOES_ON && !path_checkpoint(path, work, false))
        path->state_size = 0;
    reference_cache_write(work->key, path);
    work->kept_at = clock_now();
    work->keeping = work->kept_at - now;
}

/* The next frame of the motion, or why there is none. */
static void path_follow(ReferencePath *path, PathWork *work)
{
    Stepper *stepper = &work->stepper;
    const World *world = work->problem->world;
    stepper_frame(stepper, false);
    double error = reference_solver.error_estimate(stepper->self);
    if (stepper->step.failed)
        path->end = PATH_BEYOND;
    else if (!isfinite(world_max_speed(world)))
        path->end = PATH_LOST;
    else if (!impacts_are_unique(&stepper->step))
        path->end = PATH_NOT_UNIQUE;
    else if (step_met(&stepper->step, COULOMB_NOT_UNIQUE))
        path->end = PATH_SEVERAL;
    else if (!(error <= REFERENCE_MAX_ERROR * world->length_scale))
        path->end = PATH_UNCERTAIN;
    else
        path_record(path, world, work->dt, error);
    if (path->end == PATH_GOES_ON && path->frames < work->frames && stepper->step.row_solves > REFERENCE_MAX_WORK)
        path->end = PATH_TOO_MUCH_WORK;
}

/* Goes on from where the path was left, if it has a state; it has room for the frames. */
static bool path_compute(ReferencePath *path, PathWork *work, const void *options, Status *status)
{
    if (!stepper_begin(&work->stepper, &reference_solver, options, work->problem->world, work->dt, DETECT_SUBSTEP,
                       status))
        return false;
    if (!run_removals(work->problem, &work->stepper.removals)) {
        stepper_end(&work->stepper);
        return status_set(status, STATUS_FAILED, "out of memory");
    }
    work->stepper.frame = path->frames;
    stepper_catch_up(&work->stepper);
    bool ok = path->frames == 0 || path_checkpoint(path, work, true);
    work->kept_at = clock_now();
    while (ok && path->frames < work->frames && path->end == PATH_GOES_ON) {
        path_follow(path, work);
        path_keep(path, work, path->frames == work->frames || path->end != PATH_GOES_ON);
        progress_tick(work->progress, "finding the truth by reference", path->frames * work->dt,
                      work->frames * work->dt);
    }
    progress_clear(work->progress);
    path->has_forces = forces_are_unique(&work->stepper.step);
    run_removals_free(&work->stepper.removals);
    stepper_end(&work->stepper);
    if (!ok && work->key)
        reference_cache_forget(work->key);
    return ok || status_set(status, STATUS_FAILED, "a motion that was kept does not fit, and is forgotten: try again");
}

/* More room for a path that goes on. */
static bool path_grow(ReferencePath *path, int frames)
{
    ReferencePath grown;
    size_t kept = (size_t)path->frames;
    if (!reference_path_allocate(&grown, path->bodies, path->joints, frames))
        return false;
    memcpy(grown.poses, path->poses, sizeof *path->poses * kept * (size_t)path->bodies);
    memcpy(grown.forces, path->forces, sizeof *path->forces * kept * (size_t)path->joints);
    memcpy(grown.errors, path->errors, sizeof *path->errors * kept);
    grown.frames = path->frames;
    grown.state = path->state;
    grown.state_size = path->state_size;
    path->state = NULL;
    reference_path_free(path);
    *path = grown;
    return true;
}

/* What the cache has of the motion; else nothing, with room for all of it. False when out of memory. */
static bool path_begin(ReferencePath *path, const PathWork *work)
{
    const World *world = work->problem->world;
    if (work->key && reference_cache_read(work->key, path)) {
        bool fits = path->bodies == world->body_count && path->joints == world->joint_count;
        if (fits && (path->frames >= work->frames || path->end != PATH_GOES_ON))
            return true;
        if (fits && path->state_size > 0)
            return path_grow(path, work->frames);
        reference_path_free(path);
    }
    return reference_path_allocate(path, world->body_count, world->joint_count, work->frames);
}

static bool path_find(ReferencePath *path, PathWork *work, const void *options, Status *status)
{
    bool ok = path_begin(path, work) || status_set(status, STATUS_FAILED, "out of memory");
    if (ok && path->frames < work->frames && path->end == PATH_GOES_ON)
        ok = path_compute(path, work, options, status);
    if (!ok)
        reference_path_free(path);
    return ok;
}

bool reference_truths_reach(const Problem *problem, double dt, int frames, Status *status)
{
    if (frames * dt > problem->truth_time + 0.5 * dt)
        return status_set(status, STATUS_UNSUPPORTED, "the motion is chaotic, and known for %.4g s at most",
                          problem->truth_time);
    int rows = row_count_all(problem->world);
    if (rows > REFERENCE_MAX_ROWS)
        return status_set(status, STATUS_UNSUPPORTED, "%d rows are more than %d", rows, REFERENCE_MAX_ROWS);
    return true;
}

const ReferencePath *reference_truths_find(ReferenceTruths *truths, Problem *fresh, double dt, int frames,
                                           Status *status)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    char key[SHA256_TEXT] = "";
    if (!reference_truths_reach(fresh, dt, frames, status))
        return NULL;
    settings_init(reference_solver.settings, reference_solver.setting_count, options);
    bool named = truth_key(fresh, dt, options, key);
    KeptPath *kept = truths->kept;
    while (kept && !(named && strcmp(kept->key, key) == 0))
        kept = kept->next;
    if (!kept) {
        kept = calloc(1, sizeof *kept);
        if (!kept) {
            status_set(status, STATUS_FAILED, "out of memory");
            return NULL;
        }
        memcpy(kept->key, key, sizeof key);
        kept->next = truths->kept;
        truths->kept = kept;
    }
    if (kept->path.frames < frames && kept->path.end == PATH_GOES_ON) {
        reference_path_free(&kept->path);
        PathWork work = {fresh, dt, frames, named ? key : NULL, truths->progress};
        if (!path_find(&kept->path, &work, options, status))
            return NULL;
    }
    if (kept->path.frames >= frames)
        return &kept->path;
    Horizons horizons = {0};
    char known[HORIZON_TEXT];
    for (int frame = 1; frame <= kept->path.frames; frame++)
        horizons_note(&horizons, frame * dt, kept->path.errors[frame - 1]);
    horizons_text(&horizons, kept->path.frames * dt, known);
    status_set(status, STATUS_FAILED, "after %.4g s %s%s%s", kept->path.frames * dt, PATH_ENDINGS[kept->path.end],
               known[0] ? "; it is " : "", known);
    return NULL;
}
