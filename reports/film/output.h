/* SPDX-License-Identifier: MIT */
/* Where pictures go: one page of PDF or SVG, a PNG, or frames through ffmpeg into MP4 or GIF. */
#ifndef RIGOR_REPORTS_FILM_OUTPUT_H
#define RIGOR_REPORTS_FILM_OUTPUT_H

#include "model/status.h"

#include <cairo.h>

typedef enum FilmFormat { FILM_PDF, FILM_SVG, FILM_PNG, FILM_MP4, FILM_GIF, FILM_FORMATS } FilmFormat;

/* By the path's ending; false with a message. */
bool film_format_of(const char *path, FilmFormat *format, Status *status);

static inline bool film_format_moves(FilmFormat format)
{
    return format >= FILM_MP4;
}

/* Draws one picture; false when out of memory. */
typedef bool FilmPicture(void *context, int index, cairo_t *cairo);

/* One picture of so many points. */
bool film_write_page(const char *path, FilmFormat format, double width, double height, FilmPicture *picture,
                     void *context, Status *status);

/* So many pictures of so many pixels, at so many a second. */
bool film_write_video(const char *path, FilmFormat format, int width, int height, double fps, int frames,
                      FilmPicture *picture, void *context, Status *status);

#endif
