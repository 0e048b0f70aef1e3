/* SPDX-License-Identifier: MIT */
#include "solvers/provenance.h"

#include <stddef.h>
#include <string.h>

#define SOLVER2D "solver2d d178a56, in double"
#define AVBD_DEMO "avbd-demo2d 858ceb5, in double"
#define LECTURES "Ten Minute Physics 10, 22, 25 (568d9a9), in double"
#define ROPE_OPEN                                                                                                      \
    "unexplained: a rope of 20, the same to 1e-12 until its boxes meet corner to corner after 195 frames, where the "  \
    "demo takes another axis than ours; with its contacts off it is the same to the end"
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
    {"tgs_sticky_solver2d", SOLVER2D, 11, 0, 0, "9e-13", NULL},
    {"xpbd_solver2d", SOLVER2D, 11, 0, 0, "2e-10", NULL},
    {"avbd_demo", AVBD_DEMO, 8, 0, 1, "4e-12", ROPE_OPEN},
    {"avbd_demo_post", AVBD_DEMO, 9, 0, 0, "4e-12, a box that slides 1.5e-3", NULL},
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

#define IN_SPACE                                                                                                       \
    "friction is a cone in 3D; contacts are looked for as --detect says, not within 0.02 m as a frame begins"
#define SOFT_BOUNCE "; a bounce is Box2D 3's, after the substeps: solver2d stores e and never uses it"
#define ROW_BOUNCE "; a bounce is part of a contact's row: solver2d stores e and never uses it"

static const struct Departure {
    const char *solver, *what;
} DEPARTURES[] = {
    {"pgs_solver2d", IN_SPACE ROW_BOUNCE},
    {"pgs_ngs", IN_SPACE ROW_BOUNCE},
    {"pgs_ngs_block", IN_SPACE ROW_BOUNCE "; a manifold has up to four points, whose matrix is softened by 1e-6"},
    {"tgs_ngs", IN_SPACE ROW_BOUNCE},
    {"pgs_soft", IN_SPACE SOFT_BOUNCE},
    {"jacobi", IN_SPACE SOFT_BOUNCE},
    {"soft_step", IN_SPACE SOFT_BOUNCE},
    {"tgs_soft", IN_SPACE SOFT_BOUNCE},
    {"tgs_sticky", IN_SPACE SOFT_BOUNCE "; points lie on the surfaces; a pair that slips gets new anchors"},
    {"tgs_sticky_solver2d", IN_SPACE SOFT_BOUNCE},
    {"xpbd_solver2d",
     "friction is a disc in 3D; a bounce is that of Mueller et al. 2020: solver2d stores e and never uses it"},
    {"avbd",
     "of the paper and its demo: penalties are per kg of a row's effective mass (per_kg; avbd_demo has theirs); an "
     "open "
     "gap counts in full (theirs 1 - alpha of it); a row that neither pulls nor has pulled has no stiffness; "
     "friction's "
     "multiplier is bounded by the load after the sweep; points stick within 0.01 length scales; a bounce is ours"},
    {"avbd_demo", "in 3D a face has twice the points of an edge, each with half of the demo's penalty; friction is a "
                  "cone; contacts are looked for as everywhere, not by the demo's own search; spins are not bounded by "
                  "50 rad/s; a bounce is ours"},
    {"avbd_demo_post", "as avbd_demo"},
    {"avbd_post", "as avbd, of the demo with errors that wait"},
    {"vbd", "of the paper its descent alone; penalties are per kg of a row's effective mass"},
    {"xpbd",
     "of Macklin et al. 2016 and 2019 the joints, of Mueller et al. 2020 the contacts; in the paper each body is "
     "pushed at its own point"},
    {"newton_xpbd", "double for float; no bounce even where its option would have one; wires, bounds of swings and of "
                    "drives are refused"},
    {"mujoco_newton", "bodies have six coordinates each: hinges and slides are soft rows, not joints of a tree; a "
                      "bounce is refused"},
};

const char *departures_of(const char *solver)
{
    for (size_t i = 0; i < sizeof DEPARTURES / sizeof DEPARTURES[0]; i++)
        if (strcmp(DEPARTURES[i].solver, solver) == 0)
            return DEPARTURES[i].what;
    return NULL;
}

const Provenance *provenance_of(const char *solver)
{
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++)
        if (strcmp(ALL[i].solver, solver) == 0)
            return &ALL[i];
    return NULL;
}
