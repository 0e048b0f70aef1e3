/* SPDX-License-Identifier: MIT */
#include "bench/run/horizon.h"

#include "bench/run/json.h"

#include <stdio.h>
#include <string.h>

const double horizon_errors[HORIZON_COUNT] = {1e-9, 1e-6, 1e-3};

void horizons_note(Horizons *horizons, double t, double error)
{
    for (int i = 0; i < HORIZON_COUNT; i++)
        if (error <= horizon_errors[i])
            horizons->until[i] = t;
}

const char *horizons_text(const Horizons *horizons, double end, char text[HORIZON_TEXT])
{
    text[0] = '\0';
    for (int i = 0; i < HORIZON_COUNT; i++)
        if (horizons->until[i] < end)
            snprintf(text + strlen(text), HORIZON_TEXT - strlen(text), "%s to %g m until %.3g s",
                     text[0] ? "," : "known", horizon_errors[i], horizons->until[i]);
    return text;
}

json_t *json_horizons(const Horizons *horizons)
{
    json_t *list = json_array();
    for (int i = 0; i < HORIZON_COUNT; i++)
        json_array_append_new(list, json_pack("{s:o,s:o}", "error", json_number(horizon_errors[i]), "until",
                                              json_number(horizons->until[i])));
    return list;
}
