/* SPDX-License-Identifier: MIT */
/* Andrews' squeezing mechanism (Schiehlen 1990; Hairer, Wanner 1996, VII.7), examples/andrews.json: seven bodies, three
 * closed loops, a spring and a torque, against the solution at 0.03 s that the test set for initial value problems
 * publishes. */
#include "scenes/scene.h"

#include "tests/support/check.h"
#include "tests/support/drive.h"

/* rad: beta of K1, beta + theta of K2, gamma of K3, phi + delta of K4, delta of K5, omega + epsilon of K6, epsilon of
 * K7. K1 and K2 make full turns: their angles count but for those. */
static const double PUBLISHED[] = {
    15.81077119629904,   15.81077119629904 - 15.75637105984298,
    0.04082224013073101, 0.5244099658805304 - 0.5347301163226948,
    0.5244099658805304,  0.5347301163226948 + 1.048080741042263,
    1.048080741042263,
};
enum { BODIES = sizeof PUBLISHED / sizeof PUBLISHED[0] };

/* What the angles lack after so many steps. */
static void squeeze(const char *solver, int steps, double error[BODIES])
{
    Status status = {0};
    Problem *problem = problem_read(ANDREWS, &status);
    if (!problem)
        fail_msg("%s", status.message);
    drive_run(problem->world, solver, "", 0.03 / steps, steps);
    for (int i = 0; i < BODIES; i++) {
        Quat q = world_reported_orientation(problem->world, i + 1);
        double angle = 2.0 * atan2(q.z, q.w) - PUBLISHED[i];
        error[i] = angle - 2.0 * PI * round(angle / (2.0 * PI));
    }
    problem_destroy(problem);
}

/* Halving the step quarters the errors, and what Richardson's extrapolation leaves is of a higher order: the method
 * goes to the published motion, with order 2. */
static void gen_alpha_has_order_two_on_andrews_mechanism(void **state)
{
    (void)state;
    double coarse[BODIES], fine[BODIES];
    squeeze("gen_alpha", 750, coarse);
    squeeze("gen_alpha", 1500, fine);
    for (int i = 0; i < BODIES; i++) {
        assert_true(fabs(fine[i]) > 1e-8); /* else there is no order to see */
        assert_near(coarse[i] / fine[i], 4.0, 0.1);
        assert_near((4.0 * fine[i] - coarse[i]) / 3.0, 0.0, 0.02 * fabs(fine[i]));
    }
    assert_near(fine[0], -3.615e-4, 1e-6); /* of 15.8 rad */
}

/* The truth that errors are held against: 1e-12 m at arms of 1 mm and more. */
static void reference_is_the_published_motion(void **state)
{
    (void)state;
    double error[BODIES];
    squeeze("reference", 300, error);
    for (int i = 0; i < BODIES; i++)
        assert_near(error[i], 0.0, 3e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gen_alpha_has_order_two_on_andrews_mechanism),
        cmocka_unit_test(reference_is_the_published_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
