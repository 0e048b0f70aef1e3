/* SPDX-License-Identifier: MIT */
/* Every kernel at both widths: four units of a colour, or of a list, at once have the bits of one after the other,
 * whatever their lanes meet: points that stick, slide, push, are let go or carry nothing, fixed bodies, spheres and
 * boxes side by side, joints that are soft or off. */
#include "solvers/position/kernels.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 240.0;
enum { MANY = 48, ROW = 23, SWEEPS = 6 };

/* Boxes of any sides, cubes or spheres, two of each, one on the other, on a plane, and a row of spheres that touch
 * their neighbours: units of a list that come one after the other share bodies. All move. */
static World *crowd(uint64_t seed, double mu, double e)
{
    Random random = {seed};
    World *world = contact_world(mu, e);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 2 * MANY; i++) {
        double height = 0.499 + 0.998 * (i % 2);
        Vec3 at = vec3(3.0 * (i / 2 % 8), height, 3.0 * (i / 16));
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        BodyDef def = i / 2 % 3 == 2   ? sphere_def(name, 0.5, at)
                      : i / 2 % 3 == 1 ? box_def(name, vec3(1, 1, 1), at)
                                       : box_def(name, vec3(1.5, 1, 0.8), at);
        def.velocity = random_vec3(&random, 0.5);
        def.angular_velocity = random_vec3(&random, 0.5);
        build_body(world, &def);
    }
    for (int i = 0; i < ROW; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        BodyDef def = sphere_def(name, 0.5, vec3(0.998 * i, 0.5, -3.0));
        def.velocity = random_vec3(&random, 0.1);
        build_body(world, &def);
    }
    return world;
}

/* Bodies a little displaced and moved, impulses that do not fit: some points carry nothing, some are apart, some were
 * found in deep overlap. */
static void scatter(World *world, Random *random)
{
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        world->pose[i].x = vec3_add(world->pose[i].x, random_vec3(random, 2e-3));
        world->pose[i].q = quat_nudge_world(world->pose[i].q, random_vec3(random, 4e-3));
        world->velocity[i].v = random_vec3(random, 1.0);
        world->velocity[i].w = random_vec3(random, 1.0);
    }
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        Vec3 impulse = random_vec3(random, 5.0);
        world->block_impulse[b] = random_in(random, 0, 1) < 0.3 ? VEC3_ZERO : impulse;
        world->blocks[b].recovers = b % 5 == 0;
        world->blocks[b].seat->rest = -3e-3;
    }
}

/* The same world twice: the first goes by quads, the second one by one. */
typedef struct Twins {
    World *world[2];
    Multiplier *multipliers[2];
    Velocity *predicted;
    Schedule colours[2]; /* of joints, and of manifolds, none of which stand side by side */
    PositionQuads quads;
    PositionSolve how;
} Twins;

static void twins_begin(Twins *twins, const char *options, bool list)
{
    World **world = twins->world;
    for (int k = 0; k < 2; k++) {
        Random random = {0x5ca7 + list};
        drive_run(world[k], "xpbd", options, DT, 3);
        scatter(world[k], &random);
        twins->multipliers[k] = calloc((size_t)world[k]->block_count, sizeof(Multiplier));
    }
    twins->predicted = calloc((size_t)world[0]->body_count, sizeof *twins->predicted);
    memcpy(twins->predicted, world[0]->velocity, sizeof *twins->predicted * (size_t)world[0]->body_count);
    twins->quads.four = true;
    assert_int_equal(world[0]->block_count, world[1]->block_count);
    assert_true(position_quads_reserve(&twins->quads, world[0]));
    for (int k = 0; k < 2; k++) {
        int units = k == 0 ? world[0]->joint_block_count : world[0]->manifold_count;
        assert_true(schedule_reserve(&twins->colours[k], units, world[0]->body_count));
        memset(twins->colours[k].kinds, 0, sizeof *twins->colours[k].kinds * (size_t)units);
        schedule_by_colour(&twins->colours[k], world[0], k == 0 ? SCHEDULE_JOINTS : SCHEDULE_MANIFOLDS, QUAD);
    }
    position_quads_set_joints(&twins->quads, world[0], !list, false);
    position_quads_set_manifolds(&twins->quads, world[0], !list, &twins->how);
}

static void twins_end(Twins *twins)
{
    for (int k = 0; k < 2; k++) {
        free(twins->multipliers[k]);
        world_destroy(twins->world[k]);
    }
    free(twins->predicted);
    for (int k = 0; k < 2; k++)
        schedule_free(&twins->colours[k]);
    position_quads_free(&twins->quads);
}

static void assert_same(const Twins *twins, long rows, long rows_alone)
{
    const World *one = twins->world[0], *two = twins->world[1];
    size_t bodies = (size_t)one->body_count, blocks = (size_t)one->block_count;
    assert_int_equal(rows, rows_alone);
    assert_memory_equal(one->pose, two->pose, sizeof *one->pose * bodies);
    assert_memory_equal(one->velocity, two->velocity, sizeof *one->velocity * bodies);
    assert_memory_equal(one->block_impulse, two->block_impulse, sizeof *one->block_impulse * blocks);
    assert_memory_equal(twins->multipliers[0], twins->multipliers[1], sizeof(Multiplier) * blocks);
}

/* One kernel at both widths. */
typedef struct Widths {
    TeamWork *one, *four;
} Widths;

/* Colour by colour, quads and what is left over; the other in the order of the list, or of the colours. Returns the
 * rows solved. */
static long compare(Twins *twins, const Schedule *quads, const Schedule *colours, bool list, Widths kernel)
{
    PositionSweep sweep[2];
    long rows = 0;
    for (int k = 0; k < 2; k++)
        sweep[k] = (PositionSweep){.world = twins->world[k],
                                   .how = &twins->how,
                                   .multipliers = twins->multipliers[k],
                                   .quads = &twins->quads,
                                   .threshold = 0.05,
                                   .predicted = twins->predicted};
    for (int c = 0; c < quads->count; c++) {
        sweep[0].span.first = quads->start[c];
        sweep[0].span.units = quads->rest + quads->rest_start[c];
        rows += kernel.four(&sweep[0], 0, quads->start[c + 1] - quads->start[c]);
        rows += kernel.one(&sweep[0], 0, quads->rest_start[c + 1] - quads->rest_start[c]);
    }
    sweep[1].span.units = list ? NULL : colours->rest;
    assert_same(twins, rows, kernel.one(&sweep[1], 0, colours->rest_start[colours->count]));
    return rows;
}

static int quads_with_room(const Schedule *quads)
{
    int count = 0;
    for (int q = 0; q < quads->quad_count; q++)
        count += quads->quads[q].lanes < QUAD;
    return count;
}

/* Sweeps over positions, then one over velocities, as a substep has them. Returns the quads that have room. */
static int compare_contacts(uint64_t seed, double mu, double e, bool stick, bool list)
{
    Twins twins = {.world = {crowd(seed, mu, e), crowd(seed, mu, e)},
                   .how = {.h = DT, .stiffness = 1.0, .slop = 1e-4, .push_speed = 0.5}};
    twins_begin(&twins, stick ? "substeps=2 contact=stick" : "substeps=2", list);
    const Schedule *quads = &twins.quads.manifolds;
    const Schedule *colours = &twins.colours[1];
    int with_room = quads_with_room(quads);
    assert_true(quads->quad_count >= MANY / 4);
    const Widths tangents = {stick_tangents_one, stick_tangents};
    const Widths normals[] = {{contact_positions_one, contact_positions}, {stick_normals_one, stick_normals}};
    const Widths velocities[] = {{contact_velocities_one, contact_velocities},
                                 {stick_velocities_one, stick_velocities}};
    for (int s = 0; s < SWEEPS; s++) {
        if (stick)
            assert_true((mu > 0.0) == (compare(&twins, quads, colours, list, tangents) > 0));
        assert_true(compare(&twins, quads, colours, list, normals[stick]) > 0);
    }
    assert_true(compare(&twins, quads, colours, list, velocities[stick]) > 0);
    twins_end(&twins);
    return with_room;
}

static void quads_of_manifolds_have_the_bits_of_manifolds_alone(void **state)
{
    (void)state;
    static const double MU[] = {0.0, 0.1, 0.6};
    int with_room[2] = {0};
    for (int k = 0; k < 12; k++)
        with_room[k / 6] += compare_contacts((uint64_t)(0x9ad + k), MU[k % 3], k % 2 ? 0.4 : 0.0, k / 3 % 2, k >= 6);
    assert_true(with_room[0] > 0 && with_room[1] > 0);
}

static World *soft_rods(void)
{
    World *world = mechanism_rods(45, 0.5, true);
    for (int b = 0; b < world->joint_block_count; b++)
        joint_terms(&world->blocks[b])->compliance = b % 3 == 0 ? 1e-5 : 0.0;
    for (int b = 0; b < world->joint_block_count; b += 4)
        joint_terms(&world->blocks[b])->stiffness = 0.7;
    world->blocks[9].off = true;
    return world;
}

/* Ropes and rods between particles and boxes, some soft, some with a bound, one off. */
static World *ties(void)
{
    World *world = mechanism_particles(30, vec3(0.31, 0.05, -0.1), 0.7);
    for (int i = 0; i < 17; i++) {
        int body = mechanism_add_box(world, vec3(0.4 * i, 2, 0.1 * (i % 3)), vec3(0.3, 0.2, 0.1));
        mechanism_tie(world, i == 0 ? 0 : body - 1, body);
    }
    for (int b = 0; b < world->joint_block_count; b++) {
        JointTerms *terms = joint_terms(&world->blocks[b]);
        terms->compliance = b % 3 == 0 ? 1e-4 : 0.0;
        terms->stiffness = b % 4 == 0 ? 0.7 : NAN;
        terms->one_sided = b % 5 == 0;
        terms->max_force = b % 7 == 0 ? 20.0 : INFINITY;
        terms->seat.anchor[1] = b >= 30 ? vec3(0.1, 0.05, -0.02) : VEC3_ZERO;
    }
    world->blocks[11].off = true;
    return world;
}

/* Short chains side by side, each made before the next: joints of a list that come one after the other share bodies. */
static World *combs(void)
{
    World *world = world_create();
    for (int i = 0; i < 15 * 4; i++) {
        int above = i % 4 == 0 ? 0 : world->body_count - 1;
        Vec3 at = vec3(i / 4, -0.5 - 0.5 * (i % 4), 0);
        int body = mechanism_add_box(world, at, vec3(0.1, 0.5, 0.2));
        mechanism_join(world, i % 8 == 5 ? JOINT_HINGE : JOINT_BALL, above, body, vec3_add(at, vec3(0, 0.25, 0)));
        if (above > 0)
            mechanism_tie(world, above, body);
    }
    return world;
}

static void quads_of_joints_have_the_bits_of_joints_alone(void **state)
{
    (void)state;
    World *(*const BUILD[])(void) = {soft_rods, ties, combs, combs};
    for (int k = 0; k < 8; k++) {
        bool by_stiffness = k % 2, list = k / 2 == 3;
        Twins twins = {.world = {BUILD[k / 2](), BUILD[k / 2]()},
                       .how = {.h = DT, .stiffness = by_stiffness ? 0.9 : 1.0, .by_stiffness = by_stiffness}};
        twins_begin(&twins, "substeps=1", list);
        assert_true(twins.quads.joints.quad_count >= 10 && quads_with_room(&twins.quads.joints) > 0);
        for (int s = 0; s < SWEEPS; s++)
            assert_true(compare(&twins, &twins.quads.joints, &twins.colours[0], list,
                                (Widths){joint_positions_one, joint_positions}) > 0);
        twins_end(&twins);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_manifolds_have_the_bits_of_manifolds_alone),
        cmocka_unit_test(quads_of_joints_have_the_bits_of_joints_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
