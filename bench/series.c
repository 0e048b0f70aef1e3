#include "bench/series.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool series_open(Series *series, const char *path, const char *labels, Status *status)
{
    *series = (Series){.path = path, .labelled = labels != NULL};
    if (!path)
        return true;
    int length = snprintf(series->temporary, sizeof series->temporary, "%s.%ld.part", path, (long)getpid());
    if ((size_t)length >= sizeof series->temporary)
        return status_set(status, STATUS_FAILED, "%s: the path is too long", path);
    series->file = fopen(series->temporary, "w");
    if (!series->file)
        return status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
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
    bool written = !ferror(series->file);
    written = fclose(series->file) == 0 && written;
    series->file = NULL;
    if (complete && written && rename(series->temporary, series->path) == 0)
        return true;
    int error = errno;
    unlink(series->temporary);
    return complete ? status_set(status, STATUS_FAILED, "%s: cannot be written: %s", series->path, strerror(error))
                    : false;
}
