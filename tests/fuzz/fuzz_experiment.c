/* SPDX-License-Identifier: MIT */
/* Experiment files, expanded into their runs. */
#include "tests/fuzz/fuzz.h"

#include "bench/experiment/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static SolverSet built_in;
    Status status = {0};
    if (built_in.count == 0 && !solver_set_open(&built_in, &status))
        abort();
    FuzzFile file = fuzz_open(data, size);
    experiment_destroy(experiment_read(file.path, &built_in, NULL, &status));
    fuzz_close(&file);
    return 0;
}
