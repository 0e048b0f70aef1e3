/* SPDX-License-Identifier: MIT */
/* Small worlds in which bodies touch, and what their contacts gave in the last substep. */
#ifndef RIGOR_TESTS_SOLVERS_CONTACT_WORLDS_H
#define RIGOR_TESTS_SOLVERS_CONTACT_WORLDS_H

#include "model/contact.h"
#include "model/energy.h"
#include "solvers/rows/rows.h"
#include "tests/solvers/worlds.h"

#include <string.h>

/* Friction and restitution of all contacts. */
static inline World *contact_world(double friction, double restitution)
{
    World *world = world_create();
    world->collide = true;
    world->materials[0].friction = friction;
    world->materials[0].restitution = restitution;
    return world;
}

/* Rows that start from the last impulses, as pgs has them. */
static inline RowSetup warm_setup(void)
{
    return (RowSetup){.h = 1.0 / 60.0, .relaxation = 1.0, .keep = 1.0, .push_speed = INFINITY, .slop = 0.005};
}

/* A fixed plane through the origin. */
static inline void add_plane(World *world, Vec3 normal)
{
    build_plane(world, normal, 0.0);
}

static inline BodyDef sphere_def(const char *name, double radius, Vec3 position)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = name;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.density = 1000.0;
    def.position = position;
    return def;
}

static inline BodyDef box_def(const char *name, Vec3 size, Vec3 position)
{
    BodyDef def = sphere_def(name, 0.0, position);
    def.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    return def;
}

/* A block 1 x 0.2 x 1 m at rest on a plane that falls by `angle` towards +x. */
static inline World *block_on_slope(double angle, double mu)
{
    World *world = contact_world(mu, 0.0);
    Vec3 normal = vec3(sin(angle), cos(angle), 0);
    add_plane(world, normal);
    BodyDef block = box_def("block", vec3(1, 0.2, 1), vec3_scale(0.1, normal));
    block.orientation = quat_axis_angle(vec3(0, 0, 1), -angle);
    build_body(world, &block);
    return world;
}

/* A rod: 1 kg, 1 m, thin, its lower end on the ground, 60 deg up, moving with (6, -1) and not turning. */
static inline World *falling_rod(void)
{
    World *world = contact_world(0.1, 0.0);
    const double radius = 1e-3, up = PI / 3;
    add_plane(world, vec3(0, 1, 0));
    BodyDef rod = BODY_DEF_INIT;
    rod.name = "rod";
    rod.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = radius, .length = 1.0};
    rod.mass = 1.0;
    rod.has_inertia = true;
    rod.inertia = vec3(1.0 / 12.0, 0.5 * radius * radius, 1.0 / 12.0);
    rod.position = vec3(0, 0.5 * sin(up) + radius, 0);
    rod.orientation = quat_axis_angle(vec3(0, 0, 1), 0.5 * PI - up);
    rod.velocity = vec3(6, -1, 0);
    build_body(world, &rod);
    world->gravity = VEC3_ZERO;
    return world;
}

/* Two boxes or spheres in free space, turned at random, that fly and spin at each other somewhat off centre; they are
 * some centimetres apart. */
static inline World *colliding_pair(Random *random, bool boxes, double mu, double e)
{
    World *world = contact_world(mu, e);
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 2; i++) {
        Vec3 size = random_sides(random, 0.3, 1.2);
        BodyDef def = boxes ? box_def(i ? "b" : "a", size, VEC3_ZERO) : sphere_def(i ? "b" : "a", size.x, VEC3_ZERO);
        double reach = boxes ? 0.5 * vec3_norm(size) : size.x, sign = i ? 1.0 : -1.0;
        def.orientation = random_quat(random);
        def.position.z = random_in(random, -0.2, 0.2);
        def.position.y = random_in(random, -0.2, 0.2);
        def.position.x = sign * (reach + 0.02);
        def.velocity = vec3_add(vec3(-sign * 2.0, 0, 0), random_vec3(random, 0.5));
        def.angular_velocity = random_vec3(random, 1.5);
        build_body(world, &def);
    }
    return world;
}

/* Six spheres or boxes in free space that fly and spin at a common centre. */
static inline World *colliding_cluster(Random *random, bool boxes, double mu, double e)
{
    static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f"};
    World *world = contact_world(mu, e);
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 6; i++) {
        Vec3 out = vec3(i / 2 == 0 ? 1.0 : 0.0, i / 2 == 1 ? 1.0 : 0.0, i / 2 == 2 ? 1.0 : 0.0);
        out = vec3_scale(i % 2 ? 0.45 : -0.45, vec3_add(out, random_vec3(random, 0.1)));
        BodyDef def = boxes ? box_def(NAMES[i], vec3(0.3, 0.3, 0.3), out) : sphere_def(NAMES[i], 0.15, out);
        def.orientation = random_quat(random);
        def.velocity = vec3_scale(-4.0, out);
        def.angular_velocity = random_vec3(random, 2.0);
        build_body(world, &def);
    }
    return world;
}

/* N s of one point, from the blocks that a solver left. */
typedef struct PointImpulse {
    double normal;
    Vec3 tangent;
} PointImpulse;

static inline PointImpulse point_impulse(const World *world, int b)
{
    BlockError e;
    block_error(world, &world->blocks[b], &e);
    return (PointImpulse){vec3_dot(e.gradient, world->block_impulse[b]), world->block_impulse[b + 1]};
}

/* Sum of normal and friction impulses on the second bodies. */
static inline Vec3 contact_impulse(const World *world)
{
    Vec3 sum = VEC3_ZERO;
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (world->blocks[b].kind != BLOCK_TORSION)
            sum = vec3_add(sum, world->block_impulse[b]);
    return sum;
}

/* MuJoCo's contacts are soft, know no restitution and refuse it: they have tests of their own (test_mujoco_newton.c).
 * Newton's are relaxed, do not bounce, and lose momentum: they are held to motions of its own (tests/originals).
 * `reference` has tests of its own, too (test_coulomb.c), and refuses what it cannot foretell. */
static inline bool can_touch(const Solver *solver)
{
    bool soft = settings_find(solver->settings, solver->setting_count, "solref_time") != NULL ||
                settings_find(solver->settings, solver->setting_count, "con_weighting") != NULL;
    bool foretells = strcmp(solver->name, "reference") == 0;
    return !soft && !foretells && (solver->capabilities & CAN_CONTACTS) && (solver->capabilities & CAN_FRICTION);
}

#endif
