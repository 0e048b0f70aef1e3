/* SPDX-License-Identifier: MIT */
#include "bench/reality/suite.h"

#include "model/suggest.h"

#include <string.h>
#include <time.h>

extern const Suite suite_tosses, suite_impacts;

const Suite *const all_suites[] = {&suite_tosses, &suite_impacts};
const int suite_count = sizeof all_suites / sizeof all_suites[0];

const Suite *suite_find(const char *name, Status *status)
{
    char text[SUGGESTION_TEXT];
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < suite_count; i++) {
        if (strcmp(all_suites[i]->name, name) == 0)
            return all_suites[i];
        suggestion_offer(&near, all_suites[i]->name);
    }
    status_set(status, STATUS_USAGE, "unknown suite '%s'%s; there are tosses, impacts, cube and phenomena", name,
               suggestion_text(&near, text));
    return NULL;
}

double suite_cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
