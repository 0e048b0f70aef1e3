/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): what names a content that somebody may want to forge; and in base64, as a page's
 * Content-Security-Policy names the scripts that may run. */
#ifndef RIGOR_BENCH_FILES_SHA256_H
#define RIGOR_BENCH_FILES_SHA256_H

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_DIGEST = 32 };
enum { SHA256_TEXT = 65, SHA256_BASE64 = 45 }; /* with the end of the string */

typedef struct Sha256 {
    uint32_t state[8];
    unsigned char block[SHA256_BLOCK]; /* what is not yet a whole one */
    uint64_t size;                     /* bytes so far */
} Sha256;

Sha256 sha256_begin(void);
void sha256_add(Sha256 *hash, const void *data, size_t size);
/* The text with its end, so that "ab", "c" differs from "a", "bc"; NULL is a text of its own. */
void sha256_add_text(Sha256 *hash, const char *text);
/* As hexadecimal digits; the hash may be added to afterwards. */
void sha256_text(const Sha256 *hash, char text[SHA256_TEXT]);

/* Of a plain file's content. */
bool sha256_file(const char *path, char text[SHA256_TEXT], Status *status);

void sha256_base64(const char *text, size_t size, char out[SHA256_BASE64]);

#endif
