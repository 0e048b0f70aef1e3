/* SPDX-License-Identifier: MIT */
/* An impact is an island: bodies that closed contacts and rigid joints connect, one of whose contacts is hit faster
 * than the threshold. Its kinetic energy may not end above what it was before: with Newton's law at several contacts,
 * or with friction (Kane and Levinson 1985), it could. Then only the part s < 1 of all impulses is kept that ends with
 * that energy: v0 + s (v - v0), which leaves every contact between its plain and its bounced state. */
#include "solvers/position/bounce.h"

#include "model/array.h"
#include "model/joint/graph.h"
#include "solvers/rows/contact_rows.h"

/* Of the length scale: far above the round-off of positions, far below what a substep moves. Bodies in touch take part
 * in one impact whatever the order in which they were pushed. */
static const double BOUNCE_TOUCHING = 1e-9;

bool bounce_reserve(Bounce *bounce, const World *world)
{
    if (!bounce->possible || world->block_count <= bounce->capacity)
        return true;
    bool *part = realloc(bounce->part, sizeof *part * (size_t)world->block_capacity);
    bounce->part = part ? part : bounce->part;
    int *order = realloc(bounce->order, sizeof *order * (size_t)world->block_capacity);
    bounce->order = order ? order : bounce->order;
    if (!part || !order || !row_system_reserve(&bounce->system, world))
        return false;
    bounce->capacity = world->block_capacity;
    return true;
}

bool bounce_init(Bounce *bounce, const World *world)
{
    *bounce = (Bounce){0};
    for (int i = 0; i < world->material_count; i++)
        bounce->possible = bounce->possible || world->materials[i].restitution > 0.0;
    if (!bounce->possible)
        return true;
    size_t bodies = (size_t)world->body_count;
    return NEW_ARRAY(bounce->root, bodies) && NEW_ARRAY(bounce->hit, bodies) && NEW_ARRAY(bounce->plain, bodies) &&
           NEW_ARRAY(bounce->energy, bodies) && row_system_init(&bounce->system, world) &&
           bounce_reserve(bounce, world);
}

void bounce_free(Bounce *bounce)
{
    row_system_free(&bounce->system);
    free(bounce->root);
    free(bounce->hit);
    free(bounce->plain);
    free(bounce->energy);
    free(bounce->part);
    free(bounce->order);
}

static bool is_closed(const World *world, double lambda, double C)
{
    return lambda > 0.0 || C <= BOUNCE_TOUCHING * world->length_scale;
}

/* Whether the contact pushed in this substep or is closed at its end; fills its frame. */
static bool contact_is_closed(const World *world, int b, const Multiplier *multipliers, BlockError *e)
{
    block_error(world, &world->blocks[b], e);
    return e->active && is_closed(world, multipliers[b].lambda.x, e->C);
}

/* n.(velocity of 2 - velocity of 1) before the substep */
static double contact_speed_before(const World *world, int b, const BlockError *e)
{
    const int *body = world->blocks[b].body;
    Velocity one = world->velocity_before[body[0]], two = world->velocity_before[body[1]];
    return vec3_dot(e->gradient,
                    vec3_sub(vec3_add(two.v, vec3_cross(two.w, e->arm2)), vec3_add(one.v, vec3_cross(one.w, e->arm1))));
}

static bool contact_is_hit(const Bounce *bounce, const World *world, int b, const Multiplier *multipliers)
{
    BlockError e;
    return world->blocks[b].kind == BLOCK_CONTACT && world->blocks[b].restitution > 0.0 &&
           contact_is_closed(world, b, multipliers, &e) && contact_speed_before(world, b, &e) < -bounce->threshold;
}

static void bounce_connect(Bounce *bounce, const World *world, int b)
{
    const int *body = world->blocks[b].body;
    int bodies = world->blocks[b].kind == BLOCK_VOLUME ? 4 : 2;
    for (int k = 1; k < bodies; k++)
        if (!world_is_fixed(world, body[0]) && !world_is_fixed(world, body[k]))
            forest_join(bounce->root, body[0], body[k]);
}

/* A manifold takes part as a whole, with its patch: an open point keeps the bounce of the others from closing it. */
static void bounce_connect_manifold(Bounce *bounce, const World *world, const ManifoldBlocks *manifold,
                                    const Multiplier *multipliers)
{
    bool closed = false;
    BlockError e;
    for (int i = 0; i < manifold->count && !closed; i++)
        closed = contact_is_closed(world, manifold_contact(manifold, i), multipliers, &e);
    for (int i = 0; i < manifold->count; i++) {
        bounce->part[manifold_contact(manifold, i)] = closed;
        bounce->part[manifold_friction(manifold, i)] = false; /* goes with its contact */
    }
    if (manifold->torsion >= 0)
        bounce->part[manifold->torsion] = closed;
    if (closed)
        bounce_connect(bounce, world, manifold->first);
}

static int block_root(Bounce *bounce, const World *world, int b)
{
    const int *body = world->blocks[b].body;
    return forest_root(bounce->root, world_is_fixed(world, body[0]) ? body[1] : body[0]);
}

/* The blocks of all islands in which something hits, in order; returns how many. */
static int bounce_collect(Bounce *bounce, const World *world, const Multiplier *multipliers)
{
    for (int i = 0; i < world->body_count; i++) {
        bounce->root[i] = i;
        bounce->hit[i] = false;
    }
    for (int b = 0; b < world->joint_block_count; b++) {
        /* A spring's force gives no impulse in no time. */
        bounce->part[b] = block_terms(&world->blocks[b])->compliance == 0.0;
        if (bounce->part[b])
            bounce_connect(bounce, world, b);
    }
    for (int m = 0; m < world->manifold_count; m++)
        bounce_connect_manifold(bounce, world, &world->manifolds[m], multipliers);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (contact_is_hit(bounce, world, b, multipliers))
            bounce->hit[block_root(bounce, world, b)] = true;
    int count = 0;
    for (int b = 0; b < world->block_count; b++) {
        bounce->part[b] = bounce->part[b] && bounce->hit[block_root(bounce, world, b)];
        if (bounce->part[b])
            bounce->order[count++] = b;
    }
    return count;
}

static bool joint_is_bounded(const RowBlock *rb)
{
    return rb->count == 1 && (!isinf(rb->lower[0]) || !isinf(rb->upper[0]));
}

/* J v = 0 or a motor's speed, an open limit J v >= -C/h, as prepared. A bounded multiplier goes on from what the
 * position solve gave; of the others only the change counts. */
static void joint_hold(RowBlock *rb, double given)
{
    for (int i = 0; i < rb->count; i++)
        rb->lambda[i] = joint_is_bounded(rb) ? clamp(given, rb->lower[i], rb->upper[i]) : 0.0;
}

/* bias = e v-, where it hits; an open point of the manifold keeps its C/h. */
static void contact_bounce(Bounce *bounce, int b, const World *world, bool closed)
{
    const RowBlock *rb = &bounce->system.blocks[b];
    double before[BLOCK_MAX_ROWS];
    row_block_rates(rb, world->velocity_before, before);
    if (closed)
        contact_row_set_bias(&bounce->system, b, before[0] < -bounce->threshold ? rb->restitution * before[0] : 0.0);
}

static void bounce_prepare(Bounce *bounce, const World *world, const Multiplier *multipliers, double h)
{
    RowSystem *system = &bounce->system;
    row_system_prepare(system, world,
                       &(RowSetup){.h = h,
                                   .relaxation = 1.0,
                                   .whole = true,
                                   .keep = 1.0,
                                   .manifold = true,
                                   .restitution_threshold = INFINITY,
                                   .part = bounce->part});
    for (int k = 0; k < bounce->count; k++) {
        int b = bounce->order[k];
        RowBlock *rb = &system->blocks[b];
        if (rb->count == 0)
            continue;
        if (b < world->joint_block_count)
            joint_hold(rb, multipliers[b].lambda.x / h);
        else if (world->blocks[b].kind == BLOCK_CONTACT)
            contact_bounce(bounce, b, world, is_closed(world, multipliers[b].lambda.x, rb->C[0]));
    }
    system->b_norm = 1.0;                                          /* residuals as they are, m/s */
    system->b_norm = row_system_residual(system, world->velocity); /* from now on as shares of the first */
}

/* u M w / 2 of a body */
static double body_energy(const World *world, int i, Velocity u, Velocity w)
{
    Quat q = world->pose[i].q;
    Vec3 turned = vec3_mul(world->mass[i].inertia, quat_rotate_inverse(q, w.w));
    return 0.5 * (world->mass[i].mass * vec3_dot(u.v, w.v) + vec3_dot(quat_rotate_inverse(q, u.w), turned));
}

static void bounce_sum_energies(Bounce *bounce, const World *world)
{
    memset(bounce->energy, 0, sizeof *bounce->energy * (size_t)world->body_count);
    for (int i = 1; i < world->body_count; i++) {
        int root = forest_root(bounce->root, i);
        if (world_is_fixed(world, i) || !bounce->hit[root])
            continue;
        Velocity now = world->velocity[i], plain = bounce->plain[i];
        Velocity change = {vec3_sub(now.v, plain.v), vec3_sub(now.w, plain.w)};
        BounceEnergy *sum = &bounce->energy[root];
        sum->before += body_energy(world, i, world->velocity_before[i], world->velocity_before[i]);
        sum->plain += body_energy(world, i, plain, plain);
        sum->mixed += body_energy(world, i, plain, change);
        sum->added += body_energy(world, i, change, change);
    }
}

/* The largest s <= 1 for which T(v0 + s dv) = plain + 2 s mixed + s^2 added is at most T(v-), or T(v0) if that is more:
 * then gravity or a motor has worked meanwhile. */
static double bounce_part_kept(const BounceEnergy *sum)
{
    double room = fmax(sum->before - sum->plain, 0.0);
    if (2.0 * sum->mixed + sum->added <= room)
        return 1.0;
    return (sqrt(sum->mixed * sum->mixed + sum->added * room) - sum->mixed) / sum->added;
}

static Vec3 vec3_between(Vec3 a, Vec3 b, double s)
{
    return vec3_add_scaled(vec3_scale(1.0 - s, a), s, b);
}

static void bounce_store_impulse(Bounce *bounce, World *world, int b, bool adds)
{
    double s = bounce_part_kept(&bounce->energy[block_root(bounce, world, b)]);
    Vec3 old = world->block_impulse[b], next = row_system_on_body2(&bounce->system, world, b);
    world->block_impulse[b] = vec3_between(old, adds ? vec3_add(old, next) : next, s);
}

static void bounce_store_impulses(Bounce *bounce, World *world)
{
    for (int b = 0; b < world->joint_block_count; b++)
        if (bounce->part[b])
            bounce_store_impulse(bounce, world, b, !joint_is_bounded(&bounce->system.blocks[b]));
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        for (int i = 0; bounce->part[manifold->first] && i < manifold->count; i++) {
            bounce_store_impulse(bounce, world, manifold_contact(manifold, i), false);
            bounce_store_impulse(bounce, world, manifold_friction(manifold, i), false);
        }
        if (manifold->torsion >= 0 && bounce->part[manifold->torsion])
            bounce_store_impulse(bounce, world, manifold->torsion, false);
    }
}

/* Scales each island's changes to what its energy allows, and leaves the impulses. True if one was scaled. */
static bool bounce_limit_energy(Bounce *bounce, World *world)
{
    bool scaled = false;
    bounce_sum_energies(bounce, world);
    for (int i = 1; i < world->body_count; i++) {
        const BounceEnergy *sum = &bounce->energy[forest_root(bounce->root, i)];
        double s = bounce_part_kept(sum);
        if (world_is_fixed(world, i) || s == 1.0)
            continue;
        scaled = scaled || s < 1.0 - BOUNCE_CONVERGED;
        world->velocity[i].v = vec3_between(bounce->plain[i].v, world->velocity[i].v, s);
        world->velocity[i].w = vec3_between(bounce->plain[i].w, world->velocity[i].w, s);
    }
    bounce_store_impulses(bounce, world);
    return scaled;
}

/* From here on velocities are not those of the poses, so what is left of the joints' errors can be taken back without
 * giving any. Left to the next substep it would: an error that stood while the body swung, corrected at once when the
 * impact has stopped it, is thrown as C / h. */
static int bounce_settle_joints(const Bounce *bounce, World *world, double h)
{
    PositionSolve how = {.h = h, .stiffness = 1.0, .whole = true};
    int rows = 0;
    for (int k = 0; k < bounce->count && bounce->order[k] < world->joint_block_count; k++) {
        Multiplier multiplier = {0};
        rows += position_solve_block(world, &world->blocks[bounce->order[k]], &how, &multiplier);
    }
    return rows;
}

void bounce_begin(Bounce *bounce, Step *step, const Multiplier *multipliers)
{
    World *world = step->world;
    bool hit = false;
    for (int b = world->joint_block_count; bounce->possible && b < world->block_count && !hit; b++)
        hit = contact_is_hit(bounce, world, b, multipliers);
    bounce->count = hit ? bounce_collect(bounce, world, multipliers) : 0;
    if (bounce->count == 0)
        return;
    bounce_prepare(bounce, world, multipliers, step->h);
    memcpy(bounce->plain, world->velocity, sizeof *bounce->plain * (size_t)world->body_count);
}

void bounce_sweep(Bounce *bounce, Step *step)
{
    if (bounce->count > 0)
        step->row_solves += row_system_sweep_part(&bounce->system, step->world->velocity, bounce->order, bounce->count);
}

double bounce_residual(const Bounce *bounce, const World *world)
{
    return bounce->count > 0 ? row_system_residual(&bounce->system, world->velocity) : 0.0;
}

void bounce_end(Bounce *bounce, Step *step)
{
    if (bounce->count == 0)
        return;
    if (bounce_residual(bounce, step->world) > BOUNCE_CONVERGED)
        step_report(step, "an impact took more than velocity_iterations");
    if (bounce_limit_energy(bounce, step->world))
        step_report(step, "a bounce was held to the energy before it");
    step->row_solves += bounce_settle_joints(bounce, step->world, step->h);
}
