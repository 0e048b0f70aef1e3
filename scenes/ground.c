/* SPDX-License-Identifier: MIT */
#include "scenes/ground.h"

#include "model/energy.h"

void ground_set_material(World *world, double mu, double restitution)
{
    world->collide = true;
    world->materials[0].friction = mu;
    world->materials[0].restitution = restitution;
}

int ground_add_plane(World *world, const char *word, int number, Vec3 normal, double offset, Status *status)
{
    BodyDef plane = BODY_DEF_INIT;
    plane.fixed = true;
    plane.shape = (Shape){.kind = SHAPE_PLANE, .normal = normal, .offset = offset};
    return part_add_body(world, &plane, word, number, status);
}

int ground_add(World *world, Status *status)
{
    return ground_add_plane(world, "ground", 0, vec3(0, 1, 0), 0.0, status);
}

BodyDef ground_sphere(double radius, double density)
{
    BodyDef def = BODY_DEF_INIT;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.density = density;
    return def;
}

bool ground_keeps_place(const Problem *problem, const World *world, int body, int other, double tolerance)
{
    const BodyDef *placed = problem->world->bodies;
    Vec3 before = vec3_sub(placed[body].position, placed[other].position);
    Vec3 now = vec3_sub(world->pose[body].x, world->pose[other].x);
    return vec3_norm(vec3_sub(now, before)) <= tolerance;
}

bool ground_at_rest(const World *world)
{
    return world_max_speed(world) <= STANDS_PACE_MAX * world_pace(world);
}

void ground_rest_truth(const Problem *problem, double t, Truth *truth)
{
    (void)t;
    truth_set_rest(problem, truth);
}
