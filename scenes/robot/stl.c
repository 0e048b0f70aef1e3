/* SPDX-License-Identifier: MIT */
/* STL files: text (`facet ... vertex x y z ...`) or binary (80 bytes, a count, 50 bytes a triangle).
 * Binary is what has the size that its count says. Corners at the same place become one vertex. */
#include "scenes/file/input.h"
#include "scenes/robot/model.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, FACET = 50 };

typedef struct StlReader {
    const char *path;
    int count, room; /* corners */
    Vec3 *corners;
    Status *status;
} StlReader;

static bool stl_add(StlReader *stl, Vec3 corner)
{
    if (stl->count == stl->room) {
        int wanted = stl->room == 0 ? 192 : 2 * stl->room;
        Vec3 *grown = realloc(stl->corners, sizeof *grown * (size_t)wanted);
        if (!grown)
            return status_set(stl->status, STATUS_FAILED, "%s: out of memory", stl->path);
        stl->corners = grown;
        stl->room = wanted;
    }
    stl->corners[stl->count++] = corner;
    return true;
}

static double little_float(const unsigned char *bytes)
{
    unsigned int bits =
        bytes[0] | (unsigned int)bytes[1] << 8 | (unsigned int)bytes[2] << 16 | (unsigned int)bytes[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool stl_read_binary(StlReader *stl, const unsigned char *bytes, size_t triangles)
{
    for (size_t i = 0; i < triangles; i++)
        for (size_t corner = 1; corner <= 3; corner++) { /* 0 is the normal */
            const unsigned char *at = bytes + HEAD + FACET * i + 12 * corner;
            Vec3 x = vec3(little_float(at), little_float(at + 4), little_float(at + 8));
            if (!vec3_is_finite(x))
                return status_set(stl->status, STATUS_BAD_FILE, "%s:1:%zu: not a finite number", stl->path,
                                  (size_t)(at - bytes) + 1);
            if (!stl_add(stl, x))
                return false;
        }
    return true;
}

/* The place of a byte, as `file:line:column`. */
static bool stl_fail(const StlReader *stl, const char *text, const char *at, const char *what)
{
    int line = 1, column = 1;
    for (const char *c = text; c < at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return status_set(stl->status, STATUS_BAD_FILE, "%s:%d:%d: %s", stl->path, line, column, what);
}

static bool stl_read_text(StlReader *stl, const char *text)
{
    static const char BLANKS[] = " \t\r\n";
    for (const char *at = text + strspn(text, BLANKS); *at; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);
        bool vertex = length == 6 && strncmp(at, "vertex", 6) == 0;
        if (length == 5 && strncmp(at, "solid", 5) == 0)
            length = strcspn(at, "\n"); /* its name may say anything */
        at += length;
        double x[3];
        for (int i = 0; vertex && i < 3; i++) {
            char *end;
            at += strspn(at, BLANKS);
            x[i] = strtod(at, &end);
            if (end == at || !isfinite(x[i]))
                return stl_fail(stl, text, at, "a vertex needs three finite numbers");
            at = end;
        }
        if (vertex && !stl_add(stl, vec3(x[0], x[1], x[2])))
            return false;
    }
    return stl->count % 3 == 0 ||
           stl_fail(stl, text, text + strlen(text), "the last triangle has fewer than 3 corners");
}

typedef struct Corner {
    Vec3 x;
    int index;
} Corner;

static int corner_compare(const void *left, const void *right)
{
    const Corner *a = left, *b = right;
    for (int i = 0; i < 3; i++) {
        double x = vec3_get(a->x, i), y = vec3_get(b->x, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a->index - b->index;
}

/* Of the corners, by their places. */
static Mesh *stl_mesh(const StlReader *stl)
{
    size_t count = (size_t)stl->count;
    Corner *sorted = malloc(sizeof *sorted * (count + 1));
    Vec3 *vertices = malloc(sizeof *vertices * (count + 1));
    int(*triangles)[3] = malloc(sizeof *triangles * (count / 3 + 1));
    Mesh *mesh = NULL;
    if (sorted && vertices && triangles) {
        int used = 0;
        for (size_t i = 0; i < count; i++)
            sorted[i] = (Corner){stl->corners[i], (int)i};
        qsort(sorted, count, sizeof *sorted, corner_compare);
        for (size_t i = 0; i < count; i++) {
            Vec3 x = sorted[i].x;
            if (i == 0 || x.x != vertices[used - 1].x || x.y != vertices[used - 1].y || x.z != vertices[used - 1].z)
                vertices[used++] = x;
            triangles[sorted[i].index / 3][sorted[i].index % 3] = used - 1;
        }
        mesh = mesh_create(used, vertices, stl->count / 3, (const int(*)[3])triangles);
    }
    free(sorted);
    free(vertices);
    free(triangles);
    return mesh;
}

Mesh *stl_read(int fd, const char *path, Status *status)
{
    size_t size = 0;
    char *text = input_read_open(fd, path, INPUT_OBJ_BYTES, &size, status);
    StlReader stl = {.path = path, .status = status};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t triangles = text && size >= HEAD
                           ? bytes[80] | (size_t)bytes[81] << 8 | (size_t)bytes[82] << 16 | (size_t)bytes[83] << 24
                           : 0;
    bool binary = triangles > 0 && size == HEAD + FACET * triangles;
    bool ok = text && (binary ? stl_read_binary(&stl, bytes, triangles) : stl_read_text(&stl, text));
    if (ok && stl.count == 0)
        ok = status_set(status, STATUS_BAD_FILE, "%s:1:1: no STL, or one without triangles", path);
    Mesh *mesh = ok ? stl_mesh(&stl) : NULL;
    if (ok && !mesh)
        status_set(status, STATUS_FAILED, "%s: out of memory", path);
    free(stl.corners);
    free(text);
    return mesh;
}
