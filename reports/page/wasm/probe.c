/* SPDX-License-Identifier: MIT */
/* Compiles and links where WebAssembly can be built. */
#include <math.h>
#include <stdlib.h>

__attribute__((export_name("probe"))) double *probe(double x)
{
    double *place = malloc(sizeof *place);
    if (place)
        *place = sin(x);
    return place;
}
