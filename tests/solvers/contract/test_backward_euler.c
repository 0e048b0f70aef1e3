/* SPDX-License-Identifier: MIT */
/* Lecture 002: position-based dynamics is the first Newton step of backward Euler, begun at the inertial position.
 *
 *     minimise  1/(2 h^2) (x - x*)^T M (x - x*) + C(x)^2 / (2 alpha),   x* = x + h v + h^2 g
 *
 * with the second derivative of C left out: (M/h^2 + grad grad^T / alpha) dx = -grad C / alpha. One constraint makes
 * one such step; more are gone through one by one, each from where the one before has left off. */
#include "tests/solvers/worlds.h"
#include "tests/support/drive.h"

#include <lapacke.h>

enum { COUNT = 4, UNKNOWNS = 3 * COUNT, LINES = COUNT - 1 };

static const double H = 1.0 / 60.0;

/* Particles of different mass on a crooked string, moving; each line is off its length. */
static World *crooked_string(double alpha)
{
    World *world = world_create();
    Random random = {60402};
    for (int i = 0; i < COUNT; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "particle";
        def.mass = random_in(&random, 0.4, 3.0);
        def.position = random_vec3(&random, 1.0);
        def.velocity = random_vec3(&random, 2.0);
        build_body(world, &def);
    }
    for (int i = 1; i <= LINES; i++) {
        JointDef line = joint_def(JOINT_DISTANCE, i, i + 1);
        line.name = "line";
        line.local_anchors = true;
        line.rest = 0.8;
        line.compliance = alpha;
        build_joint(world, &line);
    }
    return world;
}

/* The step for one line, from x, by the full matrix. */
static void newton_step(const World *world, int line, double alpha, double x[UNKNOWNS])
{
    double A[UNKNOWNS * UNKNOWNS] = {0}, b[UNKNOWNS] = {0}, gradient[UNKNOWNS] = {0};
    int one = 3 * line, two = one + 3;
    Vec3 d = vec3(x[two] - x[one], x[two + 1] - x[one + 1], x[two + 2] - x[one + 2]);
    double C = vec3_norm(d) - 0.8;
    for (int k = 0; k < 3; k++) {
        gradient[two + k] = vec3_get(d, k) / vec3_norm(d);
        gradient[one + k] = -gradient[two + k];
    }
    for (int i = 0; i < UNKNOWNS; i++) {
        for (int j = 0; j < UNKNOWNS; j++)
            A[i * UNKNOWNS + j] = gradient[i] * gradient[j] / alpha;
        A[i * UNKNOWNS + i] += world->mass[1 + i / 3].mass / (H * H);
        b[i] = -gradient[i] * C / alpha;
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', UNKNOWNS, 1, A, UNKNOWNS, b, 1), 0);
    for (int i = 0; i < UNKNOWNS; i++)
        x[i] += b[i];
}

static void check_first_step(const char *solver, const char *options, double compliance, double alpha, double tolerance)
{
    World *world = crooked_string(compliance);
    double x[UNKNOWNS];
    for (int i = 0; i < COUNT; i++) {
        Vec3 v = vec3_add_scaled(world->velocity[1 + i].v, H, world->gravity);
        Vec3 inertial = vec3_add_scaled(world->pose[1 + i].x, H, v);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = vec3_get(inertial, k);
    }
    for (int line = 0; line < LINES; line++)
        newton_step(world, line, alpha, x);
    drive_run(world, solver, options, H, 1);
    for (int i = 0; i < COUNT; i++)
        assert_vec3_near(world->pose[1 + i].x, vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]), tolerance);
    world_destroy(world);
}

static void one_iteration_of_xpbd_is_the_first_newton_step_of_backward_euler(void **state)
{
    (void)state;
    /* Round-off of a 12 x 12 solve whose condition is that of M/h^2 + 1/alpha: 1e3 to 1e6. */
    check_first_step("xpbd", "substeps=1 iterations=1", 0.01, 0.01, 1e-13);
    check_first_step("xpbd", "substeps=1 iterations=1", 1e-4, 1e-4, 1e-13);
    check_first_step("xpbd", "substeps=1 iterations=1", 1e-7, 1e-7, 1e-11);
}

static void pbd_is_its_limit_for_rigid_constraints(void **state)
{
    (void)state;
    /* alpha = 1e-10 is off by alpha/(h^2 w), 4e-7 of the error of 0.5 m. */
    check_first_step("pbd", "substeps=1 iterations=1 stiffness=1", 0.0, 1e-10, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_iteration_of_xpbd_is_the_first_newton_step_of_backward_euler),
        cmocka_unit_test(pbd_is_its_limit_for_rigid_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
