/* SPDX-License-Identifier: MIT */
#include "bench/files/sha256.h"

#include "tests/support/check.h"

#include <string.h>

static void check(const char *text, const char *expected)
{
    char hash[SHA256_BASE64];
    sha256_base64(text, strlen(text), hash);
    assert_string_equal(hash, expected);
}

/* FIPS 180-4's own examples, and lengths about the end of a block; expected: sha256sum. */
static void hashes_are_the_standard_s(void **state)
{
    (void)state;
    check("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    check("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
    check("0123456789012345678901234567890123456789012345678901234567890123",
          "lnTZ4HhTW3zsQyhDh6buOZVhiOc1qFRSsAULVTQc2lY=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_are_the_standard_s)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
