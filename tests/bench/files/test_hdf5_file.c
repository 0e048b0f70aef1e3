/* SPDX-License-Identifier: MIT */
/* The opener of HDF5 files in a process that may do everything, as in a program that librigor is part of: what leads
 * out of a file is refused by the opener, not by a child that has no authority. */
#include "bench/files/hdf5_file.h"
#include "tests/safety/hdf5_filter.h"
#include "tests/support/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { COUNT = 4 };

static const double NUMBERS[COUNT] = {1.5, -2.25, 3.125, 4.0625};

static void put(hid_t file, const char *name, hid_t plan, bool written)
{
    hsize_t count = COUNT;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(set >= 0);
    if (written)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, NUMBERS) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_virtual(hid_t file, const char *name, hid_t plan, const char *other)
{
    hsize_t count = COUNT;
    hid_t space = H5Screate_simple(1, &count, NULL);
    assert_true(H5Pset_virtual(plan, space, other, "own", space) >= 0);
    H5Sclose(space);
    put(file, name, plan, false);
}

/* A file of its own numbers and, by every way that HDF5 has, of another's. */
static void make_file(const char *path, const char *other)
{
    hsize_t chunk = COUNT;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plans[4];
    for (int i = 0; i < 4; i++)
        plans[i] = H5Pcreate(H5P_DATASET_CREATE);
    put(file, "own", H5P_DEFAULT, true);
    H5Pset_chunk(plans[0], 1, &chunk);
    H5Pset_deflate(plans[0], 6);
    put(file, "packed", plans[0], true);
    H5Pset_external(plans[1], other, 0, sizeof NUMBERS);
    put(file, "external", plans[1], false);
    put_virtual(file, "virtual", plans[2], other);
    H5Zregister(&foreign_filter);
    H5Pset_chunk(plans[3], 1, &chunk);
    H5Pset_filter(plans[3], FOREIGN_FILTER, 0, 0, NULL);
    put(file, "filtered", plans[3], true);
    H5Lcreate_external(other, "/own", file, "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(other, "/", file, "door", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/door/own", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/own", file, "inner", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "own", file, "hard", H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 4; i++)
        H5Pclose(plans[i]);
    H5Fclose(file);
}

static int has(const Hdf5File *file, const char *name, double numbers[COUNT])
{
    hid_t set = hdf5_dataset(file, name);
    if (set < 0)
        return 0;
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    return 1;
}

static void what_leads_out_of_a_file_is_not_opened(void **state)
{
    static const char *const GOOD[] = {"own", "packed", "hard"}, *const BAD[] = {"external", "virtual",  "filtered",
                                                                                 "link",     "door/own", "soft",
                                                                                 "inner",    "none"};
    Scratch *scratch = *state;
    char path[192], other[192];
    double numbers[COUNT];
    Hdf5File file;
    snprintf(path, sizeof path, "%s/file.h5", scratch->folder);
    snprintf(other, sizeof other, "%s/other.h5", scratch->folder);
    make_file(other, other);
    make_file(path, other);
    int fd = open(path, O_RDONLY);
    assert_true(hdf5_open(&file, fd));
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_true(has(&file, GOOD[i], numbers));
        assert_memory_equal(numbers, NUMBERS, sizeof NUMBERS);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (has(&file, BAD[i], numbers))
            fail_msg("%s is read", BAD[i]);
    hdf5_close(&file);
    close(fd);
}

/* While a file is open no filter is loaded; afterwards the process is as it was. */
static void plug_ins_are_off_while_a_file_is_open(void **state)
{
    Scratch *scratch = *state;
    char path[192];
    unsigned before, now, after;
    Hdf5File file;
    snprintf(path, sizeof path, "%s/file.h5", scratch->folder);
    make_file(path, path);
    int fd = open(path, O_RDONLY);
    H5PLget_loading_state(&before);
    assert_true(hdf5_open(&file, fd));
    H5PLget_loading_state(&now);
    hdf5_close(&file);
    H5PLget_loading_state(&after);
    assert_int_not_equal(before, 0);
    assert_int_equal(now, 0);
    assert_int_equal(after, before);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_leads_out_of_a_file_is_not_opened, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(plug_ins_are_off_while_a_file_is_open, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
