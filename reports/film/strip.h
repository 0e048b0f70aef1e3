/* SPDX-License-Identifier: MIT */
/* Filmstrips: a row a run, a column a time, each pose with ghosts of those before. */
#ifndef RIGOR_REPORTS_FILM_STRIP_H
#define RIGOR_REPORTS_FILM_STRIP_H

#include "bench/process/progress.h"
#include "reports/film/film.h"

enum { FILM_RUNS_MAX = 8, FILM_POSES_MAX = 16, FILM_GHOSTS = 3 };

typedef struct Film {
    FilmRun runs[FILM_RUNS_MAX];
    int run_count;
    FilmView view;
    const char *metric; /* NULL: no curve */
    bool overlay;       /* all runs in one picture, each in its colour */
    double begin, end;  /* s */
    double at[FILM_POSES_MAX];
    int pose_count;
    double width, height, fps;
    double strip_width; /* of one pose */
    Progress *progress; /* NULL: no progress is shown */
    double type;        /* points, of a strip's texts */
} Film;

/* Rows of pictures: one where the runs are overlaid. */
int film_rows(const Film *film);

/* The names of a row's runs, each in the colour of its curve. */
void film_draw_label(cairo_t *cairo, const Film *film, int row, double x, double y, double size);

/* The poses of one picture of a row: the runs at a time, after ghosts of the times before. Returns their number. */
int film_row_poses(const Film *film, int row, const double *times, int count,
                   FilmPose poses[FILM_GHOSTS * FILM_RUNS_MAX]);

/* Six times from the beginning to the end. */
void strip_set_times(Film *film);

/* Sizes of the strip, once the view and the times are known. */
void strip_lay_out(Film *film);

/* A FilmPicture (output.h) of a Film. */
bool strip_picture(void *context, int index, cairo_t *cairo);

/* The strip of these recordings as it is without further wishes, into a file whose ending says its format. */
bool strip_write(char *const *recordings, int count, const char *path, Status *status);

#endif
