/* A pendulum released at rest, `amplitude` from hanging: sin(theta / 2) = k cd(rate t, k), k = sin(amplitude / 2);
 * rate = sqrt(m g d / I) (1/s), d from the pivot to the centre of mass, I about the pivot. */
#ifndef RIGOR_SCENES_TRUTH_SWING_H
#define RIGOR_SCENES_TRUTH_SWING_H

/* The angle from hanging at time t. */
double swing_angle(double amplitude, double rate, double t);

/* When it first passes `angle`, 0 <= angle <= amplitude; infinite at rate 0. */
double swing_time(double amplitude, double rate, double angle);

#endif
