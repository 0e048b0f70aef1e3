/* Scenes of the library: built in, from a file, or a document in the format of scene files that calls add to. */
#include "library/internal.h"
#include "scenes/file.h"

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
    return rigor ? scene_of_document(rigor, parse(rigor, json, NO_FILE)) : NULL;
}

RigorScene *rigor_scene_create(Rigor *rigor, const char *name)
{
    return scene_of_document(
        rigor, json_pack("{s:i,s:s,s:[],s:[]}", "rigor", 1, "name", name ? name : NO_FILE, "bodies", "joints"));
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
    if (!scene || !key || !value)
        return RIGOR_FAILED;
    Rigor *rigor = scene->rigor;
    if (!scene->document)
        return run_set_param(&scene->run, key, value, &rigor->status) ? RIGOR_OK : library_failed(rigor);
    json_t *parsed = parse(rigor, value, key);
    if (!parsed)
        return library_failed(rigor);
    return json_object_set_new(scene->document, key, parsed) == 0 ? RIGOR_OK : RIGOR_FAILED;
}

static json_t *numbers(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_real(values[i]));
    return array;
}

/* An array that is all zero is the default, and left out. */
static void put_numbers(json_t *object, const char *key, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] == 0.0)
            continue;
        json_object_set_new(object, key, numbers(values, count));
        return;
    }
}

static void put_number(json_t *object, const char *key, double value)
{
    if (value != 0.0)
        json_object_set_new(object, key, json_real(value));
}

/* NULL: no shape. */
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
    default:
        return NULL;
    }
}

/* Adds the further keys, then the object to the scene's list, which is made where it is missing. Takes the object. */
static RigorStatus scene_add(RigorScene *scene, const char *list, json_t *object, const char *more)
{
    Rigor *rigor = scene->rigor;
    json_t *keys = more ? parse(rigor, more, "more") : json_object(), *array = json_object_get(scene->document, list);
    if (!array && scene->document) {
        array = json_array();
        json_object_set_new(scene->document, list, array);
    }
    bool ok = keys;
    if (ok && !json_is_object(keys))
        ok = status_set(&rigor->status, STATUS_USAGE, "more: not a JSON object");
    else if (ok && !json_is_array(array))
        ok = status_set(&rigor->status, STATUS_USAGE, "only a scene that was created or parsed can be added to");
    else if (ok && (json_object_update(object, keys) != 0 || json_array_append(array, object) != 0))
        ok = status_set(&rigor->status, STATUS_FAILED, "out of memory");
    json_decref(keys);
    json_decref(object);
    return ok ? RIGOR_OK : library_failed(rigor);
}

RigorStatus rigor_scene_add_body(RigorScene *scene, const RigorBodyDef *body)
{
    if (!scene || !body)
        return RIGOR_FAILED;
    json_t *object = json_object(), *shape = shape_document(body);
    if (body->name)
        json_object_set_new(object, "name", json_string(body->name));
    if (shape)
        json_object_set_new(object, "shape", shape);
    if (body->fixed || body->shape == RIGOR_PLANE)
        json_object_set_new(object, "fixed", json_true());
    bool by_density = shape && body->shape != RIGOR_PLANE && body->mass == 0.0 && !body->fixed;
    put_number(object, "density", by_density && body->density == 0.0 ? DEFAULT_DENSITY : body->density);
    put_number(object, "mass", body->mass);
    put_numbers(object, "position", body->position, 3);
    put_numbers(object, "orientation", body->orientation, 4);
    put_numbers(object, "velocity", body->velocity, 3);
    put_numbers(object, "angular_velocity", body->angular_velocity, 3);
    return scene_add(scene, "bodies", object, body->more);
}

RigorStatus rigor_scene_add_joint(RigorScene *scene, const RigorJointDef *joint)
{
    static const char WORLD[] = "world", DISTANCE[] = "distance";
    if (!scene || !joint)
        return RIGOR_FAILED;
    const char *type = joint->type ? joint->type : "";
    json_t *object = json_pack("{s:s,s:[s,s]}", "type", type, "bodies", joint->body1 ? joint->body1 : WORLD,
                               joint->body2 ? joint->body2 : WORLD);
    if (joint->name)
        json_object_set_new(object, "name", json_string(joint->name));
    if (strcmp(type, DISTANCE) != 0)
        json_object_set_new(object, "anchor", numbers(joint->anchor, 3));
    put_numbers(object, "axis", joint->axis, 3);
    put_number(object, "compliance", joint->compliance);
    put_number(object, "damping", joint->damping);
    return scene_add(scene, "joints", object, joint->more);
}
