/* SPDX-License-Identifier: MIT */
#include "solvers/provenance.h"

#include <stddef.h>
#include <string.h>

#define SOLVER2D "solver2d d178a56, in double"
#define AVBD_DEMO "avbd-demo2d 858ceb5, in double"
#define LECTURES "Ten Minute Physics 10, 22, 25 (568d9a9), in double"
#define LOOK_AHEAD "by design: contacts are looked for further ahead (look_ahead=0.02: the same)"

static const Provenance ALL[] = {
    {"pgs_solver2d", SOLVER2D, 11, 0, 0, "3e-12", NULL},
    {"pgs_ngs", SOLVER2D, 10, 1, 0, "3e-12", LOOK_AHEAD},
    {"pgs_ngs_block", SOLVER2D, 10, 1, 0, "3e-12", LOOK_AHEAD},
    {"pgs_soft", SOLVER2D, 10, 1, 0, "2e-12", LOOK_AHEAD},
    {"jacobi", SOLVER2D, 10, 1, 0, "1e-12", LOOK_AHEAD},
    {"soft_step", SOLVER2D, 10, 1, 0, "2e-12", LOOK_AHEAD},
    {"tgs_soft", SOLVER2D, 10, 1, 0, "6e-13", LOOK_AHEAD},
    {"tgs_ngs", SOLVER2D, 10, 1, 0, "9e-13", LOOK_AHEAD},
    {"tgs_sticky_solver2d", SOLVER2D, 10, 0, 1, "3e-13",
     "unexplained: a ball that rolls down, the same for 2 frames, by 2e-5 after 5"},
    {"xpbd_solver2d", SOLVER2D, 11, 0, 0, "2e-10", NULL},
    {"avbd_demo", AVBD_DEMO, 4, 0, 4, "4e-12", "unexplained: boxes in contact; a rope of 20 after 120 frames"},
    {"avbd_demo_post", AVBD_DEMO, 5, 0, 3, "4e-12, contact 5e-4",
     "unexplained: boxes in contact; a rope of 20 after 120 frames"},
    {"mujoco_newton", "MuJoCo 3.14.0", 9, 0, 0, "5e-15", NULL},
    {"newton_xpbd", "Newton 41a5392c, by a model of its source in double", 14, 0, 0, "3e-15", NULL},
    {"bullet", "Bullet 3.24 (float64) of Debian, driven by hand", 2, 0, 0, "5e-16", NULL},
    {"ode_quick", "ODE 0.16.2 of Debian, driven by hand", 2, 0, 0, "8e-5, where its random order allows 2e-4", NULL},
    {"featherstone", "MuJoCo 3.14.0, Euler", 1, 0, 0, "4e-16", NULL},
    {"xpbd", LECTURES ", patched: exact turns, angles for sines", 8, 0, 0, "2e-8",
     "the others of these patches are xpbd_lecture's: limits that take what leans with them, lines with limits in one "
     "correction, damping (its options lean, one_line, own_damping)"},
    {"xpbd_lecture", LECTURES, 36, 0, 0, "1.3e-8, in float arrays 6e-3",
     "departures from xpbd: its six options; without them, and without a gyroscopic term, it is xpbd"},
};

const Provenance *provenance_of(const char *solver)
{
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++)
        if (strcmp(ALL[i].solver, solver) == 0)
            return &ALL[i];
    return NULL;
}
