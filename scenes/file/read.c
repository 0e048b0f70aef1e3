/* SPDX-License-Identifier: MIT */
/* Reads a scene file: the document as a whole. Its parts stand in files of their own (scenes/file/file.h). */
#include "scenes/file/file.h"

#include "model/rows/pbd_stiffness.h"
#include "scenes/file/input.h"
#include "scenes/robot/robot.h"

#include <stdlib.h>
#include <string.h>

static const char *const ROOT_KEYS[] = {
    "rigor",     "name",    "gravity", "time",   "energy_scale", "speed_scale", "length_scale", "attractor",
    "materials", "combine", "bodies",  "joints", "collide",      "events",      "expect",       NULL};

const char *const conserved_names[] = {"energy", "momentum", "angular_momentum", NULL};

json_t *file_parse(const char *path, Status *status)
{
    size_t size = 0;
    json_error_t error;
    char *text = input_read(path, INPUT_JSON_BYTES, &size, status);
    json_t *document = text ? json_loadb(text, size, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (text && !document)
        status_set(status, STATUS_BAD_FILE, "%s:%d:%d: %s%s", path, error.line, error.column > 0 ? error.column : 1,
                   error.text[0] == '\'' ? "is not JSON: " : "", error.text);
    free(text);
    return document;
}

bool file_read_version(const Node *root)
{
    Node version = node_get(root, "rigor");
    double number = 0.0;
    return node_required(version) && node_real(version, &number) &&
           (number == 1.0 || node_fail(version, "this program reads version 1, not %g", number));
}

static bool read_name(const Node *root)
{
    const char *name = NULL;
    if (!node_text(node_get(root, "name"), &name))
        return false;
    if (!name)
        return true;
    if (!node_name(node_get(root, "name"), name))
        return false;
    char *copy = strdup(name);
    if (!copy)
        return node_fail(*root, "out of memory");
    free(root->reader->problem->name);
    root->reader->problem->name = copy;
    return true;
}

static bool read_attractor(const Node *root)
{
    static const char *const keys[] = {"at", "gm", NULL};
    Node node = node_get(root, "attractor"), gm = node_get(&node, "gm");
    Attractor *attractor = &root->reader->world->attractor;
    return !node.value || (node_object(node, keys) && node_vec3(node_get(&node, "at"), &attractor->at) &&
                           node_required(gm) && node_positive(gm, &attractor->gm));
}

typedef bool AddPair(World *world, int body1, int body2);

static bool read_pair(Node pair, AddPair *add)
{
    int body[2] = {-1, -1};
    Reader *reader = pair.reader;
    if (!node_array_of(pair, 2))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!node_lookup(node_at(&pair, i), reader->bodies, "body", &body[i]))
            return false;
    if (body[0] == body[1])
        return node_fail(pair, "a body does not collide with itself");
    return add(reader->world, body[0], body[1]) || node_fail(pair, "out of memory");
}

static bool read_collide(const Node *root)
{
    static const char *const names[] = {"none", "all", NULL}, *const keys[] = {"except", "joined", "only", NULL};
    Node node = node_get(root, "collide");
    int all = 1;
    bool ok = true;
    if (json_is_object(node.value)) {
        Node except = node_get(&node, "except"), only = node_get(&node, "only"), list = only.value ? only : except;
        ok = node_object(node, keys) && node_required(list) && node_array(list) &&
             node_bool(node_get(&node, "joined"), &root->reader->world->joined_collide);
        if (ok && only.value && except.value)
            ok = node_fail(only, "give except or only, not both");
        root->reader->world->collide_only = only.value != NULL;
        for (size_t i = 0; ok && i < json_array_size(list.value); i++)
            ok = read_pair(node_at(&list, i), only.value ? world_add_collide_only : world_add_collide_exception);
    } else {
        ok = node_choice(node, names, &all);
    }
    root->reader->world->collide = all;
    return ok;
}

static int compare_events(const void *left, const void *right)
{
    const SceneEvent *a = left, *b = right;
    return a->time != b->time ? (a->time < b->time ? -1 : 1) : a->remove - b->remove;
}

static bool read_event(Node node, SceneEvent *event, bool *removed)
{
    static const char *const keys[] = {"time", "remove", NULL};
    Node time = node_get(&node, "time"), body = node_get(&node, "remove");
    if (!node_object(node, keys) || !node_required(time) || !node_at_least(time, 0.0, &event->time) ||
        !node_required(body) || !node_lookup(body, node.reader->bodies, "body", &event->remove))
        return false;
    if (event->remove == 0)
        return node_fail(body, "the world itself stays");
    if (node.reader->world->bodies[event->remove].fused)
        return node_fail(body, "it goes with the body that it is fused to");
    if (removed[event->remove])
        return node_fail(body, "is removed twice");
    removed[event->remove] = true;
    return true;
}

/* Kept in order of time, whatever the file's order. */
static bool read_events(const Node *root)
{
    Problem *problem = root->reader->problem;
    Node events = node_get(root, "events");
    if (!node_array(events))
        return false;
    size_t count = json_array_size(events.value);
    if (count == 0)
        return true;
    bool *removed = calloc((size_t)problem->world->body_count, sizeof *removed);
    problem->events = calloc(count, sizeof *problem->events);
    bool ok = (removed && problem->events) || node_fail(events, "out of memory");
    for (size_t i = 0; ok && i < count; i++)
        ok = read_event(node_at(&events, i), &problem->events[i], removed);
    free(removed);
    if (!ok)
        return false;
    problem->event_count = (int)count;
    qsort(problem->events, count, sizeof *problem->events, compare_events);
    return true;
}

bool file_default_passive(const World *world)
{
    for (int i = 1; i < world->body_count; i++)
        if (!vec3_is_zero(world->bodies[i].force) || !vec3_is_zero(world->bodies[i].torque))
            return false;
    for (int i = 0; i < world->joint_count; i++)
        if (joint_has_actuator(&world->joints[i]))
            return false;
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_is_drive(&world->blocks[b]) && !block_terms(&world->blocks[b])->law)
            return false;
    for (int i = 0; i < world->joint_count; i++)
        if (joint_law_drives(&world->joints[i]))
            return false;
    return true;
}

static bool read_expect(const Node *root)
{
    static const char *const keys[] = {"conserves", "rest", "truth", "truth_time", "passive", NULL}, *const truths[] = {
                                                                                                         "reference",
                                                                                                         NULL};
    Problem *problem = root->reader->problem;
    Node node = node_get(root, "expect"), conserves = node_get(&node, "conserves");
    int truth = -1;
    problem->passive = file_default_passive(problem->world);
    if (!node_object(node, keys) || !node_array(conserves) || !node_bool(node_get(&node, "rest"), &problem->rest) ||
        !node_bool(node_get(&node, "passive"), &problem->passive) ||
        !node_choice(node_get(&node, "truth"), truths, &truth) ||
        !node_positive(node_get(&node, "truth_time"), &problem->truth_time))
        return false;
    problem->reference = truth == 0;
    for (size_t i = 0; i < json_array_size(conserves.value); i++) {
        int what = 0;
        if (!node_choice(node_at(&conserves, i), conserved_names, &what))
            return false;
        problem->conserves |= 1u << what;
    }
    return true;
}

/* How far a body of this scene may fall, as far as a file can tell: the diagonal of the box around all centres, the
 * origin and what the planes' distance from it adds, and the largest body besides; the length scale where that is no
 * extent. */
static double default_drop(const World *world)
{
    Vec3 low = VEC3_ZERO, high = VEC3_ZERO;
    double largest = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        const Shape *shape = &world->bodies[i].shape;
        bool plane = shape->kind == SHAPE_PLANE;
        Vec3 at = plane ? world_point(world, i, vec3_scale(shape->offset, shape->normal)) : world->pose[i].x;
        double own = shape->kind == SHAPE_NONE ? world_bounding_radius(world, i) : 0.0;
        largest = isfinite(own) ? fmax(largest, own) : largest;
        low = vec3(fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z));
        high = vec3(fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z));
        if (!plane && shape->kind != SHAPE_NONE)
            largest = fmax(largest, shape_bounding_radius(shape));
    }
    double drop = vec3_norm(vec3_sub(high, low)) + largest;
    return drop > 0.0 ? drop : world->length_scale;
}

static bool read_scales(const Node *root)
{
    Problem *problem = root->reader->problem;
    Node energy = node_get(root, "energy_scale"), speed = node_get(root, "speed_scale");
    if (!world_measure_length(problem->world))
        return node_fail(*root, "out of memory");
    if (!node_positive(node_get(root, "length_scale"), &problem->world->length_scale))
        return false;
    problem_set_scales(problem, default_drop(problem->world));
    problem_finish_scales(problem);
    if (!node_positive(energy, &problem->energy_scale) || !node_positive(speed, &problem->speed_scale))
        return false;
    if (!isfinite(problem->energy_scale))
        return node_fail(energy, "the scene's energy is beyond double precision");
    return isfinite(problem->speed_scale) || node_fail(speed, "the scene's speed is beyond double precision");
}

static bool read_root(const Node *root)
{
    Reader *reader = root->reader;
    return node_document(*root, DOCUMENT_SCENE) && node_object(*root, ROOT_KEYS) && file_read_version(root) &&
           read_name(root) && node_vec3(node_get(root, "gravity"), &reader->world->gravity) &&
           node_positive(node_get(root, "time"), &reader->problem->time) && read_attractor(root) &&
           file_read_materials(root) && file_read_bodies(root) && file_read_joints(root) && read_collide(root) &&
           read_events(root) && read_expect(root) && read_scales(root);
}

/* The file's name without folder and ending: what a scene is called that does not say. */
static Problem *create_named_after(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    Text name = {0};
    text_add(&name, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
    Problem *problem = name.failed ? NULL : problem_create(name.data);
    free(name.data);
    return problem;
}

Problem *file_read_document(json_t *document, const char *path, Status *status)
{
    Problem *problem = create_named_after(path);
    Reader reader = {.path = path, .problem = problem, .status = status};
    Node root = {.reader = &reader, .value = document};
    reader.materials = json_object();
    reader.bodies = json_object();
    reader.joints = json_object();
    reader.couplings = json_object();
    bool ok = problem && reader.materials && reader.bodies && reader.joints && reader.couplings;
    if (ok) {
        reader.world = problem->world;
        ok = read_root(&root);
    } else {
        status_set(status, STATUS_FAILED, "%s: out of memory", path);
    }
    json_decref(reader.materials);
    json_decref(reader.bodies);
    json_decref(reader.joints);
    json_decref(reader.couplings);
    if (problem)
        problem->notes = reader.notes.data;
    if (ok) {
        world_freeze_stiffness(problem->world);
        return problem;
    }
    problem_destroy(problem);
    return NULL;
}

Problem *problem_read(const char *path, Status *status)
{
    RobotParams params = {0};
    if (robot_is_file(path))
        return robot_problem(path, &params, NULL, status);
    json_t *document = file_parse(path, status);
    Problem *problem = document ? file_read_document(document, path, status) : NULL;
    json_decref(document);
    return problem;
}
