/* Chains from the world's origin along +x, the first link nearest the origin. */
#ifndef RIGOR_TESTS_CHAINS_H
#define RIGOR_TESTS_CHAINS_H

#include "tests/build.h"

/* Point masses on `distance` joints of the given length; the last is mass_ratio times the others. */
static inline World *chain_of_particles(int count, double length, double mass, double mass_ratio)
{
    World *world = world_create();
    for (int i = 1; i <= count; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "particle";
        def.position = vec3(i * length, 0, 0);
        def.mass = i == count ? mass_ratio * mass : mass;
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_DISTANCE, body - 1, body);
        joint.local_anchors = true;
        build_joint(world, &joint);
    }
    return world;
}

/* Boxes length x thickness x thickness on `ball` joints. */
static inline World *chain_of_rods(int count, double length, double thickness)
{
    World *world = world_create();
    for (int i = 1; i <= count; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "rod";
        def.position = vec3((i - 0.5) * length, 0, 0);
        def.shape.kind = SHAPE_BOX;
        def.shape.size = vec3(length, thickness, thickness);
        def.density = 1000.0;
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_BALL, body - 1, body);
        joint.anchor[0] = vec3((i - 1) * length, 0, 0);
        build_joint(world, &joint);
    }
    return world;
}

#endif
