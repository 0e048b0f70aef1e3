/* SPDX-License-Identifier: MIT */
#include "solvers/articulated/momentum.h"

/* m (x.x 1 - x x^T) */
static Mat3 point_inertia(double m, Vec3 x)
{
    double xx = m * x.x * x.x, yy = m * x.y * x.y, zz = m * x.z * x.z;
    double xy = -m * x.x * x.y, xz = -m * x.x * x.z, yz = -m * x.y * x.z;
    return (Mat3){{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}};
}

static Mat3 inertia_add(Mat3 a, double s, Mat3 b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] += s * b.m[i][j];
    return a;
}

/* A link's mass, and what its momentum has lost by the move. */
static void tree_add_link(FloatingTree *sum, const Link *link, const World *world, Vec3 from, Velocity before)
{
    Vec3 x = world->pose[link->body].x;
    Velocity now = world->velocity[link->body];
    sum->mass += link->mass;
    sum->first = vec3_add_scaled(sum->first, link->mass, x);
    sum->I = inertia_add(inertia_add(sum->I, 1.0, link->at->inertia), 1.0, point_inertia(link->mass, x));
    sum->P = vec3_add_scaled(sum->P, link->mass, vec3_sub(before.v, now.v));
    Vec3 L = vec3_scale(link->mass, vec3_sub(vec3_cross(from, before.v), vec3_cross(x, now.v)));
    L = vec3_add(L, mat3_mul_vec(link->at->inertia, vec3_sub(before.w, now.w)));
    sum->L = vec3_add(sum->L, L);
}

/* The rigid motion about the centre of mass; a particle at the root cannot turn. */
static Velocity tree_motion(const FloatingTree *sum, bool turns, Vec3 centre)
{
    Velocity motion = {vec3_scale(1.0 / sum->mass, sum->P), VEC3_ZERO};
    if (!turns)
        return motion;
    Mat3 I = inertia_add(sum->I, -1.0, point_inertia(sum->mass, centre));
    motion.w = mat3_mul_vec(mat3_inverse(I), vec3_sub(sum->L, vec3_cross(centre, sum->P)));
    return motion;
}

void articulated_keep_momentum(Articulated *tree, World *world, const Vec3 *moved, const Velocity *velocity,
                               FloatingTree *trees)
{
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        int root = link->parent >= 0 ? trees[link->parent].root : link->joint < 0 ? i : -1;
        trees[i] = (FloatingTree){.root = root};
        if (root >= 0)
            tree_add_link(&trees[root], link, world, moved[link->body], velocity[link->body]);
    }
    for (int i = 0; i < tree->link_count; i++) {
        int root = trees[i].root, body = tree->links[i].body;
        if (root < 0)
            continue;
        const Link *top = &tree->links[root];
        Vec3 centre = vec3_scale(1.0 / trees[root].mass, trees[root].first);
        Velocity more = tree_motion(&trees[root], !top->particle, centre);
        Velocity *to = &world->velocity[body];
        to->v = vec3_add(to->v, vec3_add(more.v, vec3_cross(more.w, vec3_sub(world->pose[body].x, centre))));
        to->w = tree->links[i].particle ? to->w : vec3_add(to->w, more.w);
        if (root != i)
            continue;
        LinkState state = link_get(top, tree->state);
        state.spin = vec3_add(state.spin, more.w);
        state.rate = vec3_add(state.rate, vec3_add(more.v, vec3_cross(more.w, vec3_sub(world->pose[body].x, centre))));
        link_put(top, tree->state, &state);
    }
}
