/* SPDX-License-Identifier: MIT */
/* The converged solution of a frozen step, and the file that other solvers read. */
#include "bench/frozen/fclib_dump.h"
#include "bench/problems/problem.h"
#include "model/contact.h"
#include "solvers/systems/dense.h"
#include "tests/support/scratch.h"

#include <hdf5.h>

extern const Solver pgs_solver, direct_solver, lcp_solver, nncg_solver;

typedef struct Frozen {
    Problem *problem;
    FrozenSystem system;
} Frozen;

/* A scene run for a while by pgs, with its manifolds solved together or by rows. */
static Run run_up_by(const char *manifold, const char *scene, const char *param, const char *value, double at)
{
    Run run = {.dt = 1.0 / 60, .time = at};
    Status status = {0};
    assert_true(run_choose_scene(&run, scene, &status));
    assert_true(!param || run_set_param(&run, param, value, &status));
    run_choose_solver(&run, &pgs_solver);
    assert_true(run_set_option(&run, "manifold", manifold, &status));
    run.without_truth = true;
    if (!run_make(&run, NULL))
        fail_msg("%s", run.status.message);
    run_result_clear(&run.result);
    return run;
}

/* As pgs_block: a stack at rest after 0.1 s, without what rows one by one leave rattling. */
static Run run_up(const char *scene, const char *param, const char *value, double at)
{
    return run_up_by("true", scene, param, value, at);
}

/* Then frozen. */
static void freeze_run(Frozen *frozen, Run run)
{
    Status status = {0};
    frozen->problem = run.problem;
    World *world = run.problem->world;
    world->contacts->reach = run.dt;
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    if (!frozen_system_init(&frozen->system, world, &run, run.dt, &status))
        fail_msg("%s", status.message);
}

static void freeze(Frozen *frozen, const char *scene, const char *param, const char *value, double at)
{
    freeze_run(frozen, run_up(scene, param, value, at));
}

static void thaw(Frozen *frozen)
{
    frozen_system_free(&frozen->system);
    problem_destroy(frozen->problem);
}

static void joints_are_solved_directly(void **state)
{
    (void)state;
    Frozen frozen;
    freeze(&frozen, "chain", "links", "7", 0.31);
    assert_int_equal(frozen.system.system.rows, 21);
    assert_int_equal(frozen.system.sweeps, 0);
    assert_true(frozen.system.residual < 1e-12); /* round-off times a condition of some hundreds */
    assert_true(frozen_system_error(&frozen.system, frozen.system.lambda) == 0.0);
    /* Of no impulse at all the error is all of the solution. */
    double nothing[21] = {0}, twice[21];
    assert_near(frozen_system_error(&frozen.system, nothing), 1.0, 1e-14);
    for (int i = 0; i < 21; i++)
        twice[i] = 3.5 * frozen.system.lambda[i];
    assert_near(frozen_system_error(&frozen.system, twice), 2.5, 1e-13);
    thaw(&frozen);
}

static void contacts_are_swept_to_the_end(void **state)
{
    (void)state;
    Frozen frozen;
    freeze(&frozen, "stack", "boxes", "3", 0.1);
    assert_true(frozen.system.sweeps > 0);
    assert_true(frozen.system.residual < 1e-14);
    /* The lowest four normals carry three boxes of 1000 kg for one step. */
    double load = 0.0;
    for (int i = 0; i < 4; i++)
        load += frozen.system.lambda[3 * i];
    assert_near(load, 3000 * 9.81 / 60, 0.05 * 3000 * 9.81 / 60); /* pgs has not quite settled */
    thaw(&frozen);
}

/* Sweeps alone stop at 1e-5 here; and a truth says itself whether it is one. */
static void newton_ends_what_sweeps_leave(void **state)
{
    (void)state;
    Frozen frozen;
    freeze(&frozen, "pyramid", "base", "6", 0.3);
    assert_true(frozen.system.newton_steps > 0);
    assert_true(frozen.system.converged);
    assert_true(frozen.system.residual <= FROZEN_CONVERGED);
    thaw(&frozen);
}

/* An arch at rest: points that neither stick nor slide for sure, on which sweeps and Newton's method alone stop at
 * 1e-7. */
static void smoothing_ends_what_newton_leaves(void **state)
{
    (void)state;
    Frozen frozen;
    freeze(&frozen, "arch", NULL, NULL, 1.0);
    assert_true(frozen.system.converged);
    assert_true(frozen.system.residual <= FROZEN_CONVERGED);
    thaw(&frozen);
}

/* A stack that rattles: the path from near by turns back, and the residual stays at 1.5e-4; one from afar does not. */
static void a_path_from_afar_ends_what_one_from_near_by_leaves(void **state)
{
    (void)state;
    Frozen frozen;
    freeze_run(&frozen, run_up_by("false", "stack", NULL, NULL, 0.1));
    assert_true(frozen.system.residual <= FROZEN_CONVERGED);
    thaw(&frozen);
}

/* An arch whose paths both turn back: with the slip held they do not, and Newton's method ends it (7e-10
 * without). */
static void a_held_slip_ends_what_paths_leave(void **state)
{
    (void)state;
    Frozen frozen;
    freeze_run(&frozen, run_up_by("false", "arch", "voussoirs", "5", 0.3));
    assert_true(frozen.system.residual <= FROZEN_CONVERGED);
    thaw(&frozen);
}

/* Polygons of friction have no smooth path; sweeps and Newton's method stop at 7e-10 here. */
static void pivoting_ends_what_newton_leaves_of_a_polygon(void **state)
{
    (void)state;
    Frozen frozen;
    FrozenSystem own;
    Status status = {0};
    Run run = {.dt = 1.0 / 60};
    freeze_run(&frozen, run_up_by("false", "arch", "voussoirs", "5", 0.3));
    run_choose_solver(&run, &lcp_solver);
    assert_true(run_set_option(&run, "position", "none", &status));
    assert_true(frozen_system_init_like(&own, &frozen.system, &run, &status));
    assert_true(own.residual <= FROZEN_CONVERGED);
    frozen_system_free(&own);
    thaw(&frozen);
}

/* lcp is exact by its own law; how far that is from Coulomb's is a number of the laws, not of lcp. */
static void a_backend_is_judged_by_its_own_law(void **state)
{
    (void)state;
    Frozen frozen;
    Status status = {0};
    Run run = {.dt = 1.0 / 60, .time = 0.05};
    char law[64];
    freeze(&frozen, "incline", "mu", "0.3", 0.2);
    run_choose_solver(&run, &lcp_solver);
    assert_true(run_set_option(&run, "facets", "4", &status));
    assert_false(frozen_system_is_like(&frozen.system, &run));
    FrozenSystem own, cone;
    assert_true(frozen_system_init_like(&own, &frozen.system, &run, &status));
    assert_true(frozen_system_is_like(&own, &run));
    assert_true(frozen_system_init_cone(&cone, &own, &status));
    frozen_system_law(&own, law, sizeof law);
    assert_string_equal(law, "polygon of 4 corners");
    assert_true(own.converged && cone.converged);
    assert_true(frozen_system_distance(&own, &own) == 0.0);
    assert_true(frozen_system_distance(&own, &cone) <= 0.3); /* 1 - cos(pi/4) of the friction, at most */
    frozen_system_free(&own);
    frozen_system_free(&cone);
    thaw(&frozen);
}

/* The same judge for all: what nncg says of itself after an iteration is what the system says of its multipliers. */
static void one_judge_finds_the_residual_of_any_multipliers(void **state)
{
    (void)state;
    Frozen frozen;
    Run run = {0};
    Stepper stepper;
    Status status = {0};
    double zero[64] = {0}, residuals[3];
    const double *lambda;
    freeze(&frozen, "incline", "mu", "0.3", 0.2);
    assert_true(frozen_system_residual(&frozen.system, frozen.system.lambda) <= FROZEN_CONVERGED);
    assert_true(frozen_system_residual(&frozen.system, zero) > 0.1);
    run_choose_solver(&run, &nncg_solver);
    assert_true(run_set_option(&run, "iterations", "3", &status)); /* biases are those of pgs */
    Problem *problem = run_up("incline", "mu", "0.3", 0.2).problem;
    assert_true(stepper_begin(&stepper, &nncg_solver, run.options, problem->world, 1.0 / 60, DETECT_SUBSTEP, &status));
    world_begin_frame(problem->world);
    stepper_substep(&stepper, residuals, false);
    assert_int_equal(nncg_solver.multipliers(stepper.self, &lambda), frozen.system.system.rows);
    /* The same sums in another order. */
    assert_near(frozen_system_residual(&frozen.system, lambda), residuals[2], 1e-12);
    stepper_end(&stepper);
    problem_destroy(problem);
    thaw(&frozen);
}

/* A matrix in compressed columns as a full one. */
typedef struct Full {
    int m, n;
    double *x;
} Full;

static void *read_data(hid_t file, const char *group, const char *name, hid_t type, size_t item, size_t *count)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", group, name);
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset < 0)
        fail_msg("%s is missing", path);
    hid_t space = H5Dget_space(dataset);
    *count = (size_t)H5Sget_simple_extent_npoints(space);
    void *data = calloc(*count + 1, item);
    assert_true(*count == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return data;
}

static int read_int(hid_t file, const char *group, const char *name)
{
    size_t count;
    int *data = read_data(file, group, name, H5T_NATIVE_INT, sizeof *data, &count), value = data[0];
    assert_int_equal(count, 1);
    free(data);
    return value;
}

static double *read_vector(hid_t file, const char *group, const char *name, size_t expected)
{
    size_t count;
    double *data = read_data(file, group, name, H5T_NATIVE_DOUBLE, sizeof *data, &count);
    assert_int_equal(count, expected);
    return data;
}

static Full read_matrix(hid_t file, const char *group)
{
    size_t columns, entries;
    Full full = {read_int(file, group, "m"), read_int(file, group, "n"), NULL};
    assert_int_equal(read_int(file, group, "nz"), -1);
    int *p = read_data(file, group, "p", H5T_NATIVE_INT, sizeof *p, &columns);
    int *i = read_data(file, group, "i", H5T_NATIVE_INT, sizeof *i, &entries);
    assert_int_equal(columns, full.n + 1);
    assert_int_equal(entries, read_int(file, group, "nzmax"));
    assert_int_equal(p[full.n], entries);
    double *x = read_vector(file, group, "x", entries);
    full.x = calloc((size_t)full.m * (size_t)full.n + 1, sizeof *full.x);
    for (int c = 0; c < full.n; c++)
        for (int k = p[c]; k < p[c + 1]; k++)
            full.x[i[k] * full.n + c] = x[k];
    free(p);
    free(i);
    free(x);
    return full;
}

/* y += A x, or A^T x. */
static void multiply(const Full *A, bool transposed, const double *x, double *y)
{
    for (int i = 0; i < A->m; i++)
        for (int j = 0; j < A->n; j++)
            y[transposed ? j : i] += A->x[i * A->n + j] * x[transposed ? i : j];
}

/* V^T r + R l + s = 0, u = W r + V l + q, and Coulomb's law between u and r, in units of |q| and of the largest r. */
static void check_problem(hid_t file, int contacts, int equalities)
{
    Full W = read_matrix(file, "/fclib_local/W");
    size_t m = (size_t)W.m;
    assert_int_equal(read_int(file, "/fclib_local", "spacedim"), 3);
    assert_int_equal(W.m, 3 * contacts);
    assert_int_equal(W.n, 3 * contacts);
    double *q = read_vector(file, "/fclib_local/vectors", "q", m), *u = read_vector(file, "/solution", "u", m);
    double *r = read_vector(file, "/solution", "r", m), *mu = read_vector(file, "/fclib_local/vectors", "mu", m / 3);
    double *check = calloc(m + 1, sizeof *check), largest = 0.0, impulse = 0.0;
    multiply(&W, false, r, check);
    if (equalities > 0) {
        Full V = read_matrix(file, "/fclib_local/V"), R = read_matrix(file, "/fclib_local/R");
        size_t p = (size_t)R.m;
        assert_int_equal(R.m, equalities);
        assert_int_equal(V.n, equalities);
        double *s = read_vector(file, "/fclib_local/vectors", "s", p), *l = read_vector(file, "/solution", "l", p);
        multiply(&V, false, l, check);
        multiply(&V, true, r, s);
        multiply(&R, false, l, s);
        for (size_t i = 0; i < p; i++)
            assert_near(s[i], 0.0, 1e-11);
        free(V.x), free(R.x), free(s), free(l);
    }
    for (size_t i = 0; i < m; i++) {
        assert_near(check[i] + q[i], u[i], 1e-12);
        largest = fmax(largest, fabs(q[i]));
        impulse = fmax(impulse, fabs(r[i]));
    }
    for (size_t c = 0; c < m / 3; c++) {
        const double *rc = r + 3 * c, *uc = u + 3 * c;
        assert_true(rc[0] >= 0.0 && uc[0] >= -1e-11);
        assert_near(rc[0] * uc[0], 0.0, 1e-11 * impulse);
        assert_true(hypot(rc[1], rc[2]) <= mu[c] * rc[0] + 1e-12 * impulse);
    }
    free(W.x), free(q), free(u), free(r), free(mu), free(check);
}

static hid_t dump(Frozen *frozen, Scratch *scratch)
{
    Status status = {0};
    if (!fclib_dump(scratch_path(scratch, "x.h5"), &frozen->system, "a test", &status))
        fail_msg("%s", status.message);
    hid_t file = H5Fopen(scratch->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void the_file_holds_contacts_with_friction(void **state)
{
    Frozen frozen;
    freeze(&frozen, "incline", "mu", "0.3", 0.2);
    hid_t file = dump(&frozen, *state);
    check_problem(file, 4, 0);
    Full J = read_matrix(file, "/J"), M = read_matrix(file, "/M");
    int bodies = frozen.problem->world->body_count;
    assert_int_equal(J.m, 12);
    assert_int_equal(J.n, 6 * bodies);
    assert_int_equal(M.m, 6 * bodies);
    /* One body moves: W = J M^-1 J^T; its mass is in the first three rows, and normals have unit length. */
    Full W = read_matrix(file, "/fclib_local/W");
    const World *world = frozen.problem->world;
    int block = world_find_body(world, "block");
    assert_near(M.x[(6 * block + 1) * M.n + 6 * block + 1], world->mass[block].mass, 1e-12);
    const double *row = J.x + 6 * block;
    Vec3 turned = world_inv_inertia_mul(world, block, vec3(row[3], row[4], row[5]));
    double expected = 1.0 / world->mass[block].mass + vec3_dot(turned, vec3(row[3], row[4], row[5]));
    assert_near(W.x[0], expected, 1e-13);
    free(J.x), free(M.x), free(W.x);
    H5Fclose(file);
    thaw(&frozen);
}

static void the_file_holds_joints_and_limits(void **state)
{
    Frozen frozen;
    freeze(&frozen, "chain", "links", "3", 0.2);
    hid_t file = dump(&frozen, *state);
    check_problem(file, 1, 9); /* FCLIB reads no solution without a contact: one is idle */
    H5Fclose(file);
    thaw(&frozen);
    freeze(&frozen, "hinge_limit", NULL, NULL, 1.2);
    file = dump(&frozen, *state);
    check_problem(file, 1, 5);
    H5Fclose(file);
    thaw(&frozen);
    freeze(&frozen, "cradle", "balls", "3", 0.2);
    file = dump(&frozen, *state);
    check_problem(file, 1, 9); /* the lifted ball is far */
    H5Fclose(file);
    thaw(&frozen);
}

/* Our rows as they stand in the file: contacts and limits in our order, then the equalities. */
static int rows_in_file(const RowSystem *system, int *row, double *sign)
{
    int count = 0;
    for (int equality = 0; equality < 2; equality++)
        for (int b = 0, at = 0; b < system->count; at += system->blocks[b++].count)
            for (int i = 0; i < system->blocks[b].count; i++) {
                const RowBlock *rb = &system->blocks[b];
                bool tied = rb->kind != ROWS_CONTACT && isinf(rb->lower[i]) && isinf(rb->upper[i]);
                if (tied != (equality == 1))
                    continue;
                row[count] = at + i;
                sign[count++] = rb->kind != ROWS_CONTACT && rb->upper[i] == 0.0 ? -1.0 : 1.0;
            }
    return count;
}

static void the_file_comes_back_to_the_last_bit(void **state)
{
    static const struct {
        const char *scene, *name, *value;
        double at;
        int contacts, limits, equalities;
    } cases[] = {
        {"incline", "mu", "0.3", 0.2, 4, 0, 0},
        {"chain", "links", "3", 0.2, 0, 0, 9},
        {"hinge_limit", NULL, NULL, 1.2, 0, 1, 5},
        {"cradle", "balls", "3", 0.2, 0, 1, 9}, /* without friction: a row like a limit's */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Frozen frozen;
        ContactProblem problem;
        Status status = {0};
        freeze(&frozen, cases[k].scene, cases[k].name, cases[k].value, cases[k].at);
        H5Fclose(dump(&frozen, *state));
        if (!contact_problem_read(&problem, ((Scratch *)*state)->path, &status))
            fail_msg("%s", status.message);
        assert_int_equal(problem.contacts, cases[k].contacts);
        assert_int_equal(problem.limits, cases[k].limits);
        assert_int_equal(problem.equalities, cases[k].equalities);
        const RowSystem *system = &frozen.system.system;
        int rows = system->rows, row[64];
        double sign[64], unit[64] = {0}, column[64];
        assert_int_equal(problem.system.rows, rows);
        assert_int_equal(rows_in_file(system, row, sign), rows);
        Dense dense = {0};
        assert_true(dense_init(&dense, frozen.problem->world));
        dense_assemble(&dense, system, frozen.problem->world);
        for (int j = 0; j < rows; j++) {
            unit[j] = 1.0;
            cone_system_product(&problem.system, unit, column);
            unit[j] = 0.0;
            for (int i = 0; i < rows; i++)
                assert_true(column[i] == sign[i] * sign[j] * dense.A[row[i] * rows + row[j]]);
            assert_true(problem.system.q[j] == -sign[j] * dense.b[row[j]]);
        }
        dense_free(&dense);
        contact_problem_free(&problem);
        thaw(&frozen);
    }
}

static void what_has_no_place_in_the_file_is_refused(void **state)
{
    Scratch *scratch = *state;
    Frozen frozen;
    Status status = {0};
    freeze(&frozen, "spinning_disc", NULL, NULL, 0.05);
    assert_false(fclib_dump(scratch_path(scratch, "x.h5"), &frozen.system, "disc", &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "torsional"));
    thaw(&frozen);
    freeze(&frozen, "chain", "links", "2", 0.1);
    assert_false(fclib_dump(scratch_path(scratch, "none/x.h5"), &frozen.system, "chain", &status));
    assert_int_equal(status.code, STATUS_FAILED);
    assert_non_null(strstr(status.message, "none/x.h5: cannot be written"));
    thaw(&frozen);
    assert_int_not_equal(access(scratch_path(scratch, "x.h5"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_solved_directly),
        cmocka_unit_test(contacts_are_swept_to_the_end),
        cmocka_unit_test(newton_ends_what_sweeps_leave),
        cmocka_unit_test(smoothing_ends_what_newton_leaves),
        cmocka_unit_test(a_path_from_afar_ends_what_one_from_near_by_leaves),
        cmocka_unit_test(a_held_slip_ends_what_paths_leave),
        cmocka_unit_test(pivoting_ends_what_newton_leaves_of_a_polygon),
        cmocka_unit_test(a_backend_is_judged_by_its_own_law),
        cmocka_unit_test(one_judge_finds_the_residual_of_any_multipliers),
        cmocka_unit_test_setup_teardown(the_file_holds_contacts_with_friction, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_file_holds_joints_and_limits, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_file_comes_back_to_the_last_bit, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_has_no_place_in_the_file_is_refused, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
