/* SPDX-License-Identifier: MIT */
/* Whether this build is one of AddressSanitizer's: it handles faults itself, and reserves more addresses than any bound
 * on memory. */
#ifndef RIGOR_BENCH_PROCESS_SANITIZED_H
#define RIGOR_BENCH_PROCESS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
