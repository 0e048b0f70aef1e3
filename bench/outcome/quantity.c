/* SPDX-License-Identifier: MIT */
#include "bench/outcome/quantity.h"

#include "model/suggest.h"

#include <string.h>

static const char *const COSTS[] = {"row_solves", "us_per_frame", "wall_s"};
enum { COST_COUNT = sizeof COSTS / sizeof COSTS[0] };

int quantity_find(const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < metric_count + COST_COUNT; i++) {
        if (strcmp(quantity_name(i), name) == 0)
            return i;
        suggestion_offer(&near, quantity_name(i));
    }
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown metric '%s'%s", name, suggestion_text(&near, text));
    return -1;
}

const char *quantity_name(int quantity)
{
    return quantity < metric_count ? all_metrics[quantity]->name : COSTS[quantity - metric_count];
}

bool quantity_more_is_better(int quantity)
{
    return quantity < metric_count && all_metrics[quantity]->more_is_better;
}

double quantity_of(const RunResult *result, int quantity)
{
    if (quantity < metric_count)
        return result->metrics[quantity];
    const double costs[COST_COUNT] = {result->row_solves, result->us_per_frame, result->wall_s};
    return costs[quantity - metric_count];
}
