/* Experiment files, expanded into their runs. */
#include "tests/fuzz/fuzz.h"

#include "bench/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const SolverSet built_in;
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    experiment_destroy(experiment_read(file.path, &built_in, NULL, &status));
    fuzz_close(&file);
    return 0;
}
