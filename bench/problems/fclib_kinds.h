/* SPDX-License-Identifier: MIT */
/* What the contacts of our own FCLIB files are: FCLIB knows contacts and equalities only, and no problem without a
 * contact. One int a contact, beside FCLIB's own data, which other readers pass over. */
#ifndef RIGOR_BENCH_PROBLEMS_FCLIB_KINDS_H
#define RIGOR_BENCH_PROBLEMS_FCLIB_KINDS_H

#define FCLIB_KINDS "/fclib_local/rigor_kinds"

typedef enum FclibKind {
    FCLIB_CONTACT,
    FCLIB_LIMIT, /* one row with r >= 0, of a joint's limit or a contact without friction: the normal of a contact with
                    mu = 0, whose tangents touch nothing else */
    FCLIB_IDLE,  /* touches nothing and is open: there where nothing else is a contact */
} FclibKind;

#endif
