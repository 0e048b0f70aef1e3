/* SPDX-License-Identifier: MIT */
/* Faces of a convex polyhedron as polygons: what clipping needs and a triangle mesh does not say. */
#ifndef RIGOR_MODEL_COLLISION_POLYHEDRON_H
#define RIGOR_MODEL_COLLISION_POLYHEDRON_H

#include "model/shape.h"

typedef struct PolyFace {
    Vec3 normal; /* unit, outward */
    int first, count;
} PolyFace;

typedef struct Polyhedron {
    int vertex_count, face_count;
    const Vec3 *vertices;  /* the mesh's own, not copied */
    const PolyFace *faces; /* vertices loop[first .. first + count), counter-clockwise seen from outside */
    const int *loop;
    /* Moving every vertex by -r inset moves every face inwards by r, for r up to inset_max, half of what makes an edge
     * vanish. inset_max is 0 where vertices of more than three faces do not allow it. */
    const Vec3 *inset;
    double inset_max;
} Polyhedron;

/* The cube from -1 to 1; a box scales it. */
extern const Polyhedron polyhedron_cube;

/* The polyhedron of a mesh, which must outlive it; NULL when out of memory. A mesh that is not convex gives only
 * vertices, no faces. */
Polyhedron *polyhedron_create(const Mesh *mesh, bool convex);
void polyhedron_destroy(Polyhedron *polyhedron);

#endif
