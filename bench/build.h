/* SPDX-License-Identifier: MIT */
/* What this program was built from and with. */
#ifndef RIGOR_BENCH_BUILD_H
#define RIGOR_BENCH_BUILD_H

const char *build_version(void);
const char *build_commit(void);
const char *build_compiler(void);
const char *build_blas(void);

/* BibTeX of this program. */
const char *build_citation(void);

/* The libraries that results depend on, with their versions. */
const char *build_libraries(void);

#endif
