/* Results stores, opened to be read and to be written. */
#include "tests/fuzz/fuzz.h"

#include "bench/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/dev/shm/rigor_fuzz_XXXXXX";
    Status status = {0};
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    store_close(store_open_to_read(path, &status));
    store_close(store_open(path, &status));
    unlink(path);
    return 0;
}
