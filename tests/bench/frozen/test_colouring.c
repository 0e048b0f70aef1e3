/* SPDX-License-Identifier: MIT */
/* Colouring is part of a step: its time is the solver's, and nothing is coloured before the clock runs. The linker
 * sends the solvers' calls here, where each takes a while longer. */
#include "bench/run/run.h"
#include "bench/run/stopwatch.h"
#include "solvers/order/schedule.h"
#include "tests/support/check.h"

#include <string.h>
#include <time.h>

enum { FRAMES = 6, SUBSTEPS = 2, ALL = FRAMES * SUBSTEPS, PAUSE_NS = 2000000 };

static int joints_coloured, manifolds_coloured;

void __real_schedule_by_colour(Schedule *to, const World *world, ScheduleOf of, int least);
void __wrap_schedule_by_colour(Schedule *to, const World *world, ScheduleOf of, int least);

void __wrap_schedule_by_colour(Schedule *to, const World *world, ScheduleOf of, int least)
{
    *(of == SCHEDULE_JOINTS ? &joints_coloured : &manifolds_coloured) += 1;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    __real_schedule_by_colour(to, world, of, least);
}

static const Solver *solver_named(const char *name)
{
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, name) == 0)
            return all_solvers[i];
    return NULL;
}

static double part_seconds(const TimeParts *parts, const char *name)
{
    for (int i = 0; i < parts->count; i++)
        if (strcmp(parts->parts[i].name, name) == 0)
            return parts->parts[i].seconds;
    fail_msg("no part is called %s", name);
    return 0.0;
}

/* Contacts are coloured in every substep where there are any, as joints whose rows are prepared anew; poses of joints
 * keep their colours. All of it is the solver's time. */
static void check_clock(const char *scene, const char *solver, const char *part, int joints, int manifolds)
{
    Run run = {.dt = 1.0 / 60.0, .time = FRAMES / 60.0, .without_truth = true, .profile = true};
    Status status = {0};
    joints_coloured = manifolds_coloured = 0;
    assert_true(run_choose_scene(&run, scene, &status));
    run_choose_solver(&run, solver_named(solver));
    assert_true(run_set_option(&run, "order", "colour", &status) && run_set_option(&run, "substeps", "2", &status));
    assert_true(run_make(&run, NULL));
    assert_int_equal(joints_coloured, joints);
    assert_int_equal(manifolds_coloured, manifolds);
    double least = 1e-9 * PAUSE_NS * (joints_coloured + manifolds_coloured);
    assert_true(part_seconds(&run.result.parts, part) >= least);
    assert_true(run.result.wall_s >= least);
    run_clear(&run);
}

static void colouring_is_on_the_solvers_clock(void **state)
{
    (void)state;
    check_clock("stack", "pgs", "velocity, preparation", ALL, ALL);
    check_clock("chain", "pgs", "velocity, preparation", ALL, ALL);
    check_clock("stack", "xpbd", "position, preparation", 1, ALL);
    check_clock("chain", "xpbd", "position, preparation", 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(colouring_is_on_the_solvers_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
