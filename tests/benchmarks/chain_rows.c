/* SPDX-License-Identifier: MIT */
/* What one row costs in one iteration, on `chain` links=100: (time with 50 iterations - time with 10) / (40 x rows),
 * which leaves out everything that is done once a step. ODE's QuickStep runs beside it on the same chain, in the same
 * minute: the runs are interleaved and medians taken, so trust the ratio. */
#include "tests/support/drive.h"

#include "tests/benchmarks/ode_chain.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>

enum { LINKS = 100, ROWS = 3 * LINKS, FEW = 10, MANY = 50, STEPS = 300, REPEATS = 15 };

static const double LENGTH = 0.2, THICKNESS = 0.05, DENSITY = 1000.0;
/* Small enough that no engine blows up: the chain's transverse modes are stiff. */
static const double DT = 1.0 / 1200.0;

static World *chain_create(void)
{
    World *world = world_create();
    Status status;
    for (int i = 0; i < LINKS; i++) {
        BodyDef link = BODY_DEF_INIT;
        char name[16];
        snprintf(name, sizeof name, "link%d", i + 1);
        link.name = name;
        link.position = vec3((i + 0.5) * LENGTH, 0, 0);
        link.shape = (Shape){.kind = SHAPE_BOX, .size = {LENGTH, THICKNESS, THICKNESS}};
        link.density = DENSITY;
        int body = world_add_body(world, &link, &status);
        JointDef joint = joint_def(JOINT_BALL, body - 1, body);
        joint.anchor[0] = vec3(i * LENGTH, 0, 0);
        world_add_joint(world, &joint, &status);
    }
    return world;
}

static double time_solver(const char *solver, int iterations)
{
    World *world = chain_create();
    char options[64];
    Drive drive;
    snprintf(options, sizeof options, "substeps=1 iterations=%d", iterations);
    drive_begin(&drive, world, solver, options);
    double start = seconds();
    for (int i = 0; i < STEPS; i++)
        drive_frame(&drive, DT);
    double elapsed = seconds() - start;
    drive_end(&drive);
    world_destroy(world);
    return elapsed;
}

static double time_ode(const char *name, int iterations)
{
    (void)name;
    OdeChain *chain = ode_chain_create(LINKS, LENGTH, THICKNESS, DENSITY, iterations);
    double start = seconds();
    for (int i = 0; i < STEPS; i++)
        ode_chain_step(chain, DT);
    double elapsed = seconds() - start;
    ode_chain_destroy(chain);
    return elapsed;
}

int main(void)
{
    static const struct {
        const char *name;
        double (*time)(const char *, int);
    } CONTENDERS[] = {{"pgs", time_solver}, {"xpbd", time_solver}, {"ode_quickstep", time_ode}};
    enum { COUNT = sizeof CONTENDERS / sizeof CONTENDERS[0] };
    static double cost[COUNT][REPEATS];
    int count = ode_chain_available() ? COUNT : COUNT - 1;
    for (int r = -1; r < REPEATS; r++) /* the first round warms up */
        for (int c = 0; c < count; c++) {
            double few = CONTENDERS[c].time(CONTENDERS[c].name, FEW);
            double many = CONTENDERS[c].time(CONTENDERS[c].name, MANY);
            if (r >= 0)
                cost[c][r] = (many - few) / ((double)(MANY - FEW) * ROWS * STEPS);
        }
    printf("chain links=%d, ns per row and iteration (median of %d)\n", LINKS, REPEATS);
    for (int c = 0; c < count; c++)
        printf("  %-14s %7.2f\n", CONTENDERS[c].name, 1e9 * median(cost[c], REPEATS));
    for (int c = 0; c + 1 < count; c++)
        printf("  %s / ode_quickstep %.2f\n", CONTENDERS[c].name, cost[c][REPEATS / 2] / cost[count - 1][REPEATS / 2]);
    return 0;
}
