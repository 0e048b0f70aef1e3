/* SPDX-License-Identifier: MIT */
/* Reads a Wavefront OBJ file: `v x y z` and `f a b c ...`, an index as `7`, `7/2`, `7//3`, `7/2/3` or, counted from the
 * last vertex backwards, `-1`. Polygons are fanned from their first corner. Every other line is passed over. */
#include "scenes/file/input.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct ObjReader {
    const char *path;
    int line_number;
    char *line; /* the current one, owned by getline */
    size_t line_size;
    int vertex_count, vertex_capacity;
    Vec3 *vertices;
    int triangle_count, triangle_capacity;
    int (*triangles)[3];
    Status *status;
} ObjReader;

/* `file:line:column: what`, the column counted from 1. */
static bool obj_fail(const ObjReader *obj, const char *at, const char *what)
{
    return status_set(obj->status, STATUS_BAD_FILE, "%s:%d:%d: %s", obj->path, obj->line_number,
                      (int)(at - obj->line) + 1, what);
}

static bool obj_grow(void **array, size_t size, int used, int *capacity)
{
    if (used < *capacity)
        return true;
    int wanted = *capacity == 0 ? 64 : 2 * *capacity;
    void *grown = realloc(*array, size * (size_t)wanted);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

static const char *obj_skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static const char *obj_word_end(const char *text)
{
    return text + strcspn(text, " \t");
}

static bool obj_read_vertex(ObjReader *obj, const char *text)
{
    double x[3];
    for (int i = 0; i < 3; i++) {
        text = obj_skip_blanks(text);
        char *end;
        x[i] = strtod(text, &end);
        if (end == text || end != obj_word_end(text))
            return obj_fail(obj, text, *text ? "not a number" : "a vertex needs three numbers");
        if (!isfinite(x[i]))
            return obj_fail(obj, text, "not a finite number");
        text = end;
    }
    if (!obj_grow((void **)&obj->vertices, sizeof *obj->vertices, obj->vertex_count, &obj->vertex_capacity))
        return obj_fail(obj, text, "out of memory");
    obj->vertices[obj->vertex_count++] = vec3(x[0], x[1], x[2]);
    return true;
}

/* One corner of a face: its vertex, counted from 0. What follows a slash (texture, normal) does not matter here. */
static bool obj_read_corner(const ObjReader *obj, const char *text, int *vertex)
{
    char *end;
    long index = strtol(text, &end, 10);
    if (end == text || (*end != '/' && end != obj_word_end(text)))
        return obj_fail(obj, text, "not a vertex index");
    long from_zero = index < 0 ? obj->vertex_count + index : index - 1;
    if (index == 0 || from_zero < 0 || from_zero >= obj->vertex_count)
        return obj_fail(obj, text, "no vertex of this index stands above");
    *vertex = (int)from_zero;
    return true;
}

static bool obj_add_triangle(ObjReader *obj, const char *at, int a, int b, int c)
{
    if (!obj_grow((void **)&obj->triangles, sizeof *obj->triangles, obj->triangle_count, &obj->triangle_capacity))
        return obj_fail(obj, at, "out of memory");
    int *triangle = obj->triangles[obj->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    return true;
}

static bool obj_read_face(ObjReader *obj, const char *text)
{
    int first = 0, before = 0, vertex = 0, corners = 0;
    for (text = obj_skip_blanks(text); *text; text = obj_skip_blanks(obj_word_end(text))) {
        if (!obj_read_corner(obj, text, &vertex))
            return false;
        if (corners == 0)
            first = vertex;
        if (corners >= 2 && !obj_add_triangle(obj, text, first, before, vertex))
            return false;
        before = vertex;
        corners++;
    }
    return corners >= 3 || obj_fail(obj, text, "a face needs three corners");
}

static bool obj_read_lines(ObjReader *obj, FILE *file)
{
    while (getline(&obj->line, &obj->line_size, file) >= 0) {
        obj->line_number++;
        obj->line[strcspn(obj->line, "#\r\n")] = '\0';
        const char *word = obj_skip_blanks(obj->line), *end = obj_word_end(word);
        bool single = end - word == 1;
        if (single && *word == 'v' && !obj_read_vertex(obj, end))
            return false;
        if (single && *word == 'f' && !obj_read_face(obj, end))
            return false;
    }
    if (obj->triangle_count == 0)
        return status_set(obj->status, STATUS_BAD_FILE, "%s:%d:1: the mesh has no faces", obj->path, obj->line_number);
    return true;
}

Mesh *obj_read(int fd, const char *path, Status *status)
{
    size_t size = 0;
    char *text = input_read_open(fd, path, INPUT_OBJ_BYTES, &size, status);
    FILE *file = text ? fmemopen(text, size > 0 ? size : 1, "r") : NULL; /* some refuse a stream of no bytes */
    if (!file) {
        if (text)
            status_set(status, STATUS_FAILED, "%s: out of memory", path);
        free(text);
        return NULL;
    }
    ObjReader obj = {.path = path, .status = status};
    Mesh *mesh = NULL;
    if (obj_read_lines(&obj, file)) {
        mesh = mesh_create(obj.vertex_count, obj.vertices, obj.triangle_count, (const int(*)[3])obj.triangles);
        if (mesh)
            mesh->file = strdup(path);
        if (!mesh || !mesh->file) {
            status_set(status, STATUS_FAILED, "%s: out of memory", path);
            mesh_destroy(mesh);
            mesh = NULL;
        }
    }
    free(obj.line);
    free(obj.vertices);
    free(obj.triangles);
    fclose(file);
    free(text);
    return mesh;
}

Mesh *obj_read_beside(const char *file, const char *name, Status *status)
{
    int fd = input_open_beside(file, name, status);
    Mesh *mesh = fd >= 0 ? obj_read(fd, name, status) : NULL;
    if (fd >= 0)
        close(fd);
    return mesh;
}
