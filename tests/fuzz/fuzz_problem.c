/* Contact problems: Siconos' text, and FCLIB's HDF5 where the bytes begin like one. */
#include "tests/fuzz/fuzz.h"

#include "bench/problems/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    ContactProblem problem;
    Status status = {0};
    if (contact_problem_read(&problem, file.path, &status))
        contact_problem_free(&problem);
    fuzz_close(&file);
    return 0;
}
