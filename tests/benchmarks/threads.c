/* SPDX-License-Identifier: MIT */
/* What threads gain, on 10,000 spheres and about as many boxes at rest: the time of a whole frame, detection included,
 * on one thread and on as many as there are cores, and beside it the same for a loop whose turns share nothing, which
 * is all that the machine can give in these minutes. The four take turns; the ratio of the two gains is what counts.
 * A turn is several frames, since pairs are looked for again only in some of them.
 * Wall time: on a machine that others use, too, trust the ratio, and not for much. */
#include "tests/support/drive.h"

#include "model/contact.h"
#include "scenes/scene.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>
#include <unistd.h>

enum { REPEATS = 9, SETTLE_FRAMES = 60, TURN_FRAMES = 6, LOOP_TURNS = 4096, LOOP_STEPS = 2000, LOOP_LEAST = 16 };

static const double DT = 1.0 / 60.0;

typedef struct Heap {
    const char *scene, *param, *value;
} Heap;

static const Heap HEAPS[] = {{"pile", "spheres", "10000"}, {"pyramid", "base", "140"}};

static double wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Problem *heap_build(const Heap *heap)
{
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find(heap->scene);
    Status status;
    settings_init(scene->settings, scene->setting_count, params);
    const Setting *setting = settings_find(scene->settings, scene->setting_count, heap->param);
    return setting && setting_parse(setting, params, heap->value, &status) ? scene_build(scene, params, &status) : NULL;
}

/* Arithmetic in registers, as long for every turn. */
static long loop_turns(void *context, int from, int to)
{
    double *out = context;
    for (int i = from; i < to; i++) {
        double x = 0.5 + 1e-4 * i;
        for (int k = 0; k < LOOP_STEPS; k++)
            x = 3.9 * x * (1.0 - x);
        out[i] = x;
    }
    return to - from;
}

static double loop_time(Team *team)
{
    static double out[LOOP_TURNS];
    double start = wall_seconds();
    if (team_share(team, LOOP_TURNS, LOOP_LEAST, loop_turns, out) != LOOP_TURNS)
        abort();
    return wall_seconds() - start;
}

static double frame_time(Drive *drive, World *world, Team *team)
{
    world->team = team;
    double start = wall_seconds();
    for (int i = 0; i < TURN_FRAMES; i++)
        drive_frame(drive, DT);
    return (wall_seconds() - start) / TURN_FRAMES;
}

static bool heap_measure(const Heap *heap, Team *team)
{
    Problem *problem = heap_build(heap);
    if (!problem)
        return false;
    World *world = problem->world;
    Drive drive;
    double one[REPEATS], many[REPEATS], gain[REPEATS], loop[REPEATS], part[REPEATS];
    world->team = team;
    drive_begin(&drive, world, "pgs", "iterations=10 order=colour");
    for (int i = 0; i < SETTLE_FRAMES; i++)
        drive_frame(&drive, DT);
    for (int r = 0; r < REPEATS; r++) {
        double alone = loop_time(NULL), together = loop_time(team);
        one[r] = frame_time(&drive, world, NULL);
        many[r] = frame_time(&drive, world, team);
        gain[r] = one[r] / many[r];
        loop[r] = alone / together;
        part[r] = gain[r] / loop[r];
    }
    printf("%-8s %9d %10.2f %14.2f %7.2f %14.2f %7.2f\n", heap->scene, world->body_count, 1e3 * median(one, REPEATS),
           1e3 * median(many, REPEATS), median(gain, REPEATS), median(loop, REPEATS), median(part, REPEATS));
    world->team = NULL;
    drive_end(&drive);
    problem_destroy(problem);
    return true;
}

int main(void)
{
    Status status = {0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    Team *team = team_create(cores > 1 ? (int)cores : 2, &status);
    if (!team)
        return 1;
    printf("pgs, 10 iterations, order=colour, %d threads (medians of %d)\n", team_size(team), REPEATS);
    printf("scene       bodies  alone (ms)  together (ms)    gain  a loop's gain   ratio\n");
    bool ok = true;
    for (size_t i = 0; i < sizeof HEAPS / sizeof *HEAPS && ok; i++)
        ok = heap_measure(&HEAPS[i], team);
    team_destroy(team);
    return ok ? 0 : 1;
}
