/* SPDX-License-Identifier: MIT */
#include "bench/run/run.h"
#include "bench/run/stopwatch.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

/* What lies between the frames is a function call: this share of the whole at most, unless the machine does something
 * else just then, which it does not in every one of so many runs. */
static const double BESIDE = 0.2;
enum { TRIES = 50 };

static bool profiled(Run *run, const char *scene, const Solver *solver, bool profile)
{
    Status status = {0};
    *run = (Run){.dt = 1.0 / 60.0, .time = 0.1, .without_truth = true, .profile = profile};
    assert_true(run_choose_scene(run, scene, &status));
    run_choose_solver(run, solver);
    return run_make(run, NULL);
}

static const TimePart *part_named(const TimeParts *parts, const char *name)
{
    for (int i = 0; i < parts->count; i++)
        if (strncmp(parts->parts[i].name, name, strlen(name)) == 0)
            return &parts->parts[i];
    return NULL;
}

/* Returns whether the parts are the whole, but for what lies between the frames. */
static bool check_whole(const TimeParts *parts)
{
    double sum = 0.0;
    for (int i = 0; i < parts->count; i++) {
        assert_true(parts->parts[i].seconds >= 0.0);
        sum += parts->parts[i].seconds;
    }
    assert_true(sum <= parts->whole * (1.0 + 1e-12)); /* of adding up */
    return sum > (1.0 - BESIDE) * parts->whole;
}

static void check_parts(const Run *run)
{
    const TimeParts *parts = &run->result.parts;
    assert_non_null(part_named(parts, "metrics"));
    assert_true((part_named(parts, "broad phase") != NULL) == run->problem->world->collide);
    assert_true((part_named(parts, "narrow phase") != NULL) == run->problem->world->collide);
    assert_true((part_named(parts, "blocks") != NULL) == run->problem->world->collide);
}

/* Whether the solver runs the scene; if so its parts add up. */
static bool scene_adds_up(const char *scene, const Solver *solver)
{
    bool made = true, whole = false;
    for (int i = 0; made && !whole && i < TRIES; i++) {
        Run run;
        made = profiled(&run, scene, solver, true);
        if (made) {
            check_parts(&run);
            whole = check_whole(&run.result.parts);
        }
        run_clear(&run);
    }
    if (made && !whole)
        fail_msg("%s on %s: the parts are not the whole", solver->name, scene);
    return made;
}

/* Of a scene with contacts and one with joints every backend runs one at least. */
static void parts_of_every_solver_add_up_to_the_whole(void **state)
{
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        bool bounce = scene_adds_up("bounce", all_solvers[i]), pendulum = scene_adds_up("pendulum", all_solvers[i]);
        if (!bounce && !pendulum)
            fail_msg("%s runs neither scene", all_solvers[i]->name);
    }
}

/* The solver's parts are the solver's time, and each phase has its own. */
static void phases_are_parts_by_name(void **state)
{
    (void)state;
    Run run;
    for (int i = 0; i < solver_count; i++) {
        if (strcmp(all_solvers[i]->name, "pgs") != 0)
            continue;
        assert_true(profiled(&run, "stack", all_solvers[i], true));
        static const char *const own[] = {"velocity, preparation", "velocity, sweeps", "move"};
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            const TimePart *part = part_named(&run.result.parts, own[k]);
            assert_non_null(part);
            assert_true(part->seconds > 0.0);
            sum += part->seconds;
        }
        assert_near(sum, run.result.wall_s, 1e-12 * run.result.wall_s); /* of adding up */
        run_clear(&run);
    }
}

static void profile_changes_no_result(void **state)
{
    (void)state;
    Run plain, parts;
    assert_true(profiled(&plain, "stack", all_solvers[0], false));
    assert_true(profiled(&parts, "stack", all_solvers[0], true));
    assert_int_equal(plain.result.parts.count, 0);
    assert_memory_equal(plain.result.metrics, parts.result.metrics, sizeof plain.result.metrics);
    assert_int_equal(plain.result.row_solves, parts.result.row_solves);
    run_clear(&plain);
    run_clear(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_every_solver_add_up_to_the_whole),
        cmocka_unit_test(phases_are_parts_by_name),
        cmocka_unit_test(profile_changes_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
