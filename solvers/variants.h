/* SPDX-License-Identifier: MIT */
/* Variants: a backend under a name of its own, with other defaults. A variant is data, a line in variants.c; to
 * everything behind its name it is a Solver like any other, whose options begin at what the variant sets. */
#ifndef RIGOR_SOLVERS_VARIANTS_H
#define RIGOR_SOLVERS_VARIANTS_H

#include "solvers/solver.h"

typedef struct Variant {
    const char *name;
    const char *of;      /* the backend's name */
    const char *options; /* what it sets, as a user writes it in place: `iterations=50:warm_start=false` */
    const char *summary; /* NULL: the backend's */
    const char *source;  /* lecture or paper; NULL: the backend's */
    bool form;           /* another form of the backend's contacts, to be shown beside it wherever all backends are */
} Variant;

/* The named ones, those of one backend together. */
extern const Variant all_variants[];
extern const int variant_count;

/* A named variant that is shown beside its backend (Variant.form). */
bool variant_is_form(const Solver *solver);

/* The backend as the variant asks for it; `of` may itself be a variant. Texts are copied. NULL with a message if an
 * option is unknown or its value is refused. */
Solver *variant_create(const Solver *of, const Variant *variant, Status *status);
void variant_destroy(Solver *solver); /* copes with NULL */

#endif
