/* SPDX-License-Identifier: MIT */
#ifndef RIGOR_TESTS_SAFETY_HDF5_FILTER_H
#define RIGOR_TESTS_SAFETY_HDF5_FILTER_H

#include <hdf5.h>

/* Of the range for tests. */
enum { FOREIGN_FILTER = 399 };
extern const H5Z_class2_t foreign_filter;

#endif
