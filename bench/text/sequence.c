/* SPDX-License-Identifier: MIT */
#include "bench/text/sequence.h"

#include "model/math3.h"
#include "model/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pattern may run on for this many values: more is a slip, not a study. */
enum { SEQUENCE_MAX = 100000 };

/* Where both patterns meet the end, a sum longer than this was meant as a product: `1,10,...,1e5`. */
enum { LONG_SUM = 64 };

/* How far a pattern may miss a typed value, relative: typed decimals are rounded. */
static const double PATTERN_TOLERANCE = 1e-6;

static bool sequence_grow(Sequence *sequence, Status *status)
{
    if (sequence->count == SEQUENCE_MAX)
        return status_set(status, STATUS_USAGE, "more than %d values", SEQUENCE_MAX);
    SequenceValue *grown = realloc(sequence->values, sizeof *grown * (size_t)(sequence->count + 1));
    if (!grown)
        return status_set(status, STATUS_FAILED, "out of memory");
    sequence->values = grown;
    return true;
}

static bool sequence_add_text(Sequence *sequence, const char *text, size_t length, Status *status)
{
    if (length == 0 || length >= SEQUENCE_TEXT)
        return status_set(status, STATUS_USAGE, "'%.*s' is not a value", (int)length, text);
    if (!sequence_grow(sequence, status))
        return false;
    SequenceValue *value = &sequence->values[sequence->count++];
    memcpy(value->text, text, length);
    value->text[length] = '\0';
    if (!number_parse(value->text, &value->number))
        value->number = NAN;
    return true;
}

bool sequence_append(Sequence *sequence, double number, Status *status)
{
    if (!sequence_grow(sequence, status))
        return false;
    SequenceValue *value = &sequence->values[sequence->count++];
    value->number = number;
    snprintf(value->text, sizeof value->text, "%.17g", number);
    return true;
}

static bool nearly(double a, double b)
{
    return fabs(a - b) <= PATTERN_TOLERANCE * fmax(fabs(a), fabs(b));
}

typedef struct Pattern {
    bool geometric;
    double first, step; /* a + k step, or a step^k */
} Pattern;

static double pattern_at(const Pattern *pattern, int k)
{
    double value = pattern->geometric ? pattern->first * pow(pattern->step, k) : pattern->first + k * pattern->step;
    /* Whole numbers stay whole. */
    return nearly(value, round(value)) && pattern->first == round(pattern->first) ? round(value) : value;
}

/* k with pattern_at(k) = last; 0: it never comes there. */
static int pattern_meets(const Pattern *pattern, double last)
{
    double k =
        pattern->geometric ? log(last / pattern->first) / log(pattern->step) : (last - pattern->first) / pattern->step;
    if (!(k >= 1.0 - PATTERN_TOLERANCE && k <= SEQUENCE_MAX))
        return 0;
    return nearly(pattern_at(pattern, (int)round(k)), last) ? (int)round(k) : 0;
}

/* The same for a pattern that also agrees with every value given. */
static int pattern_end(const Pattern *pattern, const Sequence *given, double last)
{
    for (int i = 0; i < given->count; i++)
        if (!nearly(pattern_at(pattern, i), given->values[i].number))
            return 0;
    int end = pattern_meets(pattern, last);
    return end >= given->count ? end : 0;
}

/* Appends what lies between the values so far and `last`, which follows as typed. */
static bool sequence_continue(Sequence *sequence, const char *last_text, Status *status)
{
    double last;
    if (sequence->count < 2 || !number_parse(last_text, &last))
        return status_set(status, STATUS_USAGE, "'...' stands between at least two numbers and the last one");
    double a = sequence->values[0].number, b = sequence->values[1].number;
    Pattern adding = {false, a, b - a}, multiplying = {true, a, b / a};
    int sum_end = pattern_end(&adding, sequence, last), product_end = pattern_end(&multiplying, sequence, last);
    if (sum_end == 0 && product_end == 0)
        return status_set(status, STATUS_USAGE, "'%s,...': neither adding nor multiplying comes to %s",
                          sequence->values[sequence->count - 1].text, last_text);
    bool add = product_end == 0 || (sum_end > 0 && sum_end <= LONG_SUM);
    int end = add ? sum_end : product_end;
    for (int k = sequence->count; k < end; k++)
        if (!sequence_append(sequence, pattern_at(add ? &adding : &multiplying, k), status))
            return false;
    return sequence_add_text(sequence, last_text, strlen(last_text), status);
}

static bool sequence_parse_list(Sequence *sequence, const char *text, Status *status)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        bool dots = length == 3 && strncmp(text, "...", 3) == 0;
        if (dots)
            return text[3] == ',' ? sequence_continue(sequence, text + 4, status)
                                  : status_set(status, STATUS_USAGE, "'...' must be followed by the last value");
        if (!sequence_add_text(sequence, text, length, status))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

bool sequence_parse(Sequence *sequence, const char *text, Status *status)
{
    *sequence = (Sequence){0};
    const char *colon = strchr(text, ':');
    bool ok;
    if (colon) {
        sequence->range = true;
        ok = sequence_add_text(sequence, text, (size_t)(colon - text), status) &&
             sequence_add_text(sequence, colon + 1, strlen(colon + 1), status);
        if (ok && !(sequence->values[0].number < sequence->values[1].number))
            ok = status_set(status, STATUS_USAGE, "'%s' is not a range a:b with a < b", text);
    } else {
        ok = sequence_parse_list(sequence, text, status);
    }
    if (!ok)
        sequence_clear(sequence);
    return ok;
}

void sequence_clear(Sequence *sequence)
{
    free(sequence->values);
    *sequence = (Sequence){0};
}

bool sequence_double_through(Sequence *sequence, Status *status)
{
    SequenceValue first = sequence->values[0], last = sequence->values[1];
    if (!(first.number > 0.0))
        return status_set(status, STATUS_USAGE, "%s:%s: a range that is doubled through begins above zero", first.text,
                          last.text);
    sequence->count = 1;
    sequence->range = false;
    for (double x = 2.0 * first.number; x < last.number && !nearly(x, last.number); x *= 2.0)
        if (!sequence_append(sequence, x, status))
            return false;
    return sequence_add_text(sequence, last.text, strlen(last.text), status);
}
