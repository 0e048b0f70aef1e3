/* SPDX-License-Identifier: MIT */
#include "reports/film/strip.h"

#include "reports/film/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POSES = 6 };

/* Points of a filmstrip: the height of a row, and its margins. */
static const double ROW = 170.0, GAP = 12.0;

/* Of the type: at least so many points, and so much of the strip's width, since it is seen across a slide; the lines
 * above a row, of its run and of the times; the height of the curve below. */
static const double TYPE_LEAST = 10.0, TYPE_PART = 1.0 / 75.0, LINES = 2.6, CURVE = 9.0;

static double row_height(const Film *film)
{
    return ROW + GAP + LINES * film->type;
}

int film_rows(const Film *film)
{
    return film->overlay ? 1 : film->run_count;
}

void film_draw_label(cairo_t *cairo, const Film *film, int row, double x, double y, double size)
{
    for (int r = film->overlay ? 0 : row; r < (film->overlay ? film->run_count : row + 1); r++) {
        const double *c = film->runs[r].colour;
        cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
        film_draw_text(cairo, x, y, size, 0.0, film->runs[r].label);
        cairo_get_current_point(cairo, &x, &y);
        x += size;
    }
}

int film_row_poses(const Film *film, int row, const double *times, int count,
                   FilmPose poses[FILM_GHOSTS * FILM_RUNS_MAX])
{
    int filled = 0, first = film->overlay ? 0 : row, last = film->overlay ? film->run_count : row + 1;
    for (int i = count > FILM_GHOSTS ? count - FILM_GHOSTS : 0; i < count; i++)
        for (int r = first; r < last; r++) {
            bool now = i == count - 1;
            double ghost = 0.28 - 0.08 * (count - 2 - i),
                   alpha = now ? (film->overlay && r > first ? 0.75 : 1.0) : ghost;
            poses[filled++] = (FilmPose){&film->runs[r], film_frame_at(&film->runs[r], times[i]), alpha, film->overlay};
        }
    return filled;
}

bool strip_picture(void *context, int index, cairo_t *cairo)
{
    const Film *film = context;
    (void)index;
    bool ok = true;
    for (int row = 0; ok && row < film_rows(film); row++) {
        double top = GAP + row * row_height(film);
        film_draw_label(cairo, film, row, GAP, top + 0.9 * film->type, film->type);
        for (int i = 0; ok && i < film->pose_count; i++) {
            FilmBox box = {GAP + i * (film->strip_width + GAP), top + LINES * film->type, film->strip_width, ROW};
            FilmPose poses[FILM_GHOSTS * FILM_RUNS_MAX];
            char text[64];
            ok = film_draw(cairo, &film->view, box, poses, film_row_poses(film, row, film->at, i + 1, poses));
            snprintf(text, sizeof text, "%.3g s", film->at[i]);
            cairo_set_source_rgb(cairo, 0.35, 0.35, 0.35);
            film_draw_text(cairo, box.x + 0.5 * box.width, box.y - 0.35 * film->type, 0.85 * film->type, 0.5, text);
        }
    }
    if (film->metric) {
        double left = GAP + 4.5 * film->type, high = CURVE * film->type;
        FilmBox box = {left, film->height - high + 1.5 * film->type, film->width - left - GAP, high - 3.5 * film->type};
        film_draw_curves(cairo, box, 0.85 * film->type, film->runs, film->run_count, film->metric, film->end, film->at,
                         film->pose_count);
    }
    return ok;
}

void strip_set_times(Film *film)
{
    film->pose_count = POSES;
    for (int i = 0; i < POSES; i++)
        film->at[i] = film->begin + (film->end - film->begin) * i / (POSES - 1);
}

void strip_lay_out(Film *film)
{
    film->strip_width = fmax(60.0, fmin(2.5, film_view_aspect(&film->view)) * ROW);
    film->width = GAP + film->pose_count * (film->strip_width + GAP);
    film->type = fmax(TYPE_LEAST, TYPE_PART * film->width);
    film->height = GAP + film_rows(film) * row_height(film) + (film->metric ? CURVE * film->type : 0.0);
}

bool strip_write(char *const *recordings, int count, const char *path, Status *status)
{
    FilmFormat format;
    Film *film = calloc(1, sizeof *film);
    bool ok = film || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < count && i < FILM_RUNS_MAX; i++) {
        FilmRun *run = &film->runs[film->run_count++];
        ok = film_run_read(run, recordings[i], NULL, status);
        film->end = ok ? fmax(film->end, run->time[run->frames - 1]) : film->end;
    }
    ok = ok && film_view_parse(&film->view, "corner", status) && film_format_of(path, &format, status);
    if (ok) {
        strip_set_times(film);
        film_view_fit(&film->view, film->runs, film->run_count, film->begin, film->end);
        strip_lay_out(film);
        ok = film_write_page(path, format, film->width, film->height, strip_picture, film, status);
    }
    for (int i = 0; film && i < film->run_count; i++)
        film_run_clear(&film->runs[i]);
    free(film);
    return ok;
}
