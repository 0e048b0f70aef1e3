/* SPDX-License-Identifier: MIT */
/* A chain of 100 stepped from C, the states of all bodies read after each frame, as steps.py does it from Python. On
 * each line of its input it makes a run; the line says what the frames took, in microseconds of
 * processor time. */
#include "library/rigor.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static double position[300], orientation[400], velocity[300], angular_velocity[300], force[600], torque[600];
    Rigor *rigor = rigor_open();
    RigorScene *scene = rigor_scene_open(rigor, "chain");
    rigor_scene_set(scene, "links", "100");
    while (argc > 1 && getchar() != EOF) {
        RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = argv[1], .time = 1});
        double began = now();
        while (rigor_run_step(run) == RIGOR_OK) {
            rigor_run_states(run, position, orientation, velocity, angular_velocity);
            rigor_run_reactions(run, force, torque);
        }
        printf("%.6f\n", (now() - began) / rigor_run_frames(run));
        fflush(stdout);
        rigor_run_close(run);
    }
    rigor_scene_close(scene);
    rigor_close(rigor);
    return 0;
}
