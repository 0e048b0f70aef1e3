/* SPDX-License-Identifier: MIT */
/* Methods on cone systems as backends of scenes: their residual is that of the rows, and their multipliers are the
 * rows'. */
#include "tests/solvers/contact_worlds.h"
#include "tests/support/drive.h"

/* A block that slides down a slope: four points, which friction couples. */
static double residual_after(const char *solver, const char *options, double *largest)
{
    World *world = block_on_slope(0.6, 0.3);
    Drive drive;
    const double *lambda;
    drive_begin(&drive, world, solver, options);
    drive.dt = drive.step.h = 1.0 / 60.0;
    double residual = stepper_frame(&drive, true);
    int rows = drive.solver->multipliers(drive.self, &lambda);
    assert_int_equal(rows, 12);
    *largest = 0.0;
    for (int i = 0; i < rows; i++)
        *largest = fmax(*largest, fabs(lambda[i]));
    drive_end(&drive);
    world_destroy(world);
    return residual;
}

static void the_residual_falls_with_the_sweeps(void **state)
{
    (void)state;
    static const char *const METHODS[] = {"nncg", "jacobi_split", "apgd"};
    for (size_t m = 0; m < sizeof METHODS / sizeof METHODS[0]; m++) {
        double largest, few = residual_after(METHODS[m], "iterations=2", &largest);
        double many = residual_after(METHODS[m], "iterations=400", &largest);
        assert_true(few > 0.0 && many < 0.1 * few && largest > 0.0);
    }
}

/* Sweeps end where the residual asked for is reached: fewer rows are solved than without. */
static void a_residual_ends_the_sweeps(void **state)
{
    (void)state;
    long long solved[2];
    for (int k = 0; k < 2; k++) {
        World *world = block_on_slope(0.6, 0.3);
        Drive drive;
        drive_begin(&drive, world, "nncg", k == 0 ? "iterations=300" : "iterations=300 stop_residual=0.01");
        drive_frame(&drive, 1.0 / 60.0);
        solved[k] = drive.step.row_solves;
        drive_end(&drive);
        world_destroy(world);
    }
    assert_true(solved[1] > 0 && solved[1] < solved[0] / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_falls_with_the_sweeps),
        cmocka_unit_test(a_residual_ends_the_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
