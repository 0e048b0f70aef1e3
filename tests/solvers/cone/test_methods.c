/* SPDX-License-Identifier: MIT */
/* Every method on cone systems, held against its equations or another method. */
#include "solvers/cone/projection.h"
#include "tests/solvers/cone/systems.h"
#include "tests/support/drive.h"

#include <string.h>

/* Default options, but for one that may be set. */
static void *options_of(const Solver *solver, const char *key, const char *value, void *room)
{
    Status status = {0};
    settings_init(solver->settings, solver->setting_count, room);
    if (key)
        assert_true(setting_parse(settings_find(solver->settings, solver->setting_count, key), room, value, &status));
    return room;
}

static void solve_with(const char *name, const ConeSystem *system, int iterations, double *r)
{
    _Alignas(16) unsigned char room[SETTINGS_MAX_BYTES];
    const Solver *solver = drive_find(name);
    const char *key = strcmp(name, "pgs") == 0 ? "manifold" : NULL;
    system_solve(solver->method, options_of(solver, key, "false", room), system, iterations, r);
}

/* x - P(x) and P(x) are orthogonal, P(x) is in the cone and P(x) - x in its dual: that is the projection. */
static void the_projection_is_the_nearest_point(void **state)
{
    (void)state;
    Random random = {20260719};
    for (int k = 0; k < 2000; k++) {
        int size = 2 + k % 2;
        double mu = random_in(&random, 0.01, 2.0), x[3], p[3], dot = 0.0;
        for (int i = 0; i < size; i++)
            p[i] = x[i] = random_in(&random, -3.0, 3.0);
        cone_project(size, mu, p);
        double polar[3] = {p[0] - x[0], p[1] - x[1], size == 3 ? p[2] - x[2] : 0.0};
        for (int i = 0; i < size; i++)
            dot += p[i] * polar[i];
        assert_near(dot, 0.0, 1e-13); /* round-off of numbers up to 10 */
        assert_true(cone_tangent_norm(size, p) <= mu * p[0] + 1e-14);
        assert_true(mu * cone_tangent_norm(size, polar) <= polar[0] + 1e-14);
    }
}

static void without_friction_a_pull_is_projected_to_nothing(void **state)
{
    (void)state;
    double pull[3] = {-2.5, 0.0, 0.0}, push[3] = {2.5, 0.7, -0.1};
    cone_project(3, 0.0, pull);
    assert_near(pull[0], 0.0, 0.0);
    cone_project(3, 0.0, push);
    assert_near(push[0], 2.5, 0.0);
    assert_near(cone_tangent_norm(3, push), 0.0, 0.0);
}

/* One contact: the residual of a sliding solution by hand is zero, and grows in step with an error. */
static void the_residual_is_zero_at_a_known_solution(void **state)
{
    (void)state;
    /* W = 1: u = r + q. q = (-1, -3, -4), mu 0.5: r_n = 1, sliding against u_t = -(3, 4)/5 (5 - 0.5). */
    ConeBlock block = {CONE_CONTACT, .size = 3, .mu = 0.5};
    ConeEntry W[] = {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}};
    ConeSystem system;
    Status status = {0};
    double u[3], r[3] = {1.0, 0.3, 0.4};
    assert_true(cone_system_init(&system, &block, 1, W, 3, (double[]){-1.0, -3.0, -4.0}, &status));
    assert_near(cone_system_residual(&system, CONE_COULOMB, r, u).plain, 0.0, 1e-16);
    assert_near(u[1], -2.7, 1e-15);
    /* By the convex law the contact would lift: mu |u_t| = 2.25 is what it lacks. */
    assert_true(cone_system_residual(&system, CONE_CONVEX, r, u).plain > 0.1);
    r[0] = 1.0 + 1e-6;
    assert_near(cone_system_residual(&system, CONE_COULOMB, r, u).plain, 0.0, 1e-6);
    assert_true(cone_system_residual(&system, CONE_COULOMB, r, u).plain > 1e-8);
    cone_system_free(&system);
}

/* Impulses and velocities in other units: r by a, u by b. The scaled residual does not notice. */
static void the_scaled_residual_knows_no_units(void **state)
{
    (void)state;
    Random random = {7};
    ConeSystem system = random_system(&random, 5, (ConeBlock){CONE_CONTACT, .size = 3, .mu = 0.6}, 15);
    double r[SYSTEM_MOST_ROWS], u[SYSTEM_MOST_ROWS], a = 8.0, b = 0.25;
    solve_with("pgs", &system, 3, r);
    ConeResidual before = cone_system_residual(&system, CONE_COULOMB, r, u);
    for (int i = 0; i < system.rows; i++) {
        r[i] *= a;
        system.q[i] *= b;
    }
    for (int e = 0; e < system.count * system.count * 9; e++)
        system.value[e] *= b / a;
    ConeResidual after = cone_system_residual(&system, CONE_COULOMB, r, u);
    assert_near(after.scaled, before.scaled, 0.0); /* powers of two: the same bits */
    assert_true(before.scaled > 1e-6 && fabs(after.plain - before.plain) > 1e-3 * before.plain);
    cone_system_free(&system);
}

/* Every method of Coulomb's law comes to the same u, which is unique here, on regular and singular systems. */
static void methods_agree_on_small_problems(void **state)
{
    (void)state;
    const char *const names[] = {"pgs", "nncg", "jacobi_split", "admm", "newton"};
    const int iterations[] = {4000, 2000, 40000, 4000, 200};
    Random random = {314159};
    for (int k = 0; k < 6; k++) {
        ConeSystem system =
            random_system(&random, 4, (ConeBlock){CONE_CONTACT, .size = 2 + k % 2, .mu = 0.2}, k < 3 ? 14 : 10);
        double r[SYSTEM_MOST_ROWS], u[SYSTEM_MOST_ROWS], first[SYSTEM_MOST_ROWS];
        for (int m = 0; m < 5; m++) {
            solve_with(names[m], &system, iterations[m], r);
            double left = cone_system_residual(&system, CONE_COULOMB, r, u).plain;
            if (left > 1e-11)
                fail_msg("%s leaves %g on system %d", names[m], left, k);
            for (int i = 0; i < system.rows; i++)
                if (m == 0)
                    first[i] = u[i];
                else
                    assert_near(u[i], first[i], 1e-8); /* residual over W's smallest eigenvalue */
        }
        cone_system_free(&system);
    }
}

/* Without bounds its iterates are lambda += p, p = beta p - g, g = (D + L)^-1 (A lambda - b). */
static void nncg_without_bounds_is_its_recurrence(void **state)
{
    (void)state;
    enum { N = 9, ITERATIONS = 12 };
    Random random = {2718};
    ConeSystem system = random_system(&random, N, (ConeBlock){CONE_JOINT, .size = 1}, N);
    double lambda[N] = {0}, p[N] = {0}, before = 0.0, r[N];
    for (int k = 1; k <= ITERATIONS; k++) {
        double g[N], size = 0.0, sweep[N];
        for (int i = 0; i < N; i++) {
            double sum = system.q[i];
            for (int j = 0; j < N; j++)
                sum += system_entry(&system, i, j) * lambda[j];
            for (int j = 0; j < i; j++)
                sum -= system_entry(&system, i, j) * g[j];
            g[i] = sum / system_entry(&system, i, i);
            size += g[i] * g[i];
        }
        double beta = before > 0.0 ? size / before : 0.0;
        for (int i = 0; i < N; i++) {
            sweep[i] = lambda[i] - g[i];
            double next = beta > 1.0 ? 0.0 : beta * p[i] - g[i];
            lambda[i] = sweep[i] + (beta > 1.0 ? 0.0 : beta * p[i]);
            p[i] = next;
        }
        before = size;
        solve_with("nncg", &system, k, r);
        for (int i = 0; i < N; i++)
            assert_near(r[i], sweep[i], 1e-12);
    }
    cone_system_free(&system);
}

/* The convex optimum by a second method: projected gradients with a fixed short step, until nothing moves. */
static void apgd_finds_the_convex_optimum(void **state)
{
    (void)state;
    Random random = {161803};
    for (int k = 0; k < 4; k++) {
        ConeSystem system = random_system(&random, 4, (ConeBlock){CONE_CONTACT, .size = 3, .mu = 0.5}, 12);
        double r[SYSTEM_MOST_ROWS], u[SYSTEM_MOST_ROWS], s[SYSTEM_MOST_ROWS] = {0}, v[SYSTEM_MOST_ROWS], trace = 0.0;
        for (int i = 0; i < system.rows; i++)
            trace += system_entry(&system, i, i);
        for (int n = 0; n < 300000; n++) {
            cone_system_velocity(&system, s, v);
            for (int i = 0; i < system.rows; i++)
                s[i] -= v[i] / trace;
            for (int i = 0; i < system.count; i++)
                cone_block_project(&system.blocks[i], s + system.blocks[i].first);
        }
        solve_with("apgd", &system, 3000, r);
        cone_system_velocity(&system, r, u);
        cone_system_velocity(&system, s, v);
        double f = 0.0, g = 0.0;
        for (int i = 0; i < system.rows; i++) {
            f += 0.5 * r[i] * (u[i] + system.q[i]);
            g += 0.5 * s[i] * (v[i] + system.q[i]);
            assert_near(u[i], v[i], 1e-10);
        }
        assert_near(f, g, 1e-10);
        cone_system_free(&system);
    }
}

static void apgd_refuses_what_is_no_energy(void **state)
{
    (void)state;
    _Alignas(16) unsigned char room[SETTINGS_MAX_BYTES];
    const Solver *apgd = drive_find("apgd");
    ConeBlock blocks[2] = {{CONE_CONTACT, .size = 2, .mu = 0.3}, {CONE_CONTACT, .size = 2, .mu = 0.3}};
    ConeEntry W[] = {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}, {3, 3, 1.0}, {0, 2, 0.1}};
    ConeSystem system;
    Status status = {0};
    double r[4] = {0};
    assert_true(cone_system_init(&system, blocks, 2, W, 5, (double[]){-1, 0, -1, 0}, &status));
    void *self = cone_method_create(apgd->method, options_of(apgd, NULL, NULL, room), &status);
    assert_true(cone_method_reserve(apgd->method, self, system.rows));
    assert_false(cone_method_begin(apgd->method, self, &system, r, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    cone_method_destroy(apgd->method, self);
    cone_system_free(&system);
}

/* Near the solution every step squares the residual. */
static void newton_converges_quadratically(void **state)
{
    (void)state;
    Random random = {577};
    ConeSystem system = random_system(&random, 6, (ConeBlock){CONE_CONTACT, .size = 3, .mu = 0.4}, 18);
    double r[SYSTEM_MOST_ROWS], u[SYSTEM_MOST_ROWS], last = 1.0, after = 1.0;
    for (int k = 11; k < 60 && last > 1e-3; k++) {
        solve_with("newton", &system, k, r);
        last = cone_system_residual(&system, CONE_COULOMB, r, u).plain;
        solve_with("newton", &system, k + 4, r);
        after = cone_system_residual(&system, CONE_COULOMB, r, u).plain;
    }
    assert_true(after < 1e-12);
    cone_system_free(&system);
}

/* One row w r + q = 0 from zero: the first step is -q/(w + rho + eta w), rho = sqrt(eta) w eta^-p. */
static void admm_begins_with_its_papers_penalty(void **state)
{
    (void)state;
    _Alignas(16) unsigned char room[SETTINGS_MAX_BYTES];
    const Solver *admm = drive_find("admm");
    static const double POWERS[] = {0.2, 0.35}; /* the paper's, and another */
    for (int k = 0; k < 2; k++) {
        ConeBlock block = {CONE_JOINT, .size = 1};
        ConeEntry W[] = {{0, 0, 1.7}};
        ConeSystem system;
        Status status = {0};
        double r[1];
        assert_true(cone_system_init(&system, &block, 1, W, 1, (double[]){-0.9}, &status));
        system_solve(admm->method, options_of(admm, k ? "power" : NULL, "0.35", room), &system, 1, r);
        double rho = sqrt(1e-6) * 1.7 * pow(1e-6, -POWERS[k]);
        assert_near(r[0], 0.9 / (1.7 + rho + 1.7e-6), 1e-14);
        cone_system_free(&system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projection_is_the_nearest_point),
        cmocka_unit_test(without_friction_a_pull_is_projected_to_nothing),
        cmocka_unit_test(the_residual_is_zero_at_a_known_solution),
        cmocka_unit_test(the_scaled_residual_knows_no_units),
        cmocka_unit_test(methods_agree_on_small_problems),
        cmocka_unit_test(nncg_without_bounds_is_its_recurrence),
        cmocka_unit_test(apgd_finds_the_convex_optimum),
        cmocka_unit_test(apgd_refuses_what_is_no_energy),
        cmocka_unit_test(newton_converges_quadratically),
        cmocka_unit_test(admm_begins_with_its_papers_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
