/* The median; sorts the values in place, n > 0. */
#ifndef RIGOR_BENCH_MEDIAN_H
#define RIGOR_BENCH_MEDIAN_H

double median(double *values, int n);

#endif
