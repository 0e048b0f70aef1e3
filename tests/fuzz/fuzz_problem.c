/* SPDX-License-Identifier: MIT */
/* Contact problems: Siconos' text, and FCLIB's HDF5 where the bytes begin like one, in this process. HDF5 itself leaks
 * on damaged files: leaks are not looked for. */
#include "tests/fuzz/fuzz.h"

#include "bench/problems/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    ContactProblem problem;
    ProblemParts parts = {0};
    Status status = {0};
    if (size > 8 && memcmp(data, "\211HDF\r\n\032\n", 8) == 0) {
        problem_read_fclib(&parts, file.fd, "fuzz", &status);
        problem_parts_free(&parts);
    } else if (contact_problem_read(&problem, file.path, &status)) {
        contact_problem_free(&problem);
    }
    fuzz_close(&file);
    return 0;
}
