/* SPDX-License-Identifier: MIT */
/* rigor film: recordings as a filmstrip (PDF, SVG, PNG) or a video (MP4, GIF). */
#include "cli/cli.h"
#include "model/suggest.h"
#include "reports/film/output.h"
#include "reports/film/strip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pictures of a video: 20 minutes at 30 a second. */
enum { PICTURES_MAX = 36000 };

/* One frame of a video: the runs side by side, or overlaid, and the curve as far as it has grown. */
static bool video_picture(void *context, int index, cairo_t *cairo)
{
    const Film *film = context;
    double time = film->begin + index / film->fps, size = fmax(10.0, film->height / 36.0), text_y = 1.6 * size;
    double curve = film->metric ? 0.2 * film->height : 0.0;
    int rows = film_rows(film);
    bool ok = true;
    char text[64];
    progress_tick(film->progress, "filming", time - film->begin, film->end - film->begin);
    for (int row = 0; ok && row < rows; row++) {
        FilmPose poses[FILM_GHOSTS * FILM_RUNS_MAX];
        FilmBox box = {row * film->width / rows, 2.2 * size, film->width / rows, film->height - curve - 2.4 * size};
        ok = film_draw(cairo, &film->view, box, poses, film_row_poses(film, row, &time, 1, poses));
        film_draw_label(cairo, film, row, box.x + size, text_y, size);
    }
    snprintf(text, sizeof text, "%.2f s", time);
    cairo_set_source_rgb(cairo, 0.35, 0.35, 0.35);
    film_draw_text(cairo, film->width - 0.6 * size, text_y, 0.8 * size, 1.0, text);
    if (film->metric) {
        FilmBox box = {5.0 * size, film->height - curve + 1.2 * size, film->width - 7.0 * size, curve - 2.8 * size};
        film_draw_curves(cairo, box, 0.8 * size, film->runs, film->run_count, film->metric, time, NULL, 0);
    }
    return ok;
}

/* --at a,b,c; else so many times from the beginning to the end. */
static bool film_times(Film *film, const Arguments *arguments, Status *status)
{
    const char *text = argument(arguments, OPTION_AT);
    film->pose_count = 0;
    for (const char *rest = text; rest && *rest;) {
        char word[64];
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        if (film->pose_count == FILM_POSES_MAX)
            return status_set(status, STATUS_USAGE, "--at: more than %d times", FILM_POSES_MAX);
        if (!number_parse(word, &film->at[film->pose_count]) || film->at[film->pose_count] < 0.0)
            return status_set(status, STATUS_USAGE, "--at: '%s' is not a time", word);
        film->pose_count++;
        rest += length + (rest[length] == ',');
    }
    if (!text)
        strip_set_times(film);
    if (text && film->pose_count == 0)
        return status_set(status, STATUS_USAGE, "--at: no time is given");
    return true;
}

static bool film_size(Film *film, const Arguments *arguments, bool moves, Status *status)
{
    const char *text = argument(arguments, OPTION_SIZE), *fps = argument(arguments, OPTION_FPS);
    int width = 1280, height = 720;
    char tail;
    if (text && (sscanf(text, "%dx%d%c", &width, &height, &tail) != 2 || width < 64 || height < 64 || width > 8192 ||
                 height > 8192))
        return status_set(status, STATUS_USAGE, "--size: '%s' is not WIDTHxHEIGHT from 64 to 8192", text);
    film->fps = 30.0;
    if (fps && (!number_parse(fps, &film->fps) || !(film->fps >= 1.0 && film->fps <= 240.0)))
        return status_set(status, STATUS_USAGE, "--fps: '%s' is not a number from 1 to 240", fps);
    if (moves && (film->end - film->begin) * film->fps >= PICTURES_MAX)
        return status_set(status, STATUS_USAGE, "%g s at %g pictures a second are more than the %d a video may have",
                          film->end - film->begin, film->fps, PICTURES_MAX);
    if (moves) {
        film->width = width - width % 2; /* as video formats want them */
        film->height = height - height % 2;
        return true;
    }
    strip_lay_out(film);
    return true;
}

static bool metric_check(const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    char text[SUGGESTION_TEXT];
    for (int i = 0; i < metric_count; i++)
        suggestion_offer(&near, all_metrics[i]->name);
    return metric_find(name) >= 0 ||
           status_set(status, STATUS_USAGE, "unknown metric '%s'%s", name, suggestion_text(&near, text));
}

static bool film_read(Film *film, const Arguments *arguments, Status *status)
{
    film->metric = argument(arguments, OPTION_METRIC);
    film->overlay = arguments->given[OPTION_OVERLAY];
    if (film->metric && !metric_check(film->metric, status))
        return false;
    for (int i = 0; i < arguments->operand_count; i++) {
        FilmRun *run = &film->runs[film->run_count++];
        if (!film_run_read(run, arguments->operands[i], film->metric, status))
            return false;
        film->end = fmax(film->end, run->time[run->frames - 1]);
    }
    const char *view = argument(arguments, OPTION_VIEW);
    if (!film_view_parse(&film->view, view ? view : "corner", status) || !film_times(film, arguments, status))
        return false;
    film_view_fit(&film->view, film->runs, film->run_count, film->begin, film->end);
    return true;
}

static bool film_command(const Arguments *arguments, Status *status)
{
    const char *path = argument(arguments, OPTION_OUTPUT);
    FilmFormat format;
    if (!path)
        return status_set(status, STATUS_USAGE, "-o is missing, as in -o film.mp4 or -o strip.pdf");
    if (!film_format_of(path, &format, status) || !arguments_may_write(arguments, path, FILE_PICTURE, status))
        return false;
    Film *film = calloc(1, sizeof *film);
    if (!film)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool moves = film_format_moves(format);
    film->progress = arguments->progress;
    progress_say(film->progress, "drawing");
    bool ok = film_read(film, arguments, status) && film_size(film, arguments, moves, status);
    if (ok && moves)
        ok = film_write_video(path, format, (int)film->width, (int)film->height, film->fps,
                              (int)floor((film->end - film->begin) * film->fps) + 1, video_picture, film, status);
    else if (ok)
        ok = film_write_page(path, format, film->width, film->height, strip_picture, film, status);
    progress_clear(film->progress);
    for (int i = 0; i < film->run_count; i++)
        film_run_clear(&film->runs[i]);
    free(film);
    return ok;
}

static const OptionNote NOTES[] = {
    {OPTION_AT,
     "the times of a filmstrip's poses, in s, separated by commas (default: six, from the first frame to the last)"},
    {OPTION_METRIC, "whose curve stands below (default: none)"},
    {OPTION_HELP, NULL},
};

const Command command_film = {
    .notes = NOTES,
    .name = "film",
    .operands = "RECORDING...",
    .summary = "recordings as a filmstrip (.pdf, .svg, .png) or a video (.mp4, .gif)",
    .help =
        "Recordings come from `rigor run --record F.h5`. A filmstrip has a row a recording and a column a time (--at; "
        "six\n"
        "by default), each pose with ghosts of those before; --overlay puts the recordings into one row, each in its\n"
        "solver's colour. --metric draws its curve below; in a video it grows. Videos need ffmpeg.",
    .least_operands = 1,
    .most_operands = FILM_RUNS_MAX,
    .options = TAKES(OPTION_OUTPUT) | TAKES(OPTION_FORCE) | TAKES(OPTION_VIEW) | TAKES(OPTION_AT) | TAKES(OPTION_FPS) |
               TAKES(OPTION_SIZE) | TAKES(OPTION_METRIC) | TAKES(OPTION_OVERLAY),
    .run = film_command,
};
