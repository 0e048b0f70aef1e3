/* SPDX-License-Identifier: MIT */
/* PBD on scenes that give a compliance alone: its stiffness is XPBD's first solve at 1/60 s, whatever the run's step.
 */
#include "bench/run/run.h"

#include "bench/run/solver_set.h"
#include "tests/support/check.h"

#include <string.h>

static Run run_of(const char *scene, const char *solver, double dt)
{
    Run run = {.dt = dt, .time = dt, .refuses_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, scene, &status));
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, solver) == 0)
            run_choose_solver(&run, all_solvers[i]);
    assert_non_null(run.solver);
    assert_true(run_set_option(&run, "substeps", "1", &status) && run_set_option(&run, "iterations", "1", &status));
    if (!run_make(&run, NULL))
        fail_msg("%s with %s: %s", scene, solver, run.status.message);
    return run;
}

/* Largest distance between the two runs' bodies: m. */
static double apart(const Run *a, const Run *b)
{
    double most = 0.0;
    for (int i = 1; i < a->problem->world->body_count; i++)
        most = fmax(most, vec3_norm(vec3_sub(a->problem->world->pose[i].x, b->problem->world->pose[i].x)));
    return most;
}

/* m, where the particle goes that has the longest way. */
static double way(const Run *run)
{
    double most = 0.0;
    for (int i = 1; i < run->problem->world->body_count; i++)
        most = fmax(most, vec3_norm(vec3_sub(run->problem->world->pose[i].x, run->problem->world->bodies[i].position)));
    return most;
}

static void the_first_step_at_a_sixtieth_is_xpbds(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"spring", "soft_cube"};
    for (int s = 0; s < 2; s++) {
        Run pbd = run_of(SCENES[s], "pbd", 1.0 / 60.0), xpbd = run_of(SCENES[s], "xpbd", 1.0 / 60.0);
        /* The weights are those of the world as placed; in free fall of one step a cube hardly changes its shape. */
        assert_true(way(&pbd) > 1e-4);
        if (apart(&pbd, &xpbd) > 1e-6 * way(&pbd))
            fail_msg("%s: %g m apart", SCENES[s], apart(&pbd, &xpbd));
        run_clear(&pbd);
        run_clear(&xpbd);
    }
}

static void at_another_step_the_two_part(void **state)
{
    (void)state;
    Run pbd = run_of("spring", "pbd", 1.0 / 600.0), xpbd = run_of("spring", "xpbd", 1.0 / 600.0);
    Run slow = run_of("spring", "pbd", 1.0 / 60.0);
    assert_true(apart(&pbd, &xpbd) > 0.1 * way(&xpbd));
    const JointTerms *terms = block_terms(&pbd.problem->world->blocks[0]);
    assert_true(terms->stiffness == block_terms(&slow.problem->world->blocks[0])->stiffness);
    /* k = w / (w + alpha/h^2), of a mass on a spring from the world. */
    double w = pbd.problem->world->mass[1].inv_mass, a = terms->compliance * 3600.0;
    assert_near(terms->stiffness, w / (w + a), 1e-15);
    run_clear(&pbd);
    run_clear(&xpbd);
    run_clear(&slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_at_a_sixtieth_is_xpbds),
        cmocka_unit_test(at_another_step_the_two_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
