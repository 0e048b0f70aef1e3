/* SPDX-License-Identifier: MIT */
/* The chain in ODE; available only where libode is. */
#ifndef RIGOR_TESTS_BENCHMARKS_ODE_CHAIN_H
#define RIGOR_TESTS_BENCHMARKS_ODE_CHAIN_H

#include <stdbool.h>

typedef struct OdeChain OdeChain;

bool ode_chain_available(void);
OdeChain *ode_chain_create(int links, double length, double thickness, double density, int iterations);
void ode_chain_step(OdeChain *chain, double dt);
void ode_chain_destroy(OdeChain *chain);

#endif
