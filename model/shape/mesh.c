/* SPDX-License-Identifier: MIT */
/* Closed triangle meshes and their volume integrals by the divergence theorem: the solid is the signed sum of the
 * tetrahedra (0; a, b, c) over its triangles, each with 6 V = a.(b x c) and, with s = a + b + c,
 *     integral of x     = V s / 4,
 *     integral of x x^T = V (a a^T + b b^T + c c^T + s s^T) / 20.
 * The inertia about the centre of mass is tr(S) E - S with S the second moments about that centre. */
#include "model/shape.h"

#include <stdlib.h>
#include <string.h>

Mesh *mesh_create(int vertex_count, const Vec3 *vertices, int triangle_count, const int (*triangles)[3])
{
    Mesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh)
        return NULL;
    size_t vertex_bytes = sizeof *vertices * (size_t)vertex_count;
    size_t triangle_bytes = sizeof *triangles * (size_t)triangle_count;
    mesh->vertices = malloc(vertex_bytes);
    mesh->triangles = malloc(triangle_bytes);
    if (!mesh->vertices || !mesh->triangles) {
        mesh_destroy(mesh);
        return NULL;
    }
    memcpy(mesh->vertices, vertices, vertex_bytes);
    memcpy(mesh->triangles, triangles, triangle_bytes);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return mesh;
}

void mesh_destroy(Mesh *mesh)
{
    if (!mesh)
        return;
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->file);
    free(mesh);
}

void mesh_recentre(Mesh *mesh, Vec3 centre)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = vec3_sub(mesh->vertices[i], centre);
}

/* An edge of one triangle: its ends in ascending order, and whether the triangle runs it that way. */
typedef struct HalfEdge {
    int low, high;
    bool ascending;
} HalfEdge;

static int half_edge_compare(const void *left, const void *right)
{
    const HalfEdge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (int)a->ascending - (int)b->ascending;
}

static bool half_edges_check(const HalfEdge *edges, int count, Status *status)
{
    for (int i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && edges[j].low == edges[i].low && edges[j].high == edges[i].high; j++)
            continue;
        int low = edges[i].low, high = edges[i].high;
        if (j - i != 2)
            return status_set(status, STATUS_FAILED,
                              "the mesh is not closed: edge %d-%d belongs to %d triangle%s, not to 2", low + 1,
                              high + 1, j - i, j - i == 1 ? "" : "s");
        if (edges[i].ascending == edges[i + 1].ascending)
            return status_set(status, STATUS_FAILED,
                              "the mesh is not oriented: the two triangles at edge %d-%d run it the same way", low + 1,
                              high + 1);
    }
    return true;
}

bool mesh_check_closed(const Mesh *mesh, Status *status)
{
    if (mesh->triangle_count == 0)
        return status_set(status, STATUS_FAILED, "the mesh has no triangles");
    int count = 3 * mesh->triangle_count;
    HalfEdge *edges = malloc(sizeof *edges * (size_t)count);
    if (!edges)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int e = 0; e < count; e++) {
        const int *triangle = mesh->triangles[e / 3];
        int from = triangle[e % 3], to = triangle[(e + 1) % 3];
        edges[e] = from < to ? (HalfEdge){from, to, true} : (HalfEdge){to, from, false};
    }
    qsort(edges, (size_t)count, sizeof *edges, half_edge_compare);
    bool closed = half_edges_check(edges, count, status);
    free(edges);
    return closed;
}

void mesh_bounds(const Mesh *mesh, Vec3 *low, Vec3 *high)
{
    *low = *high = mesh->vertices[0];
    for (int i = 1; i < mesh->vertex_count; i++) {
        Vec3 v = mesh->vertices[i];
        *low = vec3(fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z));
        *high = vec3(fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z));
    }
}

/* The middle of the bounding box. Integrals taken about it lose no digits to a mesh that is far from its origin. */
static Vec3 mesh_middle(const Mesh *mesh)
{
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    return vec3_scale(0.5, vec3_add(low, high));
}

/* S += scale u u^T */
static void moments_add(Mat3 *S, double scale, Vec3 u)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S->m[i][j] += scale * vec3_get(u, i) * vec3_get(u, j);
}

/* tr(S) E - S: its last diagonal entry is the integral of x^2 + y^2. */
static Mat3 inertia_from_moments(const Mat3 *S)
{
    double trace = S->m[0][0] + S->m[1][1] + S->m[2][2];
    Mat3 inertia;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia.m[i][j] = (i == j ? trace : 0.0) - S->m[i][j];
    return inertia;
}

MassProperties mesh_mass_properties(const Mesh *mesh, double density)
{
    MassProperties solid = {0};
    if (mesh->triangle_count == 0)
        return solid;
    Vec3 middle = mesh_middle(mesh), first = VEC3_ZERO;
    Mat3 S = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        Vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = vec3_sub(mesh->vertices[mesh->triangles[t][k]], middle);
        double m = density * vec3_dot(corner[0], vec3_cross(corner[1], corner[2])) / 6.0;
        Vec3 s = vec3_add(corner[0], vec3_add(corner[1], corner[2]));
        solid.mass += m;
        first = vec3_add_scaled(first, m / 4.0, s);
        moments_add(&S, m / 20.0, s);
        for (int k = 0; k < 3; k++)
            moments_add(&S, m / 20.0, corner[k]);
    }
    if (solid.mass == 0.0)
        return solid;
    Vec3 c = vec3_scale(1.0 / solid.mass, first);
    moments_add(&S, -solid.mass, c);
    solid.centre = vec3_add(middle, c);
    solid.inertia = inertia_from_moments(&S);
    return solid;
}
