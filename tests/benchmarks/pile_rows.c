/* SPDX-License-Identifier: MIT */
/* Whether cost stays proportional to size, on `pile` with 1,000 and 10,000 spheres at rest: what a contact row costs in
 * one iteration, (time of a frame with 50 iterations - with 10) / (40 x rows), what all else in a frame costs a row,
 * what its blocks cost a contact, and the broad phase a body. The two sizes take turns and medians are taken, so trust
 * the ratios. */
#include "tests/support/drive.h"

#include "model/contact.h"
#include "scenes/scene.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>

enum { SIZES = 2, FEW = 10, MANY = 50, REPEATS = 9, SETTLE_ITERATIONS = 5, SETTLE_FRAMES = 90 };

static const int SPHERES[SIZES] = {1000, 10000};
static const double DT = 1.0 / 60.0;

typedef struct Heap {
    Problem *problem;
    Drive drive;
    double row[REPEATS], rest[REPEATS], blocks[REPEATS], broad[REPEATS];
    int rows;
} Heap;

/* The spheres have fallen and lie on each other. */
static bool heap_create(Heap *heap, int spheres)
{
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find("pile");
    Status status;
    char text[16];
    snprintf(text, sizeof text, "%d", spheres);
    settings_init(scene->settings, scene->setting_count, params);
    const Setting *setting = settings_find(scene->settings, scene->setting_count, "spheres");
    if (!setting || !setting_parse(setting, params, text, &status))
        return false;
    heap->problem = scene_build(scene, params, &status);
    if (!heap->problem)
        return false;
    drive_begin(&heap->drive, heap->problem->world, "pgs", "");
    heap->drive.phases[0].iterations = SETTLE_ITERATIONS;
    for (int i = 0; i < SETTLE_FRAMES; i++)
        drive_frame(&heap->drive, DT);
    return true;
}

static void heap_destroy(Heap *heap)
{
    if (!heap->problem)
        return;
    drive_end(&heap->drive);
    problem_destroy(heap->problem);
}

static double heap_frame(Heap *heap, int iterations)
{
    heap->drive.phases[0].iterations = iterations;
    double start = seconds();
    drive_frame(&heap->drive, DT);
    return seconds() - start;
}

/* Round r; below 0: to warm up. */
static void heap_measure(Heap *heap, int r, int spheres)
{
    int k = r < 0 ? 0 : r;
    double few = heap_frame(heap, FEW), many = heap_frame(heap, MANY);
    World *world = heap->problem->world;
    heap->rows = world->block_count / 2 * 3;
    heap->row[k] = (many - few) / ((double)(MANY - FEW) * heap->rows);
    heap->rest[k] = (few - FEW * heap->row[k] * heap->rows) / heap->rows;
    contacts_store_impulses(world); /* the blocks are given back what they hold */
    double start = seconds();
    if (!contacts_add_blocks(world))
        abort();
    heap->blocks[k] = (seconds() - start) / (heap->rows / 3.0);
    start = seconds();
    Broadphase *broadphase = &world->contacts->broadphase;
    if (!broadphase_find(broadphase, NULL) || !broadphase_gather(broadphase, NULL))
        abort();
    heap->broad[k] = (seconds() - start) / spheres;
    world->contacts->listed = (PairsListed){0}; /* this list lacks the planes: the next frame makes its own */
}

int main(void)
{
    static Heap heaps[SIZES];
    bool ok = true;
    for (int s = 0; s < SIZES && ok; s++)
        ok = heap_create(&heaps[s], SPHERES[s]);
    for (int r = -1; r < REPEATS && ok; r++)
        for (int s = 0; s < SIZES; s++)
            heap_measure(&heaps[s], r, SPHERES[s]);
    double cost[SIZES][4];
    if (ok)
        printf("pile (median of %d)\n  spheres      rows   ns a row and iteration   rest of a frame (ns a row)   "
               "blocks (ns a "
               "contact)   broad phase (ns a body)\n",
               REPEATS);
    for (int s = 0; s < SIZES && ok; s++) {
        Heap *heap = &heaps[s];
        cost[s][0] = 1e9 * median(heap->row, REPEATS);
        cost[s][1] = 1e9 * median(heap->rest, REPEATS);
        cost[s][2] = 1e9 * median(heap->blocks, REPEATS);
        cost[s][3] = 1e9 * median(heap->broad, REPEATS);
        printf("  %7d %9d   %22.2f   %26.1f   %21.1f   %23.0f\n", SPHERES[s], heap->rows, cost[s][0], cost[s][1],
               cost[s][2], cost[s][3]);
    }
    if (ok)
        printf("    ratio             %22.2f   %26.2f   %21.2f   %23.2f\n", cost[1][0] / cost[0][0],
               cost[1][1] / cost[0][1], cost[1][2] / cost[0][2], cost[1][3] / cost[0][3]);
    for (int s = 0; s < SIZES; s++)
        heap_destroy(&heaps[s]);
    return ok ? 0 : 1;
}
