/* SPDX-License-Identifier: MIT */
/* What the playground offers: the backends that need neither LAPACK nor GSL, each followed by its named variants. */
#ifndef RIGOR_REPORTS_PAGE_WASM_SOLVERS_H
#define RIGOR_REPORTS_PAGE_WASM_SOLVERS_H

#include "solvers/variants.h"

typedef struct Offer {
    const Solver *backend;  /* NULL: there is no such offer */
    const Variant *variant; /* NULL: the backend itself */
} Offer;

int offer_count(void);
Offer offer_at(int index);

#endif
