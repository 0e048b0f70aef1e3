/* SPDX-License-Identifier: MIT */
#include "reports/recording/motion_code.h"

#include <math.h>

/* A scene of 10 m is seen to 0.15 mm, a turn to 0.02 mrad. */
static const double MOTION_STEPS = 65536.0;

static void put_vlq(FILE *out, long number)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned long rest = number < 0 ? (unsigned long)-number << 1 | 1 : (unsigned long)number << 1;
    do {
        unsigned long low = rest & 31;
        rest >>= 5;
        fputc(LETTERS[low | (rest ? 32 : 0)], out);
    } while (rest);
}

static double largest(const double *values, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return INFINITY;
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

bool motion_write(FILE *out, const double *values, size_t rows, size_t width)
{
    double most = largest(values, rows * width), step = most > 0.0 ? most / MOTION_STEPS : 1.0;
    if (!isfinite(most) || !isnormal(step))
        return false;
    fprintf(out, "\"v2:%.17g:%zu:", step, width);
    for (size_t column = 0; column < width; column++) {
        long before = 0, change = 0;
        for (size_t row = 0; row < rows; row++) {
            long now = lround(values[row * width + column] / step);
            put_vlq(out, now - before - change);
            change = row > 0 ? now - before : 0;
            before = now;
        }
    }
    fputc('"', out);
    return true;
}
