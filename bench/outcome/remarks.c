/* SPDX-License-Identifier: MIT */
#include "bench/outcome/remarks.h"

#include "bench/run/json.h"

#include <string.h>

Remarks remarks_none(void)
{
    return (Remarks){.row_solves = NAN};
}

Remarks remarks_of(const Run *run)
{
    const RunResult *result = &run->result;
    Remarks said = {.row_solves = result->row_solves, .event_count = result->event_count};
    memcpy(said.events, result->events, sizeof said.events);
    said.warnings = warnings_of(run);
    said.verdict = verdict_of(run);
    return said;
}

json_t *json_row_solves(double row_solves)
{
    return isfinite(row_solves) ? json_integer((json_int_t)row_solves) : json_null();
}

json_t *json_events(const StepEvent *events, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array,
                              json_pack("{s:s,s:I,s:o}", "what", events[i].what, "count", (json_int_t)events[i].count,
                                        "first_at", json_number(events[i].first_at)));
    return array;
}

json_t *json_warnings(const Warnings *warnings)
{
    json_t *array = json_array();
    for (int i = 0; i < warnings->count; i++)
        json_array_append_new(array, json_string(warnings->texts[i]));
    return array;
}

json_t *json_verdict(Verdict verdict)
{
    return verdict_names[verdict] ? json_string(verdict_names[verdict]) : json_null();
}

void json_set_remarks(json_t *document, const Remarks *said)
{
    json_object_set_new(document, "row_solves", json_row_solves(said->row_solves));
    json_object_set_new(document, "events", json_events(said->events, said->event_count));
    json_object_set_new(document, "warnings", json_warnings(&said->warnings));
}
