/* SPDX-License-Identifier: MIT */
#include "bench/files/hash.h"

#include "bench/files/plain_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The offset basis and prime of FNV-1a for 128 bits, high and low halves (IETF draft-eastlake-fnv). */
static const unsigned long long BASIS_HIGH = 0x6c62272e07bb0142, BASIS_LOW = 0x62b821756295c58d;
static const unsigned long long PRIME_HIGH = 0x0000000001000000, PRIME_LOW = 0x000000000000013b;

static unsigned __int128 join(unsigned long long high, unsigned long long low)
{
    return (unsigned __int128)high << 64 | low;
}

Hash hash_begin(void)
{
    return (Hash){join(BASIS_HIGH, BASIS_LOW)};
}

void hash_add(Hash *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash->value = (hash->value ^ bytes[i]) * join(PRIME_HIGH, PRIME_LOW);
}

void hash_add_text(Hash *hash, const char *text)
{
    hash_add(hash, text, strlen(text) + 1);
}

void hash_text(const Hash *hash, char text[HASH_TEXT])
{
    snprintf(text, HASH_TEXT, "%016llx%016llx", (unsigned long long)(hash->value >> 64),
             (unsigned long long)hash->value);
}

bool hash_file(const char *path, char text[HASH_TEXT], Status *status)
{
    unsigned long long bytes;
    int file = plain_file_open(path, &bytes, status);
    if (file < 0)
        return false;
    Hash hash = hash_begin();
    char buffer[4096];
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) > 0)
        hash_add(&hash, buffer, (size_t)got);
    close(file);
    hash_text(&hash, text);
    return got == 0 || status_set(status, STATUS_BAD_FILE, "%s: cannot be read", path);
}
