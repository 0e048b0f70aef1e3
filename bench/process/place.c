/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "bench/process/place.h"

#include <stdio.h>
#include <sys/mman.h>

/* A crash leaves nothing else to look at: the place is found by a signal's handler, or by the parent. */
static RunPlace own, *here; /* NULL: nobody looks, as in a host program, whose threads may each have a run */

RunPlace *places_create(int count)
{
    void *places =
        mmap(NULL, sizeof(RunPlace) * (size_t)count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return places == MAP_FAILED ? NULL : places;
}

void places_destroy(RunPlace *places, int count)
{
    if (places)
        munmap(places, sizeof(RunPlace) * (size_t)count);
}

void place_keep(void)
{
    place_keep_at(&own);
}

void place_keep_at(RunPlace *place)
{
    *place = (RunPlace){.phase = -1};
    here = place;
}

void place_begin(const Solver *solver)
{
    if (!here)
        return;
    *here = (RunPlace){.phase = -1};
    snprintf(here->solver, PLACE_NAME, "%s", solver->name);
}

void place_created(const Stepper *stepper)
{
    for (int i = 0; here && i < stepper->phase_count; i++)
        snprintf(here->phases[i], PLACE_NAME, "%s", stepper->phases[i].name ? stepper->phases[i].name : "");
    if (here)
        here->created = 1;
}

void place_frame(int frame)
{
    if (here)
        here->frame = frame;
}

void place_part(StepPart part, int phase)
{
    if (!here)
        return;
    here->part = (int)part;
    here->phase = phase;
}

void place_end(void)
{
    if (here)
        *here = (RunPlace){.phase = -1};
}

const char *place_text(const RunPlace *place, char text[PLACE_TEXT])
{
    if (!place)
        place = here;
    text[0] = '\0';
    if (!place || !place->solver[0])
        return text;
    if (!place->created)
        snprintf(text, PLACE_TEXT, " as solver %s was created", place->solver);
    else if (place->phase >= 0 && place->phase < SOLVER_MAX_PHASES)
        snprintf(text, PLACE_TEXT, " in phase '%s' of solver %s, frame %d", place->phases[place->phase], place->solver,
                 place->frame);
    else
        snprintf(text, PLACE_TEXT, " %s, in a run of solver %s, frame %d",
                 place->part >= STEP_BROAD && place->part <= STEP_BLOCKS ? "in detection" : "between phases",
                 place->solver, place->frame);
    return text;
}
