/* SPDX-License-Identifier: MIT */
/* The damped linear oscillator x'' = -omega^2 x - c x', in closed form for every damping. */
#ifndef RIGOR_SCENES_TRUTH_OSCILLATOR_H
#define RIGOR_SCENES_TRUTH_OSCILLATOR_H

/* x at time t >= 0 from x(0) = x0, x'(0) = v0; omega > 0 in rad/s, c >= 0 in 1/s. */
double oscillator_at(double omega, double c, double x0, double v0, double t);

#endif
