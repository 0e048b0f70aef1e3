/* SPDX-License-Identifier: MIT */
/* Files of the cache of reference motions: what does not hold what it promises is computed again. */
#include "tests/fuzz/fuzz.h"

#include "bench/truth/reference_cache.h"

static const char KEY[SHA256_TEXT] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* The path of the cache's file, made with its folders by a first writing. */
static const char *kept_path(void)
{
    static char found[640];
    if (found[0])
        return found;
    char command[640];
    ReferencePath made;
    if (setenv("RIGOR_CACHE", fuzz_folder(), 1) != 0 || !reference_path_allocate(&made, 1, 0, 1))
        abort();
    made.frames = 1;
    reference_cache_write(KEY, &made);
    reference_path_free(&made);
    snprintf(command, sizeof command, "find %s -type f", fuzz_folder());
    FILE *list = popen(command, "r");
    if (!list || !fgets(found, sizeof found, list))
        abort();
    pclose(list);
    found[strcspn(found, "\n")] = '\0';
    return found;
}

static void keep(const uint8_t *data, size_t size)
{
    FILE *file = fopen(kept_path(), "wb");
    char hash[SHA256_TEXT];
    Sha256 content = sha256_begin();
    sha256_add_text(&content, KEY);
    sha256_add(&content, data, size);
    sha256_text(&content, hash); /* in order: else no input would get past it */
    if (!file || fwrite(data, 1, size, file) != size || fwrite(hash, 1, SHA256_TEXT, file) != SHA256_TEXT)
        abort();
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ReferencePath path;
    keep(data, size);
    if (reference_cache_read(KEY, &path))
        reference_path_free(&path);
    return 0;
}
