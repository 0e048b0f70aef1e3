/* SPDX-License-Identifier: MIT */
/* What each phenomenon measures (phenomena.h says how). */
#ifndef RIGOR_BENCH_REALITY_PHENOMENA_MEASURES_H
#define RIGOR_BENCH_REALITY_PHENOMENA_MEASURES_H

#include "bench/run/run.h"

typedef bool Measured(const Run *run, double *value, Status *status);

/* friction.c */
Measured measure_roll, measure_roll_way, measure_slip_decay, measure_slide, measure_tip, measure_pinch;
/* impacts.c */
Measured measure_oblique, measure_bounces, measure_rod_end, measure_chain_weight, measure_chain_tip, measure_cradle;
/* spins.c */
Measured measure_euler_disc, measure_painleve;
/* stands.c */
Measured measure_arch, measure_dominoes;

#endif
