/* SPDX-License-Identifier: MIT */
/* No backend allocates inside a step: the linker sends every call of malloc and its kin in model/ and solvers/ here. */
#include "tests/solvers/contact_worlds.h"

#include <stdlib.h>

static long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

static void swing(const char *solver, const char *options)
{
    World *world = rod_chain(20, 1.2);
    Drive drive;
    long before_create = allocations;
    drive_begin(&drive, world, solver, options);
    assert_true(allocations > before_create); /* the count works */
    drive_frame(&drive, 1.0 / 600);
    long before = allocations;
    for (int f = 0; f < 10; f++)
        drive_frame(&drive, 1.0 / 600);
    if (allocations != before)
        fail_msg("%s %s allocates %ld times in 10 frames", solver, options, allocations - before);
    drive_end(&drive);
    world_destroy(world);
}

/* A backend that colours does so in its first step; that does not allocate either. */
static void first_step(const char *solver, const char *options)
{
    World *world = rod_chain(20, 1.2);
    Drive drive;
    drive_begin(&drive, world, solver, options);
    long before = allocations;
    drive_frame(&drive, 1.0 / 600);
    if (allocations != before)
        fail_msg("%s %s allocates %ld times in its first frame", solver, options, allocations - before);
    drive_end(&drive);
    world_destroy(world);
}

static void no_solver_allocates_in_a_step(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++)
        swing(all_solvers[s]->name, "");
    swing("pgs", "order=colour");
    swing("xpbd", "order=colour");
    first_step("pgs", "order=colour");
    first_step("xpbd", "order=colour");
}

/* Nor detection, once every contact has been found. Columns of three boxes: one that stands on patches, or several,
 * whose contacts are solved four at once. */
static void keep_touching(const char *solver, const char *options, int columns)
{
    World *world = contact_world(0.6, 0.0);
    world->materials[0].patch_radius = columns == 1 ? 0.05 : 0.0;
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 3 * columns; i++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        BodyDef box = box_def(name, vec3(1, 0.5, 1), vec3(2.0 * (i / 3), 0.25 + 0.5 * (i % 3), 0));
        build_body(world, &box);
    }
    Drive drive;
    drive_begin(&drive, world, solver, options);
    for (int f = 0; f < 3; f++)
        drive_frame(&drive, 1.0 / 600);
    long before = allocations;
    int blocks = world->block_count;
    assert_true(blocks >= 3 * 3);
    for (int f = 0; f < 10; f++)
        drive_frame(&drive, 1.0 / 600);
    assert_int_equal(world->block_count, blocks);
    if (allocations != before)
        fail_msg("%s %s allocates %ld times in 10 frames", solver, options, allocations - before);
    drive_end(&drive);
    world_destroy(world);
}

static void nothing_allocates_while_the_contacts_stay_the_same(void **state)
{
    (void)state;
    for (int s = 0; s < solver_count; s++)
        if (can_touch(all_solvers[s]))
            keep_touching(all_solvers[s]->name, "", 1);
    static const char *const SWEEPS[][2] = {{"pgs", "order=list"},
                                            {"pgs", "order=colour"},
                                            {"pgs", "order=colour position=ngs"},
                                            {"xpbd", "order=list"},
                                            {"xpbd", "order=list contact=stick"},
                                            {"xpbd", "order=colour"},
                                            {"xpbd", "order=colour contact=stick"}};
    for (size_t k = 0; k < sizeof SWEEPS / sizeof SWEEPS[0]; k++)
        for (int columns = 1; columns <= 5; columns += 4)
            keep_touching(SWEEPS[k][0], SWEEPS[k][1], columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_solver_allocates_in_a_step),
                                       cmocka_unit_test(nothing_allocates_while_the_contacts_stay_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
