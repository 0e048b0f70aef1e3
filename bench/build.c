/* SPDX-License-Identifier: MIT */
#include "bench/build.h"

#include "bench/commit.h"

#include <cblas.h>
#include <gsl/gsl_version.h>
#include <jansson.h>
#include <klu.h>
#include <pthread.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

const char *build_version(void)
{
    return RIGOR_VERSION;
}

const char *build_commit(void)
{
    return RIGOR_COMMIT;
}

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

const char *build_compiler(void)
{
    return COMPILER;
}

const char *build_citation(void)
{
    return "@software{rigor,\n  title = {rigor: rigid-body constraint solvers, compared},\n  version = {" RIGOR_VERSION
           "},\n  note = {commit " RIGOR_COMMIT ", " COMPILER "}\n}\n";
}

const char *build_blas(void)
{
    return openblas_get_config();
}

/* OpenBLAS writes its text anew at every call: it is asked once, whatever threads there are. */
static char libraries[512];

static void libraries_name(void)
{
    const char *libc = "another C library";
#ifdef __GLIBC__
    char glibc[64];
    snprintf(glibc, sizeof glibc, "glibc %s", gnu_get_libc_version());
    libc = glibc;
#endif
    snprintf(libraries, sizeof libraries, "%s; GSL %s; %s; KLU %d.%d.%d; Jansson %s", libc, gsl_version,
             openblas_get_config(), KLU_MAIN_VERSION, KLU_SUB_VERSION, KLU_SUBSUB_VERSION, JANSSON_VERSION);
}

const char *build_libraries(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, libraries_name);
    return libraries;
}
