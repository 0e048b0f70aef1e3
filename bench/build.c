#include "bench/build.h"

#include "bench/commit.h"

#include <cblas.h>

const char *build_version(void)
{
    return RIGOR_VERSION;
}

const char *build_commit(void)
{
    return RIGOR_COMMIT;
}

const char *build_compiler(void)
{
#ifdef __clang__
    return __VERSION__;
#else
    return "GCC " __VERSION__;
#endif
}

const char *build_blas(void)
{
    return openblas_get_config();
}
