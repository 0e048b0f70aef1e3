/* SPDX-License-Identifier: MIT */
/* The convex problem: by hand, by finite differences, and against MuJoCo's own forces where a file of its problems is
 * given (dump_mujoco.mjs). usage: test_solvers_convex_convex [FILE] */
#include "model/random.h"
#include "solvers/convex/convex.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *problems;

static void add_block(ConvexProblem *problem, ConvexBlock block)
{
    problem->blocks[problem->block_count++] = block;
}

static void solve(ConvexProblem *problem, int steps)
{
    assert_true(convex_begin(problem));
    for (int i = 0; i < steps; i++)
        assert_true(convex_step(problem));
}

/* One mass, one row: m (a - a0) = f = -D (a - aref) while it is within its bounds. */
static void one_row_gives_its_closed_form(void **state)
{
    (void)state;
    static const struct {
        double lower, upper, force;
    } CASES[] = {{-INFINITY, INFINITY, 7.0 * 2.5 * 13.2 / (2.5 + 7.0)}, {-INFINITY, 5.0, 5.0}, {-3.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        ConvexProblem p = {0};
        assert_true(convex_reserve(&p, 1, 1, 1, false));
        convex_clear(&p, 1);
        p.M[0] = 2.5;
        p.a[0] = p.a0[0] = -9.8;
        convex_add_entry(&p, 0, 1.0);
        convex_end_row(&p, 7.0, 3.4);
        add_block(&p, (ConvexBlock){.count = 1, .lower = CASES[i].lower, .upper = CASES[i].upper});
        solve(&p, 3);
        assert_near(p.force[0], CASES[i].force, 1e-13);
        assert_near(p.a[0], -9.8 + CASES[i].force / 2.5, 1e-13);
        convex_free(&p);
    }
}

/* A normal, two tangents, a spin, over six unknowns, at random. */
static void random_cones(ConvexProblem *p, Random *random, int cones)
{
    assert_true(convex_reserve(p, 6, 4 * cones, 24 * cones, false));
    convex_clear(p, 6);
    for (int i = 0; i < 6; i++) {
        p->M[7 * i] = random_in(random, 0.5, 3.0);
        p->a[i] = p->a0[i] = random_in(random, -5.0, 5.0);
    }
    for (int c = 0; c < cones; c++) {
        double R = random_in(random, 0.05, 0.5), friction[3] = {0.6, 0.4, 0.1}, ratio = 3.0;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 6; j++)
                convex_add_entry(p, j, random_in(random, -1.0, 1.0));
            double Ri = i == 0 ? R : R / ratio * friction[0] * friction[0] / (friction[i - 1] * friction[i - 1]);
            convex_end_row(p, 1.0 / Ri, random_in(random, -2.0, 2.0));
        }
        ConvexBlock block = {.first = 4 * c, .count = 4, .cone = true, .mu = friction[0] / sqrt(ratio)};
        for (int i = 0; i < 3; i++)
            block.friction[i] = friction[i];
        add_block(p, block);
    }
}

/* Newton's optimum has no gradient, forces lie in their cones, and gradient descent, which knows no zones, ends there.
 */
static void a_second_method_finds_the_same_optimum(void **state)
{
    (void)state;
    Random random = {0xc0e5};
    int between = 0;
    for (int k = 0; k < 30; k++) {
        ConvexProblem p = {0};
        random_cones(&p, &random, 3);
        solve(&p, 30);
        assert_true(convex_residual(&p) < 1e-13);
        double newton[6], force[12];
        for (int i = 0; i < 6; i++)
            newton[i] = p.a[i];
        for (int i = 0; i < 12; i++)
            force[i] = p.force[i];
        for (int c = 0; c < 3; c++) {
            const double *f = force + 4 * c;
            double t = sqrt(pow(f[1] / 0.6, 2) + pow(f[2] / 0.4, 2) + pow(f[3] / 0.1, 2));
            assert_true(t <= f[0] * (1.0 + 1e-12) + 1e-12);
            between += t > f[0] * (1.0 - 1e-9) && f[0] > 0.0;
        }
        for (int i = 0; i < 6; i++)
            p.a[i] = p.a0[i];
        convex_evaluate(&p);
        for (int step = 0; step < 400000 && convex_residual(&p) > 1e-13; step++) {
            for (int i = 0; i < 6; i++)
                p.a[i] -= 5e-4 * p.gradient[i]; /* the stiffest direction has sum |J|^2 D + M < 2000 */
            convex_evaluate(&p);
        }
        for (int i = 0; i < 6; i++)
            assert_near(p.a[i], newton[i], 1e-10);
        convex_free(&p);
    }
    assert_true(between > 10); /* some slide */
}

static void read_numbers(FILE *file, double *values, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(fscanf(file, "%lf", &values[i]), 1);
}

static void read_blocks(FILE *file, ConvexProblem *p, int count)
{
    for (int b = 0, first = 0; b < count; b++) {
        char kind[8];
        ConvexBlock block = {.first = first, .count = 1};
        assert_int_equal(fscanf(file, "%7s", kind), 1);
        block.cone = kind[0] == 'c';
        if (block.cone) {
            assert_int_equal(fscanf(file, "%d %lf", &block.count, &block.mu), 2);
            read_numbers(file, block.friction, block.count - 1);
        } else {
            read_numbers(file, &block.lower, 1);
            read_numbers(file, &block.upper, 1);
        }
        first += block.count;
        add_block(p, block);
    }
}

/* Given MuJoCo's M, a0, J, R and aref: its forces and accelerations. */
static void mujocos_forces_are_found(void **state)
{
    (void)state;
    if (!problems)
        skip();
    FILE *file = fopen(problems, "r");
    assert_non_null(file);
    char name[64];
    int n, m, blocks, count = 0;
    while (fscanf(file, " problem %63s %d %d %d", name, &n, &m, &blocks) == 4) {
        ConvexProblem p = {0};
        double *J = malloc(sizeof *J * (size_t)(n * m)), *R = malloc(sizeof *R * (size_t)(4 * m + n));
        assert_true(J && R && convex_reserve(&p, n, m, n * m, false));
        convex_clear(&p, n);
        double *aref = R + m, *force = aref + m, *a = force + m, scale = 0.0, off = 0.0;
        read_numbers(file, p.M, n * n);
        read_numbers(file, p.a0, n);
        read_numbers(file, J, n * m);
        read_numbers(file, R, m);
        read_numbers(file, aref, m);
        read_numbers(file, force, m);
        read_numbers(file, a, n);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++)
                convex_add_entry(&p, j, J[i * n + j]);
            convex_end_row(&p, 1.0 / R[i], aref[i]);
        }
        read_blocks(file, &p, blocks);
        for (int i = 0; i < n; i++)
            p.a[i] = p.a0[i];
        solve(&p, 60);
        for (int i = 0; i < m; i++) {
            scale = fmax(scale, fabs(force[i]));
            off = fmax(off, fabs(p.force[i] - force[i]));
        }
        printf("%s: %d unknowns, %d rows, forces off by %.2g of %.4g N\n", name, n, m, off, scale);
        assert_true(scale > 1.0 && off < 1e-8 * scale);
        for (int i = 0; i < n; i++)
            assert_near(p.a[i], a[i], 1e-8 * scale);
        convex_free(&p);
        free(J);
        free(R);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 5);
}

int main(int argc, char **argv)
{
    problems = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_gives_its_closed_form),
        cmocka_unit_test(a_second_method_finds_the_same_optimum),
        cmocka_unit_test(mujocos_forces_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
