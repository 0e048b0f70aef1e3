/* SPDX-License-Identifier: MIT */
/* The library as a whole: opening it, what there is, the program. */
#include "bench/build.h"
#include "bench/process/blas.h"
#include "library/internal.h"

#include <pthread.h>
#include <stdlib.h>

static locale_t c_locale; /* 0: there is none, and the host's is left */

static void c_locale_make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

LibraryHost library_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    LibraryHost host;
    pthread_once(&once, c_locale_make);
    host.locale = uselocale(c_locale);
    fegetenv(&host.arithmetic);
    fesetenv(FE_DFL_ENV);
    return host;
}

void library_leave(LibraryHost *host)
{
    fesetenv(&host->arithmetic);
    uselocale(host->locale);
}

const char *rigor_version(void)
{
    return build_version();
}

Rigor *rigor_open(void)
{
    LIBRARY_CALL;
    libraries_settle();
    Rigor *rigor = calloc(1, sizeof *rigor);
    if (rigor)
        rigor->truths = reference_truths_create();
    if (rigor && rigor->truths && solver_set_open(&rigor->solvers, &rigor->status))
        return rigor;
    rigor_close(rigor);
    return NULL;
}

void rigor_close(Rigor *rigor)
{
    if (!rigor)
        return;
    solver_set_close(&rigor->solvers);
    reference_truths_destroy(rigor->truths);
    free(rigor->output);
    free(rigor);
}

const char *rigor_message(const Rigor *rigor)
{
    return rigor ? rigor->status.message : "there is no library: out of memory";
}

RigorStatus rigor_status(const Rigor *rigor)
{
    return rigor ? library_failed(rigor) : RIGOR_FAILED;
}

RigorStatus library_failed(const Rigor *rigor)
{
    return (RigorStatus)rigor->status.code;
}

RigorStatus rigor_load_plugin(Rigor *rigor, const char *path)
{
    LIBRARY_CALL;
    if (!rigor || !path)
        return RIGOR_FAILED;
    return solver_set_load(&rigor->solvers, path, &rigor->status) ? RIGOR_OK : library_failed(rigor);
}

RigorStatus rigor_solver_add(Rigor *rigor, const struct Solver *solver)
{
    LIBRARY_CALL;
    if (!rigor || !solver)
        return RIGOR_FAILED;
    return solver_set_add_own(&rigor->solvers, solver, &rigor->status) ? RIGOR_OK : library_failed(rigor);
}

const char *rigor_scene_name(int index)
{
    return index >= 0 && index < scene_count ? all_scenes[index]->name : NULL;
}

const char *rigor_solver_name(const Rigor *rigor, int index)
{
    return rigor && index >= 0 && index < rigor->solvers.count ? rigor->solvers.solvers[index]->name : NULL;
}

const char *rigor_metric_name(int index)
{
    return index >= 0 && index < metric_count ? all_metrics[index]->name : NULL;
}
