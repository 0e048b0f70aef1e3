/* SPDX-License-Identifier: MIT */
#include "reports/recording/data.h"

#include "bench/process/child.h"
#include "reports/recording/base64.h"
#include "reports/recording/motion_code.h"
#include "reports/recording/read.h"
#include "scenes/scene.h"

#include <stdlib.h>
#include <string.h>

/* Positions beyond this many numbers are written in single precision, to keep the page below 100 MB: a joint's error is
 * then seen to 1e-7 of the scene's size, which is enough to look at. */
static const size_t DOUBLES_MAX = 2000000;

/* Of so many frames a brief recording has one: 30 pictures a second at the usual step of 1/60 s. */
enum { BRIEF_EVERY = 2 };

typedef struct Recording {
    RecordingFile in;
    FILE *out;
    size_t every; /* how many frames one is written of */
    bool fine;    /* poses in double precision */
    bool rounded; /* for looking at */
    bool empty;   /* the object at hand has no key yet */
    hsize_t bodies;
} Recording;

/* JSON without any '<', which could end the script element; releases the value. */
static bool put_json(FILE *out, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    for (const char *c = text; c && *c; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    free(text);
    json_decref(value);
    return text != NULL;
}

static void object_begin(Recording *recording)
{
    fputc('{', recording->out);
    recording->empty = true;
}

static void object_end(Recording *recording)
{
    fputc('}', recording->out);
    recording->empty = false;
}

static void put_key(Recording *recording, const char *key)
{
    fputs(recording->empty ? "" : ",\n", recording->out);
    put_json(recording->out, json_string(key));
    fputc(':', recording->out);
    recording->empty = false;
}

typedef void WriteArray(FILE *out, const double *values, size_t count);

static WriteArray *recording_writer(const Recording *recording, bool fine)
{
    return fine ? base64_write_doubles : recording->rounded ? base64_write_brief : base64_write_floats;
}

/* Leaves the rows 0, every, 2 every, ... */
static void array_thin(Array *array, size_t every)
{
    size_t rows = array->shape[0], width = rows ? array->count / rows : 0, kept = 0;
    for (size_t row = 0; row < rows; row += every, kept++)
        memmove(array->values + kept * width, array->values + row * width, sizeof *array->values * width);
    array->shape[0] = kept;
    array->count = kept * width;
}

/* A key and an array of this shape, whose first extent is the frames. Rounded motions are written by their differences;
 * curves, which may be drawn on a scale of logarithms, are not. */
static bool put_array(Recording *recording, const char *key, const char *name, int rank, const hsize_t *shape,
                      WriteArray *write)
{
    Array array;
    if (!recording_array(&recording->in, name, rank, shape, &array))
        return false;
    array_thin(&array, recording->every);
    size_t rows = array.shape[0];
    put_key(recording, key);
    if (!recording->rounded || rank == 1 || !motion_write(recording->out, array.values, rows, array.count / rows))
        write(recording->out, array.values, array.count);
    free(array.values);
    return true;
}

static bool put_body_names(Recording *recording)
{
    json_t *names = recording_body_names(&recording->in);
    recording->bodies = json_array_size(names);
    put_key(recording, "bodies");
    return names && (put_json(recording->out, names) || recording_fail(&recording->in, "body_names", "out of memory"));
}

static bool put_metrics(Recording *recording, hsize_t frames)
{
    json_t *names = recording_metric_names(&recording->in);
    bool ok = names != NULL;
    put_key(recording, "metrics");
    object_begin(recording);
    for (size_t i = 0; ok && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        char path[256];
        snprintf(path, sizeof path, "metrics/%s", name);
        ok = put_array(recording, name, path, 1, (hsize_t[]){frames}, recording_writer(recording, recording->fine));
    }
    object_end(recording);
    json_decref(names);
    return ok;
}

/* The contacts of the frames that are written: rows offset[f] .. offset[f + 1] of the file's. */
static void contacts_thin(const Array *offset, size_t every, Array *rows)
{
    size_t frames = offset->count, all = rows->shape[0], width = all ? rows->count / all : 0, kept = 0;
    for (size_t f = 0; f < frames; f += every) {
        size_t from = (size_t)offset->values[f], to = f + 1 < frames ? (size_t)offset->values[f + 1] : all;
        memmove(rows->values + kept * width, rows->values + from * width, sizeof *rows->values * width * (to - from));
        kept += to - from;
    }
    rows->count = kept * width;
}

static void offsets_thin(Array *offset, size_t every, size_t all)
{
    size_t kept = 0, next = 0;
    for (size_t f = 0; f < offset->count; f += every) {
        double from = offset->values[f], to = f + 1 < offset->count ? offset->values[f + 1] : (double)all;
        offset->values[kept++] = (double)next;
        next += (size_t)(to - from);
    }
    offset->count = kept;
}

/* Offsets that do not rise, or that reach beyond the contacts, would be read outside them. */
static bool offsets_check(const Recording *recording, const Array *offset, size_t all)
{
    double before = 0.0;
    for (size_t f = 0; f < offset->count; f++) {
        if (!(offset->values[f] >= before && offset->values[f] <= (double)all))
            return recording_fail(&recording->in, "contacts/offset", "does not fit the contacts");
        before = offset->values[f];
    }
    return true;
}

static bool put_contacts(Recording *recording, hsize_t frames)
{
    static const char *const KEYS[] = {"point", "impulse"}, *const PATHS[] = {"contacts/point", "contacts/impulse"};
    if (!hdf5_has(&recording->in.file, "contacts"))
        return true;
    Array offset, rows = {0};
    size_t all = 0;
    if (!recording_array(&recording->in, "contacts/offset", 1, (hsize_t[]){frames}, &offset))
        return false;
    put_key(recording, "contacts");
    object_begin(recording);
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        ok = recording_array(&recording->in, PATHS[i], 2, (hsize_t[]){all, 3}, &rows);
        all = ok ? rows.shape[0] : 0;
        ok = ok && offsets_check(recording, &offset, all);
        if (ok) {
            contacts_thin(&offset, recording->every, &rows);
            put_key(recording, KEYS[i]);
            recording_writer(recording, false)(recording->out, rows.values, rows.count);
        }
        free(rows.values);
        rows.values = NULL;
    }
    if (ok) {
        offsets_thin(&offset, recording->every, all);
        put_key(recording, "offset");
        base64_write_ints(recording->out, offset.values, offset.count);
    }
    object_end(recording);
    free(offset.values);
    return ok;
}

static Vec3 vec3_of(const json_t *array)
{
    return vec3(json_number_value(json_array_get(array, 0)), json_number_value(json_array_get(array, 1)),
                json_number_value(json_array_get(array, 2)));
}

/* The surface of a hull or mesh in its own frame; NULL: it is neither, or its file is not there. */
static Mesh *surface_of(const char *recording, const json_t *shape, Status *status)
{
    const json_t *points = json_object_get(json_object_get(shape, "hull"), "points");
    const char *file = json_string_value(json_object_get(json_object_get(shape, "mesh"), "file"));
    size_t count = json_array_size(points);
    Mesh *mesh = file ? obj_read_beside(recording, file, status) : NULL;
    Vec3 *corners = count > 0 ? malloc(sizeof *corners * count) : NULL;
    for (size_t i = 0; corners && i < count; i++)
        corners[i] = vec3_of(json_array_get(points, i));
    if (corners)
        mesh = mesh_create_hull((int)count, corners, status);
    free(corners);
    return mesh;
}

/* Puts the shape's surface where it is in the body's frame. */
static void surface_place(Mesh *mesh, const json_t *shape)
{
    const json_t *q = json_object_get(shape, "orientation");
    Quat turn = q ? (Quat){json_number_value(json_array_get(q, 0)), json_number_value(json_array_get(q, 1)),
                           json_number_value(json_array_get(q, 2)), json_number_value(json_array_get(q, 3))}
                  : QUAT_IDENTITY;
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = vec3_add(vec3_of(json_object_get(shape, "position")), quat_rotate(turn, mesh->vertices[i]));
}

/* One mesh of both, which are given up; NULL when out of memory. */
static Mesh *surface_join(Mesh *one, Mesh *two)
{
    if (!one)
        return two;
    int vertices = one->vertex_count + two->vertex_count, triangles = one->triangle_count + two->triangle_count;
    Vec3 *points = malloc(sizeof *points * (size_t)vertices);
    int(*corners)[3] = malloc(sizeof *corners * (size_t)triangles);
    Mesh *both = NULL;
    if (points && corners) {
        memcpy(points, one->vertices, sizeof *points * (size_t)one->vertex_count);
        memcpy(points + one->vertex_count, two->vertices, sizeof *points * (size_t)two->vertex_count);
        memcpy(corners, one->triangles, sizeof *corners * (size_t)one->triangle_count);
        for (int t = 0; t < two->triangle_count; t++)
            for (int c = 0; c < 3; c++)
                corners[one->triangle_count + t][c] = one->vertex_count + two->triangles[t][c];
        both = mesh_create(vertices, points, triangles, (const int(*)[3])corners);
    }
    free(points);
    free(corners);
    mesh_destroy(one);
    mesh_destroy(two);
    return both;
}

/* All hulls and meshes of a body in its frame, as one surface; NULL: there are none. A single one lies about its centre
 * of mass. */
static Mesh *body_surface(const char *recording, const json_t *body, Status *status)
{
    Mesh *all = surface_of(recording, json_object_get(body, "shape"), status);
    size_t k;
    json_t *shape;
    if (all)
        mesh_recentre(all, mesh_mass_properties(all, 1.0).centre);
    json_array_foreach (json_object_get(body, "shapes"), k, shape) {
        Mesh *one = surface_of(recording, shape, status);
        if (!one)
            continue;
        surface_place(one, shape);
        all = surface_join(all, one);
    }
    return all;
}

static bool put_surface(Recording *recording, const char *body, const Mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    double *corners = malloc(sizeof *corners * count);
    if (!corners)
        return false;
    for (size_t i = 0; i < count; i++)
        corners[i] = mesh->triangles[i / 3][i % 3];
    put_key(recording, body);
    object_begin(recording);
    put_key(recording, "vertices");
    base64_write_floats(recording->out, &mesh->vertices[0].x, 3 * (size_t)mesh->vertex_count);
    put_key(recording, "triangles");
    base64_write_ints(recording->out, corners, count);
    object_end(recording);
    free(corners);
    return true;
}

static void surface_missing(const Recording *recording, const char *body, const Status *why)
{
    Status note;
    status_set(&note, STATUS_OK, "%s: body %s is drawn as a marker: %s", recording->in.path, body ? body : "?",
               why->message);
    fprintf(stderr, "%s\n", note.message);
}

/* A mesh whose file has gone is drawn as a marker: that is said, and is no failure. */
static bool put_surfaces(Recording *recording, const json_t *scene)
{
    size_t index;
    json_t *body;
    bool ok = true;
    put_key(recording, "meshes");
    object_begin(recording);
    json_array_foreach (json_object_get(scene, "bodies"), index, body) {
        const char *name = json_string_value(json_object_get(body, "name"));
        Status why = {0};
        Mesh *mesh = body_surface(recording->in.path, body, &why);
        if (why.code != STATUS_OK)
            surface_missing(recording, name, &why);
        if (mesh && name)
            ok = ok && put_surface(recording, name, mesh);
        mesh_destroy(mesh);
    }
    object_end(recording);
    return ok || recording_fail(&recording->in, "scene", "out of memory");
}

static bool put_motion(Recording *recording)
{
    Array position;
    if (!recording_array(&recording->in, "position", 3, (hsize_t[]){0, recording->bodies, 3}, &position))
        return false;
    free(position.values);
    hsize_t frames = position.shape[0], vectors[] = {frames, recording->bodies, 3},
            turns[] = {frames, recording->bodies, 4};
    if (frames == 0)
        return recording_fail(&recording->in, "position", "has no frame");
    recording->fine = recording->fine && position.count <= DOUBLES_MAX;
    WriteArray *fine = recording_writer(recording, recording->fine), *plain = recording_writer(recording, false);
    return put_array(recording, "time", "time", 1, vectors, base64_write_doubles) &&
           put_array(recording, "position", "position", 3, vectors, fine) &&
           put_array(recording, "orientation", "orientation", 3, turns, fine) &&
           put_array(recording, "velocity", "velocity", 3, vectors, plain) &&
           put_array(recording, "angular_velocity", "angular_velocity", 3, vectors, plain) &&
           put_metrics(recording, frames) && put_contacts(recording, frames);
}

static bool put_recording(Recording *recording)
{
    json_t *scene = recording_document(&recording->in, "scene");
    json_t *run = scene ? recording_document(&recording->in, "run") : NULL;
    if (!run) {
        json_decref(scene);
        return false;
    }
    object_begin(recording);
    put_key(recording, "file");
    bool ok = put_json(recording->out, json_string(recording->in.path));
    put_key(recording, "run");
    ok = put_json(recording->out, run) && ok;
    put_key(recording, "scene");
    ok = put_json(recording->out, json_incref(scene)) && ok;
    ok = ok || recording_fail(&recording->in, "scene", "out of memory, or a name that is not UTF-8");
    ok = ok && put_body_names(recording) && put_motion(recording);
    object_end(recording);
    json_decref(scene);
    return ok;
}

typedef struct Request {
    const char *path;
    RecordingDetail detail;
} Request;

static bool recording_write(FILE *out, int in, void *context, Status *status)
{
    const Request *request = context;
    bool rounded = request->detail != RECORDING_WHOLE;
    Recording recording = {.out = out,
                           .every = request->detail == RECORDING_BRIEF ? BRIEF_EVERY : 1,
                           .fine = !rounded,
                           .rounded = rounded};
    bool ok = recording_open(&recording.in, in, request->path, status) && put_recording(&recording);
    recording_close(&recording.in);
    return ok;
}

/* What the child told of one recording, with the surfaces of its bodies before the end: meshes are files of their own,
 * which the child cannot open. */
static bool recording_finish(FILE *out, const char *path, const char *told, size_t length, Status *status)
{
    json_t *document = json_loadb(told, length, 0, NULL);
    Recording recording = {.in = {.path = path, .status = status}, .out = out};
    bool ok = document && length > 1;
    if (ok) {
        fwrite(told, 1, length - 1, out);
        ok = put_surfaces(&recording, json_object_get(document, "scene"));
        object_end(&recording);
    } else {
        status_set(status, STATUS_BAD_FILE, "%s: cannot be read", path);
    }
    json_decref(document);
    return ok;
}

bool recordings_write(FILE *out, char *const *paths, int count, RecordingDetail detail, Status *status)
{
    bool ok = true;
    fprintf(out, "{\"recordings\":[");
    for (int i = 0; ok && i < count; i++) {
        char *told = NULL;
        size_t length = 0;
        FILE *memory = open_memstream(&told, &length);
        fputs(i ? ",\n" : "", out);
        ok = memory ? read_in_child(memory, recording_write, &(Request){paths[i], detail}, paths[i], status)
                    : status_set(status, STATUS_FAILED, "out of memory");
        if (memory)
            fclose(memory);
        ok = ok && recording_finish(out, paths[i], told, length, status);
        free(told);
    }
    fprintf(out, "]}\n");
    return ok;
}
