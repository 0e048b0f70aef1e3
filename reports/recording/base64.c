/* SPDX-License-Identifier: MIT */
#include "reports/recording/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Three bytes are four letters; what is left of the last three waits for the next call. */
typedef struct Encoder {
    FILE *out;
    unsigned char waiting[3];
    int count;
} Encoder;

static void encoder_flush(Encoder *encoder)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = encoder->waiting;
    const char four[4] = {LETTERS[b[0] >> 2], LETTERS[(b[0] & 3) << 4 | b[1] >> 4],
                          encoder->count > 1 ? LETTERS[(b[1] & 15) << 2 | b[2] >> 6] : '=',
                          encoder->count > 2 ? LETTERS[b[2] & 63] : '='};
    if (encoder->count > 0)
        fwrite(four, 1, sizeof four, encoder->out);
    memset(encoder->waiting, 0, sizeof encoder->waiting);
    encoder->count = 0;
}

/* The lowest `bytes` bytes of a number, the least significant first. */
static void encoder_put(Encoder *encoder, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        encoder->waiting[encoder->count++] = (unsigned char)(bits >> 8 * i);
        if (encoder->count == 3)
            encoder_flush(encoder);
    }
}

static Encoder encoder_begin(FILE *out, const char *type)
{
    fprintf(out, "\"%s:", type);
    return (Encoder){.out = out};
}

static void encoder_end(Encoder *encoder)
{
    encoder_flush(encoder);
    fputc('"', encoder->out);
}

void base64_write_doubles(FILE *out, const double *values, size_t count)
{
    Encoder encoder = encoder_begin(out, "f8");
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        encoder_put(&encoder, bits, 8);
    }
    encoder_end(&encoder);
}

void base64_write_floats(FILE *out, const double *values, size_t count)
{
    Encoder encoder = encoder_begin(out, "f4");
    for (size_t i = 0; i < count; i++) {
        float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        encoder_put(&encoder, bits, 4);
    }
    encoder_end(&encoder);
}

/* Bits of a float that a picture does not need; rounding may carry into the exponent, as it should. */
enum { BRIEF_DROPPED = 9 };

static uint32_t brief_bits(double number)
{
    float value = (float)number;
    uint32_t bits, half = 1u << (BRIEF_DROPPED - 1);
    memcpy(&bits, &value, sizeof bits);
    bool finite = (bits >> 23 & 255) != 255;
    return (finite ? bits + half : bits) & ~((1u << BRIEF_DROPPED) - 1);
}

void base64_write_brief(FILE *out, const double *values, size_t count)
{
    Encoder encoder = encoder_begin(out, "p4");
    for (int byte = 0; byte < 4; byte++)
        for (size_t i = 0; i < count; i++)
            encoder_put(&encoder, brief_bits(values[i]) >> 8 * byte & 255, 1);
    encoder_end(&encoder);
}

void base64_write_ints(FILE *out, const double *values, size_t count)
{
    Encoder encoder = encoder_begin(out, "i4");
    for (size_t i = 0; i < count; i++)
        encoder_put(&encoder, (uint32_t)(int32_t)values[i], 4);
    encoder_end(&encoder);
}
