/* SPDX-License-Identifier: MIT */
#include "bench/run/series.h"

bool series_open(Series *series, const char *path, const char *labels, Status *status)
{
    *series = (Series){.path = path, .labelled = labels != NULL};
    if (!path)
        return true;
    if (!writer_open(&series->writer, path, status))
        return false;
    series->file = series->writer.file;
    fprintf(series->file, "%s%stime", labels ? labels : "", labels ? "," : "");
    for (int i = 0; i < metric_count; i++)
        fprintf(series->file, ",%s", all_metrics[i]->name);
    fputc('\n', series->file);
    return true;
}

void series_add(Series *series, const Run *run, const char *labels)
{
    if (!series->file || !run->result.series)
        return;
    for (int frame = 0; frame < run->result.frames_done; frame++) {
        const double *row = run->result.series + (size_t)frame * (size_t)metric_count;
        fprintf(series->file, "%s%s%.17g", series->labelled ? labels : "", series->labelled ? "," : "",
                (frame + 1) * run->dt);
        for (int i = 0; i < metric_count; i++)
            fprintf(series->file, isfinite(row[i]) ? ",%.17g" : ",", row[i]);
        fputc('\n', series->file);
    }
}

bool series_close(Series *series, bool complete, Status *status)
{
    if (!series->file)
        return complete;
    series->file = NULL;
    return writer_close(&series->writer, complete, status);
}
