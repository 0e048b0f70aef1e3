/* SPDX-License-Identifier: MIT */
/* The ledger of claims (docs/reference/ledger.md): what the five lectures say, line by line, and what our numbers say
 * to it. A file a lecture; its entries cover every line once. */
#ifndef RIGOR_REPORTS_LEDGER_CLAIMS_H
#define RIGOR_REPORTS_LEDGER_CLAIMS_H

#include "scenes/file/file.h"

typedef enum Finding { FINDING_CONFIRMED, FINDING_REFUTED, FINDING_BOUNDED, FINDING_NO_CLAIM, FINDINGS } Finding;

extern const char *const finding_names[FINDINGS + 1];

/* A number that the words of a verdict show, where `{name}` stands. */
typedef struct ClaimNumber {
    const char *name;
    const char *shows; /* an expression in the names of `let` */
    const char *unit;  /* NULL: none */
    double value;      /* as it was when the entry was written; NaN: none */
    bool rough;        /* a time, or what hangs on the machine otherwise: only its order of magnitude must stay */
} ClaimNumber;

enum { CLAIM_NUMBERS = 8 };

/* Texts are borrowed from the lecture's document; NULL: not given. */
typedef struct Claim {
    int lecture;     /* of the ledger */
    int first, last; /* lines */
    const char *slide, *claim, *verdict;
    Finding finding;
    int number_count;
    ClaimNumber numbers[CLAIM_NUMBERS]; /* the first is `{number}` */
    const json_t *given;                /* numbers of the words that no run gives -> where they are from */
    const json_t *let;                  /* name -> [command, path] */
    const json_t *holds;                /* expressions in those names that must be positive */
    const char *scene, *figure, *test, *code;
} Claim;

typedef struct Lecture {
    const char *name, *title, *author, *sha256;
    int lines;
    char *path;
    json_t *document;
} Lecture;

typedef struct Ledger {
    int lecture_count, claim_count;
    Lecture *lectures;
    Claim *claims;
    char *slides; /* slides.txt: lecture, line and title of each */
    char *folder; /* of claims: reports/X in a command is X beside it, in the tree as installed */
} Ledger;

/* All files of the folder of claims; false with the place of an error in the message. */
bool ledger_read(Ledger *ledger, Status *status);
bool ledger_read_folder(Ledger *ledger, const char *folder, Status *status);
void ledger_free(Ledger *ledger);

/* The first command that the claim's number comes from; NULL: none. */
const char *claim_command(const Claim *claim);

/* Every `{name}` of a verdict filled in, from `values` (by the claim's numbers) or, where that is NULL, from the
 * ledger; to be freed with out->data. */
void claim_verdict(const Claim *claim, const double *values, Text *out);

/* Is every number in the words of the verdict one of the claim's own, a setting of one of its commands, or given with
 * its source? If not, `what` is the part of the words that is none of these. */
bool claim_words_are_backed(const Claim *claim, char what[64]);

/* What became of a claim when it was computed again. */
typedef struct ClaimCheck {
    bool supported;
    double numbers[CLAIM_NUMBERS]; /* as computed now */
    char why[256];                 /* not supported */
} ClaimCheck;

/* Computes the numbers of the claims that are `asked` (NULL: of all) anew, `jobs` commands at once; `asked` and
 * `checks` have an element a claim. False with a message: it could not be done. */
bool ledger_check(const Ledger *ledger, const bool *asked, int jobs, ClaimCheck *checks,
                  void (*progress)(int done, int total), Status *status);

#endif
