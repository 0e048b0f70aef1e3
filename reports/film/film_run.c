/* Recordings for pictures: read whole, with the scene they came from. */
#include "reports/film/film.h"
#include "reports/look.h"
#include "scenes/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_label(FilmRun *run, const RecordingFile *file, Status *status)
{
    json_t *about = recording_document(file, "run"), *palette = palette_read(status);
    const char *solver = json_string_value(json_object_get(about, "solver"));
    if (about && !solver)
        recording_fail(file, "run", "names no solver");
    bool ok = solver && palette;
    if (ok) {
        unsigned colour = 0;
        snprintf(run->label, sizeof run->label, "%s", solver);
        sscanf(look_of_solver(palette, solver, 0).colour, "#%6x", &colour);
        for (int i = 0; i < 3; i++)
            run->colour[i] = (colour >> (16 - 8 * i) & 255u) / 255.0;
    }
    json_decref(about);
    json_decref(palette);
    return ok;
}

/* Which of the scene's bodies each recorded one is. */
static bool read_bodies(FilmRun *run, const RecordingFile *file)
{
    json_t *names = recording_body_names(file), *scene = names ? recording_document(file, "scene") : NULL;
    run->bodies = json_array_size(names);
    run->problem = scene ? file_read_document(scene, file->path, file->status) : NULL;
    run->body = run->problem ? calloc(run->bodies + 1, sizeof *run->body) : NULL;
    bool ok = run->body != NULL;
    for (size_t i = 0; ok && i < run->bodies; i++) {
        run->body[i] = world_find_body(run->problem->world, json_string_value(json_array_get(names, i)));
        if (run->body[i] < 1)
            ok = recording_fail(file, "body_names", "a body that the scene does not have");
    }
    json_decref(names);
    json_decref(scene);
    return ok;
}

static bool read_metric(FilmRun *run, const RecordingFile *file, const char *metric)
{
    char name[128];
    snprintf(name, sizeof name, "metrics/%s", metric);
    return recording_array(file, name, 1, (hsize_t[]){run->frames}, &run->metric);
}

bool film_run_read(FilmRun *run, const char *path, const char *metric, Status *status)
{
    RecordingFile file;
    *run = (FilmRun){0};
    if (!recording_open(&file, path, status))
        return false;
    bool ok = read_label(run, &file, status) && read_bodies(run, &file) &&
              recording_array(&file, "time", 1, (hsize_t[]){0}, &run->time);
    run->frames = ok ? run->time.count : 0;
    if (ok && run->frames == 0)
        ok = recording_fail(&file, "time", "has no frames");
    ok = ok && recording_array(&file, "position", 3, (hsize_t[]){run->frames, run->bodies, 3}, &run->position) &&
         recording_array(&file, "orientation", 3, (hsize_t[]){run->frames, run->bodies, 4}, &run->turn) &&
         (!metric || read_metric(run, &file, metric));
    recording_close(&file);
    return ok;
}

void film_run_clear(FilmRun *run)
{
    problem_destroy(run->problem);
    free(run->body);
    free(run->time.values);
    free(run->position.values);
    free(run->turn.values);
    free(run->metric.values);
    *run = (FilmRun){0};
}

size_t film_frame_at(const FilmRun *run, double time)
{
    size_t frame = 0;
    while (frame + 1 < run->frames && run->time.values[frame + 1] <= time + 1e-9)
        frame++;
    return frame;
}
