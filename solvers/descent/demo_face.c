/* SPDX-License-Identifier: MIT */
#include "solvers/descent/demo_face.h"

/* Another axis must be better than this share of the best overlap, by this share of its box's half edge. */
static const double KEEPS = 0.95, BETTER_BY = 0.01;

typedef struct PlacedBox {
    Vec3 axis[3];
    double half[3];
} PlacedBox;

static PlacedBox box_of(const World *world, int i)
{
    Quat q = quat_mul(world->pose[i].q, quat_conj(world->principal[i]));
    Vec3 size = world->bodies[i].shape.size;
    return (PlacedBox){{quat_rotate(q, vec3(1, 0, 0)), quat_rotate(q, vec3(0, 1, 0)), quat_rotate(q, vec3(0, 0, 1))},
                       {0.5 * size.x, 0.5 * size.y, 0.5 * size.z}};
}

int demo_reference_face(const World *world, const int body[2])
{
    int first = body[0] < body[1] ? body[0] : body[1], second = body[0] + body[1] - first, best = 0;
    if (world->bodies[first].shape.kind != SHAPE_BOX || world->bodies[second].shape.kind != SHAPE_BOX)
        return 0;
    const PlacedBox box[2] = {box_of(world, first), box_of(world, second)};
    Vec3 d = vec3_sub(world->pose[second].x, world->pose[first].x);
    double most = 0.0; /* m, of the best axis: overlaps are negative */
    for (int k = 0; k < 6; k++) {
        const PlacedBox *own = &box[k / 3], *other = &box[1 - k / 3];
        double separation = fabs(vec3_dot(own->axis[k % 3], d)) - own->half[k % 3];
        for (int j = 0; j < 3; j++)
            separation -= fabs(vec3_dot(own->axis[k % 3], other->axis[j])) * other->half[j];
        if (k > 0 && separation <= KEEPS * most + BETTER_BY * own->half[k % 3])
            continue;
        most = separation;
        best = k + 1;
    }
    return best;
}
