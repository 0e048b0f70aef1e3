/* SPDX-License-Identifier: MIT */
/* Mass properties of meshes against the closed forms of the shapes that they approach, for finer and finer meshes. Box:
 * exact, its corners being vertices. Sphere and cylinder: inscribed polyhedra, error of order edge^2. */
#include "reports/generate/generators.h"

#include "model/shape.h"

#include <stdlib.h>

static const char *const KEYS[] = {"refinements", NULL};

/* Edges around the equator at refinement k: FIRST 2^k. */
enum { FIRST = 4, MAX_REFINEMENT = 7 };

static const double DENSITY = 1234.5, RADIUS = 0.7, LENGTH = 1.9;
static const Vec3 SIZE = {0.3, 1.1, 0.7};

typedef struct Surface {
    int vertex_count, triangle_count;
    Vec3 *vertices;
    int (*triangles)[3];
} Surface;

static bool surface_reserve(Surface *surface, int vertices, int triangles)
{
    *surface = (Surface){.vertices = malloc(sizeof(Vec3) * (size_t)vertices),
                         .triangles = malloc(sizeof(int[3]) * (size_t)triangles)};
    return surface->vertices && surface->triangles;
}

static void surface_add_triangle(Surface *surface, int a, int b, int c)
{
    int *triangle = surface->triangles[surface->triangle_count++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

/* Rings about the y axis from the bottom pole to the top one; vertices lie at the profile's (radius, height). */
static bool surface_turn(Surface *surface, int around, int rings, const double (*profile)[2], double bottom, double top)
{
    if (!surface_reserve(surface, around * rings + 2, 2 * around * rings))
        return false;
    surface->vertices[0] = (Vec3){0, bottom, 0};
    surface->vertices[1] = (Vec3){0, top, 0};
    surface->vertex_count = around * rings + 2;
    for (int r = 0; r < rings; r++)
        for (int k = 0; k < around; k++) {
            double angle = acos(-1.0) * (0.25 + 2.0 * k / around); /* from 45 degrees on: a box has its corners */
            surface->vertices[2 + r * around + k] =
                (Vec3){profile[r][0] * cos(angle), profile[r][1], -profile[r][0] * sin(angle)};
        }
    for (int k = 0; k < around; k++) {
        int next = (k + 1) % around, last = 2 + (rings - 1) * around;
        surface_add_triangle(surface, 0, 2 + next, 2 + k);
        surface_add_triangle(surface, 1, last + k, last + next);
        for (int r = 0; r + 1 < rings; r++) {
            int a = 2 + r * around, b = a + around;
            surface_add_triangle(surface, a + k, a + next, b + next);
            surface_add_triangle(surface, a + k, b + next, b + k);
        }
    }
    return true;
}

static bool surface_sphere(Surface *surface, int around)
{
    int rings = around / 2 - 1;
    double(*profile)[2] = malloc(sizeof *profile * (size_t)rings);
    for (int r = 0; profile && r < rings; r++) {
        double latitude = acos(-1.0) * ((r + 1.0) / (rings + 1.0) - 0.5);
        profile[r][0] = RADIUS * cos(latitude);
        profile[r][1] = RADIUS * sin(latitude);
    }
    bool ok = profile && surface_turn(surface, around, rings, profile, -RADIUS, RADIUS);
    free(profile);
    return ok;
}

static bool surface_cylinder(Surface *surface, int around)
{
    const double profile[2][2] = {{RADIUS, -0.5 * LENGTH}, {RADIUS, 0.5 * LENGTH}};
    return surface_turn(surface, around, 2, profile, -0.5 * LENGTH, 0.5 * LENGTH);
}

/* A box is a cylinder whose rings have the outline of a rectangle. */
static bool surface_box(Surface *surface, int around)
{
    const double profile[2][2] = {{1.0, -0.5 * SIZE.y}, {1.0, 0.5 * SIZE.y}};
    if (!surface_turn(surface, around, 2, profile, -0.5 * SIZE.y, 0.5 * SIZE.y))
        return false;
    for (int i = 2; i < surface->vertex_count; i++) {
        Vec3 *p = &surface->vertices[i];
        double most = fmax(fabs(p->x), fabs(p->z)); /* pushed out from the circle to the unit square */
        p->x *= 0.5 * SIZE.x / most;
        p->z *= 0.5 * SIZE.z / most;
    }
    return true;
}

static const struct {
    const char *name;
    bool (*build)(Surface *surface, int around);
    ShapeKind kind;
} SOLIDS[] = {
    {"sphere", surface_sphere, SHAPE_SPHERE},
    {"cylinder", surface_cylinder, SHAPE_CYLINDER},
    {"box", surface_box, SHAPE_BOX},
};

/* The largest difference of two tensors over the largest entry of the true one. */
static double inertia_error(Mat3 inertia, Mat3 truth)
{
    double worst = 0.0, scale = 0.0;
    const double *a = (const double *)&inertia, *b = (const double *)&truth;
    for (size_t i = 0; i < sizeof truth / sizeof *b; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return worst / scale;
}

static bool solid_add_row(size_t solid, int around, json_t *rows)
{
    Surface surface = {0};
    Shape shape = {.kind = SOLIDS[solid].kind, .radius = RADIUS, .length = LENGTH, .size = SIZE};
    bool ok = SOLIDS[solid].build(&surface, around);
    Mesh *mesh = ok ? mesh_create(surface.vertex_count, surface.vertices, surface.triangle_count,
                                  (const int(*)[3])surface.triangles)
                    : NULL;
    if (mesh) {
        MassProperties truth = shape_mass_properties(&shape, DENSITY), found = mesh_mass_properties(mesh, DENSITY);
        ok = json_array_append_new(rows, json_pack("{s:s,s:i,s:i,s:f,s:f,s:f}", "shape", SOLIDS[solid].name, "around",
                                                   around, "triangles", surface.triangle_count, "mass_error",
                                                   fabs(found.mass / truth.mass - 1.0), "inertia_error",
                                                   inertia_error(found.inertia, truth.inertia), "centre_error",
                                                   vec3_norm(vec3_sub(found.centre, truth.centre)))) == 0;
    }
    ok = ok && mesh;
    mesh_destroy(mesh);
    free(surface.vertices);
    free(surface.triangles);
    return ok;
}

static bool mass_properties_make(Node arguments, json_t *rows)
{
    double refinements = MAX_REFINEMENT;
    Node given = node_get(&arguments, "refinements");
    if (!node_object(arguments, KEYS) || !node_positive(given, &refinements))
        return false;
    if (refinements > MAX_REFINEMENT)
        return node_fail(given, "at most %d", MAX_REFINEMENT);
    if (!rows)
        return true;
    for (size_t solid = 0; solid < sizeof SOLIDS / sizeof SOLIDS[0]; solid++)
        for (int k = 0; k < (int)refinements; k++)
            if (!solid_add_row(solid, FIRST << k, rows))
                return node_fail(arguments, "out of memory");
    return true;
}

const Generator generator_mass_properties = {
    .name = "mass_properties",
    .about = "mesh mass properties against closed forms; arguments: refinements (1 .. 7); fields: shape (sphere, "
             "cylinder, box), around (edges), triangles, mass_error, inertia_error (relative), centre_error (m)",
    .make = mass_properties_make,
};
