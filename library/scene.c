/* SPDX-License-Identifier: MIT */
/* Scenes of the library: built in, from a file, or a document in the format of scene files that calls add to. */
#include "library/internal.h"
#include "scenes/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages about a scene that is in no file begin with this. */
static const char NO_FILE[] = "scene";

/* kg/m^3, of water. */
static const double DEFAULT_DENSITY = 1000.0;

static RigorScene *scene_create(Rigor *rigor)
{
    RigorScene *scene = rigor ? calloc(1, sizeof *scene) : NULL;
    if (scene)
        scene->rigor = rigor;
    else if (rigor)
        status_set(&rigor->status, STATUS_FAILED, "out of memory");
    return scene;
}

RigorScene *rigor_scene_open(Rigor *rigor, const char *name)
{
    LIBRARY_CALL;
    RigorScene *scene = scene_create(rigor);
    if (!scene)
        return NULL;
    scene->path = strdup(name ? name : "");
    if (scene->path && run_choose_scene(&scene->run, scene->path, &rigor->status))
        return scene;
    rigor_scene_close(scene);
    return NULL;
}

/* The scene takes over the document. */
static RigorScene *scene_of_document(Rigor *rigor, json_t *document)
{
    RigorScene *scene = document ? scene_create(rigor) : NULL;
    if (scene)
        scene->document = document;
    else
        json_decref(document);
    return scene;
}

/* The value of a JSON text; NULL with a message that begins with what it is. */
static json_t *parse(Rigor *rigor, const char *json, const char *what)
{
    json_error_t error;
    json_t *value = json_loads(json ? json : "", JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value)
        status_set(&rigor->status, STATUS_BAD_FILE, "%s:%d:%d: %s", what, error.line,
                   error.column > 0 ? error.column : 1, error.text);
    return value;
}

RigorScene *rigor_scene_parse(Rigor *rigor, const char *json)
{
    LIBRARY_CALL;
    return rigor ? scene_of_document(rigor, parse(rigor, json, NO_FILE)) : NULL;
}

RigorScene *rigor_scene_create(Rigor *rigor, const char *name)
{
    LIBRARY_CALL;
    json_t *document = json_pack("{s:i,s:s,s:[],s:[]}", "rigor", 1, "name", name ? name : NO_FILE, "bodies", "joints");
    if (!document && rigor)
        status_set(&rigor->status, STATUS_USAGE, "name: must be UTF-8");
    return scene_of_document(rigor, document);
}

void rigor_scene_close(RigorScene *scene)
{
    if (!scene)
        return;
    run_clear(&scene->run);
    json_decref(scene->document);
    free(scene->path);
    free(scene);
}

Problem *scene_problem(const RigorScene *scene)
{
    Status *status = &scene->rigor->status;
    return scene->document ? file_read_document(scene->document, NO_FILE, status) : run_build(&scene->run, status);
}

RigorStatus rigor_scene_set(RigorScene *scene, const char *key, const char *value)
{
    LIBRARY_CALL;
    if (!scene || !key || !value)
        return RIGOR_FAILED;
    Rigor *rigor = scene->rigor;
    if (!scene->document)
        return run_set_param(&scene->run, key, value, &rigor->status) ? RIGOR_OK : library_failed(rigor);
    json_t *parsed = parse(rigor, value, key);
    if (!parsed)
        return library_failed(rigor);
    if (json_object_set_new(scene->document, key, parsed) == 0)
        return RIGOR_OK;
    status_set(&rigor->status, STATUS_USAGE, "the scene is no object, or the key no UTF-8");
    return library_failed(rigor);
}

/* A body or joint in the making. What JSON cannot hold (NaN, infinity, bytes that are no UTF-8) is refused by its key:
 * left out it would be the default. */
typedef struct Draft {
    json_t *object;
    Status *status;
    bool ok;
} Draft;

static const char FINITE[] = "must be finite", UTF8[] = "must be UTF-8";

/* Takes the value; NULL is one that could not be made. */
static void put(Draft *draft, const char *key, json_t *value, const char *rule)
{
    if (json_object_set_new(draft->object, key, value) != 0 && draft->ok)
        draft->ok = status_set(draft->status, STATUS_USAGE, "%s: %s", key, rule);
}

static json_t *numbers(const double *values, int count)
{
    json_t *array = json_array();
    bool ok = array;
    for (int i = 0; i < count; i++)
        ok = json_array_append_new(array, json_real(values[i])) == 0 && ok;
    if (ok)
        return array;
    json_decref(array);
    return NULL;
}

/* An array that is all zero is the default, and left out. */
static void put_numbers(Draft *draft, const char *key, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] == 0.0)
            continue;
        put(draft, key, numbers(values, count), FINITE);
        return;
    }
}

static void put_number(Draft *draft, const char *key, double value)
{
    if (value != 0.0)
        put(draft, key, json_real(value), FINITE);
}

/* NULL: no shape, or none that can be. */
static json_t *shape_document(const RigorBodyDef *body)
{
    const double *size = body->size;
    switch (body->shape) {
    case RIGOR_SPHERE:
        return json_pack("{s:{s:f}}", "sphere", "radius", size[0]);
    case RIGOR_BOX:
        return json_pack("{s:{s:o}}", "box", "size", numbers(size, 3));
    case RIGOR_CAPSULE:
        return json_pack("{s:{s:f,s:f}}", "capsule", "radius", size[0], "length", size[1]);
    case RIGOR_CYLINDER:
        return json_pack("{s:{s:f,s:f}}", "cylinder", "radius", size[0], "length", size[1]);
    case RIGOR_PLANE:
        return json_pack("{s:{}}", "plane");
    case RIGOR_ELLIPSOID:
        return json_pack("{s:{s:o}}", "ellipsoid", "radii", numbers(size, 3));
    default:
        return NULL;
    }
}

/* Adds the further keys, then the object to the scene's list, which is made where it is missing. Takes the object. */
static RigorStatus scene_add(RigorScene *scene, const char *list, Draft *draft, const char *more)
{
    Rigor *rigor = scene->rigor;
    json_t *keys = more ? parse(rigor, more, "more") : json_object(), *array = json_object_get(scene->document, list);
    if (!array && scene->document) {
        array = json_array();
        json_object_set_new(scene->document, list, array);
    }
    bool ok = keys && draft->ok;
    if (ok && !json_is_object(keys))
        ok = status_set(&rigor->status, STATUS_USAGE, "more: not a JSON object");
    else if (ok && !json_is_array(array))
        ok = status_set(&rigor->status, STATUS_USAGE, "only a scene that was created or parsed can be added to");
    else if (ok && (json_object_update(draft->object, keys) != 0 || json_array_append(array, draft->object) != 0))
        ok = status_set(&rigor->status, STATUS_FAILED, "out of memory");
    json_decref(keys);
    json_decref(draft->object);
    return ok ? RIGOR_OK : library_failed(rigor);
}

static void put_mass(Draft *draft, const RigorBodyDef *body)
{
    bool by_density = body->shape != RIGOR_NO_SHAPE && body->shape != RIGOR_PLANE && body->mass == 0.0 && !body->fixed;
    put_number(draft, "density", by_density && body->density == 0.0 ? DEFAULT_DENSITY : body->density);
    put_number(draft, "mass", body->mass);
}

RigorStatus rigor_scene_add_body(RigorScene *scene, const RigorBodyDef *body)
{
    LIBRARY_CALL;
    if (!scene || !body)
        return RIGOR_FAILED;
    Draft draft = {json_object(), &scene->rigor->status, true};
    if (body->name)
        put(&draft, "name", json_string(body->name), UTF8);
    if (body->shape != RIGOR_NO_SHAPE)
        put(&draft, "shape", shape_document(body), "must be a RigorShape with a finite size");
    if (body->fixed || body->shape == RIGOR_PLANE)
        put(&draft, "fixed", json_true(), "");
    put_mass(&draft, body);
    put_numbers(&draft, "position", body->position, 3);
    put_numbers(&draft, "orientation", body->orientation, 4);
    put_numbers(&draft, "velocity", body->velocity, 3);
    put_numbers(&draft, "angular_velocity", body->angular_velocity, 3);
    return scene_add(scene, "bodies", &draft, body->more);
}

RigorStatus rigor_scene_add_joint(RigorScene *scene, const RigorJointDef *joint)
{
    LIBRARY_CALL;
    static const char WORLD[] = "world", DISTANCE[] = "distance";
    if (!scene || !joint)
        return RIGOR_FAILED;
    const char *type = joint->type ? joint->type : "";
    Draft draft = {json_object(), &scene->rigor->status, true};
    put(&draft, "type", json_string(type), UTF8);
    put(&draft, "bodies", json_pack("[s,s]", joint->body1 ? joint->body1 : WORLD, joint->body2 ? joint->body2 : WORLD),
        UTF8);
    if (joint->name)
        put(&draft, "name", json_string(joint->name), UTF8);
    if (strcmp(type, DISTANCE) != 0)
        put(&draft, "anchor", numbers(joint->anchor, 3), FINITE);
    put_numbers(&draft, "axis", joint->axis, 3);
    put_number(&draft, "compliance", joint->compliance);
    put_number(&draft, "damping", joint->damping);
    return scene_add(scene, "joints", &draft, joint->more);
}
