/* SPDX-License-Identifier: MIT */
/* Arrays that grow keep what they hold. */
#include "model/array.h"
#include "tests/support/check.h"

/* From a heap's chunk to pages of their own, and beyond: memory begins elsewhere in a line each time. */
static void lines_keep_what_counts_and_begin_at_a_line(void **state)
{
    (void)state;
    unsigned char *array = NULL;
    size_t used = 0;
    for (size_t bytes = 40; bytes < 1 << 22; bytes += 1 + bytes * 3 / 4) {
        void *between = malloc(bytes % 176 + 1); /* chunks that stand in the way */
        unsigned char *grown = lines_grow(array, used, bytes);
        assert_non_null(grown);
        assert_int_equal((uintptr_t)grown % CACHE_LINE, 0);
        for (size_t i = 0; i < used; i++)
            assert_int_equal(grown[i], (unsigned char)(i * 37 >> 3));
        for (size_t i = used; i < bytes; i++)
            grown[i] = (unsigned char)(i * 37 >> 3);
        array = grown;
        used = bytes;
        free(between);
    }
    lines_free(array);
    lines_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_keep_what_counts_and_begin_at_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
