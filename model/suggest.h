/* SPDX-License-Identifier: MIT */
/* "did you mean": the candidate nearest to a misspelt word, by edit distance; upper and lower case are the same. */
#ifndef RIGOR_MODEL_SUGGEST_H
#define RIGOR_MODEL_SUGGEST_H

typedef struct Suggestion {
    const char *word; /* as typed */
    const char *best; /* NULL: nothing is near */
    int distance;
} Suggestion;

static inline Suggestion suggestion_for(const char *word)
{
    return (Suggestion){.word = word};
}

void suggestion_offer(Suggestion *suggestion, const char *candidate);

enum { SUGGESTION_TEXT = 96 };

/* ": did you mean 'x'?", or "" when nothing is near. */
const char *suggestion_text(const Suggestion *suggestion, char text[SUGGESTION_TEXT]);

#endif
