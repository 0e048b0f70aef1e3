/* SPDX-License-Identifier: MIT */
/* What a run says of itself so far: its document, verdict, warnings and events. */
#include "bench/outcome/verdict.h"
#include "bench/outcome/warnings.h"
#include "bench/run/json.h"
#include "library/internal.h"

#include <stdlib.h>
#include <string.h>

/* A scene that is pushed has another motion than its truth, and keeps no momentum. */
static bool needs_to_be_left_alone(const Metric *metric)
{
    return metric->of_truth || strstr(metric->name, "momentum");
}

void run_look(RigorRun *own)
{
    Run *run = &own->run;
    running_collect(own->running, &run->result, NAN);
    run->made = run->result.status == RUN_OK || run->result.status == RUN_BLEW_UP;
    if (!run->made)
        run->status = own->rigor->status;
    for (int i = 0; own->pushed && i < metric_count; i++)
        if (needs_to_be_left_alone(all_metrics[i]))
            run->result.metrics[i] = NAN;
    run_blank_errors(run);
}

double rigor_run_metric(const RigorRun *own, const char *name)
{
    LIBRARY_CALL;
    int metric = own && name ? metric_find(name) : -1;
    if (metric < 0 || (own->pushed && needs_to_be_left_alone(all_metrics[metric])))
        return NAN;
    double values[METRICS_MAX];
    running_metrics(own->running, &own->run.result, values);
    return values[metric];
}

const char *rigor_run_document(RigorRun *own)
{
    LIBRARY_CALL;
    if (!own)
        return NULL;
    run_look(own);
    json_t *document = json_run(&own->run, true);
    free(own->document);
    own->document = json_dumps(document, 0);
    json_decref(document);
    if (!own->document)
        status_set(&own->rigor->status, STATUS_FAILED, "out of memory");
    return own->document;
}

const char *rigor_run_verdict(RigorRun *own)
{
    LIBRARY_CALL;
    if (!own)
        return NULL;
    run_look(own);
    return verdict_names[verdict_of(&own->run)];
}

RigorStatus rigor_run_warning(RigorRun *own, int index, RigorWarning *warning)
{
    LIBRARY_CALL;
    if (!own || !warning)
        return RIGOR_FAILED;
    run_look(own);
    Warnings warnings = warnings_of(&own->run);
    if (index < 0 || index >= warnings.count)
        return RIGOR_FAILED;
    _Static_assert(sizeof warning->text == WARNING_TEXT, "a warning's text fits");
    memcpy(warning->text, warnings.texts[index], WARNING_TEXT);
    return RIGOR_OK;
}

RigorStatus rigor_run_event(RigorRun *own, int index, RigorEvent *event)
{
    LIBRARY_CALL;
    if (!own || !event)
        return RIGOR_FAILED;
    run_look(own);
    if (index < 0 || index >= own->run.result.event_count)
        return RIGOR_FAILED;
    const StepEvent *said = &own->run.result.events[index];
    _Static_assert(sizeof event->what == STEP_EVENT_TEXT, "an event's text fits");
    *event = (RigorEvent){.count = said->count, .first_at = said->first_at};
    memcpy(event->what, said->what, STEP_EVENT_TEXT);
    return RIGOR_OK;
}
