/* SPDX-License-Identifier: MIT */
/* The curve of a metric beside the pictures, as far as the time has come. */
#include "reports/film/film.h"

#include <math.h>
#include <stdio.h>

void film_draw_text(cairo_t *cairo, double x, double y, double size, double align, const char *text)
{
    cairo_text_extents_t extents;
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, text);
}

typedef struct Scale {
    double time_low, time_high, low, high; /* of log10 where `log` */
    bool log;
} Scale;

static double scaled(const Scale *scale, double value)
{
    return scale->log ? log10(value) : value;
}

/* Values that span more than two decades are drawn by their logarithm. */
static Scale scale_of(const FilmRun *runs, int count)
{
    Scale scale = {INFINITY, -INFINITY, INFINITY, -INFINITY, false};
    double least = INFINITY;
    for (int r = 0; r < count; r++)
        for (size_t f = 0; f < runs[r].frames; f++) {
            double t = runs[r].time[f], value = runs[r].metric[f];
            scale.time_low = fmin(scale.time_low, t);
            scale.time_high = fmax(scale.time_high, t);
            if (!isfinite(value))
                continue;
            scale.low = fmin(scale.low, value);
            scale.high = fmax(scale.high, value);
            if (value > 0.0)
                least = fmin(least, value);
        }
    if (!(scale.low <= scale.high))
        scale.low = scale.high = 0.0;
    scale.log = scale.low >= 0.0 && scale.high > 100.0 * least;
    if (scale.log) {
        scale.low = floor(log10(fmax(least, 1e-12 * scale.high)));
        scale.high = ceil(log10(scale.high));
    } else {
        scale.low = fmin(scale.low, 0.0);
    }
    if (!(scale.high > scale.low))
        scale.high = scale.low + 1.0;
    if (!(scale.time_high > scale.time_low))
        scale.time_high = scale.time_low + 1.0;
    return scale;
}

static double curve_x(const Scale *scale, FilmBox box, double time)
{
    return box.x + box.width * (time - scale->time_low) / (scale->time_high - scale->time_low);
}

static double curve_y(const Scale *scale, FilmBox box, double value)
{
    double part = (scaled(scale, value) - scale->low) / (scale->high - scale->low);
    return box.y + box.height * (1.0 - fmax(0.0, fmin(1.0, part)));
}

static void draw_axes(cairo_t *cairo, FilmBox box, const Scale *scale, const char *metric, double size)
{
    char text[64];
    cairo_set_source_rgb(cairo, 0.6, 0.6, 0.6);
    cairo_set_line_width(cairo, 0.6);
    cairo_move_to(cairo, box.x, box.y);
    cairo_line_to(cairo, box.x, box.y + box.height);
    cairo_line_to(cairo, box.x + box.width, box.y + box.height);
    cairo_stroke(cairo);
    cairo_set_source_rgb(cairo, 0.25, 0.25, 0.25);
    snprintf(text, sizeof text, "%.3g", scale->log ? pow(10.0, scale->high) : scale->high);
    film_draw_text(cairo, box.x - 0.4 * size, box.y + 0.8 * size, size, 1.0, text);
    snprintf(text, sizeof text, "%.3g", scale->log ? pow(10.0, scale->low) : scale->low);
    film_draw_text(cairo, box.x - 0.4 * size, box.y + box.height, size, 1.0, text);
    film_draw_text(cairo, box.x, box.y - 0.5 * size, size, 0.0, metric);
    snprintf(text, sizeof text, "%.3g s", scale->time_low);
    film_draw_text(cairo, box.x, box.y + box.height + 1.3 * size, size, 0.0, text);
    snprintf(text, sizeof text, "%.3g s", scale->time_high);
    film_draw_text(cairo, box.x + box.width, box.y + box.height + 1.3 * size, size, 1.0, text);
}

void film_draw_curves(cairo_t *cairo, FilmBox box, double size, const FilmRun *runs, int count, const char *metric,
                      double until, const double *marks, int mark_count)
{
    Scale scale = scale_of(runs, count);
    draw_axes(cairo, box, &scale, metric, size);
    cairo_set_source_rgb(cairo, 0.85, 0.85, 0.85);
    for (int i = 0; i < mark_count; i++) {
        cairo_move_to(cairo, curve_x(&scale, box, marks[i]), box.y);
        cairo_line_to(cairo, curve_x(&scale, box, marks[i]), box.y + box.height);
    }
    cairo_stroke(cairo);
    for (int r = 0; r < count; r++) {
        const double *c = runs[r].colour;
        bool drawing = false;
        cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
        cairo_set_line_width(cairo, 0.14 * size);
        for (size_t f = 0; f < runs[r].frames && runs[r].time[f] <= until + 1e-9; f++) {
            double value = runs[r].metric[f], x = curve_x(&scale, box, runs[r].time[f]);
            bool shown = isfinite(value) && (!scale.log || value > 0.0);
            if (shown && drawing)
                cairo_line_to(cairo, x, curve_y(&scale, box, value));
            else if (shown)
                cairo_move_to(cairo, x, curve_y(&scale, box, value));
            drawing = shown;
        }
        cairo_stroke(cairo);
    }
}
