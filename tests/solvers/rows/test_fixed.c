/* SPDX-License-Identifier: MIT */
/* Units that are solved at once may share a fixed body, which nobody may write then; units of the overflow colour share
 * moving ones, and go to one thread. The linker sends calls of team_share here. */
#include "solvers/rows/row_schedule.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const double DT = 1.0 / 60.0;
enum { SWEEPS = 5, SIDE = 6, SPOKES = 333, OVERFLOW = SPOKES - (COLOUR_MAX - 1) };

static int overflow_alone, overflow_shared;

long __real_team_share(Team *team, int count, int least, TeamWork *work, void *context);
long __wrap_team_share(Team *team, int count, int least, TeamWork *work, void *context);

long __wrap_team_share(Team *team, int count, int least, TeamWork *work, void *context)
{
    if (count == OVERFLOW)
        *(team ? &overflow_shared : &overflow_alone) += 1;
    return __real_team_share(team, count, least, work, context);
}

/* A world's rows one by one, and by colour in quads. */
typedef struct Coloured {
    RowSystem alone, system;
    RowSchedule quads;
    int *order;
} Coloured;

static void coloured_begin(Coloured *all, const World *world, RowSetup setup)
{
    *all = (Coloured){.order = calloc((size_t)world->block_count + 1, sizeof *all->order)};
    assert_true(row_system_init(&all->alone, world) && row_system_init(&all->system, world));
    assert_true(row_schedule_reserve(&all->quads, world));
    row_system_prepare(&all->alone, world, &setup);
    row_schedule_manifolds(&all->quads, world, &setup, true);
    setup.quads = &all->quads;
    row_system_prepare(&all->system, world, &setup);
    row_schedule_joints(&all->quads, &all->system, world, true);
    schedule_list_blocks(&all->quads.joints, &all->quads.manifolds, world, all->order);
}

static void coloured_free(Coloured *all)
{
    row_system_free(&all->alone);
    row_system_free(&all->system);
    row_schedule_free(&all->quads);
    free(all->order);
}

/* Boxes and spheres on a plane, neighbours in touch; chains of balls and of particles beside them. */
static World *yard(void)
{
    Random random = {0xf17ed};
    World *world = contact_world(0.4, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < SIDE * SIDE; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        Vec3 at = vec3(0.99 * (i % SIDE), 0.5, 0.99 * (double)(i / SIDE));
        BodyDef def = i % 2 ? sphere_def(name, 0.5, at) : box_def(name, vec3(1, 1, 1), at);
        def.velocity = random_vec3(&random, 0.5);
        build_body(world, &def);
    }
    for (int i = 0; i < 2 * SIDE; i++) {
        Vec3 at = vec3(2.0 * i, 20, 0);
        mechanism_join(world, i % 3 ? JOINT_BALL : JOINT_HINGE, i % 2, mechanism_add_box(world, at, vec3(1, 0.5, 0.2)),
                       vec3_add(at, vec3(0.5, 0.1, 0)));
        mechanism_tie(world, i % 2, mechanism_add_particle(world, vec3(2.0 * i, 30, 1), 0.3));
    }
    return world;
}

static int leading_fixed(const World *world)
{
    int fixed = 0;
    while (fixed < world->body_count && world_is_fixed(world, fixed))
        fixed++;
    for (int i = fixed; i < world->body_count; i++)
        assert_false(world_is_fixed(world, i));
    return fixed;
}

/* All sweeps, on velocities whose fixed bodies stand at the end of a page that is for reading alone. */
static void sweep_guarded(const World *world, Coloured *all, Velocity *velocity, Velocity *seen, const double *share)
{
    row_system_apply(&all->alone, velocity);
    row_schedule_apply(&all->system, NULL, velocity);
    for (int s = 0; s < SWEEPS; s++) {
        assert_true(row_system_sweep(&all->alone, velocity, NULL) > 0);
        assert_true(row_system_sweep(&all->alone, velocity, all->order) > 0);
        assert_true(row_schedule_sweep(&all->system, NULL, velocity) > 0);
        memcpy(seen, velocity, sizeof *seen * (size_t)world->body_count);
        if (share)
            assert_true(row_system_jacobi(&all->alone, world, seen, velocity, share) > 0);
    }
}

static void no_sweep_writes_a_fixed_body(void **state)
{
    (void)state;
    World *world = yard();
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bodies = (size_t)world->body_count;
    size_t moving = (bodies * sizeof(Velocity) + page) / page * page;
    drive_run(world, "pgs", "iterations=3", DT, 3); /* leaves contacts */
    int fixed = leading_fixed(world);
    assert_int_equal(fixed, 2);
    char *pages = aligned_alloc(page, page + moving);
    Velocity *velocity = (Velocity *)(pages + page) - fixed, *seen = calloc(bodies, sizeof *seen);
    double *share = calloc((size_t)world->block_count, sizeof *share);
    for (int b = 0; b < world->block_count; b++)
        share[b] = 0.5;
    memcpy(velocity, world->velocity, sizeof *velocity * bodies);
    assert_int_equal(mprotect(pages, page, PROT_READ), 0);
    for (int k = 0; k < 6; k++) {
        RowSetup setup = warm_setup();
        setup.manifold = k % 2;
        setup.whole = k % 3 == 1;
        setup.sweeps_only = k >= 2;
        setup.friction = k % 2 ? FRICTION_CONE : FRICTION_DISC;
        Coloured all;
        coloured_begin(&all, world, setup);
        assert_true(all.quads.joints.quad_count >= SIDE / 2 && all.quads.manifolds.quad_count >= SIDE);
        sweep_guarded(world, &all, velocity, seen, setup.sweeps_only ? NULL : share);
        coloured_free(&all);
    }
    assert_int_equal(mprotect(pages, page, PROT_READ | PROT_WRITE), 0);
    free(pages);
    free(seen);
    free(share);
    world_destroy(world);
}

/* A wheel whose spokes share a hub that moves: 63 have colours of their own, all others the last. */
static void the_overflow_colour_goes_to_one_thread(void **state)
{
    (void)state;
    Status status;
    Team *team = team_create(4, &status);
    World *world = world_create();
    int hub = mechanism_add_box(world, VEC3_ZERO, vec3(0.3, 0.4, 0.5));
    for (int i = 0; i < SPOKES; i++) {
        Vec3 at = vec3(1.0 + i, 0.3 * i, -0.2 * i);
        mechanism_join(world, JOINT_BALL, hub, mechanism_add_box(world, at, vec3(0.3, 0.2, 0.1)), vec3_scale(0.5, at));
    }
    for (int i = hub; i < world->body_count; i++)
        world->velocity[i].v = vec3(0.3 * i, 1.0 - 0.1 * i, 0.2);
    size_t bytes = sizeof(Velocity) * (size_t)world->body_count;
    RowSetup setup = {.h = DT, .rate = 0.2 / DT, .relaxation = 1.0, .keep = 1.0};
    Coloured all;
    coloured_begin(&all, world, setup);
    Velocity *velocity = malloc(bytes);
    memcpy(velocity, world->velocity, bytes);
    overflow_alone = overflow_shared = 0;
    for (int s = 0; s < SWEEPS; s++) {
        row_schedule_apply(&all.system, team, world->velocity);
        row_system_apply(&all.alone, velocity);
        long rows = row_schedule_sweep(&all.system, team, world->velocity);
        row_system_copy_back(&all.system);
        assert_int_equal(rows, 3 * SPOKES);
        assert_int_equal(row_system_sweep(&all.alone, velocity, NULL), rows); /* the colours are the list's order */
        assert_memory_equal(world->velocity, velocity, bytes);
    }
    assert_int_equal(overflow_alone, 2 * SWEEPS);
    assert_int_equal(overflow_shared, 0);
    coloured_free(&all);
    free(velocity);
    world_destroy(world);
    team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sweep_writes_a_fixed_body),
        cmocka_unit_test(the_overflow_colour_goes_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
