/* SPDX-License-Identifier: MIT */
/* The surface of a shape as flat faces, convex and seen counter-clockwise from outside, in the shape's frame. */
#ifndef RIGOR_REPORTS_FILM_SOLID_H
#define RIGOR_REPORTS_FILM_SOLID_H

#include "model/shape.h"

enum { FACE_CORNERS = 4 };

typedef struct Face {
    int count;
    Vec3 corner[FACE_CORNERS];
    bool edged; /* its edges are drawn: flat sides, not pieces of something round */
} Face;

typedef void FaceSink(void *context, const Face *face);

/* Nothing for planes and for bodies without shape; a sphere of `radius` for the latter if it is above 0. */
void solid_faces(const Shape *shape, double radius, FaceSink *sink, void *context);

#endif
