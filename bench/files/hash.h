/* SPDX-License-Identifier: MIT */
/* Content hashes: FNV-1a with 128 bits. It tells contents apart; it does not keep anybody from forging them. */
#ifndef RIGOR_BENCH_FILES_HASH_H
#define RIGOR_BENCH_FILES_HASH_H

#include "model/status.h"

#include <stddef.h>

typedef struct Hash {
    unsigned __int128 value;
} Hash;

/* As hexadecimal digits, with the end of the string. */
enum { HASH_TEXT = 33 };

Hash hash_begin(void);
void hash_add(Hash *hash, const void *data, size_t size);
/* The text with its end, so that "ab", "c" differs from "a", "bc". */
void hash_add_text(Hash *hash, const char *text);
void hash_text(const Hash *hash, char text[HASH_TEXT]);

/* The hash of a plain file's content: nothing waits for a pipe, or reads a device to its end. */
bool hash_file(const char *path, char text[HASH_TEXT], Status *status);

#endif
