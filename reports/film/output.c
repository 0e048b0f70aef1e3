/* SPDX-License-Identifier: MIT */
#include "reports/film/output.h"

#include "bench/files/write_file.h"
#include "bench/process/program.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const ENDINGS[FILM_FORMATS] = {".pdf", ".svg", ".png", ".mp4", ".gif"};

/* Pixels of a PNG for one point of the page. */
#define PNG_SCALE 2.0

bool film_format_of(const char *path, FilmFormat *format, Status *status)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < FILM_FORMATS; i++)
        if (strcasecmp(dot, ENDINGS[i]) == 0) {
            *format = (FilmFormat)i;
            return true;
        }
    return status_set(status, STATUS_USAGE, "%s: does not end in .mp4, .gif, .pdf, .svg or .png", path);
}

static cairo_status_t write_stream(void *file, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *page_create(FilmFormat format, double width, double height, FILE *file)
{
    if (format == FILM_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(PNG_SCALE * width), (int)(PNG_SCALE * height));
    if (format == FILM_SVG)
        return cairo_svg_surface_create_for_stream(write_stream, file, width, height);
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_stream, file, width, height);
    /* The same picture is the same file, whenever it is made. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return surface;
}

static void paint_white(cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
}

bool film_write_page(const char *path, FilmFormat format, double width, double height, FilmPicture *picture,
                     void *context, Status *status)
{
    FileWriter writer;
    if (!writer_open(&writer, path, status))
        return false;
    cairo_surface_t *surface = page_create(format, width, height, writer.file);
    cairo_t *cairo = cairo_create(surface);
    if (format == FILM_PNG)
        cairo_scale(cairo, PNG_SCALE, PNG_SCALE);
    paint_white(cairo);
    bool ok = picture(context, 0, cairo) || status_set(status, STATUS_FAILED, "out of memory");
    cairo_status_t drawn = cairo_status(cairo);
    cairo_destroy(cairo);
    if (ok && format == FILM_PNG && drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_write_to_png_stream(surface, write_stream, writer.file);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (ok && drawn != CAIRO_STATUS_SUCCESS)
        ok = status_set(status, STATUS_FAILED, "%s: %s", path, cairo_status_to_string(drawn));
    return writer_close(&writer, ok, status);
}

/* A process that reads frames and writes the part file. `file:` keeps a path from being an option or an address. */
static bool ffmpeg_start(Program *ffmpeg, const char *part, FilmFormat format, int width, int height, double fps,
                         Status *status)
{
    static const char *const HOW[FILM_FORMATS][9] = {
        [FILM_GIF] = {"-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer"},
        [FILM_MP4] = {"-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"},
    };
    char place[WRITE_PATH], size[32], rate[32], target[WRITE_PATH + 8];
    if (!program_find("ffmpeg", place, sizeof place))
        return status_set(status, STATUS_FAILED,
                          "a video needs ffmpeg, which is not installed (apt install ffmpeg); .pdf, .svg and .png do "
                          "not");
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%g", fps);
    snprintf(target, sizeof target, "file:%s", part);
    const char *words[40] = {
        "ffmpeg", "-loglevel",  "error", "-y", "-f",     "rawvideo", "-pixel_format", "bgra",          "-video_size",
        size,     "-framerate", rate,    "-i", "pipe:0", "-fflags",  "+bitexact",     "-map_metadata", "-1"};
    int count = 0;
    while (words[count])
        count++;
    for (int i = 0; HOW[format][i]; i++)
        words[count++] = HOW[format][i];
    words[count++] = "-f"; /* not by the part's ending */
    words[count++] = format == FILM_GIF ? "gif" : "mp4";
    words[count] = target;
    return program_start(ffmpeg, place, (char *const *)words, status);
}

/* One picture's pixels, row by row. */
static bool send_frame(FILE *out, cairo_surface_t *surface, int width, int height)
{
    const unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    bool ok = data != NULL;
    for (int row = 0; ok && row < height; row++)
        ok = fwrite(data + (size_t)row * (size_t)stride, 4, (size_t)width, out) == (size_t)width;
    return ok;
}

bool film_write_video(const char *path, FilmFormat format, int width, int height, double fps, int frames,
                      FilmPicture *picture, void *context, Status *status)
{
    FileWriter writer;
    Program ffmpeg = {0};
    if (!writer_reserve(&writer, path, status))
        return false;
    bool ok = ffmpeg_start(&ffmpeg, writer.part, format, width, height, fps, status);
    parts_written_by(ffmpeg.pid);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* the exit status of ffmpeg says that it gave up */
    for (int i = 0; ok && i < frames; i++) {
        cairo_t *cairo = cairo_create(surface);
        paint_white(cairo);
        ok = picture(context, i, cairo) || status_set(status, STATUS_FAILED, "out of memory");
        cairo_destroy(cairo);
        cairo_surface_flush(surface);
        ok = ok && (send_frame(ffmpeg.in, surface, width, height) ||
                    status_set(status, STATUS_FAILED, "%s: ffmpeg stopped", path));
    }
    cairo_surface_destroy(surface);
    if (!program_end(&ffmpeg) && ok)
        ok = status_set(status, STATUS_FAILED, "%s: ffmpeg could not write it", path);
    parts_written_by(0);
    signal(SIGPIPE, before);
    return writer_close(&writer, ok, status);
}
