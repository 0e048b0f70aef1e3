/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "bench/process/blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The kernels that all processors of an architecture share; NULL: it is not known. On x86-64 those of AVX2 and FMA,
 * which processors have since 2013: the C library's sin and exp have other last bits without FMA, too. */
static const char *blas_core(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : "Prescott";
#elif defined(__aarch64__)
    return "ARMV8";
#else
    return NULL;
#endif
}

typedef void Call(void);

/* What OpenBLAS calls as it is loaded and unloaded; NULL in one that was built for one processor. */
static Call *blas_call(const char *name)
{
    Call *call;
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(&call, &symbol, sizeof call);
    return call;
}

/* Its choice is made anew, with the name where it looks for one. */
static void blas_choose(const char *core)
{
    Call *forget = blas_call("gotoblas_dynamic_quit"), *choose = blas_call("gotoblas_dynamic_init");
    const char *given = getenv("OPENBLAS_CORETYPE");
    char *before = given ? strdup(given) : NULL;
    if (forget && choose && setenv("OPENBLAS_CORETYPE", core, 1) == 0) {
        forget();
        choose();
    }
    if (before)
        setenv("OPENBLAS_CORETYPE", before, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
    free(before);
}

bool blas_settle(void)
{
    Call *end_threads = blas_call("blas_thread_shutdown_");
    openblas_set_num_threads(1);
    if (end_threads)
        end_threads();
    const char *core = blas_core();
    if (core && strcmp(openblas_get_corename(), core) != 0)
        blas_choose(core);
    return core && strcmp(openblas_get_corename(), core) == 0;
}

static void settle(void)
{
    gsl_set_error_handler_off();
    blas_settle(); /* results must not depend on the machine */
}

void libraries_settle(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, settle);
}
