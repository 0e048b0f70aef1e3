/* SPDX-License-Identifier: MIT */
/* Scene files; what is read is written, and what was written is read again. A mesh lies beside them: a.obj. */
#include "tests/fuzz/fuzz.h"

#include "scenes/scene.h"

static const char MESH[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[640];
    Status status = {0};
    if (!path[0])
        fuzz_write(path, "a.obj", (const uint8_t *)MESH, sizeof MESH - 1);
    fuzz_write(path, "scene.json", data, size);
    Problem *problem = problem_read(path, &status);
    if (!problem)
        return 0;
    char *text = problem_write(problem);
    problem_destroy(problem);
    if (text) {
        fuzz_write(path, "scene.json", (const uint8_t *)text, strlen(text));
        problem = problem_read(path, &status);
        if (!problem) {
            fprintf(stderr, "what was written is refused: %s\n", status.message);
            abort();
        }
        problem_destroy(problem);
    }
    free(text);
    return 0;
}
