/* SPDX-License-Identifier: MIT */
#include "model/world.h"

#include "model/array.h"
#include "model/contact.h"
#include "model/energy.h"
#include "model/joint/law_rows.h"
#include "model/lanes.h"
#include "model/world/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        strcpy(copy, text);
    return copy;
}

/* Grows one array of the world to `capacity` elements; new elements are zero. */
static bool world_grow(void **array, size_t size, int used, int capacity)
{
    char *grown = realloc(*array, size * (size_t)capacity);
    if (!grown)
        return false;
    memset(grown + size * (size_t)used, 0, size * (size_t)(capacity - used));
    *array = grown;
    return true;
}

bool world_reserve_bodies(World *world)
{
    if (world->body_count < world->body_capacity)
        return true;
    int used = world->body_count, capacity = used < 16 ? 32 : 2 * used;
    struct {
        void **array;
        size_t size;
    } arrays[] = {
        {(void **)&world->pose, sizeof *world->pose},
        {(void **)&world->velocity, sizeof *world->velocity},
        {(void **)&world->mass, sizeof *world->mass},
        {(void **)&world->principal, sizeof *world->principal},
        {(void **)&world->bodies, sizeof *world->bodies},
        {(void **)&world->meshes, sizeof *world->meshes},
        {(void **)&world->hull_points, sizeof *world->hull_points},
        {(void **)&world->removed, sizeof *world->removed},
        {(void **)&world->ride, sizeof *world->ride},
        {(void **)&world->pose_before, sizeof *world->pose_before},
        {(void **)&world->velocity_before, sizeof *world->velocity_before},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!world_grow(arrays[i].array, arrays[i].size, used, capacity))
            return false;
    world->body_capacity = capacity;
    return true;
}

World *world_create(void)
{
    World *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    world->gravity = vec3(0, -9.81, 0);
    world->length_scale = 1.0;
    world->combine_friction = COMBINE_AVERAGE;
    world->combine_restitution = COMBINE_MAX;
    BodyDef ground = BODY_DEF_INIT;
    ground.name = "world";
    ground.fixed = true;
    world->contacts = contacts_create();
    Material plain = {"default", 0.5, 0.0, 0.0};
    Status status;
    if (!world->contacts || world_add_material(world, &plain) < 0 || world_add_body(world, &ground, &status) < 0) {
        world_destroy(world);
        return NULL;
    }
    return world;
}

static void world_free_joint(Joint *joint)
{
    joint_def_free(&joint->def);
    free(joint->coordinates);
    free(joint->law_rows);
}

void world_destroy(World *world)
{
    if (!world)
        return;
    for (int i = 0; i < world->material_count; i++)
        free(world->materials[i].name);
    for (int i = 0; i < world->body_count; i++) {
        body_shapes_free((BodyShape *)world->bodies[i].shapes, world->bodies[i].shape_count);
        free((char *)world->bodies[i].name);
        mesh_destroy(world->meshes[i]);
        free(world->hull_points[i]);
    }
    for (int c = 0; c < world->collider_count; c++)
        mesh_destroy(world->colliders[c].own_mesh);
    free(world->colliders);
    free(world->ride);
    for (int i = 0; i < world->joint_count; i++)
        world_free_joint(&world->joints[i]);
    for (int i = 0; i < world->coupling_count; i++)
        free((char *)world->couplings[i].name);
    free(world->couplings);
    free(world->materials);
    free(world->pose);
    free(world->velocity);
    free(world->mass);
    free(world->principal);
    free(world->bodies);
    free(world->meshes);
    free(world->hull_points);
    free(world->removed);
    free(world->pose_before);
    free(world->velocity_before);
    free(world->collide_except);
    free(world->collide_only_pairs);
    contacts_destroy(world->contacts);
    free(world->joints);
    lines_free(world->blocks);
    lines_free(world->seats);
    free(world->terms);
    free(world->block_impulse);
    free(world->manifolds);
    free(world);
}

int world_add_material(World *world, const Material *material)
{
    Material *grown = realloc(world->materials, sizeof *grown * (size_t)(world->material_count + 1));
    if (!grown)
        return -1;
    world->materials = grown;
    char *name = copy_text(material->name);
    if (!name)
        return -1;
    grown[world->material_count] = *material;
    grown[world->material_count].name = name;
    return world->material_count++;
}

int world_find_body(const World *world, const char *name)
{
    for (int i = 0; i < world->body_count; i++)
        if (strcmp(world->bodies[i].name, name) == 0)
            return i;
    return -1;
}

/* One more pair of bodies at the end of a list of such. */
static bool add_pair(int (**pairs)[2], int *count, int *capacity, int body1, int body2)
{
    if (*count == *capacity) {
        int room = *count < 16 ? 32 : 2 * *count;
        if (!world_grow((void **)pairs, sizeof **pairs, *count, room))
            return false;
        *capacity = room;
    }
    int *pair = (*pairs)[(*count)++];
    pair[0] = body1;
    pair[1] = body2;
    return true;
}

bool world_add_collide_exception(World *world, int body1, int body2)
{
    return add_pair(&world->collide_except, &world->collide_except_count, &world->collide_except_capacity, body1,
                    body2);
}

bool world_add_collide_only(World *world, int body1, int body2)
{
    world->collide_only = true;
    return add_pair(&world->collide_only_pairs, &world->collide_only_count, &world->collide_only_capacity, body1,
                    body2);
}

int world_add_joint(World *world, const JointDef *def, Status *status)
{
    assert(world->block_count == world->joint_block_count); /* contacts come after the last joint */
    if (world->joint_count == WORLD_MAX_JOINTS) {
        status_set(status, STATUS_USAGE, "a scene has at most %d joints", WORLD_MAX_JOINTS);
        return -1;
    }
    if (world->joint_count == world->joint_capacity) {
        int capacity = world->joint_count < 16 ? 32 : 2 * world->joint_count;
        if (!world_grow((void **)&world->joints, sizeof *world->joints, world->joint_count, capacity)) {
            status_set(status, STATUS_FAILED, "out of memory");
            return -1;
        }
        world->joint_capacity = capacity;
    }
    int index = world->joint_count, blocks_before = world->block_count;
    Joint *joint = &world->joints[index];
    *joint = (Joint){.first_block = blocks_before};
    bool copied = joint_def_copy(&joint->def, def);
    for (int k = 0; k < joint_body_count(def); k++) {
        joint->listed_body[k] = def->body[k];
        joint->def.body[k] = world->ride[def->body[k]].root;
    }
    if (!copied)
        status_set(status, STATUS_FAILED, "out of memory");
    if (!copied || !joint_add_blocks(world, joint, index, status)) {
        world_free_joint(joint);
        world->block_count = world->joint_block_count = blocks_before;
        return -1;
    }
    joint->block_count = world->block_count - blocks_before;
    world->joint_block_count = world->block_count;
    world->actuated_count += joint_has_actuator(joint);
    world->lawful_count += joint->law_rows != NULL;
    return world->joint_count++;
}

bool world_add_coupling(World *world, const JointCoupling *coupling)
{
    size_t count = (size_t)world->coupling_count;
    JointCoupling *grown = realloc(world->couplings, sizeof *grown * (count + 1));
    if (!grown)
        return false;
    world->couplings = grown;
    grown[count] = *coupling;
    grown[count].name = copy_text(coupling->name ? coupling->name : "");
    if (!grown[count].name)
        return false;
    world->coupling_count++;
    return true;
}

/* Twice as many, at least so many as are needed. */
static int larger_capacity(int capacity, int needed)
{
    int twice = capacity < 16 ? 32 : 2 * capacity;
    return twice > needed ? twice : needed;
}

Block *world_add_blocks(World *world, int count)
{
    int used = world->block_count;
    if (used + count > world->block_capacity) {
        int capacity = larger_capacity(world->block_capacity, used + count);
        size_t size = sizeof *world->blocks;
        Block *blocks = lines_grow(world->blocks, size * (size_t)used, size * (size_t)capacity);
        if (!blocks)
            return NULL;
        world->blocks = blocks;
        memset(blocks + used, 0, size * (size_t)(capacity - used));
        if (!world_grow((void **)&world->block_impulse, sizeof *world->block_impulse, used, capacity))
            return NULL;
        world->block_capacity = capacity;
    }
    world->block_count += count;
    return &world->blocks[used];
}

bool world_add_manifolds(World *world, int count)
{
    int used = world->manifold_count;
    if (used + count > world->manifold_capacity) {
        int capacity = larger_capacity(world->manifold_capacity, used + count);
        if (!world_grow((void **)&world->manifolds, sizeof *world->manifolds, used, capacity))
            return false;
        world->manifold_capacity = capacity;
    }
    world->manifold_count += count;
    return true;
}

/* Room for the terms of one more block than there are. They move, and the blocks' pointers with them. */
static bool world_reserve_terms(World *world)
{
    size_t used = (size_t)world->block_count, room = array_room(world->terms_capacity, used + 1);
    if (used < world->terms_capacity)
        return true;
    JointTerms *grown = malloc(sizeof *grown * room);
    if (!grown)
        return false;
    for (size_t b = 0; b < used; b++) {
        JointTerms *moved = grown + (joint_terms(&world->blocks[b]) - world->terms);
        *moved = *joint_terms(&world->blocks[b]);
        world->blocks[b].seat = &moved->seat;
    }
    free(world->terms);
    world->terms = grown;
    world->terms_capacity = room;
    return true;
}

Block *world_add_block(World *world)
{
    Block *block = world_reserve_terms(world) ? world_add_blocks(world, 1) : NULL;
    if (!block)
        return NULL;
    JointTerms *terms = &world->terms[world->block_count - 1];
    *terms = (JointTerms){.max_force = INFINITY, .lower = -INFINITY, .upper = INFINITY};
    *block = (Block){.seat = &terms->seat};
    return block;
}

void world_remove_body(World *world, int body)
{
    assert(body > 0 && body < world->body_count);
    world->removed[body] = true;
    world->mass[body].inv_mass = 0.0;
    world->mass[body].inv_inertia = VEC3_ZERO;
    world->velocity[body] = (Velocity){VEC3_ZERO, VEC3_ZERO};
    for (int b = 0; b < world->block_count; b++) {
        Block *block = &world->blocks[b];
        for (int k = 0; k < 4; k++)
            block->off = block->off || block->body[k] == body;
        if (block->off && block->joint >= 0)
            world->joints[block->joint].off = true;
    }
}

Vec3 world_field(const World *world, Vec3 at)
{
    if (world->attractor.gm == 0.0)
        return world->gravity;
    Vec3 r = vec3_sub(at, world->attractor.at);
    double d = vec3_norm(r);
    return vec3_add_scaled(world->gravity, -world->attractor.gm / (d * d * d), r);
}

void world_begin_frame(World *world)
{
    contacts_begin_sums(world->contacts);
    for (int j = 0; j < world->joint_count; j++)
        world->joints[j].impulse = world->joints[j].angular_impulse = VEC3_ZERO;
}

void world_begin_substep(World *world, double h)
{
    world->torque_work = NAN;
    for (int i = 1; i < world->body_count && world->fused_count > 0; i++)
        if (world->bodies[i].fused)
            world->velocity[i] = (Velocity){VEC3_ZERO, VEC3_ZERO}; /* it stands, for who would move it */
    memcpy(world->pose_before, world->pose, sizeof *world->pose * (size_t)world->body_count);
    memcpy(world->velocity_before, world->velocity, sizeof *world->velocity * (size_t)world->body_count);
    for (int b = 0; b < world->joint_block_count; b++) {
        JointTerms *terms = joint_terms(&world->blocks[b]);
        if (terms->law)
            law_row_begin(world, &world->blocks[b], h);
        if (!terms->driven)
            continue;
        terms->target_before = terms->target;
        terms->target += h * terms->speed;
    }
}

static void world_end_blocks(World *world, double h)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        JointTerms *terms = joint_terms(block);
        Joint *joint = &world->joints[block->joint];
        if (block->off)
            continue;
        Vec3 impulse = world->block_impulse[b];
        bool angular = block_unit(block->kind) == UNIT_ANGLE;
        Vec3 *sum = angular ? &joint->angular_impulse : &joint->impulse;
        *sum = vec3_add(*sum, impulse);
        if (block->kind == BLOCK_TWIST || block->kind == BLOCK_ALIGN)
            terms->angle = block_twist(world, block);
        /* A motor at its torque bound has stalled: its target waits where the joint is. */
        if (terms->driven && block_is_at_bound(block, impulse, h))
            terms->target = terms->angle;
    }
}

LANE_VERSIONS static void drop_traces(void *numbers, size_t bytes)
{
    double *x = numbers;
    size_t count = bytes / sizeof *x, i = 0;
    for (; i + LANES <= count; i += LANES) {
        Lanes four = lanes_load(x + i);
        lanes_store(x + i, lanes_choose((LaneMask)(lanes_abs(four) < TRACE), four * 0.0, four));
    }
    for (; i < count; i++)
        x[i] = trace_drop(x[i]);
}

void world_drop_traces(World *world)
{
    drop_traces(world->pose, (size_t)world->body_count * sizeof *world->pose);
    drop_traces(world->velocity, (size_t)world->body_count * sizeof *world->velocity);
    drop_traces(world->block_impulse, (size_t)world->block_count * sizeof *world->block_impulse);
}

void world_end_substep(World *world, double h)
{
    world->actuator_work += world_substep_work(world, h);
    if (world->contacts->sums_wanted && !contacts_add_sums(world))
        world->contacts->sums_lost = true;
    world_end_blocks(world, h);
    for (int j = 0; j < world->joint_count && world->lawful_count > 0; j++)
        if (joint_is_stack(&world->joints[j]))
            joint_follow_stack(world, &world->joints[j]);
    for (int j = 0; j < world->joint_count && world->actuated_count > 0; j++) {
        Joint *joint = &world->joints[j];
        if (!joint_has_actuator(joint))
            continue;
        Vec3 force, torque;
        joint_actuation(world, joint, &force, &torque);
        joint->impulse = vec3_add_scaled(joint->impulse, h, force);
        joint->angular_impulse = vec3_add_scaled(joint->angular_impulse, h, torque);
    }
    world_follow_fused(world);
}
