/* SPDX-License-Identifier: MIT */
#include "bench/files/sha256.h"

#include "bench/files/plain_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = SHA256_BLOCK, DIGEST = SHA256_DIGEST };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void add_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[BLOCK], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < BLOCK; i++) {
        uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < BLOCK; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t one = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[i] + w[i];
        uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

Sha256 sha256_begin(void)
{
    return (Sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(Sha256 *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        size_t begun = hash->size % BLOCK, part = size < BLOCK - begun ? size : BLOCK - begun;
        memcpy(hash->block + begun, bytes, part);
        hash->size += part;
        bytes += part;
        size -= part;
        if (hash->size % BLOCK == 0)
            add_block(hash->state, hash->block);
    }
}

void sha256_add_text(Sha256 *hash, const char *text)
{
    sha256_add(hash, text ? "+" : "-", 1);
    if (text)
        sha256_add(hash, text, strlen(text) + 1);
}

/* Behind the message a one bit, zeros, and the length in bits. */
static void sha256_end(const Sha256 *given, unsigned char digest[DIGEST])
{
    static const unsigned char PADDING[BLOCK] = {0x80};
    Sha256 hash = *given;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(8 * given->size >> 8 * (7 - i));
    sha256_add(&hash, PADDING, 1 + (BLOCK + 55 - given->size % BLOCK) % BLOCK);
    sha256_add(&hash, length, sizeof length);
    for (int i = 0; i < DIGEST; i++)
        digest[i] = (unsigned char)(hash.state[i / 4] >> 8 * (3 - i % 4));
}

void sha256_text(const Sha256 *hash, char text[SHA256_TEXT])
{
    unsigned char digest[DIGEST];
    sha256_end(hash, digest);
    for (int i = 0; i < DIGEST; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

bool sha256_file(const char *path, char text[SHA256_TEXT], Status *status)
{
    char piece[4096];
    ssize_t got;
    unsigned long long bytes;
    Sha256 hash = sha256_begin();
    int file = plain_file_open(path, &bytes, status);
    if (file < 0)
        return false;
    while ((got = read(file, piece, sizeof piece)) > 0)
        sha256_add(&hash, piece, (size_t)got);
    close(file);
    sha256_text(&hash, text);
    return got == 0 || status_set(status, STATUS_BAD_FILE, "%s: cannot be read", path);
}

void sha256_base64(const char *text, size_t size, char out[SHA256_BASE64])
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[DIGEST + 1] = {0}; /* 33 bytes are 44 digits */
    Sha256 hash = sha256_begin();
    sha256_add(&hash, text, size);
    sha256_end(&hash, digest);
    for (int i = 0; i < 44; i++) {
        int bit = 6 * i, byte = bit / 8;
        unsigned pair = (unsigned)digest[byte] << 8 | (byte < DIGEST ? digest[byte + 1] : 0u);
        out[i] = DIGITS[pair >> (10 - bit % 8) & 63];
    }
    out[43] = '=';
    out[44] = '\0';
}
