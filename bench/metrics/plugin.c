/* SPDX-License-Identifier: MIT */
/* Metrics built outside the tree. */
#include "bench/metrics/metrics.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A metric's name is typed, and a column of tables and documents. */
static bool name_is_plain(const char *name)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = strlen(name);
    return length > 0 && length <= 64 && strspn(name, PLAIN) == length;
}

static const char *metric_fault(const Metric *metric, const int *abi)
{
    if (!abi || *abi != METRIC_ABI)
        return "its metric was built for another version: rigor_metric_abi is not METRIC_ABI";
    if (!metric->name || !metric->unit || !metric->definition || !metric->applies || !metric->sample)
        return "its metric lacks a name, unit, definition, applies or sample";
    if (!name_is_plain(metric->name))
        return "its metric's name is not of letters, digits and _, at most 64 of them";
    if (metric_find(metric->name) >= 0)
        return "there is already a metric of this name";
    return metric_count == METRICS_MAX ? "there is no room for one more metric" : NULL;
}

bool metrics_load(const char *path, bool *found, Status *status)
{
    char local[1024];
    *found = false;
    if ((size_t)snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path) >= sizeof local)
        return status_set(status, STATUS_BAD_FILE, "%s: the path is too long", path);
    void *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    const Metric *metric = handle ? dlsym(handle, "rigor_metric") : NULL;
    if (!metric) { /* who loads solvers says what is wrong with the file */
        if (handle)
            dlclose(handle);
        return true;
    }
    const char *fault = metric_fault(metric, dlsym(handle, "rigor_metric_abi"));
    if (fault) {
        dlclose(handle);
        return status_set(status, STATUS_BAD_FILE, "%s: %s", path, fault);
    }
    all_metrics[metric_count++] = metric; /* and the file stays loaded */
    *found = true;
    return true;
}
