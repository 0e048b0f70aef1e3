/* SPDX-License-Identifier: MIT */
/* The world's length scale, what size of thing moves here, and its pace: margins and tolerances are parts of them. */
#include "model/world.h"

#include <stdlib.h>

/* Without gravity a world's pace is its length in this time. */
static const double WEIGHTLESS_TIME = 1.0; /* s */

static int compare_lengths(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The longest edge of the box, along the axes of the body's frame, that holds all that it carries. */
static double shapes_longest_edge(const World *world, int body)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < world->collider_count; c++) {
        const Collider *collider = &world->colliders[c];
        if (collider->body != body || !shape_is_solid(collider->shape.kind))
            continue;
        for (int i = 0; i < 3; i++) {
            Vec3 axis = quat_rotate_inverse(world->principal[body], vec3_axis(i));
            Vec3 own = quat_rotate_inverse(collider->at.q, axis);
            double at = vec3_dot(axis, collider->at.x), up = at + shape_reach(&collider->shape, own),
                   down = at - shape_reach(&collider->shape, vec3_negate(own));
            high[i] = fmax(high[i], up);
            low[i] = fmin(low[i], down);
        }
    }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

/* The lower median over moving bodies with a shape of the longest edge of their bounds; 0: there is none. */
static bool median_edge(const World *world, double *median)
{
    double *edges = malloc(sizeof *edges * (size_t)world->body_count);
    int count = 0;
    if (!edges)
        return false;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i) && world->bodies[i].shape.kind != SHAPE_NONE)
            edges[count++] = shape_longest_edge(&world->bodies[i].shape);
        else if (!world_is_fixed(world, i) && world_bounding_radius(world, i) > 0.0)
            edges[count++] = shapes_longest_edge(world, i);
    qsort(edges, (size_t)count, sizeof *edges, compare_lengths);
    *median = count > 0 ? edges[(count - 1) / 2] : 0.0;
    free(edges);
    return true;
}

/* The points of body `which` that a joint joins: its anchor, and the centre if it can move (a fixed body's may lie
 * anywhere). A volume joins centres alone. */
static int joined_points(const World *world, const Joint *joint, int which, Vec3 point[2])
{
    int body = joint->def.body[which], count = 0;
    if (joint->def.type != JOINT_VOLUME)
        point[count++] = world_point(world, body, joint->anchor[which]);
    if (joint->def.type == JOINT_VOLUME || !world_is_fixed(world, body))
        point[count++] = world->pose[body].x;
    return count;
}

static double joint_span(const World *world, const Joint *joint)
{
    int bodies = joint_body_count(&joint->def);
    double span = 0.0;
    for (int a = 0; a < bodies; a++)
        for (int b = a + 1; b < bodies; b++) {
            Vec3 one[2], two[2];
            int ones = joined_points(world, joint, a, one), twos = joined_points(world, joint, b, two);
            for (int i = 0; i < ones; i++)
                for (int k = 0; k < twos; k++)
                    span = fmax(span, vec3_norm(vec3_sub(two[k], one[i])));
        }
    return span;
}

/* The largest distance between joined points, or 1 m where nothing is joined. */
static double longest_joint(const World *world)
{
    double longest = 0.0;
    for (int j = 0; j < world->joint_count; j++)
        longest = fmax(longest, joint_span(world, &world->joints[j]));
    return longest > 0.0 ? longest : 1.0;
}

bool world_measure_length(World *world)
{
    double length;
    if (!median_edge(world, &length))
        return false;
    world->length_scale = length > 0.0 ? length : longest_joint(world);
    return true;
}

double world_pace(const World *world)
{
    double g = vec3_norm(world->gravity);
    return g > 0.0 ? sqrt(g * world->length_scale) : world->length_scale / WEIGHTLESS_TIME;
}
