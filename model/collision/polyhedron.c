/* SPDX-License-Identifier: MIT */
/* Triangles of one plane are joined to one face. In a convex solid equal normals mean the same plane, so a face is all
 * triangles whose normal is that of its first one, and its loop is their edges that no neighbour runs backwards. */
#include "model/collision/polyhedron.h"

#include <stdlib.h>

/* 1 - cosine of the angle below which two triangles are one face: 1e-4 rad, far above the round-off of a hull's
 * vertices and below the angle between faces of any hull that is not meant to be round. */
#define SAME_FACE_ONE_MINUS_COSINE 5e-9
/* Faces that meet at a vertex move by one as it moves by its inset, to this part. */
#define INSET_TOLERANCE 1e-6
/* Determinant of the sum of n n^T over the faces at a vertex; below, they are as good as two. */
#define INSET_MIN_DETERMINANT 1e-9

static const Vec3 CUBE_VERTICES[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const PolyFace CUBE_FACES[6] = {{{-1, 0, 0}, 0, 4}, {{1, 0, 0}, 4, 4},   {{0, -1, 0}, 8, 4},
                                       {{0, 1, 0}, 12, 4}, {{0, 0, -1}, 16, 4}, {{0, 0, 1}, 20, 4}};
static const int CUBE_LOOP[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

const Polyhedron polyhedron_cube = {8, 6, CUBE_VERTICES, CUBE_FACES, CUBE_LOOP, CUBE_VERTICES, 0.5};

/* Twice the area along the normal. */
static Vec3 triangle_area(const Mesh *mesh, int t)
{
    const int *v = mesh->triangles[t];
    Vec3 a = mesh->vertices[v[0]];
    return vec3_cross(vec3_sub(mesh->vertices[v[1]], a), vec3_sub(mesh->vertices[v[2]], a));
}

/* Whether an edge from `from` to `to` belongs to a triangle of the face. */
static bool face_has_edge(const Mesh *mesh, const int *face_of, int face, int from, int to)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; face_of[t] == face && k < 3; k++)
            if (mesh->triangles[t][k] == from && mesh->triangles[t][(k + 1) % 3] == to)
                return true;
    return false;
}

/* The end of the border edge that begins at `from` (-1: of any, whose beginning it returns); -1 if there is none. */
static int face_next(const Mesh *mesh, const int *face_of, int face, int from)
{
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; face_of[t] == face && k < 3; k++) {
            int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3];
            if ((from < 0 || a == from) && !face_has_edge(mesh, face_of, face, b, a))
                return from < 0 ? a : b;
        }
    return -1;
}

static int face_trace(const Mesh *mesh, const int *face_of, int face, int *loop, int room)
{
    int first = face_next(mesh, face_of, face, -1), count = 0;
    for (int v = first; v >= 0 && count < room; count++) {
        loop[count] = v;
        v = face_next(mesh, face_of, face, v);
        if (v == first)
            return count + 1;
    }
    return 0;
}

/* Gives every triangle its face (-1: it has no area), fills the faces' normals; returns how many faces there are. */
static int faces_group(const Mesh *mesh, PolyFace *faces, int *face_of)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        Vec3 area = triangle_area(mesh, t);
        face_of[t] = -1;
        if (vec3_is_zero(area))
            continue;
        Vec3 normal = vec3_unit(area);
        for (int f = 0; f < count && face_of[t] < 0; f++)
            if (vec3_dot(normal, faces[f].normal) > 1.0 - SAME_FACE_ONE_MINUS_COSINE)
                face_of[t] = f;
        if (face_of[t] < 0) {
            faces[count].normal = normal;
            face_of[t] = count++;
        }
    }
    return count;
}

/* n.inset = 1 for all faces at the vertex, by least squares; false if that leaves an error. */
static bool vertex_inset(const Polyhedron *poly, int vertex, Vec3 *inset)
{
    Mat3 sum = mat3_diagonal(VEC3_ZERO);
    Vec3 right = VEC3_ZERO;
    for (int pass = 0; pass < 2; pass++) {
        for (int f = 0; f < poly->face_count; f++)
            for (int i = 0; i < poly->faces[f].count; i++) {
                Vec3 n = poly->faces[f].normal;
                if (poly->loop[poly->faces[f].first + i] != vertex)
                    continue;
                if (pass == 1 && fabs(vec3_dot(n, *inset) - 1.0) > INSET_TOLERANCE)
                    return false;
                right = vec3_add(right, n);
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        sum.m[r][c] += vec3_get(n, r) * vec3_get(n, c);
            }
        if (pass == 0 && mat3_determinant(sum) < INSET_MIN_DETERMINANT)
            return false;
        if (pass == 0)
            *inset = mat3_mul_vec(mat3_inverse(sum), right);
    }
    return true;
}

/* Half the r at which the first edge, e - r (difference of its ends' insets), has no length left. */
static double inset_limit(const Polyhedron *poly, const Vec3 *inset)
{
    double shrink = 0.0;
    for (int f = 0; f < poly->face_count; f++)
        for (int i = 0; i < poly->faces[f].count; i++) {
            const int *loop = poly->loop + poly->faces[f].first;
            int from = loop[i], to = loop[(i + 1) % poly->faces[f].count];
            Vec3 e = vec3_sub(poly->vertices[to], poly->vertices[from]);
            shrink = fmax(shrink, vec3_dot(e, vec3_sub(inset[to], inset[from])) / vec3_dot(e, e));
        }
    return shrink > 0.0 ? 0.5 / shrink : 0.0;
}

static void polyhedron_find_insets(Polyhedron *poly, Vec3 *inset)
{
    for (int v = 0; v < poly->vertex_count; v++)
        if (!vertex_inset(poly, v, &inset[v]))
            return;
    poly->inset_max = inset_limit(poly, inset);
}

Polyhedron *polyhedron_create(const Mesh *mesh, bool convex)
{
    size_t triangles = convex ? (size_t)mesh->triangle_count : 0;
    Polyhedron *poly = calloc(1, sizeof *poly);
    PolyFace *faces = calloc(triangles + 1, sizeof *faces);
    int *loop = calloc(3 * triangles + 1, sizeof *loop), *face_of = calloc(triangles + 1, sizeof *face_of);
    Vec3 *inset = calloc((size_t)mesh->vertex_count + 1, sizeof *inset);
    if (!poly || !faces || !loop || !face_of || !inset) {
        free(poly);
        free(faces);
        free(inset);
        free(loop);
        free(face_of);
        return NULL;
    }
    *poly = (Polyhedron){mesh->vertex_count, 0, mesh->vertices, faces, loop, inset, 0.0};
    int groups = convex ? faces_group(mesh, faces, face_of) : 0;
    for (int f = 0, first = 0; f < groups; f++) {
        int length = face_trace(mesh, face_of, f, loop + first, 3 * mesh->triangle_count - first);
        if (length < 3)
            continue;
        faces[poly->face_count++] = (PolyFace){faces[f].normal, first, length};
        first += length;
    }
    free(face_of);
    polyhedron_find_insets(poly, inset);
    return poly;
}

void polyhedron_destroy(Polyhedron *polyhedron)
{
    if (!polyhedron)
        return;
    free((PolyFace *)polyhedron->faces);
    free((int *)polyhedron->loop);
    free((Vec3 *)polyhedron->inset);
    free(polyhedron);
}
