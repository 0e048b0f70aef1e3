/* SPDX-License-Identifier: MIT */
/* Pictures of recordings by Cairo: bodies as shaded solids, for a filmstrip on paper or the frames of a video. */
#ifndef RIGOR_REPORTS_FILM_FILM_H
#define RIGOR_REPORTS_FILM_FILM_H

#include "scenes/scene.h"

#include <cairo.h>

/* One recording in memory. */
typedef struct FilmRun {
    Problem *problem; /* its scene, for shapes and joints */
    char label[128];  /* the solver's */
    size_t frames, bodies;
    int *body;              /* of the recording's bodies: which one of the scene */
    char *data;             /* as the child that read the file gave it; the arrays lie in it */
    const double *time;     /* s; finite, and never falls */
    const double *position; /* frames x bodies x 3 */
    const double *turn;     /* frames x bodies x 4 */
    const double *metric;   /* frames; NULL: none is shown */
    double colour[3];       /* of the solver */
} FilmRun;

/* Reads in a child within its bounds (bench/process/child.h). Metric NULL: none. False with a message; clear copes with
 * half-read ones. */
bool film_run_read(FilmRun *run, const char *path, const char *metric, Status *status);
void film_run_clear(FilmRun *run);

/* The frame at that time or just before, from 0. */
size_t film_frame_at(const FilmRun *run, double time);

/* Where the eye is: turned about y, then raised; parallel rays. */
typedef struct FilmView {
    Vec3 right, up, back; /* world directions of the picture */
    Vec3 low, high;       /* the box of the world that is shown */
} FilmView;

/* front, side, top, or `azimuth,elevation` in degrees. */
bool film_view_parse(FilmView *view, const char *text, Status *status);

/* The box around what the runs show between two times. One that flies away does not make the rest invisible: at most a
 * few times the start's extent is shown. */
void film_view_fit(FilmView *view, const FilmRun *runs, int count, double from, double to);

/* Width over height of what is shown. */
double film_view_aspect(const FilmView *view);

/* A run in one frame. */
typedef struct FilmPose {
    const FilmRun *run;
    size_t frame;
    double alpha;    /* 1: solid; below: a ghost */
    bool one_colour; /* all bodies in the run's, to tell runs apart */
} FilmPose;

/* The rectangle of a picture. */
typedef struct FilmBox {
    double x, y, width, height; /* points */
} FilmBox;

/* The ground of the first run, then the poses in their order, each sorted by depth. False when out of memory. */
bool film_draw(cairo_t *cairo, const FilmView *view, FilmBox box, const FilmPose *poses, int count);

/* The metric of each run up to a time; over times from .. to, and marks at the given ones. `size` is that of the type,
 * which stands around the box. */
void film_draw_curves(cairo_t *cairo, FilmBox box, double size, const FilmRun *runs, int count, const char *metric,
                      double until, const double *marks, int mark_count);

void film_draw_text(cairo_t *cairo, double x, double y, double size, double align, const char *text);

#endif
