/* Scene files; what is read is written, and what was written is read again. */
#include "tests/fuzz/fuzz.h"

#include "scenes/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FuzzFile file = fuzz_open(data, size);
    Status status = {0};
    Problem *problem = problem_read(file.path, &status);
    fuzz_close(&file);
    if (!problem)
        return 0;
    char *text = problem_write(problem);
    problem_destroy(problem);
    if (text) {
        file = fuzz_open((const uint8_t *)text, strlen(text));
        problem = problem_read(file.path, &status);
        if (!problem) {
            fprintf(stderr, "what was written is refused: %s\n", status.message);
            abort();
        }
        problem_destroy(problem);
        fuzz_close(&file);
    }
    free(text);
    return 0;
}
