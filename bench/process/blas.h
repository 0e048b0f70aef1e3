/* SPDX-License-Identifier: MIT */
/* BLAS, settled so that dense backends give the same bits on every machine of an architecture. */
#ifndef RIGOR_BENCH_PROCESS_BLAS_H
#define RIGOR_BENCH_PROCESS_BLAS_H

#include <stdbool.h>

/* OpenBLAS chooses its kernels by the processor, which sum in other orders, and keeps a thread for each further core.
 * From now on this process has the kernels that the processors of an architecture share, and one thread. To be called
 * before anything is computed. False: this BLAS cannot be told, and keeps its choice. */
bool blas_settle(void);

/* All libraries of numbers, once a process, from whichever thread: BLAS, and GSL, whose handler of errors would end it;
 * its errors are looked at where they are returned. */
void libraries_settle(void);

#endif
