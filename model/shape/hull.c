/* SPDX-License-Identifier: MIT */
/* The convex hull of points as a triangle mesh, by libqhull's reentrant interface. */
#include "model/shape.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>

/* The corners that the hull uses, numbered in the order of the points, and its triangles seen from outside. */
static Mesh *hull_mesh(qhT *qh, int point_count, const Vec3 *points)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    Vec3 *corners = malloc(sizeof *corners * (size_t)point_count);
    int *corner_of = calloc((size_t)point_count, sizeof *corner_of);
    int(*triangles)[3] = malloc(sizeof *triangles * (size_t)qh->num_facets);
    int corner_count = 0, triangle_count = 0;
    Mesh *mesh = NULL;
    if (!corners || !corner_of || !triangles)
        goto done;
    FORALLvertices
    {
        corner_of[qh_pointid(qh, vertex->point)] = 1;
    }
    for (int i = 0; i < point_count; i++)
        if (corner_of[i]) {
            corner_of[i] = corner_count;
            corners[corner_count++] = points[i];
        }
    FORALLfacets
    {
        setT *around = qh_facet3vertex(qh, facet);
        int k = 3; /* libqhull lists the corners clockwise seen from outside: backwards */
        FOREACHvertex_(around)
        {
            triangles[triangle_count][--k] = corner_of[qh_pointid(qh, vertex->point)];
        }
        qh_settempfree(qh, &around);
        triangle_count++;
    }
    mesh = mesh_create(corner_count, corners, triangle_count, (const int(*)[3])triangles);
done:
    free(corners);
    free(corner_of);
    free(triangles);
    return mesh;
}

static Mesh *hull_run(int point_count, const Vec3 *points, FILE *messages, Status *status)
{
    /* Qt: faces of more than three corners are triangulated; Pp: no advice about precision. */
    char options[] = "qhull Qt Pp";
    qhT state, *qh = &state;
    int long_left, long_total;
    Mesh *mesh = NULL;
    qh_zero(qh, messages);
    /* Without a rotating or scaling option libqhull only reads the coordinates. */
    int code = qh_new_qhull(qh, 3, point_count, (coordT *)points, False, options, NULL, messages);
    if (code == qh_ERRsingular)
        status_set(status, STATUS_FAILED, "hull: the %d points lie in a plane", point_count);
    else if (code != qh_ERRnone)
        status_set(status, STATUS_FAILED, "hull: libqhull failed with code %d", code);
    else if (!(mesh = hull_mesh(qh, point_count, points)))
        status_set(status, STATUS_FAILED, "out of memory");
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_left, &long_total);
    return mesh;
}

/* What libqhull itself would not answer with a clean error. */
static bool hull_check_points(int point_count, const Vec3 *points, Status *status)
{
    if (point_count < 4)
        return status_set(status, STATUS_FAILED, "hull: %d points span no volume, it takes 4", point_count);
    bool spread = false;
    for (int i = 0; i < point_count; i++) {
        if (!vec3_is_finite(points[i]))
            return status_set(status, STATUS_FAILED, "hull: point %d is not finite", i);
        spread = spread || !vec3_is_zero(vec3_sub(points[i], points[0]));
    }
    return spread || status_set(status, STATUS_FAILED, "hull: the %d points are all the same", point_count);
}

Mesh *mesh_create_hull(int point_count, const Vec3 *points, Status *status)
{
    if (!hull_check_points(point_count, points, status))
        return NULL;
    /* libqhull explains its errors on a stream: into memory, since the caller hears of them by the status. */
    char *text = NULL;
    size_t size = 0;
    FILE *messages = open_memstream(&text, &size);
    if (!messages) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    Mesh *mesh = hull_run(point_count, points, messages, status);
    fclose(messages);
    free(text);
    return mesh;
}
