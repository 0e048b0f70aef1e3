/* SPDX-License-Identifier: MIT */
/* The parts that scenes are made of: rows of settings tables, named bodies and joints, rods in the plane of the page,
 * and what scenes that should hold together or stay where they are have in common. */
#ifndef RIGOR_SCENES_PARTS_H
#define RIGOR_SCENES_PARTS_H

#include "scenes/scene.h"

#include <stddef.h>

/* Parameters that many scenes have. */
#define PARAM_GRAVITY(Params) PARAM_REAL(Params, gravity, "gravity, downward (m/s^2)", 9.81, 0, 1e6)
#define PARAM_WEIGHTLESS(Params) PARAM_REAL(Params, gravity, "gravity, downward (m/s^2)", 0, 0, 1e6)

/* The fields of a Scene that its table of settings and its params struct give. */
#define SCENE_PARAMS(table, Params)                                                                                    \
    .settings = table, .setting_count = sizeof table / sizeof *table, .params_size = sizeof(Params)

/* Largest number of parts of one kind, so that counts of bodies, joints and blocks stay well inside an int. */
#define PARTS_MAX 1000000
/* Lengths and densities that leave masses and moments of inertia far from overflow. */
#define LENGTH_MIN 1e-6
#define LENGTH_MAX 1e6
#define DENSITY_MIN 1e-6
#define DENSITY_MAX 1e9

/* Gravity of magnitude g, along -y. */
void part_set_gravity(World *world, double g);

/* At the origin, unturned, at rest. */
BodyDef part_box(double x, double y, double z, double density);
BodyDef part_particle(double mass, Vec3 position);

/* The pose of a rod from `start` in the plane of x and y, turned by `angle` from +x about z. */
Pose part_rod_pose(Vec3 start, double length, double angle);
void part_place(BodyDef *def, Pose pose);

/* Adds a body or joint named by a word and, if above 0, a number. Returns its index, or -1 with a message. */
int part_add_body(World *world, BodyDef *def, const char *word, int number, Status *status);
int part_add_joint(World *world, JointDef *def, const char *word, int number, Status *status);

/* A joint of the world's origin frame or a body with a body, at a world point as placed, about a world direction. */
JointDef part_joint_at(JointType type, int body1, int body2, Vec3 point, Vec3 axis);

/* Keeps a copy of the scene's own data in the problem. */
bool part_keep(Problem *problem, const void *data, size_t size, Status *status);

void truth_set_position(Truth *truth, int body, Vec3 position);
void truth_set_pose(Truth *truth, int body, Pose pose);
void truth_set_force(Truth *truth, int joint, Vec3 force);

/* Every body where and as it was placed. */
void truth_set_rest(const Problem *problem, Truth *truth);

/* No body's centre is further than `distance` from where it was placed. */
bool part_stays(const Problem *problem, const World *world, double distance);

/* No rigid attachment, guide or length of a joint is off by more than `gap` (m). */
bool part_holds(const World *world, double gap);

#endif
