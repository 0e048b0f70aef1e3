/* SPDX-License-Identifier: MIT */
/* Sweeps of the position-based backends by colour: what is on the clock, what is never written, and what only one
 * thread may touch. */
#define _DEFAULT_SOURCE /* mmap of memory that is no file */
#include "solvers/position/position_based.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/random.h"

#include <string.h>
#include <sys/mman.h>

static const double DT = 1.0 / 240.0;

/* Bodies of a page of memory, and more; COLUMNS of them carry a moving one each. */
enum { PAGE = 4096, FIXED = 90, COLUMNS = 40, SPHERES = 80 };

/* Fixed boxes, then a cube, a longer box or a sphere on each of the first, every other of which hangs on a joint
 * instead. */
static World *columns(void)
{
    World *world = contact_world(0.5, 0.0);
    for (int i = 0; i < FIXED + COLUMNS; i++) {
        Vec3 at = vec3(3.0 * (i % FIXED % 10), i < FIXED ? -0.5 : 0.499, 3.0 * (i % FIXED / 10));
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        BodyDef def = i < FIXED || i % 3 == 0 ? box_def(name, vec3(1, 1, 1), at)
                      : i % 3 == 1            ? box_def(name, vec3(1.2, 1, 0.7), at)
                                              : sphere_def(name, 0.5, at);
        def.fixed = i < FIXED;
        int body = build_body(world, &def);
        if (i >= FIXED && i % 2 == 0)
            mechanism_join(world, JOINT_BALL, body - FIXED, body, vec3_add(at, vec3(0.1, -0.5, 0)));
    }
    return world;
}

/* Into what they stand on, and somewhere. */
static void move(World *world)
{
    Random random = {0xf1cd};
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        world->pose[i].x.y -= 1e-3;
        world->velocity[i].v = random_vec3(&random, 1.0);
        world->velocity[i].w = random_vec3(&random, 1.0);
    }
}

/* A copy in pages of its own, the first of which cannot be written from now on. */
static void *guarded(const void *from, size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    memcpy(pages, from, bytes);
    assert_int_equal(mprotect(pages, PAGE, PROT_READ), 0);
    return pages;
}

typedef struct Sweeps {
    PositionBased *based;
    Step step;
} Sweeps;

static Sweeps sweeps_begin(World *world, int contact, int order)
{
    PositionBasedOptions options = {.common = {.substeps = 1, .iterations = 1},
                                    .contact = contact,
                                    .order = order,
                                    .push_speed = INFINITY,
                                    .look_ahead = INFINITY,
                                    .velocity_iterations = 1};
    Sweeps sweeps = {.step = {.world = world, .h = DT}};
    sweeps.based = position_based_create(world, &options, (PositionSolve){.stiffness = 1.0}, &sweeps.step.status);
    assert_non_null(sweeps.based);
    assert_true(position_based_reserve(sweeps.based, world, &sweeps.step.status));
    return sweeps;
}

/* All sweeps of a substep at the bodies' poses. */
static void sweeps_run(Sweeps *sweeps)
{
    PositionBased *based = sweeps->based;
    multipliers_clear(&based->lambda, sweeps->step.world);
    if (based->options.contact == CONTACT_STICK)
        position_based_tangents(based, &sweeps->step);
    position_based_joints(based, &sweeps->step);
    position_based_contacts(based, &sweeps->step);
    position_based_velocities(based, &sweeps->step);
}

/* Units share fixed bodies, and threads take them at once: not even the number that is there may be written. */
static void fixed_bodies_are_never_written(void **state)
{
    (void)state;
    assert_true(PAGE / sizeof(Pose) < FIXED && PAGE / sizeof(Velocity) < FIXED);
    for (int k = 0; k < 4; k++) {
        World *world = columns();
        drive_run(world, "xpbd", k % 2 ? "substeps=2 contact=stick" : "substeps=2", DT, 3);
        move(world);
        Sweeps sweeps = sweeps_begin(world, k % 2 ? CONTACT_STICK : CONTACT_PUBLISHED, k / 2);
        position_based_begin(sweeps.based, &sweeps.step);
        assert_true(sweeps.based->quads.manifolds.quad_count >= COLUMNS / 10);
        Pose *pose = world->pose;
        Velocity *velocity = world->velocity;
        size_t poses = sizeof *pose * (size_t)world->body_count,
               velocities = sizeof *velocity * (size_t)world->body_count;
        world->pose = guarded(pose, poses);
        world->velocity = guarded(velocity, velocities);
        sweeps_run(&sweeps);
        assert_true(sweeps.step.row_solves > COLUMNS);
        assert_true(memcmp(world->pose, pose, poses) != 0 && memcmp(world->velocity, velocity, velocities) != 0);
        munmap(world->pose, poses);
        munmap(world->velocity, velocities);
        world->pose = pose;
        world->velocity = velocity;
        position_based_destroy(sweeps.based);
        world_destroy(world);
    }
}

/* `reserve` is not timed: it leaves the work to the phase. */
static void colours_are_found_on_the_clock(void **state)
{
    (void)state;
    for (int order = POSITION_LIST; order <= POSITION_COLOUR; order++) {
        World *world = columns();
        drive_run(world, "xpbd", "substeps=2", DT, 1);
        Sweeps sweeps = sweeps_begin(world, CONTACT_STICK, order);
        const PositionBased *based = sweeps.based;
        assert_true(based->quads.manifolds.count == 0 && based->quads.joints.count == 0);
        position_based_begin(sweeps.based, &sweeps.step);
        assert_true(based->quads.manifolds.count > 0);
        assert_true(order == POSITION_LIST || based->quads.joints.count > 0);
        position_based_destroy(sweeps.based);
        world_destroy(world);
    }
}

/* Spheres on one plate that moves: more than there are colours. */
static World *tray(void)
{
    World *world = contact_world(0.5, 0.0);
    BodyDef plate = box_def("plate", vec3(20, 1, 20), VEC3_ZERO);
    build_body(world, &plate);
    for (int i = 0; i < SPHERES; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        BodyDef ball = sphere_def(name, 0.5, vec3(1.5 * (i % 10) - 7, 0.999, 1.5 * (i / 10) - 7));
        ball.velocity = vec3(0.01 * i, -1, 0);
        build_body(world, &ball);
    }
    return world;
}

static void units_beyond_the_colours_are_left_to_one_thread(void **state)
{
    (void)state;
    World *worlds[2] = {tray(), tray()};
    for (int k = 0; k < 2; k++) {
        Status status = {0};
        worlds[k]->team = k ? team_create(4, &status) : NULL;
        drive_run(worlds[k], "xpbd", "substeps=2 order=colour contact=stick", DT, 10);
        team_destroy(worlds[k]->team);
        worlds[k]->team = NULL;
    }
    size_t bodies = (size_t)worlds[0]->body_count;
    assert_memory_equal(worlds[0]->pose, worlds[1]->pose, sizeof(Pose) * bodies);
    assert_memory_equal(worlds[0]->velocity, worlds[1]->velocity, sizeof(Velocity) * bodies);
    Sweeps sweeps = sweeps_begin(worlds[0], CONTACT_STICK, POSITION_COLOUR);
    position_based_begin(sweeps.based, &sweeps.step);
    const Schedule *colours = &sweeps.based->quads.manifolds;
    int last = colours->serial, left = colours->rest_start[last + 1] - colours->rest_start[last];
    assert_int_equal(worlds[0]->manifold_count, SPHERES);
    assert_int_equal(left, SPHERES - COLOUR_MAX + 1);
    assert_int_equal(colours->start[last + 1], colours->start[last]); /* none of them is in a quad */
    for (int i = 1; i < left; i++)                                    /* and they keep their order */
        assert_true(colours->rest[colours->rest_start[last] + i] > colours->rest[colours->rest_start[last] + i - 1]);
    position_based_destroy(sweeps.based);
    for (int k = 0; k < 2; k++)
        world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_bodies_are_never_written),
        cmocka_unit_test(colours_are_found_on_the_clock),
        cmocka_unit_test(units_beyond_the_colours_are_left_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
