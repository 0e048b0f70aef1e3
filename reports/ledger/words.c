/* SPDX-License-Identifier: MIT */
/* The words of a verdict: its numbers filled in, and that none of them is bare.
 *
 * A number in the words is `{name}`, filled from a run; or a setting that one of the claim's commands has, as 64 where
 * it says substeps=64; or `given` with its source, as 2/5 of a closed form. Digits of a symbol (V_2, R^-1, RK4) are no
 * number. Words that measure (a tenth, millions, twice) are numbers like any other. */
#include "reports/ledger/claims.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const MEASURES[] = {"half",     "twice",      "tenth",   "tenths",   "hundredth", "hundred",
                                       "thousand", "thousandth", "million", "millions", "%",         NULL};

static const ClaimNumber *claim_number(const Claim *claim, const char *name, size_t length)
{
    for (int i = 0; i < claim->number_count; i++)
        if (strlen(claim->numbers[i].name) == length && strncmp(claim->numbers[i].name, name, length) == 0)
            return &claim->numbers[i];
    return NULL;
}

/* Behind a letter, `_` or `^` a digit is part of a symbol; so it is behind `^-`, and behind a sign beyond ASCII. */
static bool is_in_symbol(const char *text, const char *at)
{
    const char *before = at > text && at[-1] == '-' && at - 1 > text && at[-2] == '^' ? at - 1 : at;
    return before > text && (isalpha((unsigned char)before[-1]) || before[-1] == '_' || before[-1] == '^' ||
                             (unsigned char)before[-1] >= 0x80);
}

/* Does one of the commands have this number, as a whole word or as a value of an option? */
static bool is_setting(const Claim *claim, double value)
{
    const char *key;
    json_t *pair;
    json_object_foreach ((json_t *)claim->let, key, pair) {
        const char *command = json_string_value(json_array_get(pair, 0));
        for (const char *at = command; *at; at++) {
            char *end;
            if (at > command && strchr("= ,", at[-1]) && isdigit((unsigned char)*at) && strtod(at, &end) == value)
                return true;
        }
    }
    return false;
}

/* How long the number of `given` is that stands here; 0: none. */
static size_t given_here(const Claim *claim, const char *at)
{
    const char *key;
    json_t *source;
    size_t longest = 0;
    json_object_foreach ((json_t *)claim->given, key, source)
        if (strncmp(at, key, strlen(key)) == 0 && strlen(key) > longest)
            longest = strlen(key);
    return longest;
}

static size_t measure_here(const char *text, const char *at)
{
    if (at > text && isalpha((unsigned char)at[-1]))
        return 0;
    for (const char *const *word = MEASURES; *word; word++) {
        size_t length = strlen(*word);
        if (strncmp(at, *word, length) == 0 && !isalpha((unsigned char)at[length]))
            return length;
    }
    return 0;
}

static bool words_fail(const char *at, size_t length, char what[64])
{
    snprintf(what, 64, "%.*s", (int)(length < 60 ? length : 60), at);
    return false;
}

bool claim_words_are_backed(const Claim *claim, char what[64])
{
    const char *text = claim->verdict;
    bool shown = false;
    for (const char *at = text; *at;) {
        size_t skip = given_here(claim, at), measure = measure_here(text, at);
        char *end;
        if (*at == '{') {
            skip = strcspn(at, "}") + 1;
            const ClaimNumber *number = claim_number(claim, at + 1, skip - 2);
            if (!number)
                return words_fail(at, skip, what);
            shown = shown || number == &claim->numbers[0];
        } else if (skip == 0 && measure > 0) {
            return words_fail(at, measure, what);
        } else if (skip == 0 && isdigit((unsigned char)*at)) {
            double value = strtod(at, &end);
            skip = (size_t)(end - at);
            if (!is_in_symbol(text, at) && !is_setting(claim, value))
                return words_fail(at, skip, what);
        }
        at += skip > 0 ? skip : 1;
    }
    return shown || words_fail("without {number}", 16, what);
}

void claim_verdict(const Claim *claim, const double *values, Text *out)
{
    const char *at = claim->verdict ? claim->verdict : "";
    for (const char *open = strchr(at, '{'); open; open = strchr(at, '{')) {
        size_t length = strcspn(open, "}");
        const ClaimNumber *number = claim_number(claim, open + 1, length - 1);
        text_add(out, "%.*s", (int)(open - at), at);
        if (number) {
            double value = values ? values[number - claim->numbers] : number->value;
            text_add(out, fabs(value) >= 1000.0 && fabs(value) < 1e7 ? "%.0f" : "%.3g", value);
            text_add(out, "%s%s", number->unit ? " " : "", number->unit ? number->unit : "");
        }
        at = open + length + (open[length] == '}');
    }
    text_add(out, "%s", at);
}
