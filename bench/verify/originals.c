/* SPDX-License-Identifier: MIT */
#include "bench/verify/originals.h"

#include "bench/files/folder.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const original_verdict_names[ORIGINAL_VERDICTS] = {"SAME", "BY DESIGN", "UNEXPLAINED"};
static const char *const RECORDED[ORIGINAL_VERDICTS] = {"same", "by_design", "open"};

static const char MAP[] = "MAP.json";
enum { STATE = 13, SPEC = 256 };

static json_t *originals_load(const char *name, Status *status)
{
    char path[FOLDER_TEXT];
    json_error_t error;
    json_t *document = json_load_file(folder_path(FOLDER_ORIGINALS, name, path), 0, &error);
    if (!document)
        status_set(status, STATUS_FAILED, "%s:%d: %s", path, error.line, error.text);
    return document;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Name and options of ours that stand for a case: those of the longest key that its name begins with, or its own. */
static const char *spec_of(json_t *map, const json_t *motion)
{
    const char *name = text_of(motion, "case"), *spec = text_of(motion, "solver"), *key;
    size_t longest = 0;
    json_t *value;
    json_object_foreach (map, key, value)
        if (strncmp(name, key, strlen(key)) == 0 && strlen(key) >= longest) {
            longest = strlen(key);
            spec = json_string_value(value);
        }
    return spec;
}

/* The last frame's states are compared as the run goes by. */
typedef struct Following {
    const json_t *motion;
    double distance, tolerance, share;
    size_t seen;
} Following;

/* The largest of |dx| (m), the angle between the orientations (rad), dt |dv| and dt |dw|. */
static double body_distance(const World *world, int body, const double state[STATE], double dt, bool turns)
{
    Vec3 x = vec3(state[0], state[1], state[2]), v = vec3(state[7], state[8], state[9]);
    Vec3 w = vec3(state[10], state[11], state[12]);
    Quat q = world_reported_orientation(world, body), p = {state[3], state[4], state[5], state[6]};
    Velocity u = world->velocity[body];
    double far = fmax(vec3_norm(vec3_sub(world->pose[body].x, x)), dt * vec3_norm(vec3_sub(u.v, v)));
    if (!turns)
        return far;
    double sign = q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z < 0.0 ? -1.0 : 1.0;
    double dw = q.w - sign * p.w, dx = q.x - sign * p.x, dy = q.y - sign * p.y, dz = q.z - sign * p.z;
    double chord = sqrt(dw * dw + dx * dx + dy * dy + dz * dz);
    far = fmax(far, 4.0 * asin(fmin(1.0, 0.5 * chord)));
    return fmax(far, dt * vec3_norm(vec3_sub(u.w, w)));
}

static bool follow_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)metrics, (void)status;
    Following *follow = context;
    json_t *frames = json_object_get(follow->motion, "frames"), *bodies = json_object_get(follow->motion, "bodies"),
           *states;
    double dt = json_number_value(json_object_get(follow->motion, "dt")), far = 0.0;
    bool turns = json_is_true(json_object_get(follow->motion, "turn"));
    const char *name;
    if (follow->seen >= json_array_size(frames) || json_integer_value(json_array_get(frames, follow->seen)) != frame)
        return true;
    json_object_foreach (bodies, name, states) {
        int body = world_find_body(problem->world, name);
        double state[STATE];
        for (int i = 0; i < STATE; i++)
            state[i] = json_number_value(json_array_get(json_array_get(states, follow->seen), (size_t)i));
        double apart = body < 0 ? NAN : body_distance(problem->world, body, state, dt, turns);
        far = isnan(apart) ? INFINITY : fmax(far, apart);
    }
    double tolerance = json_number_value(json_array_get(json_object_get(follow->motion, "tolerance"), follow->seen++));
    if (far / tolerance >= follow->share) {
        follow->share = far / tolerance;
        follow->distance = far;
        follow->tolerance = tolerance;
    }
    return true;
}

/* `a=b:c=d` */
static bool set_options(Run *run, const char *options, Status *status)
{
    char text[SPEC], *rest = NULL;
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok_r(text, ":", &rest); word; word = strtok_r(NULL, ":", &rest)) {
        char key[RUN_KEY];
        const char *value;
        if (!assignment_split(word, key, &value, status) || !run_set_option(run, key, value, status))
            return false;
    }
    return true;
}

/* The motion's scene as a file of its own, since a run reads one; false, with a message. */
static bool scene_write(const json_t *motion, char path[FOLDER_TEXT], Status *status)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, FOLDER_TEXT, "%s/rigor_motion_XXXXXX", folder && folder[0] ? folder : "/tmp");
    int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool ok = file && json_dumpf(json_object_get(motion, "scene"), file, JSON_REAL_PRECISION(17)) == 0;
    if (file)
        ok = fclose(file) == 0 && ok;
    return ok || status_set(status, STATUS_FAILED, "%s: cannot be written", path);
}

/* Runs the motion with the solver's own options, `options` and `more`; the share of the tolerance that its worst frame
 * takes, infinite if some frame was not reached. */
static Following motion_follow(const Run *like, const json_t *motion, const char *scene, const char *options,
                               const char *more, Status *status)
{
    Following follow = {.motion = motion, .distance = NAN, .tolerance = NAN};
    json_t *frames = json_object_get(motion, "frames");
    size_t count = json_array_size(frames);
    Run run = {.solver = like->solver, .without_truth = true};
    memcpy(run.options, like->options, sizeof run.options);
    run.dt = json_number_value(json_object_get(motion, "dt"));
    run.time = run.dt * (double)json_integer_value(json_array_get(frames, count - 1));
    for (int i = 0; i < DETECTION_COUNT; i++)
        if (strcmp(detection_names[i], text_of(motion, "detect")) == 0)
            run.detect = (Detection)i;
    run.file = scene;
    bool ok = set_options(&run, options, status) && set_options(&run, more, status);
    if (ok && !run_make(&run, &(RunWatch){follow_frame, &follow}))
        *status = run.status;
    if (follow.seen < count) {
        follow.share = INFINITY;
        follow.distance = NAN;
    }
    run_clear(&run);
    return follow;
}

static bool motion_measure(const Run *like, const json_t *motion, const char *options, OriginalResult *result,
                           Status *status)
{
    char scene[FOLDER_TEXT];
    *result = (OriginalResult){.recorded = ORIGINAL_OPEN, .measured = ORIGINAL_OPEN, .switched = NAN};
    snprintf(result->name, sizeof result->name, "%s", text_of(motion, "case"));
    snprintf(result->options, sizeof result->options, "%s", options);
    snprintf(result->switches, sizeof result->switches, "%s", text_of(motion, "switch"));
    for (int i = 0; i < ORIGINAL_VERDICTS; i++)
        if (strcmp(RECORDED[i], text_of(motion, "verdict")) == 0)
            result->recorded = (OriginalVerdict)i;
    if (!scene_write(motion, scene, status))
        return false;
    Following plain = motion_follow(like, motion, scene, options, "", &result->status);
    result->distance = plain.distance;
    result->tolerance = plain.tolerance;
    if (plain.share <= 1.0) {
        result->measured = ORIGINAL_SAME;
    } else if (result->switches[0]) {
        Following switched = motion_follow(like, motion, scene, options, result->switches, &result->status);
        result->switched = switched.distance;
        result->measured = switched.share <= 1.0 ? ORIGINAL_BY_DESIGN : ORIGINAL_OPEN;
    }
    unlink(scene);
    return true;
}

/* The options of a case that stands for the solver of that name; NULL: it stands for another. */
static const char *options_for(const char *solver, const char *spec)
{
    size_t length = strlen(solver);
    if (strncmp(spec, solver, length) != 0 || (spec[length] && spec[length] != ':'))
        return NULL;
    return spec[length] ? spec + length + 1 : "";
}

static bool file_measure(const Run *like, json_t *map, const json_t *document, OriginalResult **results, int *count,
                         Status *status)
{
    size_t at;
    json_t *motion;
    json_array_foreach (json_object_get(document, "cases"), at, motion) {
        const char *options = options_for(like->solver->name, spec_of(map, motion));
        if (!options)
            continue;
        OriginalResult *grown = realloc(*results, sizeof *grown * (size_t)(*count + 1));
        if (!grown)
            return status_set(status, STATUS_FAILED, "out of memory");
        *results = grown;
        if (!motion_measure(like, motion, options, &grown[(*count)++], status))
            return false;
    }
    return true;
}

/* An original a file; MAP.json is none. */
static int is_original(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".json") == 0 && strcmp(entry->d_name, MAP) != 0;
}

bool originals_measure(const Run *like, OriginalResult **results, int *count, Status *status)
{
    char folder[FOLDER_TEXT];
    struct dirent **files = NULL;
    json_t *map = originals_load(MAP, status);
    int found = map ? scandir(folder_path(FOLDER_ORIGINALS, ".", folder), &files, is_original, alphasort) : 0;
    bool ok = map && (found > 0 || status_set(status, STATUS_FAILED, "%s: there are no recorded motions", folder));
    *results = NULL;
    *count = 0;
    for (int i = 0; i < found; i++) {
        json_t *document = ok ? originals_load(files[i]->d_name, status) : NULL;
        ok = ok && document && file_measure(like, map, document, results, count, status);
        json_decref(document);
        free(files[i]);
    }
    free(files);
    json_decref(map);
    return ok;
}
