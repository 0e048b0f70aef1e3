/* SPDX-License-Identifier: MIT */
/* A filter of HDF5 that passes bytes on, as a plug-in: being run it makes the file $HDF5_FILTER_RAN. Linked into
 * bad_hdf5 it writes files that ask for it. */
#include "tests/safety/hdf5_filter.h"

#include <H5PLextern.h>
#include <stdio.h>
#include <stdlib.h>

static size_t filter_pass(unsigned flags, size_t count, const unsigned *numbers, size_t bytes, size_t *size,
                          void **data)
{
    const char *mark = getenv("HDF5_FILTER_RAN");
    FILE *file = mark ? fopen(mark, "w") : NULL;
    (void)flags, (void)count, (void)numbers, (void)size, (void)data;
    if (file)
        fclose(file);
    return bytes;
}

const H5Z_class2_t foreign_filter = {
    H5Z_CLASS_T_VERS, FOREIGN_FILTER, 1, 1, "rigor's test", NULL, NULL, filter_pass,
};

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &foreign_filter;
}
