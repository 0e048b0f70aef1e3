/* SPDX-License-Identifier: MIT */
#include "bench/outcome/predicate.h"

#include "bench/outcome/quantity.h"
#include "model/settings.h"

#include <stdio.h>
#include <string.h>

const char *const stability_names[] = {"ok", "bad", "blew_up", "failed"};

static const char BLANKS[] = " \t";

/* Longer signs first, so that `<` does not take the beginning of `<=`. */
static const struct {
    const char *sign;
    Comparator comparator;
} SIGNS[] = {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL}, {"<", LESS}, {">", GREATER}, {"=", EQUAL}};

static bool compare(double value, Comparator comparator, double bound)
{
    switch (comparator) {
    case LESS:
        return value < bound;
    case LESS_EQUAL:
        return value <= bound;
    case EQUAL:
        return value == bound;
    case GREATER_EQUAL:
        return value >= bound;
    default:
        return value > bound;
    }
}

/* Copies the word that begins at *text and ends before any of `ends`, and moves *text behind it and blanks. */
static void take_word(const char **text, const char *ends, char *word, size_t size)
{
    *text += strspn(*text, BLANKS);
    size_t length = strcspn(*text, ends);
    snprintf(word, size, "%.*s", (int)length, *text);
    *text += length;
    *text += strspn(*text, BLANKS);
}

static bool take_comparator(const char **text, Comparator *comparator)
{
    for (size_t i = 0; i < sizeof SIGNS / sizeof SIGNS[0]; i++) {
        size_t length = strlen(SIGNS[i].sign);
        if (strncmp(*text, SIGNS[i].sign, length) == 0) {
            *comparator = SIGNS[i].comparator;
            *text += length;
            return true;
        }
    }
    return false;
}

/* `ok`, or `name comparator number`. */
static bool take_term(Predicate *predicate, const char **text, Status *status)
{
    char name[64], bound[64];
    take_word(text, " \t,<>=", name, sizeof name);
    if (strcmp(name, "ok") == 0)
        return true;
    if (!name[0])
        return status_set(status, STATUS_USAGE, "a comparison is missing at '%s', as in drift_max<0.01", *text);
    if (predicate->count == PREDICATE_MAX)
        return status_set(status, STATUS_USAGE, "more than %d comparisons", PREDICATE_MAX);
    Comparison *comparison = &predicate->comparisons[predicate->count];
    *comparison = (Comparison){.quantity = quantity_find(name, status)};
    if (comparison->quantity < 0)
        return false;
    if (!take_comparator(text, &comparison->comparator))
        return status_set(status, STATUS_USAGE, "'%s' is not followed by one of < <= = >= >", name);
    take_word(text, " \t,", bound, sizeof bound);
    if (!number_parse(bound, &comparison->bound))
        return status_set(status, STATUS_USAGE, "%s is compared with '%s', which is no number", name, bound);
    predicate->count++;
    return true;
}

/* True behind a comma or `and`. */
static bool take_joint(const char **text)
{
    size_t length = **text == ',' ? 1 : strncmp(*text, "and", 3) == 0 && strchr(BLANKS, (*text)[3]) ? 3 : 0;
    *text += length;
    return length > 0;
}

bool predicate_parse(Predicate *predicate, const char *text, Status *status)
{
    *predicate = (Predicate){0};
    if (!text) {
        predicate->comparisons[predicate->count++] = (Comparison){
            .quantity = metric_find("settled"), .comparator = EQUAL, .bound = 1.0, .where_it_applies = true};
        strcpy(predicate->text, "no blow-up, and settled where the scene has it");
        return true;
    }
    if (strlen(text) >= PREDICATE_TEXT)
        return status_set(status, STATUS_USAGE, "the predicate is longer than %d characters", PREDICATE_TEXT - 1);
    strcpy(predicate->text, text);
    do {
        if (!take_term(predicate, &text, status))
            return false;
    } while (take_joint(&text));
    return !*text || status_set(status, STATUS_USAGE, "'%s' is neither `and` nor the predicate's end", text);
}

bool predicate_reads_truth(const Predicate *predicate)
{
    for (int i = 0; i < predicate->count; i++) {
        int quantity = predicate->comparisons[i].quantity;
        if (quantity < metric_count && all_metrics[quantity]->of_truth)
            return true;
    }
    return false;
}

bool predicate_judge(const Predicate *predicate, const RunResult *result, Stability *stability, Status *status)
{
    *stability = result->status == RUN_OK ? STABILITY_OK : STABILITY_BLEW_UP;
    for (int i = 0; *stability != STABILITY_BLEW_UP && i < predicate->count; i++) {
        const Comparison *comparison = &predicate->comparisons[i];
        double value = quantity_of(result, comparison->quantity);
        if (isnan(value) && comparison->where_it_applies)
            continue;
        if (isnan(value))
            return status_set(status, STATUS_USAGE, "%s does not apply to this scene",
                              quantity_name(comparison->quantity));
        if (!compare(value, comparison->comparator, comparison->bound))
            *stability = STABILITY_BAD;
    }
    return true;
}
