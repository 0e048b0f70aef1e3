/* SPDX-License-Identifier: MIT */
#include "model/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SUGGEST_MAX_LENGTH = 63 };

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein distance, one row of the table at a time. */
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strlen(b), row[SUGGEST_MAX_LENGTH + 1];
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1,
                           diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1])));
            diagonal = above;
        }
    }
    return row[n];
}

/* The same letters in another order: heigth. */
static bool is_shuffled(const char *a, const char *b)
{
    int count[256] = {0};
    for (; *a; a++)
        count[tolower((unsigned char)*a)]++;
    for (; *b; b++)
        count[tolower((unsigned char)*b)]--;
    for (int i = 0; i < 256; i++)
        if (count[i] != 0)
            return false;
    return true;
}

void suggestion_offer(Suggestion *suggestion, const char *candidate)
{
    size_t typed = strlen(suggestion->word), length = strlen(candidate);
    if (typed > SUGGEST_MAX_LENGTH || length > SUGGEST_MAX_LENGTH)
        return;
    int distance = edit_distance(suggestion->word, candidate);
    /* The beginning of a name is as good as a slip of the pen. */
    if (distance > 1 && typed >= 3 && strncmp(suggestion->word, candidate, typed) == 0)
        distance = 1;
    if (distance > 1 && typed >= 3 && is_shuffled(suggestion->word, candidate))
        distance = 1;
    /* Every third letter may be wrong, and one in a short word; not all of them. */
    int allowed = 1 + (int)length / 3;
    if (distance <= allowed && distance < (int)length && (!suggestion->best || distance < suggestion->distance)) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

const char *suggestion_text(const Suggestion *suggestion, char text[SUGGESTION_TEXT])
{
    text[0] = '\0';
    if (suggestion->best)
        snprintf(text, SUGGESTION_TEXT, ": did you mean '%s'?", suggestion->best);
    return text;
}
