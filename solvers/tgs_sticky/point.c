/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/tgs_sticky/point.h"

#include "model/contact/block_contact.h"

/* Anchors whose normals have turned against each other by more (11 degrees) hold no more. */
static const double NORMALS_AGREE = 0.98;

/* New anchors where the bodies touch now. */
static void sticky_anchor(StickyMemory *memory, const World *world, const Block *block, const ContactFrame *f,
                          int points)
{
    memory->anchored = true;
    memory->slips = false;
    memory->points = points;
    for (int k = 0; k < 2; k++) {
        Pose pose = world->pose[block->body[k]];
        memory->anchor[k] = quat_rotate_inverse(pose.q, vec3_sub(f->at[k], pose.x));
        memory->normal[k] = quat_rotate_inverse(pose.q, f->n);
    }
}

/* Whether a point's anchors hold on. */
static bool sticky_holds(const StickyMemory *memory, const World *world, const Block *block, int points, double reach)
{
    if (!memory->anchored || memory->slips || memory->points != points)
        return false;
    Vec3 n[2], p[2];
    for (int k = 0; k < 2; k++) {
        n[k] = quat_rotate(world->pose[block->body[k]].q, memory->normal[k]);
        p[k] = world_point(world, block->body[k], memory->anchor[k]);
    }
    return vec3_dot(n[0], n[1]) >= NORMALS_AGREE && fabs(vec3_dot(n[0], vec3_sub(p[1], p[0]))) <= reach;
}

void sticky_renew_anchors(StickyMemory *points, const World *world, const ManifoldBlocks *manifold, double reach)
{
    bool hold = true;
    for (int i = 0; i < manifold->count; i++)
        hold = hold &&
               sticky_holds(&points[i], world, &world->blocks[manifold_contact(manifold, i)], manifold->count, reach);
    for (int i = 0; i < manifold->count; i++) {
        const Block *block = &world->blocks[manifold_contact(manifold, i)];
        ContactFrame f = contact_frame(world, block);
        if (!hold)
            sticky_anchor(&points[i], world, block, &f, manifold->count);
        points[i].normal_impulse = points[i].torsion = 0.0;
        points[i].friction = VEC3_ZERO;
    }
}

/* K of slip in the plane of n, v_t = K p for a push p in it; along n the identity, so that it can be inverted. */
static Mat3 sticky_response(const Pair *pair, const Point *p, const ContactFrame *f)
{
    const Vec3 u[2] = {f->t1, f->t2};
    PairRow row[2];
    Mat3 K = mat3_diagonal(vec3(1, 1, 1));
    for (int i = 0; i < 2; i++) {
        row[i] = point_row(pair, p, u[i]);
        for (int j = 0; j <= i; j++)
            K.m[1 + i][1 + j] = K.m[1 + j][1 + i] = pair_coupling(pair, &row[i], &row[j]);
    }
    return K;
}

/* A point where the bodies are. */
typedef struct StickyPlace {
    ContactFrame f;
    Vec3 anchor[2]; /* in the world */
    Pair pair;
    Point normal, friction;
} StickyPlace;

static void sticky_place(StickyPlace *place, const StickyMemory *memory, const World *world, const Block *block)
{
    place->f = contact_frame(world, block);
    place->pair = pair_at(world, block->body);
    for (int k = 0; k < 2; k++)
        place->anchor[k] = world_point(world, block->body[k], memory->anchor[k]);
    const ContactFrame *f = &place->f;
    bool own = block->carrier == NORMAL_IN_WORLD; /* each body is pushed at its own anchor */
    place->normal = (Point){f->n, both_sub(both_vec3(f->at[0], f->at[1]), place->pair.pose.x)};
    place->friction =
        (Point){f->n, both_sub(both_vec3(place->anchor[own ? 0 : 1], place->anchor[1]), place->pair.pose.x)};
}

/* What a push at the point does. */
static void sticky_set_masses(StickyRow *row, const StickyPlace *at)
{
    const ContactFrame *f = &at->f;
    row->weight = point_weight(&at->pair, &at->normal, f->n);
    /* In the world: B K^-1 B^T, B = (n, t1, t2). */
    Mat3 B = {{{f->n.x, f->t1.x, f->t2.x}, {f->n.y, f->t1.y, f->t2.y}, {f->n.z, f->t1.z, f->t2.z}}};
    Mat3 K = sticky_response(&at->pair, &at->friction, f);
    row->stop = mat3_mul(mat3_mul(B, mat3_inverse(K)), mat3_transpose(B));
    double mean = 0.5 * (K.m[1][1] + K.m[2][2]), half = 0.5 * (K.m[1][1] - K.m[2][2]);
    row->slide = 1.0 / (mean + sqrt(half * half + K.m[1][2] * K.m[1][2]));
}

void sticky_prepare_point(StickyRow *row, StickyMemory *memory, const World *world, const World *then,
                          const Block *block, int points)
{
    StickyPlace now, before;
    if (!memory->anchored) { /* found in the middle of a frame */
        ContactFrame f = contact_frame(world, block);
        sticky_anchor(memory, world, block, &f, points);
    }
    sticky_place(&now, memory, world, block);
    *row = (StickyRow){.memory = memory,
                       .body = {block->body[0], block->body[1]},
                       .normal = now.normal,
                       .friction = now.friction,
                       .gap = vec3_dot(now.f.n, vec3_sub(now.f.p2, now.f.p1)),
                       .offset = tangential(vec3_sub(now.anchor[1], now.anchor[0]), now.f.n),
                       .mu = block->friction};
    if (block->carrier == NORMAL_IN_WORLD)
        sticky_place(&before, memory, then, block);
    sticky_set_masses(row, block->carrier == NORMAL_IN_WORLD ? &before : &now);
}

/* The world's velocities follow. */
static void sticky_apply(World *world, const int body[2], const Point *p, Vec3 impulse)
{
    Pair pair = pair_at(world, body);
    BothVelocity V = both_gather_velocities(world->velocity, body);
    point_push(&pair, p, impulse, &V);
    pair_store_velocity(world, &pair, true, &V);
}

void sticky_push(World *world, StickyRow *row, double d)
{
    StickyMemory *memory = row->memory;
    d = fmax(d, -memory->normal_impulse);
    memory->normal_impulse += d;
    sticky_apply(world, row->body, &row->normal, vec3_scale(d, row->normal.n));
}

bool sticky_rub(World *world, StickyRow *row, Vec3 bias, double bound)
{
    StickyMemory *memory = row->memory;
    BothVelocity V = both_gather_velocities(world->velocity, row->body);
    Vec3 r = vec3_add(point_slip(&V, &row->friction), bias), held = tangential(memory->friction, row->normal.n);
    Vec3 next = vec3_sub(held, mat3_mul_vec(row->stop, r));
    bool slips = vec3_norm(next) > bound;
    if (slips) {
        next = vec3_add_scaled(held, -row->slide, r);
        double size = vec3_norm(next);
        next = vec3_scale(size > bound ? bound / size : 1.0, next);
    }
    memory->friction = next;
    sticky_apply(world, row->body, &row->friction, vec3_sub(next, held));
    return slips;
}

void sticky_spin(World *world, const Block *block, StickyRow *first, double load)
{
    Vec3 n = first->normal.n, turn[2];
    double weight = 0.0, bound = 2.0 / 3.0 * block->friction * block->seat->patch_radius * load, rate = 0.0;
    for (int k = 0; k < 2; k++) {
        turn[k] = world_inv_inertia_mul(world, block->body[k], n);
        weight += vec3_dot(n, turn[k]);
        rate += (k == 0 ? -1.0 : 1.0) * vec3_dot(n, world->velocity[block->body[k]].w);
    }
    if (weight == 0.0)
        return;
    double next = clamp(first->memory->torsion - rate / weight, -bound, bound), d = next - first->memory->torsion;
    first->memory->torsion = next;
    for (int k = 0; k < 2; k++) {
        Vec3 *w = &world->velocity[block->body[k]].w;
        *w = vec3_add_scaled(*w, k == 0 ? -d : d, turn[k]);
    }
}
