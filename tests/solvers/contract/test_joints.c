/* SPDX-License-Identifier: MIT */
/* Every kind of joint, limit and drive: impulses, positions and reduced coordinates converge to one motion. */
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <stdio.h>

static const double DT = 1.0 / 60.0;

enum { FRAMES = 20 };

static Vec3 end_of(int joint_case, const char *solver, const char *options)
{
    World *world = mechanism_joint_case(&JOINT_CASES[joint_case]);
    drive_run(world, solver, options, DT, FRAMES);
    Vec3 x = world->pose[2].x;
    world_destroy(world);
    return x;
}

/* Errors at n and 4 n substeps fall as the step does. */
static void check_converges(const Vec3 *truth, const char *solver, const char *extra)
{
    for (int c = 0; c < JOINT_CASE_COUNT; c++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            char options[96];
            snprintf(options, sizeof options, "substeps=%d %s", k == 0 ? 25 : 100, extra);
            error[k] = vec3_norm(vec3_sub(end_of(c, solver, options), truth[c]));
        }
        /* Semi-implicit Euler falls short by g h t / 2 = 3e-4 m at 100 substeps, and a servo that takes back a fifth of
         * its error in a substep comes late by five. First order is a factor of 4; where a limit is hit or a drive
         * saturates, the moment falls anywhere within a step. */
        double least = JOINT_CASES[c].smooth ? 3.2 : 1.5;
        if (!(error[1] < 4e-3 && error[0] > least * error[1]))
            fail_msg("%s on %s: %g, then %g m", solver, JOINT_CASES[c].name, error[0], error[1]);
    }
}

static void direct_converges_to_reduced_coordinates_on_every_joint(void **state)
{
    check_converges(*state, "direct", "");
}

static void pgs_converges_to_reduced_coordinates_on_every_joint(void **state)
{
    check_converges(*state, "pgs", "iterations=200");
}

/* One iteration is not enough where a limit is hit: the impact then spreads over many substeps, which do not add up to
 * the inelastic impact of all rows at once, however small they are. */
static void xpbd_converges_to_reduced_coordinates_on_every_joint(void **state)
{
    check_converges(*state, "xpbd", "iterations=40");
}

static void kkt_converges_to_reduced_coordinates_on_every_joint(void **state)
{
    check_converges(*state, "kkt", "");
}

static void semi_implicit_reduced_coordinates_converge_to_rk4_on_every_joint(void **state)
{
    check_converges(*state, "featherstone", "integrator=semi_implicit");
}

static int find_truths(void **state)
{
    static Vec3 truth[JOINT_CASE_COUNT];
    for (int c = 0; c < JOINT_CASE_COUNT; c++)
        truth[c] = end_of(c, "featherstone", "substeps=400");
    *state = truth;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_converges_to_reduced_coordinates_on_every_joint),
        cmocka_unit_test(pgs_converges_to_reduced_coordinates_on_every_joint),
        cmocka_unit_test(xpbd_converges_to_reduced_coordinates_on_every_joint),
        cmocka_unit_test(kkt_converges_to_reduced_coordinates_on_every_joint),
        cmocka_unit_test(semi_implicit_reduced_coordinates_converge_to_rk4_on_every_joint),
    };
    return cmocka_run_group_tests(tests, find_truths, NULL);
}
