/* SPDX-License-Identifier: MIT */
/* Recordings for pictures. A child reads the file and sends a head, the arrays, then a JSON text with what else is
 * needed; the scene is built from that here, as from a scene file. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bench/process/child.h"
#include "reports/draw/look.h"
#include "reports/film/film.h"
#include "reports/recording/read.h"
#include "scenes/file/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct FilmRequest {
    const char *path, *metric;
} FilmRequest;

/* What comes first. A multiple of a double's size, so that the arrays behind it are aligned. */
typedef struct FilmHead {
    unsigned long long frames, bodies, text; /* text: characters of the JSON at the end */
} FilmHead;

enum { ARRAYS = 4 };

/* Numbers of each array, in the order sent: time, position, orientation, metric. */
static void array_counts(const FilmHead *head, bool metric, size_t counts[ARRAYS])
{
    counts[0] = head->frames;
    counts[1] = 3 * head->frames * head->bodies;
    counts[2] = 4 * head->frames * head->bodies;
    counts[3] = metric ? head->frames : 0;
}

/* A metric that the run has, else which there are. */
static bool metric_check(const RecordingFile *file, const char *metric)
{
    json_t *names = recording_metric_names(file), *name;
    char told[1024] = "was not recorded; --metric can be";
    bool found = false;
    size_t i;
    json_array_foreach (names, i, name) {
        size_t used = strlen(told);
        found = found || strcmp(json_string_value(name), metric) == 0;
        snprintf(told + used, sizeof told - used, "%s %s", i ? "," : "", json_string_value(name));
    }
    json_decref(names);
    return found || !names || recording_fail(file, metric, told);
}

static bool read_arrays(const RecordingFile *file, const char *metric, FilmHead *head, Array arrays[ARRAYS])
{
    char name[128];
    if (!recording_array(file, "time", 1, (hsize_t[]){0}, &arrays[0]))
        return false;
    head->frames = arrays[0].count;
    if (head->frames == 0)
        return recording_fail(file, "time", "has no frames");
    snprintf(name, sizeof name, "metrics/%s", metric ? metric : "");
    return recording_array(file, "position", 3, (hsize_t[]){head->frames, head->bodies, 3}, &arrays[1]) &&
           recording_array(file, "orientation", 3, (hsize_t[]){head->frames, head->bodies, 4}, &arrays[2]) &&
           (!metric || metric_check(file, metric)) &&
           (!metric || recording_array(file, name, 1, (hsize_t[]){head->frames}, &arrays[3]));
}

/* {"solver", "bodies", "scene"} as text; NULL with a message. */
static char *read_texts(const RecordingFile *file, FilmHead *head)
{
    json_t *names = recording_body_names(file), *scene = names ? recording_document(file, "scene") : NULL,
           *run = scene ? recording_document(file, "run") : NULL;
    const char *solver = json_string_value(json_object_get(run, "solver"));
    char *text = NULL;
    if (run && !solver)
        recording_fail(file, "run", "names no solver");
    head->bodies = json_array_size(names);
    if (solver) {
        json_t *all = json_pack("{s:s, s:O, s:O}", "solver", solver, "bodies", names, "scene", scene);
        text = all ? json_dumps(all, JSON_COMPACT) : NULL;
        json_decref(all);
        head->text = text ? strlen(text) : 0;
        if (!text)
            recording_fail(file, "scene", "out of memory");
    }
    json_decref(names);
    json_decref(scene);
    json_decref(run);
    return text;
}

/* In the child. */
static bool film_send(FILE *out, int in, void *context, Status *status)
{
    const FilmRequest *request = context;
    RecordingFile file;
    FilmHead head = {0};
    Array arrays[ARRAYS] = {{0}};
    bool ok = recording_open(&file, in, request->path, status);
    char *text = ok ? read_texts(&file, &head) : NULL;
    ok = text && read_arrays(&file, request->metric, &head, arrays);
    recording_close(&file);
    if (ok) {
        fwrite(&head, sizeof head, 1, out);
        for (int i = 0; i < ARRAYS; i++)
            if (arrays[i].count > 0)
                fwrite(arrays[i].values, sizeof(double), arrays[i].count, out);
        fwrite(text, 1, head.text, out);
    }
    for (int i = 0; i < ARRAYS; i++)
        free(arrays[i].values);
    free(text);
    return ok;
}

static bool film_fail(const char *path, const char *what, Status *status)
{
    return status_set(status, STATUS_BAD_FILE, "%s: %s", path, what);
}

/* Points the run's arrays into its data; the text behind them. */
static const char *film_place(FilmRun *run, const FilmHead *head, bool metric)
{
    size_t counts[ARRAYS];
    const double *arrays[ARRAYS], *at = (const double *)(const void *)(run->data + sizeof *head);
    array_counts(head, metric, counts);
    for (int i = 0; i < ARRAYS; at += counts[i++])
        arrays[i] = at;
    run->frames = head->frames;
    run->bodies = head->bodies;
    run->time = arrays[0];
    run->position = arrays[1];
    run->turn = arrays[2];
    run->metric = metric ? arrays[3] : NULL;
    return (const char *)at;
}

static bool times_check(const FilmRun *run, const char *path, Status *status)
{
    for (size_t f = 0; f < run->frames; f++)
        if (!isfinite(run->time[f]) || run->time[f] < (f > 0 ? run->time[f - 1] : 0.0))
            return film_fail(path, "time: falls, or is no number", status);
    return true;
}

static bool read_label(FilmRun *run, const char *solver, Status *status)
{
    unsigned colour = 0;
    json_t *palette = palette_read(status);
    if (!palette)
        return false;
    size_t length = strnlen(solver, sizeof run->label - 1);
    while ((solver[length] & 0xC0) == 0x80) /* not within a character */
        length--;
    memcpy(run->label, solver, length);
    run->label[length] = '\0';
    sscanf(look_of_solver(palette, solver, 0).colour, "#%6x", &colour);
    for (int i = 0; i < 3; i++)
        run->colour[i] = (colour >> (16 - 8 * i) & 255u) / 255.0;
    json_decref(palette);
    return true;
}

/* Which of the scene's bodies each recorded one is; by a table, since a file may name a million. */
static bool find_bodies(FilmRun *run, const json_t *names, const char *path, Status *status)
{
    const World *world = run->problem->world;
    json_t *index = json_object();
    run->body = calloc(run->bodies + 1, sizeof *run->body);
    bool ok = index && run->body;
    for (int i = 1; ok && i < world->body_count; i++)
        ok = json_object_set_new(index, world->bodies[i].name, json_integer(i)) == 0;
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    for (size_t i = 0; ok && i < run->bodies; i++) {
        run->body[i] = (int)json_integer_value(json_object_get(index, json_string_value(json_array_get(names, i))));
        if (run->body[i] < 1)
            ok = film_fail(path, "body_names: a body that the scene does not have", status);
    }
    json_decref(index);
    return ok;
}

/* What came is what its head says: the reader has looked, but it may have been another's by then. */
static bool head_fits(const FilmHead *head, bool metric, size_t size)
{
    size_t counts[ARRAYS], values = 0;
    if (head->frames > READ_BYTES || head->bodies > READ_BYTES ||
        (head->bodies > 0 && head->frames > READ_BYTES / head->bodies) || head->text > size)
        return false;
    array_counts(head, metric, counts);
    for (int i = 0; i < ARRAYS; i++)
        values += counts[i];
    return size == sizeof *head + sizeof(double) * values + head->text;
}

static bool film_receive(FilmRun *run, const FilmRequest *request, size_t size, Status *status)
{
    FilmHead head;
    json_error_t error;
    if (size >= sizeof head)
        memcpy(&head, run->data, sizeof head);
    if (size < sizeof head || !head_fits(&head, request->metric != NULL, size))
        return film_fail(request->path, "is no recording", status);
    const char *text = film_place(run, &head, request->metric != NULL);
    json_t *about = json_loadb(text, head.text, 0, &error);
    if (!about)
        return film_fail(request->path, error.text, status);
    json_t *scene = json_object_get(about, "scene");
    const char *solver = json_string_value(json_object_get(about, "solver"));
    run->problem = file_read_document(scene, request->path, status);
    bool ok = run->problem && times_check(run, request->path, status) &&
              read_label(run, solver ? solver : "", status) &&
              find_bodies(run, json_object_get(about, "bodies"), request->path, status);
    json_decref(about);
    return ok;
}

bool film_run_read(FilmRun *run, const char *path, const char *metric, Status *status)
{
    FilmRequest request = {path, metric};
    size_t size = 0;
    *run = (FilmRun){0};
    FILE *out = open_memstream(&run->data, &size);
    if (!out)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool ok = read_in_child(out, film_send, &request, path, status);
    if (fclose(out) != 0)
        ok = ok && status_set(status, STATUS_FAILED, "%s: is larger than the memory", path);
    return ok && film_receive(run, &request, size, status);
}

void film_run_clear(FilmRun *run)
{
    problem_destroy(run->problem);
    free(run->body);
    free(run->data);
    *run = (FilmRun){0};
}

size_t film_frame_at(const FilmRun *run, double time)
{
    size_t frame = 0;
    while (frame + 1 < run->frames && run->time[frame + 1] <= time + 1e-9)
        frame++;
    return frame;
}
