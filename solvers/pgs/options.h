/* SPDX-License-Identifier: MIT */
/* The options of pgs, which its variants set, and what it declares of contacts. */
#ifndef RIGOR_SOLVERS_PGS_OPTIONS_H
#define RIGOR_SOLVERS_PGS_OPTIONS_H

#include "solvers/solver.h"

typedef enum PgsPosition { PGS_BAUMGARTE, PGS_SPLIT, PGS_NGS, PGS_NONE } PgsPosition;
/* Of `levers` and `restitution`. */
enum { PGS_AT_SUBSTEP, PGS_AT_FRAME };
enum { PGS_RELAX_MOVED, PGS_RELAX_BEGIN };
enum { PGS_MASSES_SUBSTEP, PGS_MASSES_CONTACTS, PGS_MASSES_FRAME };
enum { PGS_AXIAL_CREATED, PGS_AXIAL_FIRST };
typedef enum PgsOrder { PGS_LIST, PGS_COLOUR, PGS_JACOBI } PgsOrder;

typedef struct PgsOptions {
    CommonOptions common;
    int warm_start;
    double warm_share;
    int position;
    double beta;
    int position_iterations;
    double relaxation;
    int relax;
    int block;
    int order;
    int friction;
    int manifold, normals_first, friction_first, enumerate;
    int levers, restitution, relax_at;
    double slop, push_speed, restitution_threshold;
    double contact_hertz, contact_zeta, contact_cap;
    double joint_hertz, joint_zeta, joint_cap;
    double ngs_share, ngs_most;
    int ngs_only_push;
    int contact_point; /* ContactPointAt */
    double look_ahead;
    int axial, limit_slip, exact_turns, masses;
} PgsOptions;

enum { PGS_SETTING_COUNT = 40, PGS_CONVENTION_COUNT = 23 };

extern const Setting PGS_SETTINGS[PGS_SETTING_COUNT];
extern const Convention PGS_CONVENTIONS[PGS_CONVENTION_COUNT];
extern const PhaseStep PGS_STEPS[];

#endif
