/* SPDX-License-Identifier: MIT */
/* librigor inside of somebody's program: whatever locale, rounding, threads, stack and handlers that has, calls work,
 * give the same bits, and leave all of it as it was. usage: test_host [a locale of decimal commas] */
#include "library/rigor.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As of a shell with `ulimit -s 128`. Frames that a sanitizer has grown do not fit: there it is the usual stack. */
#ifdef SANITIZED
enum { THREADS = 6, SMALL_STACK = 0 };
#else
enum { THREADS = 6, SMALL_STACK = 128 << 10 };
#endif

static int failures;

static void check(int holds, const char *what)
{
    if (!holds) {
        failures++;
        dprintf(9, "FAILED: %s\n", what); /* what the host kept of its standard error */
    }
}

/* What a visit to the library gave. */
typedef struct Visit {
    int seed;
    double numbers[16];
    int count;
} Visit;

static void visit_run(Visit *visit, RigorScene *scene, const RigorPlan *plan, const char *metric)
{
    RigorRun *run = rigor_run_open(scene, plan);
    double position[3] = {0};
    while (rigor_run_step(run) == RIGOR_OK)
        continue;
    rigor_run_pose(run, rigor_run_body_count(run) - 1, position, NULL);
    for (int i = 0; i < 3; i++)
        visit->numbers[visit->count++] = position[i];
    visit->numbers[visit->count++] = rigor_run_metric(run, metric);
    rigor_run_close(run);
}

/* Built-in scenes, a scene of its own, dense and iterative solvers, a truth that goes through the cache. */
static void *visit_make(void *context)
{
    Visit *visit = context;
    Rigor *rigor = rigor_open();
    RigorScene *stack = rigor_scene_open(rigor, "stack"), *chain = rigor_scene_open(rigor, "chain");
    RigorScene *parsed =
        rigor_scene_parse(rigor, "{\"rigor\": 1, \"name\": \"ball\", \"bodies\": [{\"name\": \"b\", "
                                 "\"shape\": {\"sphere\": {\"radius\": 0.25}}, \"density\": 1000.5}]}");
    int ok = rigor_scene_set(stack, "boxes", "3") == RIGOR_OK && rigor_scene_set(chain, "links", "3") == RIGOR_OK &&
             rigor_scene_set(parsed, "gravity", "[0, -1.625, 0.5]") == RIGOR_OK;
    ok = ok && rigor_scene_add_body(parsed, &(RigorBodyDef){.name = "c",
                                                            .shape = RIGOR_BOX,
                                                            .size = {0.5, 0.25, 0.125},
                                                            .position = {3.5, 0, 0}}) == RIGOR_OK;
    check(ok, rigor_message(rigor));
    visit_run(visit, stack, &(RigorPlan){.solver = "pgs:beta=0.25", .time = 0.25}, "penetration_max");
    visit_run(visit, chain, &(RigorPlan){.solver = "kkt", .time = 0.25, .reference = 1}, "error_end");
    visit_run(visit, parsed, &(RigorPlan){.solver = "xpbd", .time = 0.25}, "energy_error_max");
    check(rigor_run_open(stack, &(RigorPlan){.solver = "no such"}) == NULL, "an unknown solver runs");
    check(strstr(rigor_message(rigor), "no such") != NULL, "a mistake is not named");
    rigor_scene_close(stack);
    rigor_scene_close(chain);
    rigor_scene_close(parsed);
    rigor_close(rigor);
    return NULL;
}

static int same(const Visit *a, const Visit *b)
{
    return a->count == b->count && memcmp(a->numbers, b->numbers, sizeof a->numbers[0] * (size_t)a->count) == 0;
}

static void in_threads(const Visit *expected, size_t stack)
{
    pthread_t threads[THREADS];
    Visit visits[THREADS];
    pthread_attr_t attributes;
    memset(visits, 0, sizeof visits);
    pthread_attr_init(&attributes);
    if (stack > 0)
        check(pthread_attr_setstacksize(&attributes, stack) == 0, "no thread of a small stack");
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], &attributes, visit_make, &visits[i]) == 0, "no thread");
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        check(same(&visits[i], expected), "a thread has other bits");
    }
    pthread_attr_destroy(&attributes);
}

static void handlers_of(struct sigaction handlers[65])
{
    memset(handlers, 0, sizeof *handlers * 65);
    for (int i = 1; i < 65; i++)
        sigaction(i, NULL, &handlers[i]);
}

int main(int argc, char **argv)
{
    struct sigaction before[65], after[65];
    char mine[32];
    struct stat said;
    FILE *words = tmpfile(); /* in place of standard output and error: what the library says would be there */
    Visit first = {0}, again = {0}, rounded = {0};
    dup2(STDERR_FILENO, 9);
    dup2(fileno(words), STDOUT_FILENO);
    dup2(fileno(words), STDERR_FILENO);
    handlers_of(before);

    if (argc <= 1) { /* all at once: also the first calls of a process */
        Visit expected = {0};
        pthread_t one;
        in_threads((pthread_create(&one, NULL, visit_make, &expected), pthread_join(one, NULL), &expected), 0);
    }
    visit_make(&first);
    check(first.count == 12 && first.numbers[7] > 0.0 && first.numbers[7] < 1.0,
          "there is no truth to be held against");
    if (argc > 1) {
        check(setlocale(LC_ALL, argv[1]) != NULL, "there is no such locale");
        snprintf(mine, sizeof mine, "%.1f", 0.5);
        check(strcmp(mine, "0,5") == 0, "the locale has no decimal comma");
        visit_make(&again);
        check(same(&first, &again), "a decimal comma changes results");
        snprintf(mine, sizeof mine, "%.1f", 0.5);
        check(strcmp(mine, "0,5") == 0, "the host's locale is gone");
    }
    in_threads(&first, 0);
    in_threads(&first, SMALL_STACK);
    fesetround(FE_UPWARD);
    visit_make(&rounded);
    check(fegetround() == FE_UPWARD, "the host's rounding is gone");
    fesetround(FE_TONEAREST);
    check(same(&first, &rounded), "the host's rounding changes results");

    handlers_of(after);
    for (int i = 1; i < 65; i++)
        if (before[i].sa_handler != after[i].sa_handler || before[i].sa_flags != after[i].sa_flags) {
            snprintf(mine, sizeof mine, "the handler of signal %d", i);
            check(0, mine);
        }
    fflush(NULL);
    check(fstat(fileno(words), &said) == 0 && said.st_size == 0, "the library says something");
    if (failures == 0)
        dprintf(9, "all passed\n");
    return failures > 0;
}
