/* Colouring is part of a step: its time is the solver's, and nothing is coloured before the clock runs. The linker
 * sends the solvers' calls here, where each takes a while longer. */
#include "bench/run.h"
#include "bench/stopwatch.h"
#include "solvers/order/colour.h"
#include "tests/check.h"

#include <string.h>
#include <time.h>

enum { FRAMES = 6, SUBSTEPS = 2, PAUSE_NS = 2000000 };

static int joints_coloured, manifolds_coloured;

void __real_colouring_set_joints(Colouring *colouring, const World *world);
void __real_colouring_set_manifolds(Colouring *colouring, const World *world);
void __wrap_colouring_set_joints(Colouring *colouring, const World *world);
void __wrap_colouring_set_manifolds(Colouring *colouring, const World *world);

static void pause_a_while(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

void __wrap_colouring_set_joints(Colouring *colouring, const World *world)
{
    joints_coloured++;
    pause_a_while();
    __real_colouring_set_joints(colouring, world);
}

void __wrap_colouring_set_manifolds(Colouring *colouring, const World *world)
{
    manifolds_coloured++;
    pause_a_while();
    __real_colouring_set_manifolds(colouring, world);
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

/* Joints keep their colours; contacts are coloured in every substep. All of it is the solver's time. */
static void check_clock(const char *scene, const char *solver, const char *part)
{
    Run run = {.dt = 1.0 / 60.0, .time = FRAMES / 60.0, .without_truth = true, .profile = true};
    Status status = {0};
    joints_coloured = manifolds_coloured = 0;
    assert_true(run_choose_scene(&run, scene, &status));
    run_choose_solver(&run, solver_named(solver));
    assert_true(run_set_option(&run, "order", "colour", &status) && run_set_option(&run, "substeps", "2", &status));
    assert_true(run_make(&run, NULL));
    assert_int_equal(joints_coloured, 1);
    assert_int_equal(manifolds_coloured, FRAMES * SUBSTEPS);
    double least = 1e-9 * PAUSE_NS * (joints_coloured + manifolds_coloured);
    assert_true(part_seconds(&run.result.parts, part) >= least);
    assert_true(run.result.wall_s >= least);
    run_clear(&run);
}

static void colouring_is_on_the_solvers_clock(void **state)
{
    (void)state;
    check_clock("stack", "pgs", "velocity, preparation");
    check_clock("chain", "pgs", "velocity, preparation");
    check_clock("stack", "xpbd", "position, preparation");
    check_clock("chain", "xpbd", "position, preparation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(colouring_is_on_the_solvers_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
