/* SPDX-License-Identifier: MIT */
/* What one contact row costs in one iteration, on `pyramid` base=20: (time with 50 iterations - time with 10) / (40 x
 * rows), which leaves out everything that is done once a step; and a whole frame with detection, pgs with as many
 * iterations as it takes to stand with less than 8 mm of overlap beside ODE's QuickStep with 50. ODE runs in the same
 * minute: the runs are interleaved and medians taken, so trust the ratio. */
#include "tests/support/drive.h"

#include "model/contact.h"
#include "tests/benchmarks/ode_pyramid.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>

enum { BASE = 20, FEW = 10, MANY = 50, STEPS = 30, REPEATS = 9, ENOUGH = 12, ODE_ENOUGH = 50, STANDS = 300 };

static const double APART = 1.05, MU = 0.5, DENSITY = 1000.0, DT = 1.0 / 60.0;

/* ENOUGH: with 12 iterations and more the pyramid stands for 10 s with less than 5 mm of overlap and moves by 4 mm/s at
 * the most; QuickStep's 50 leave 8 mm/s. */

/* Both detections let boxes touch by this much, m, so that ODE, which has no margin, finds the same points. */
static const double TOUCH = 1e-4;

static Vec3 box_at(int row, int i)
{
    return vec3(APART * (i - 0.5 * (BASE - row - 1)), 0.5 - TOUCH + (1.0 - TOUCH) * row, 0);
}

static World *pyramid_create(void)
{
    World *world = world_create();
    Status status;
    BodyDef ground = BODY_DEF_INIT, box = BODY_DEF_INIT;
    world->collide = true;
    world->materials[0].friction = MU;
    ground.name = "ground";
    ground.fixed = true;
    ground.shape = (Shape){.kind = SHAPE_PLANE, .normal = {0, 1, 0}};
    world_add_body(world, &ground, &status);
    box.shape = (Shape){.kind = SHAPE_BOX, .size = {1, 1, 1}};
    box.density = DENSITY;
    for (int row = 0; row < BASE; row++)
        for (int i = 0; i < BASE - row; i++) {
            char name[24];
            snprintf(name, sizeof name, "box%d.%d", row, i);
            box.name = name;
            box.position = box_at(row, i);
            world_add_body(world, &box, &status);
        }
    return world;
}

static OdePyramid *ode_create(int iterations)
{
    OdePyramid *pyramid = ode_pyramid_create(iterations, MU, DENSITY);
    for (int row = 0; row < BASE; row++)
        for (int i = 0; i < BASE - row; i++) {
            Vec3 at = box_at(row, i);
            ode_pyramid_add_box(pyramid, at.x, at.y, at.z);
        }
    return pyramid;
}

/* s a step, detection included, over `steps`; the last step's rows. */
static double time_pgs(int iterations, int steps, int *rows)
{
    World *world = pyramid_create();
    char options[32];
    Drive drive;
    snprintf(options, sizeof options, "iterations=%d", iterations);
    drive_begin(&drive, world, "pgs", options);
    drive_frame(&drive, DT);
    double start = seconds();
    for (int i = 0; i < steps; i++)
        drive_frame(&drive, DT);
    double elapsed = seconds() - start;
    *rows = world->block_count / 2 * 3;
    drive_end(&drive);
    world_destroy(world);
    return elapsed / steps;
}

/* `again`: detection in every step; else once, before the clock starts. */
static double time_ode(int iterations, int steps, bool again, int *rows)
{
    OdePyramid *pyramid = ode_create(iterations);
    *rows = ode_pyramid_collide(pyramid);
    double start = seconds();
    for (int i = 0; i < steps; i++) {
        if (again)
            *rows = ode_pyramid_collide(pyramid);
        ode_pyramid_step(pyramid, DT);
    }
    double elapsed = seconds() - start;
    ode_pyramid_destroy(pyramid);
    return elapsed / steps;
}

static void print_quality(bool has_ode)
{
    World *world = pyramid_create();
    char options[32];
    snprintf(options, sizeof options, "iterations=%d", ENOUGH);
    drive_run(world, "pgs", options, DT, STANDS);
    double deepest = 0.0, fall = box_at(BASE - 1, 0).y - world->pose[world->body_count - 1].x.y;
    for (size_t m = 0; m < world->contacts->manifold_count; m++)
        for (int i = 0; i < world->contacts->manifolds[m].count; i++)
            deepest = fmax(deepest, -world->contacts->manifolds[m].point[i].gap);
    printf("after %.0f s: pgs %d overlaps by %.2f mm, its top sank by %.1f mm\n", STANDS * DT, ENOUGH, 1e3 * deepest,
           1e3 * fall);
    world_destroy(world);
    if (!has_ode)
        return;
    OdePyramid *pyramid = ode_create(ODE_ENOUGH);
    for (int i = 0; i < STANDS; i++) {
        ode_pyramid_collide(pyramid);
        ode_pyramid_step(pyramid, DT);
    }
    ode_pyramid_collide(pyramid);
    printf("             ode_quickstep %d overlaps by %.2f mm, its top sank by %.1f mm\n", ODE_ENOUGH,
           1e3 * ode_pyramid_deepest(pyramid), 1e3 * (box_at(BASE - 1, 0).y - ode_pyramid_height(pyramid)));
    ode_pyramid_destroy(pyramid);
}

int main(void)
{
    enum { PGS, ODE, CONTENDERS };
    static const char *const NAMES[CONTENDERS] = {"pgs", "ode_quickstep"};
    static double row[CONTENDERS][REPEATS], frame[CONTENDERS][REPEATS];
    int rows[CONTENDERS] = {0}, count = ode_pyramid_available() ? CONTENDERS : 1;
    for (int r = -1; r < REPEATS; r++) { /* the first round warms up */
        int k = r < 0 ? 0 : r;
        double few = time_pgs(FEW, STEPS, &rows[PGS]), many = time_pgs(MANY, STEPS, &rows[PGS]);
        row[PGS][k] = (many - few) / ((double)(MANY - FEW) * rows[PGS]);
        frame[PGS][k] = time_pgs(ENOUGH, STEPS, &rows[PGS]);
        if (count == 1)
            continue;
        frame[ODE][k] = time_ode(ODE_ENOUGH, STEPS, true, &rows[ODE]);
        few = time_ode(FEW, 1, false, &rows[ODE]), many = time_ode(MANY, 1, false, &rows[ODE]);
        row[ODE][k] = (many - few) / ((double)(MANY - FEW) * rows[ODE]);
    }
    printf("pyramid base=%d (median of %d)\n                     rows   ns a row and iteration   ms a frame\n", BASE,
           REPEATS);
    for (int c = 0; c < count; c++)
        printf("  %-14s %9d   %22.2f   %10.3f\n", NAMES[c], rows[c], 1e9 * median(row[c], REPEATS),
               1e3 * median(frame[c], REPEATS));
    if (count > 1)
        printf("  ode_quickstep / pgs: %.2f a row, %.2f a frame (pgs %d iterations, ode_quickstep %d)\n",
               row[ODE][REPEATS / 2] / row[PGS][REPEATS / 2], frame[ODE][REPEATS / 2] / frame[PGS][REPEATS / 2], ENOUGH,
               ODE_ENOUGH);
    print_quality(count > 1);
    return 0;
}
