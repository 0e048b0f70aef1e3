/* SPDX-License-Identifier: MIT */
/* What a row costs in one iteration, in the order of creation and colour by colour: (time of a frame with 50 iterations
 * - with 10) / (40 x rows). All take turns and medians are taken, so trust the ratios. Piles are timed when they lie,
 * and the pyramid tells whether it stands: its deepest overlap, and how far a box has moved. */
#include "tests/support/drive.h"

#include "model/contact.h"
#include "scenes/scene.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 10, MANY = 50, REPEATS = 25 };

static const double DT = 1.0 / 60.0;

typedef struct Entry {
    const char *scene, *param, *value, *solver, *options;
    int frames; /* before the clock starts */
    Problem *problem;
    Drive drive;
    Vec3 *start;
    long rows;
    double row[REPEATS];
} Entry;

static Entry entries[] = {
    {"chain", "links", "100", "pgs", "substeps=4 iterations=1", 30},
    {"chain", "links", "100", "pgs", "substeps=4 iterations=1 order=colour", 30},
    {"pyramid", "base", "20", "pgs", "iterations=12", 300},
    {"pyramid", "base", "20", "pgs", "iterations=12 order=colour", 300},
    {"pyramid", "base", "20", "pgs_block", "iterations=12", 300},
    {"pyramid", "base", "20", "pgs_block", "iterations=12 order=colour", 300},
    {"pile", "spheres", "1000", "pgs", "iterations=10", 120},
    {"pile", "spheres", "1000", "pgs", "iterations=10 order=colour", 120},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static bool entry_begin(Entry *entry)
{
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find(entry->scene);
    Status status;
    settings_init(scene->settings, scene->setting_count, params);
    const Setting *setting = settings_find(scene->settings, scene->setting_count, entry->param);
    if (!setting || !setting_parse(setting, params, entry->value, &status))
        return false;
    entry->problem = scene_build(scene, params, &status);
    if (!entry->problem)
        return false;
    const World *world = entry->problem->world;
    entry->start = calloc((size_t)world->body_count, sizeof *entry->start);
    for (int i = 0; i < world->body_count; i++)
        entry->start[i] = world->pose[i].x;
    drive_begin(&entry->drive, entry->problem->world, entry->solver, entry->options);
    for (int i = 0; i < entry->frames; i++)
        drive_frame(&entry->drive, DT);
    return true;
}

/* s */
static double entry_frame(Entry *entry, int iterations)
{
    long before = entry->drive.step.row_solves;
    entry->drive.phases[0].iterations = iterations;
    double start = seconds();
    drive_frame(&entry->drive, DT);
    double elapsed = seconds() - start;
    entry->rows = (entry->drive.step.row_solves - before) / iterations;
    return elapsed;
}

/* A frame off the clock comes first: it fetches what the other scenes have driven out of the caches, which the sweeps
 * of the next one would be charged with. */
static void entry_measure(Entry *entry, int r)
{
    entry_frame(entry, FEW);
    double many = entry_frame(entry, MANY), few = entry_frame(entry, FEW);
    entry->row[r] = (many - few) / ((double)(MANY - FEW) * (double)entry->rows);
}

static void entry_print(Entry *entry)
{
    const World *world = entry->problem->world;
    printf("  %-8s %-10s %-38s %22.2f", entry->scene, entry->solver, entry->options, 1e9 * median(entry->row, REPEATS));
    if (strcmp(entry->scene, "pyramid") == 0) {
        double deepest = 0.0, moved = 0.0;
        for (size_t m = 0; m < world->contacts->manifold_count; m++)
            for (int i = 0; i < world->contacts->manifolds[m].count; i++)
                deepest = fmax(deepest, -world->contacts->manifolds[m].point[i].gap);
        for (int i = 0; i < world->body_count; i++)
            moved = fmax(moved, vec3_norm(vec3_sub(world->pose[i].x, entry->start[i])));
        printf("   %12.2f   %9.3f", 1e3 * deepest, moved);
    }
    printf("\n");
}

int main(void)
{
    bool ok = true;
    for (int e = 0; e < ENTRIES && ok; e++)
        ok = entry_begin(&entries[e]);
    for (int r = 0; r < REPEATS && ok; r++)
        for (int e = 0; e < ENTRIES; e++)
            entry_measure(&entries[e], r);
    if (ok)
        printf("sweeps (median of %d)                                        ns a row and iteration   overlap (mm)   "
               "moved (m)\n",
               REPEATS);
    for (int e = 0; e < ENTRIES && ok; e++)
        entry_print(&entries[e]);
    for (int e = 0; e < ENTRIES; e++) {
        if (entries[e].problem && entries[e].start) {
            drive_end(&entries[e].drive);
            problem_destroy(entries[e].problem);
        }
        free(entries[e].start);
    }
    return ok ? 0 : 1;
}
