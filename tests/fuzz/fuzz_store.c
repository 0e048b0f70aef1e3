/* SPDX-License-Identifier: MIT */
/* Results stores, opened to be read and to be written. A log that SQLite has not yet moved into the store may stand
 * behind it, at a whole number of sectors. */
#include "tests/fuzz/fuzz.h"

#include "bench/store/store.h"

enum { SECTOR = 512 };

/* Where the log begins; `size`: there is none. */
static size_t log_begin(const uint8_t *data, size_t size)
{
    static const uint8_t MAGIC[3] = {0x37, 0x7f, 0x06};
    for (size_t at = 0; at + sizeof MAGIC <= size; at += SECTOR)
        if (memcmp(data + at, MAGIC, sizeof MAGIC) == 0)
            return at;
    return size;
}

static void read_in_process(const uint8_t *data, size_t size, size_t log)
{
    Status status = {0};
    FuzzFile store = fuzz_open(data, log), behind = fuzz_open(data + log, size - log);
    StoreFiles files = {.store = store.fd, .log = size > log ? behind.fd : -1, .journal = -1, .index = -1};
    store_close(store_open_here(&files, &status));
    fuzz_close(&store);
    fuzz_close(&behind);
}

static void open_to_write(const uint8_t *data, size_t size)
{
    char path[640];
    Status status = {0};
    fuzz_write(path, "store.sqlite", data, size);
    store_close(store_open(path, &status));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t log = log_begin(data, size);
    read_in_process(data, size, log);
    open_to_write(data, log);
    return 0;
}
