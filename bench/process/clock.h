/* SPDX-License-Identifier: MIT */
/* The harness's clock. */
#ifndef RIGOR_BENCH_PROCESS_CLOCK_H
#define RIGOR_BENCH_PROCESS_CLOCK_H

/* Wall time in s since some fixed moment; never runs backwards. */
double clock_now(void);

/* s that this thread has had a processor: what others take of it does not count, nor what its helpers do. */
double clock_thread(void);

/* s of processor time, of this process with its threads and of the children that it has waited for: what work costs,
 * whatever else the machine does. */
double clock_spent(void);

#endif
