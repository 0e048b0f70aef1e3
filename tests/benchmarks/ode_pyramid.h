/* SPDX-License-Identifier: MIT */
/* The pyramid of `pyramid` in ODE: unit boxes on a plane, contacts found once; available only where libode is. */
#ifndef RIGOR_TESTS_BENCHMARKS_ODE_PYRAMID_H
#define RIGOR_TESTS_BENCHMARKS_ODE_PYRAMID_H

#include <stdbool.h>

typedef struct OdePyramid OdePyramid;

bool ode_pyramid_available(void);
OdePyramid *ode_pyramid_create(int iterations, double mu, double density);
void ode_pyramid_add_box(OdePyramid *pyramid, double x, double y, double z);

/* dSpaceCollide into contact joints with pyramid friction, in place of those of the last call. Returns their rows. */
int ode_pyramid_collide(OdePyramid *pyramid);
void ode_pyramid_step(OdePyramid *pyramid, double dt); /* dWorldQuickStep */
double ode_pyramid_height(const OdePyramid *pyramid);  /* m, of the box added last */
double ode_pyramid_deepest(const OdePyramid *pyramid); /* m, overlap found by the last collide */
void ode_pyramid_destroy(OdePyramid *pyramid);

#endif
