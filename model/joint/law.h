/* SPDX-License-Identifier: MIT */
/* What acts along a free coordinate q of a joint beside its limits, and its one evaluation for everybody:
 *
 *     tau(q, q') = -viscous q' - stiffness (q - rest) + clamp(sum of drives, effort)
 *     drive      = gear clamp(force + kp (target - gear q) + kd (speed - gear q'), max)
 *
 * besides armature, which adds (armature) q'' on the left of M q'' = tau, and dry friction, which holds q' = 0 with at
 * most its own force. Per coordinate in N and m, or N m and rad. A ball has the same three times, on the components of
 * its rotation vector and of its relative angular velocity. */
#ifndef RIGOR_MODEL_JOINT_LAW_H
#define RIGOR_MODEL_JOINT_LAW_H

#include "model/math3.h"

typedef struct JointDrive {
    double force, kp, kd, target, speed, gear;
    double max[2];        /* N or N m, before gear; infinite: none */
    double ctrl_range[2]; /* clamps target if kp > 0, else speed if kd > 0, else force */
} JointDrive;

enum { JOINT_MAX_DRIVES = 8 };

typedef struct JointLaw {
    double start; /* the coordinate as placed; of a ball start_turn */
    Quat start_turn;
    double viscous, stiffness, rest, armature, dry_friction;
    double effort[2]; /* N or N m, on the sum of all drives; infinite: none */
    int drive_count;
    JointDrive drives[JOINT_MAX_DRIVES];
} JointLaw;

/* What a definition holds that gives nothing. */
#define JOINT_DRIVE_INIT                                                                                               \
    {                                                                                                                  \
        .gear = 1, .max = {-INFINITY, INFINITY}, .ctrl_range = { -INFINITY, INFINITY }                                 \
    }
#define JOINT_LAW_INIT                                                                                                 \
    {                                                                                                                  \
        .start_turn = {1, 0, 0, 0}, .effort = { -INFINITY, INFINITY }                                                  \
    }

/* A law at one state: its force, and how it falls with q and q': a clamped drive does not. */
typedef struct LawForce {
    double force, stiffness, damping;
} LawForce;

/* Springs and viscous friction; the drives, within their bounds; both. */
LawForce law_passive(const JointLaw *law, double q, double speed);
LawForce law_drives(const JointLaw *law, double q, double speed);
LawForce law_force(const JointLaw *law, double q, double speed);

/* J, of the spring. */
double law_energy(const JointLaw *law, double q);

/* Whether anything acts by velocity and position: what makes a row or a term; whether some drive does. */
bool law_acts(const JointLaw *law);
bool law_has_drive(const JointLaw *law);

#endif
