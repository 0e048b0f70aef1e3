/* SPDX-License-Identifier: MIT */
/* Extreme scenes through the backends and variants: each input chooses a scene and four neighbours in the list. */
#include "tests/fuzz/fuzz.h"

#include "solvers/engines/engine.h"
#include "tests/fuzz/extreme.h"

enum { SOLVERS_A_SCENE = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static SolverSet set;
    Status status = {0};
    double dt;
    if (set.count == 0 && !solver_set_open(&set, &status))
        abort();
    Bytes bytes = {data, size, 1};
    char *scene = extreme_scene(&bytes, &dt);
    if (!scene)
        return 0;
    FuzzFile file = fuzz_open((const uint8_t *)scene, strlen(scene));
    for (int i = 0; i < SOLVERS_A_SCENE; i++) {
        const Solver *solver = set.solvers[((size > 0 ? data[0] : 0) + i) % set.count];
        const char *fault = engine_of(solver) ? NULL : extreme_run(file.path, solver, dt, &status);
        if (!fault)
            continue;
        fprintf(stderr, "%s with dt %g: %s\n%s", solver->name, dt, fault, scene);
        abort();
    }
    fuzz_close(&file);
    free(scene);
    return 0;
}
