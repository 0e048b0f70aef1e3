#include "reports/figure.h"

#include <stdlib.h>

char *workshop_cache_path(const Workshop *workshop, const char *hash, const char *extension)
{
    Text path = {0};
    text_add(&path, "%s/cache/%s.%s", workshop->directory, hash, extension);
    if (!path.failed)
        return path.data;
    free(path.data);
    return NULL;
}

bool figure_gather(Figure *figure, Workshop *workshop, Status *status)
{
    json_decref(figure->data);
    figure->data = json_array();
    if (!figure->data)
        return status_set(status, STATUS_FAILED, "out of memory");
    return figure_add_grid(figure, workshop, status) && figure_add_series(figure, workshop, status) &&
           figure_add_data(figure, workshop, status);
}
