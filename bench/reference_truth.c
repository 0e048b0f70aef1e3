#include "bench/reference_truth.h"

#include "bench/build.h"
#include "bench/reference_cache.h"
#include "bench/runner.h"
#include "model/energy.h"
#include "solvers/linear/lagrange.h"

#include <stdlib.h>
#include <string.h>

extern const Solver reference_solver;

/* A world with more rows is refused: a frame of 3000 rows takes a second where rows form a chain, and far more where
 * they do not. */
enum { REFERENCE_MAX_ROWS = 3000 };

/* A motion that needs more row solves is given up: at 1e6 (loops) to 4e6 (trees) in a second, a minute at the most. It
 * is work that is counted, not time, so that the same command gives the same result everywhere. */
static const long long REFERENCE_MAX_WORK = 60000000;

/* A motion whose own error estimate is larger than this part of the length scale is no truth: the scene is chaotic, and
 * only its first part is known. Far below the errors that are to be measured. */
static const double REFERENCE_MAX_ERROR = 1e-6;

static const char *const PATH_ENDINGS[PATH_ENDS] = {
    [PATH_UNCERTAIN] = "its own error estimate exceeds 1e-6 of the length scale (the motion is chaotic)",
    [PATH_TOO_MUCH_WORK] = "it needs more than 6e7 row solves",
    [PATH_LOST] = "it did not find its way",
};

typedef struct KeptPath {
    char key[HASH_TEXT];
    ReferencePath path;
    struct KeptPath *next;
} KeptPath;

struct ReferenceTruths {
    KeptPath *kept;
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
    *path = (ReferencePath){0};
}

ReferenceTruths *reference_truths_create(void)
{
    return calloc(1, sizeof(ReferenceTruths));
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

/* All that the motion depends on: the scene, the frame, the backend's options, this program. */
static bool truth_key(const Problem *problem, double dt, const void *options, char key[HASH_TEXT])
{
    char *scene = problem_write(problem);
    if (!scene)
        return false;
    Hash hash = hash_begin();
    hash_add_text(&hash, scene);
    hash_add_text(&hash, build_version());
    hash_add_text(&hash, build_commit());
    hash_add(&hash, &dt, sizeof dt);
    hash_add(&hash, options, reference_solver.options_size);
    hash_text(&hash, key);
    free(scene);
    return true;
}

static bool forces_are_unique(const Step *step)
{
    for (int i = 0; i < step->event_count; i++)
        if (strcmp(step->events[i].what, LAGRANGE_DEPENDENT_ROWS) == 0)
            return false;
    return true;
}

static void path_record(ReferencePath *path, const World *world, double dt, double error)
{
    size_t frame = (size_t)path->frames++;
    for (int i = 0; i < path->bodies; i++)
        path->poses[frame * (size_t)path->bodies + (size_t)i] =
            (Pose){world->pose[i].x, world_reported_orientation(world, i)};
    for (int j = 0; j < path->joints; j++) {
        Vec3 torque;
        world_reaction(world, j, dt, &path->forces[frame * (size_t)path->joints + (size_t)j], &torque);
    }
    path->errors[frame] = error;
}

/* The path has room for the frames. */
static bool path_compute(ReferencePath *path, Problem *problem, double dt, int frames, const void *options,
                         Status *status)
{
    Stepper stepper;
    const World *world = problem->world;
    if (!stepper_begin(&stepper, &reference_solver, options, problem->world, dt, DETECT_SUBSTEP, status))
        return false;
    while (path->frames < frames && path->end == PATH_GOES_ON) {
        run_events(problem, path->frames, &stepper, NULL);
        stepper_frame(&stepper, false);
        double error = reference_solver.error_estimate(stepper.self);
        if (stepper.step.failed || !isfinite(world_max_speed(world)))
            path->end = PATH_LOST;
        else if (!(error <= REFERENCE_MAX_ERROR * world->length_scale))
            path->end = PATH_UNCERTAIN;
        else
            path_record(path, world, dt, error);
        if (path->end == PATH_GOES_ON && path->frames < frames && stepper.step.row_solves > REFERENCE_MAX_WORK)
            path->end = PATH_TOO_MUCH_WORK;
    }
    path->has_forces = forces_are_unique(&stepper.step);
    stepper_end(&stepper);
    return true;
}

static bool path_find(ReferencePath *path, Problem *problem, double dt, int frames, const char *key,
                      const void *options, Status *status)
{
    const World *world = problem->world;
    if (key && reference_cache_read(key, path)) {
        bool fits = path->bodies == world->body_count && path->joints == world->joint_count;
        if (fits && (path->frames >= frames || path->end != PATH_GOES_ON))
            return true;
        reference_path_free(path);
    }
    int rows = row_count_all(world);
    if (rows > REFERENCE_MAX_ROWS)
        return status_set(status, STATUS_UNSUPPORTED, "%d rows are more than %d", rows, REFERENCE_MAX_ROWS);
    if (!reference_path_allocate(path, world->body_count, world->joint_count, frames))
        return status_set(status, STATUS_FAILED, "out of memory");
    if (!path_compute(path, problem, dt, frames, options, status)) {
        reference_path_free(path);
        return false;
    }
    if (key)
        reference_cache_write(key, path);
    return true;
}

const ReferencePath *reference_truths_find(ReferenceTruths *truths, Problem *fresh, double dt, int frames,
                                           Status *status)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    char key[HASH_TEXT] = "";
    if (frames * dt > fresh->truth_time + 0.5 * dt) {
        status_set(status, STATUS_UNSUPPORTED, "the motion is chaotic, and known for %.4g s at most",
                   fresh->truth_time);
        return NULL;
    }
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
        if (!path_find(&kept->path, fresh, dt, frames, named ? key : NULL, options, status))
            return NULL;
    }
    if (kept->path.frames >= frames)
        return &kept->path;
    status_set(status, STATUS_FAILED, "after %.4g s %s", kept->path.frames * dt, PATH_ENDINGS[kept->path.end]);
    return NULL;
}
