/* SPDX-License-Identifier: MIT */
/* Published contact problems: both formats, local and global, and what is said of a damaged file. */
#include "bench/problems/problem.h"
#include "tests/support/check.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/rigor_problem_XXXXXX";

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static ContactProblem read_text(const char *text)
{
    ContactProblem problem;
    Status status = {0};
    write_text(text);
    if (!contact_problem_read(&problem, path, &status))
        fail_msg("%s", status.message);
    return problem;
}

static void check_refused(const char *text, const char *message)
{
    ContactProblem problem;
    Status status = {0};
    write_text(text);
    assert_false(contact_problem_read(&problem, path, &status));
    assert_int_equal(status.code, STATUS_BAD_FILE);
    if (!strstr(status.message, message))
        fail_msg("'%s' lacks '%s'", status.message, message);
}

static double entry(const ConeSystem *system, int i, int j, int a, int b)
{
    for (int e = system->start[i]; e < system->start[i + 1]; e++)
        if (system->column[e] == j)
            return cone_entry(system, e, a, b);
    return 0.0;
}

/* The same W = [4 1; 2 5] of two contacts in 2D with no tangent coupling, in three storages. */
static const char DENSE[] = "2 2  0 4 4  4 4\n 4 0 2 0  0 3 0 0  1 0 5 0  0 0 0 6\n -1 -2 -3 -4  0.5 0.7\nold 1 2 3";
static const char BLOCKS[] = "2 2  1 4 4  4 2 2  2 4  2 4  3 4  0 2 4  0 1 0 1\n"
                             "0 4 0 0 3  1 1 0 0 0  2 2 0 0 0  3 5 0 0 6\n -1 -2 -3 -4  0.5 0.7";
static const char COLUMNS[] = "2 2  2 4 4\n 2\nCSparse Version 3.1.9\n4-by-4, nzmax: 6 nnz: 6, 1-norm: 6\n"
                              "    col 0 : locations 0 to 1\n 0 : 4\n 2 : 2\n    col 1 : locations 2 to 2\n 1 : 3\n"
                              "    col 2 : locations 3 to 4\n 0 : 1\n 2 : 5\n    col 3 : locations 5 to 5\n 3 : 6\n"
                              " -1 -2 -3 -4  0.5 0.7";

static void storages_give_the_same_system(void **state)
{
    (void)state;
    const char *const texts[] = {DENSE, BLOCKS, COLUMNS};
    for (int k = 0; k < 3; k++) {
        ContactProblem problem = read_text(texts[k]);
        const ConeSystem *system = &problem.system;
        assert_int_equal(problem.contacts, 2);
        assert_int_equal(problem.dimension, 2);
        assert_false(problem.global);
        assert_near(entry(system, 0, 0, 0, 0), 4.0, 0.0);
        assert_near(entry(system, 0, 1, 0, 0), 1.0, 0.0);
        assert_near(entry(system, 1, 0, 0, 0), 2.0, 0.0);
        assert_near(entry(system, 1, 1, 1, 1), 6.0, 0.0);
        assert_near(system->q[3], -4.0, 0.0);
        assert_near(system->blocks[1].mu, 0.7, 0.0);
        assert_near(problem.asymmetry, 1.0 / 6.0, 1e-16);
        contact_problem_free(&problem);
    }
}

/* M = diag(2, 4), H = [1 2; 3 4]: W = H^T M^-1 H, q = H^T M^-1 f + b. */
static void a_global_problem_is_condensed(void **state)
{
    (void)state;
    ContactProblem problem = read_text("2 1  0 2 2  2 2  2 0 0 4   0 2 2  2 2  1 3 2 4   6 8   0.25 0.5   0.3");
    const ConeSystem *system = &problem.system;
    assert_true(problem.global);
    assert_near(entry(system, 0, 0, 0, 0), 0.5 + 9.0 / 4, 1e-15);
    assert_near(entry(system, 0, 0, 0, 1), 1.0 + 3.0, 1e-15);
    assert_near(entry(system, 0, 0, 1, 1), 2.0 + 4.0, 1e-15);
    assert_near(system->q[0], 3.0 + 6.0 + 0.25, 1e-15);
    assert_near(system->q[1], 6.0 + 8.0 + 0.5, 1e-15);
    contact_problem_free(&problem);
}

static void damaged_text_is_refused_with_its_place(void **state)
{
    (void)state;
    check_refused("", ":1:1: dimension: the file ends here");
    check_refused("4 1", ":1:1: dimension: must be from 2 to 3");
    check_refused("2 1  7", "storage (0 dense, 1 blocks, 2 compressed): must be from 0 to 2");
    check_refused("2 1\n0 2 2 2 2\n1 0 0 x", ":3:7: an entry of the matrix: a number belongs here");
    check_refused("2 1  0 2 2 2 2  1 0 0 1  -1", ":1:28: q: the file ends here");
    check_refused("2 1  0 2 2 2 2  1 0 0 nan  -1 0  0.5", "an entry of the matrix: is not finite");
    check_refused("2 1  0 2 2 2 2  1 0 0 1  -1 0  -0.5", "mu[0] is -0.5");
    check_refused("2 500000  0 1000000 1000000 1000000 1000000 1", "the file is too short");
    check_refused("2 2  1 4 4  4 2 2  4 2  2 4 3 4", "row ends: must rise from block to block");
    check_refused("2 2  1 4 4  4 2 2  2 4  2 4  3 4  0 9 4  0 1 0 1", "row starts: must be from 0 to 4");
    check_refused("2 2  1 4 4  4 2 2  2 4  2 4  3 4  0 2 4  0 7 0 1", "a block's column: must be from 0 to 1");
    check_refused("2 1  2 2 2\n1\nNo such thing", "`CSparse`: belongs here");
}

static void put(hid_t file, const char *name, hid_t type, hsize_t count, const void *data)
{
    hid_t space = H5Screate_simple(1, &count, NULL), chain = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(chain, 1);
    hid_t dataset = H5Dcreate2(file, name, type, space, chain, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Pclose(chain);
    H5Sclose(space);
}

static void put_int(hid_t file, const char *name, int value)
{
    put(file, name, H5T_NATIVE_INT, 1, &value);
}

/* One contact in 2D with a joint row: W = [4 1; 1 3], V = (1, 2), R = 9, as triplets, columns and triplets. */
static void write_fclib(int last_row)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_int(file, "/fclib_local/spacedim", 2);
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, (double[]){-1, 0.5});
    put(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, 1, (double[]){0.6});
    put(file, "/fclib_local/vectors/s", H5T_NATIVE_DOUBLE, 1, (double[]){-7});
    put_int(file, "/fclib_local/W/m", 2);
    put_int(file, "/fclib_local/W/n", 2);
    put_int(file, "/fclib_local/W/nz", -2);
    put(file, "/fclib_local/W/p", H5T_NATIVE_INT, 3, (int[]){0, 2, 4});
    put(file, "/fclib_local/W/i", H5T_NATIVE_INT, 4, (int[]){0, 1, 0, last_row});
    put(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, 4, (double[]){4, 1, 1, 3});
    put_int(file, "/fclib_local/V/m", 2);
    put_int(file, "/fclib_local/V/n", 1);
    put_int(file, "/fclib_local/V/nz", -1);
    put(file, "/fclib_local/V/p", H5T_NATIVE_INT, 2, (int[]){0, 2});
    put(file, "/fclib_local/V/i", H5T_NATIVE_INT, 2, (int[]){0, 1});
    put(file, "/fclib_local/V/x", H5T_NATIVE_DOUBLE, 2, (double[]){1, 2});
    put_int(file, "/fclib_local/R/m", 1);
    put_int(file, "/fclib_local/R/n", 1);
    put_int(file, "/fclib_local/R/nz", 1);
    put(file, "/fclib_local/R/p", H5T_NATIVE_INT, 1, (int[]){0});
    put(file, "/fclib_local/R/i", H5T_NATIVE_INT, 1, (int[]){0});
    put(file, "/fclib_local/R/x", H5T_NATIVE_DOUBLE, 1, (double[]){9});
    H5Fclose(file);
}

static void fclib_joints_are_rows_after_the_contacts(void **state)
{
    (void)state;
    ContactProblem problem;
    Status status = {0};
    write_fclib(1);
    assert_true(contact_problem_read(&problem, path, &status));
    assert_int_equal(problem.equalities, 1);
    assert_int_equal(problem.system.rows, 3);
    assert_near(entry(&problem.system, 0, 0, 1, 1), 3.0, 0.0);
    assert_near(entry(&problem.system, 0, 1, 1, 0), 2.0, 0.0);
    assert_near(entry(&problem.system, 1, 0, 0, 1), 2.0, 0.0);
    assert_near(entry(&problem.system, 1, 1, 0, 0), 9.0, 0.0);
    assert_near(problem.system.q[2], -7.0, 0.0);
    contact_problem_free(&problem);
}

static void damaged_fclib_is_refused_with_its_place(void **state)
{
    (void)state;
    ContactProblem problem;
    Status status = {0};
    write_fclib(2);
    assert_false(contact_problem_read(&problem, path, &status));
    assert_non_null(strstr(status.message, "/fclib_local/W: an index is outside the matrix"));
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_false(contact_problem_read(&problem, path, &status));
    assert_non_null(strstr(status.message, "neither fclib_local nor fclib_global"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storages_give_the_same_system),
        cmocka_unit_test(a_global_problem_is_condensed),
        cmocka_unit_test(damaged_text_is_refused_with_its_place),
        cmocka_unit_test(fclib_joints_are_rows_after_the_contacts),
        cmocka_unit_test(damaged_fclib_is_refused_with_its_place),
    };
    int made = mkstemp(path);
    if (made < 0)
        return 1;
    close(made);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
