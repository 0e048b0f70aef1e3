/* SPDX-License-Identifier: MIT */
#include "solvers/engines/bridge.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PROTOCOL = 1 };

static const char *const SHAPES[] = {"", "sphere", "box", "capsule", "cylinder", "hull", "mesh", "plane"};
static const char *const JOINTS[] = {"fixed", "distance",  "ball",     "hinge", "servo",
                                     "motor", "prismatic", "cylinder", "wire",  "volume"};

/* Standard output belongs to the protocol; what an engine prints there goes to standard error, as words. */
static FILE *channel;

static void open_channel(void)
{
    channel = fdopen(dup(STDOUT_FILENO), "wb");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (!channel)
        exit(1);
}

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* CPU time of this thread, which is the engine's only one: as bench/process/clock.h has it, of which a bridge, a
 * program of its own, has nothing. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        die("out of memory");
    return memory;
}

static double real_of(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static Vec3 vec3_of(const json_t *array)
{
    return vec3(json_number_value(json_array_get(array, 0)), json_number_value(json_array_get(array, 1)),
                json_number_value(json_array_get(array, 2)));
}

static Quat quat_of(const json_t *array)
{
    return (Quat){json_number_value(json_array_get(array, 0)), json_number_value(json_array_get(array, 1)),
                  json_number_value(json_array_get(array, 2)), json_number_value(json_array_get(array, 3))};
}

static int name_index(const char *const *names, int count, const char *name)
{
    for (int i = 0; name && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    die("a kind of shape or joint that this bridge does not know");
    return -1;
}

static void read_shape(BridgeBody *body, const json_t *shape)
{
    body->turn = (Quat){1, 0, 0, 0};
    if (!shape)
        return;
    const json_t *points = json_object_get(shape, "points");
    body->shape = (BridgeShape)name_index(SHAPES, 8, json_string_value(json_object_get(shape, "kind")));
    if (body->shape == BRIDGE_MESH)
        body->shape = BRIDGE_HULL; /* for contacts a mesh is its hull, which the engine finds from the points */
    body->turn = quat_of(json_object_get(shape, "turn"));
    body->radius = real_of(shape, "radius", 0);
    body->length = real_of(shape, "length", 0);
    body->size = vec3_of(json_object_get(shape, "size"));
    body->normal = vec3_of(json_object_get(shape, "normal"));
    body->offset = real_of(shape, "offset", 0);
    body->point_count = (int)json_array_size(points);
    body->points = allocate((size_t)body->point_count, sizeof *body->points);
    for (int i = 0; i < body->point_count; i++)
        body->points[i] = vec3_of(json_array_get(points, (size_t)i));
}

static void read_body(BridgeBody *body, const json_t *from)
{
    body->name = json_string_value(json_object_get(from, "name"));
    body->fixed = json_is_true(json_object_get(from, "fixed"));
    body->mass = real_of(from, "mass", 0);
    body->inertia = vec3_of(json_object_get(from, "inertia"));
    body->x = vec3_of(json_object_get(from, "position"));
    body->q = quat_of(json_object_get(from, "orientation"));
    body->v = vec3_of(json_object_get(from, "velocity"));
    body->w = vec3_of(json_object_get(from, "angular_velocity"));
    body->force = vec3_of(json_object_get(from, "force"));
    body->torque = vec3_of(json_object_get(from, "torque"));
    body->material = (int)json_integer_value(json_object_get(from, "material"));
    read_shape(body, json_object_get(from, "shape"));
}

static void read_joint(BridgeJoint *joint, const json_t *from)
{
    const json_t *bodies = json_object_get(from, "bodies");
    joint->name = json_string_value(json_object_get(from, "name"));
    joint->type = (BridgeJointType)name_index(JOINTS, 10, json_string_value(json_object_get(from, "type")));
    for (size_t i = 0; i < 2; i++) {
        joint->body[i] = (int)json_integer_value(json_array_get(bodies, i));
        joint->anchor[i] = vec3_of(json_array_get(json_object_get(from, "anchors"), i));
        joint->axis[i] = vec3_of(json_array_get(json_object_get(from, "axes"), i));
        joint->frame[i] = quat_of(json_array_get(json_object_get(from, "frames"), i));
    }
    joint->compliance = real_of(from, "compliance", 0);
    joint->angular_compliance = real_of(from, "angular_compliance", 0);
    joint->damping = real_of(from, "damping", 0);
    joint->angular_damping = real_of(from, "angular_damping", 0);
    joint->one_sided = json_is_true(json_object_get(from, "one_sided"));
    const struct {
        const char *key;
        double *value;
    } numbers[] = {
        {"rest", &joint->rest},           {"swing_max", &joint->swing_max},
        {"twist_min", &joint->twist_min}, {"twist_max", &joint->twist_max},
        {"angle_min", &joint->angle_min}, {"angle_max", &joint->angle_max},
        {"target", &joint->target},       {"position_min", &joint->position_min},
        {"speed", &joint->speed},         {"position_max", &joint->position_max},
        {"torque", &joint->torque},       {"force", &joint->force},
        {"angle", &joint->angle},         {"max_torque", &joint->max_torque},
        {"radius", &joint->radius},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i].value = real_of(from, numbers[i].key, NAN);
    if (joint->type == BRIDGE_DISTANCE && joint->rest == 0.0) /* a length of zero is a point */
        joint->type = BRIDGE_BALL;
}

const char *bridge_joint_name(const BridgeJoint *joint)
{
    return JOINTS[joint->type];
}

static void read_world(Bridge *bridge, json_t *root)
{
    const json_t *bodies = json_object_get(root, "bodies"), *joints = json_object_get(root, "joints");
    const json_t *except = json_object_get(root, "except"), *attractor = json_object_get(root, "attractor");
    bridge->document = root;
    bridge->mode = json_string_value(json_object_get(root, "mode"));
    bridge->h = real_of(root, "h", 0);
    bridge->options = json_object_get(root, "options");
    bridge->gravity = vec3_of(json_object_get(root, "gravity"));
    bridge->attractor_at = vec3_of(json_object_get(attractor, "at"));
    bridge->attractor_gm = real_of(attractor, "gm", 0);
    bridge->collide = json_is_true(json_object_get(root, "collide"));
    bridge->pairs = json_object_get(root, "pairs");
    bridge->body_count = (int)json_array_size(bodies);
    bridge->joint_count = (int)json_array_size(joints);
    bridge->except_count = (int)json_array_size(except);
    bridge->bodies = allocate((size_t)bridge->body_count, sizeof *bridge->bodies);
    bridge->joints = allocate((size_t)bridge->joint_count, sizeof *bridge->joints);
    bridge->except = allocate((size_t)bridge->except_count, sizeof *bridge->except);
    for (int i = 0; i < bridge->body_count; i++)
        read_body(&bridge->bodies[i], json_array_get(bodies, (size_t)i));
    for (int i = 0; i < bridge->joint_count; i++)
        read_joint(&bridge->joints[i], json_array_get(joints, (size_t)i));
    for (int i = 0; i < bridge->except_count; i++)
        for (size_t k = 0; k < 2; k++)
            bridge->except[i][k] = (int)json_integer_value(json_array_get(json_array_get(except, (size_t)i), k));
}

void bridge_refuse(Bridge *bridge, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < json_array_size(bridge->unsupported); i++)
        if (strcmp(json_string_value(json_array_get(bridge->unsupported, i)), text) == 0)
            return;
    json_array_append_new(bridge->unsupported, json_string(text));
}

void bridge_approximate(Bridge *bridge, const char *text)
{
    json_array_append_new(bridge->approximates, json_string(text));
}

void bridge_event(Bridge *bridge, const char *text)
{
    size_t used = strlen(bridge->events);
    snprintf(bridge->events + used, sizeof bridge->events - used, "%s\n", text);
}

double bridge_option(const Bridge *bridge, const char *name)
{
    const json_t *value = json_object_get(bridge->options, name);
    return json_is_boolean(value) ? json_is_true(value) : json_is_number(value) ? json_number_value(value) : INFINITY;
}

const char *bridge_choice(const Bridge *bridge, const char *name)
{
    const char *text = json_string_value(json_object_get(bridge->options, name));
    return text ? text : "";
}

static double pair_value(const Bridge *bridge, int body1, int body2, size_t which)
{
    size_t one = (size_t)bridge->bodies[body1].material, two = (size_t)bridge->bodies[body2].material;
    return json_number_value(json_array_get(json_array_get(json_array_get(bridge->pairs, one), two), which));
}

double bridge_friction(const Bridge *bridge, int body1, int body2)
{
    return pair_value(bridge, body1, body2, 0);
}

double bridge_restitution(const Bridge *bridge, int body1, int body2)
{
    return pair_value(bridge, body1, body2, 1);
}

bool bridge_may_touch(const Bridge *bridge, int body1, int body2)
{
    const BridgeBody *one = &bridge->bodies[body1], *two = &bridge->bodies[body2];
    if (!bridge->collide || !one->shape || !two->shape || one->removed || two->removed || (one->fixed && two->fixed))
        return false;
    for (int i = 0; i < bridge->except_count; i++)
        if ((bridge->except[i][0] == body1 && bridge->except[i][1] == body2) ||
            (bridge->except[i][0] == body2 && bridge->except[i][1] == body1))
            return false;
    return true;
}

bool bridge_has_contacts(const Bridge *bridge)
{
    int shapes = 0, moving = 0;
    for (int i = 1; i < bridge->body_count; i++) {
        shapes += bridge->bodies[i].shape != BRIDGE_NONE;
        moving += bridge->bodies[i].shape != BRIDGE_NONE && !bridge->bodies[i].fixed;
    }
    return bridge->collide && moving > 0 && shapes > 1;
}

void bridge_add_contact(Bridge *bridge, int body1, int body2, Vec3 impulse)
{
    /* Points of one pair come one after the other. */
    BridgeContact *last = bridge->contact_count > 0 ? &bridge->contacts[bridge->contact_count - 1] : NULL;
    if (last && last->body1 == body1 && last->body2 == body2) {
        last->impulse = vec3_add(last->impulse, impulse);
        return;
    }
    if (bridge->contact_count == bridge->contact_capacity) {
        bridge->contact_capacity = 2 * bridge->contact_capacity + 64;
        bridge->contacts = realloc(bridge->contacts, sizeof *bridge->contacts * (size_t)bridge->contact_capacity);
        if (!bridge->contacts)
            die("out of memory");
    }
    bridge->contacts[bridge->contact_count++] = (BridgeContact){body1, body2, impulse};
}

/* Impulses act where the bodies were when the step began. */
static void remember_places(Bridge *bridge)
{
    for (int i = 0; i < bridge->body_count; i++)
        bridge->bodies[i].before = bridge->bodies[i].x;
    for (int j = 0; j < bridge->joint_count; j++)
        bridge->joints[j].at = bridge_anchor(bridge, &bridge->joints[j], 1);
}

void bridge_set_reaction(Bridge *bridge, int index, int side, Vec3 impulse, Vec3 torque)
{
    BridgeJoint *joint = &bridge->joints[index];
    Vec3 arm = vec3_sub(joint->at, bridge->bodies[joint->body[side]].before);
    double sign = side == 1 ? 1.0 : -1.0;
    joint->impulse = vec3_scale(sign, impulse);
    joint->angular_impulse = vec3_scale(sign, vec3_sub(torque, vec3_cross(arm, impulse)));
}

void bridge_forces(const Bridge *bridge, Vec3 *force, Vec3 *torque)
{
    for (int i = 0; i < bridge->body_count; i++) {
        const BridgeBody *body = &bridge->bodies[i];
        force[i] = body->fixed ? VEC3_ZERO : body->force;
        torque[i] = body->fixed ? VEC3_ZERO : body->torque;
        if (body->fixed || bridge->attractor_gm == 0.0)
            continue;
        Vec3 r = vec3_sub(body->x, bridge->attractor_at);
        double d = vec3_norm(r);
        force[i] = vec3_add_scaled(force[i], -body->mass * bridge->attractor_gm / (d * d * d), r);
    }
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        bool pushes = bridge_given(joint->force), turns = bridge_given(joint->torque);
        if (!pushes && !turns)
            continue;
        int one = joint->body[0], two = joint->body[1];
        Vec3 axis = bridge_axis(bridge, joint, 0), at = bridge_anchor(bridge, joint, 1);
        Vec3 f = vec3_scale(pushes ? joint->force : 0.0, axis), t = vec3_scale(turns ? joint->torque : 0.0, axis);
        force[two] = vec3_add(force[two], f);
        force[one] = vec3_sub(force[one], f);
        torque[two] = vec3_add(torque[two], vec3_add(t, vec3_cross(vec3_sub(at, bridge->bodies[two].x), f)));
        torque[one] = vec3_sub(torque[one], vec3_add(t, vec3_cross(vec3_sub(at, bridge->bodies[one].x), f)));
    }
}

void bridge_refuse_rare(Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        if (joint->type == BRIDGE_VOLUME || joint->type == BRIDGE_WIRE)
            bridge_refuse(bridge, "%s joints", JOINTS[joint->type]);
        if (joint->damping > 0.0 || joint->angular_damping > 0.0)
            bridge_refuse(bridge, "damping in joints");
        if (joint->angular_compliance > 0.0)
            bridge_refuse(bridge, "angular compliance");
    }
    json_t *material;
    size_t i;
    json_array_foreach (json_object_get(bridge->document, "materials"), i, material)
        if (bridge_has_contacts(bridge) && (json_is_string(json_object_get(material, "patch_radius")) ||
                                            json_number_value(json_object_get(material, "patch_radius")) != 0.0))
            bridge_refuse(bridge, "friction that resists spinning");
}

/* m/s and rad/s: round-off of a scene whose speeds were computed. */
static const double SLIP = 1e-9;

void bridge_refuse_speeds(Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        const BridgeBody *one = &bridge->bodies[joint->body[0]], *two = &bridge->bodies[joint->body[1]];
        bool slides = joint->type == BRIDGE_PRISMATIC || joint->type == BRIDGE_SLIDER;
        Vec3 turn = vec3_sub(two->w, one->w), axis = bridge_axis(bridge, joint, 0);
        Vec3 at = bridge_anchor(bridge, joint, 1);
        Vec3 slip = vec3_sub(vec3_add(two->v, vec3_cross(two->w, vec3_sub(at, two->x))),
                             vec3_add(one->v, vec3_cross(one->w, vec3_sub(at, one->x))));
        if (slides)
            slip = vec3_add_scaled(slip, -vec3_dot(slip, axis), axis);
        if (joint->type != BRIDGE_FIXED && joint->type != BRIDGE_PRISMATIC)
            turn = joint->type == BRIDGE_BALL ? VEC3_ZERO : vec3_add_scaled(turn, -vec3_dot(turn, axis), axis);
        if (vec3_norm(slip) > SLIP * fmax(1.0, vec3_norm(two->v)) || vec3_norm(turn) > SLIP)
            bridge_refuse(bridge, "speeds at the start that its joints do not allow");
    }
}

/* Round-off of a scene that was built in the plane. */
static const double FLAT = 1e-9;

void bridge_refuse_spatial(Bridge *bridge)
{
    double z = NAN;
    for (int i = 1; i < bridge->body_count; i++) {
        const BridgeBody *body = &bridge->bodies[i];
        if (body->fixed)
            continue;
        if (isnan(z))
            z = body->x.z;
        Vec3 along = quat_rotate_inverse(body->q, vec3(0, 0, 1));
        double most = fmax(fabs(along.x), fmax(fabs(along.y), fabs(along.z)));
        if (fabs(body->x.z - z) > FLAT || fabs(body->v.z) > FLAT || fabs(body->w.x) > FLAT || fabs(body->w.y) > FLAT ||
            fabs(body->force.z) > FLAT || fabs(body->torque.x) > FLAT || fabs(body->torque.y) > FLAT)
            bridge_refuse(bridge, "motion out of the x-y plane");
        if (!vec3_is_zero(body->inertia) && most < 1.0 - FLAT)
            bridge_refuse(bridge, "bodies whose principal axes are not along z");
    }
    if (fabs(bridge->gravity.z) > FLAT)
        bridge_refuse(bridge, "gravity along z");
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        bool turns = joint->type == BRIDGE_HINGE || joint->type == BRIDGE_SERVO || joint->type == BRIDGE_MOTOR;
        bool slides = joint->type == BRIDGE_PRISMATIC || joint->type == BRIDGE_SLIDER;
        double axis = fabs(bridge_axis(bridge, joint, 0).z);
        if ((turns && axis < 1.0 - FLAT) || (slides && axis > FLAT))
            bridge_refuse(bridge, "joint axes out of the x-y plane");
        if (bridge_given(joint->swing_max) || bridge_given(joint->twist_min) || bridge_given(joint->twist_max))
            bridge_refuse(bridge, "swing and twist limits");
    }
}

static void put(const void *data, size_t size)
{
    if (fwrite(data, 1, size, channel) != size)
        exit(1);
}

static void write_state(Bridge *bridge, double seconds)
{
    const uint32_t head[5] = {(uint32_t)bridge->body_count, bridge->joint_impulses ? (uint32_t)bridge->joint_count : 0,
                              bridge->contact_impulses ? (uint32_t)bridge->contact_count : 0,
                              (uint32_t)strlen(bridge->events), 0};
    put("RIGS", 4);
    put(head, sizeof head);
    put(&seconds, sizeof seconds);
    for (int i = 0; i < bridge->body_count; i++) {
        const BridgeBody *b = &bridge->bodies[i];
        const double s[13] = {b->x.x, b->x.y, b->x.z, b->q.w, b->q.x, b->q.y, b->q.z,
                              b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        put(s, sizeof s);
    }
    for (uint32_t j = 0; j < head[1]; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        const double s[6] = {joint->impulse.x,         joint->impulse.y,         joint->impulse.z,
                             joint->angular_impulse.x, joint->angular_impulse.y, joint->angular_impulse.z};
        put(s, sizeof s);
    }
    for (uint32_t i = 0; i < head[2]; i++) {
        const BridgeContact *contact = &bridge->contacts[i];
        const uint32_t bodies[2] = {(uint32_t)contact->body1, (uint32_t)contact->body2};
        const double s[3] = {contact->impulse.x, contact->impulse.y, contact->impulse.z};
        put(bodies, sizeof bodies);
        put(s, sizeof s);
    }
    put(bridge->events, head[3]);
    fflush(channel);
    bridge->events[0] = '\0';
    bridge->contact_count = 0;
}

static json_t *describe(const BridgeEngine *engine)
{
    return json_pack("{s:i,s:s,s:s,s:s,s:s,s:i,s:s}", "rigor_engine", PROTOCOL, "engine", engine->name, "version",
                     engine->version, "precision", engine->precision, "licence", engine->licence, "dimension",
                     engine->dimension, "clock", "native");
}

static void print_line(json_t *object)
{
    json_dumpf(object, channel, JSON_COMPACT);
    fputc('\n', channel);
    fflush(channel);
    json_decref(object);
}

static void say_hello(const BridgeEngine *engine, Bridge *bridge)
{
    json_t *hello = describe(engine);
    json_object_set_new(hello, "precision", json_string(bridge->precision));
    json_object_set(hello, "options", bridge->options);
    json_object_set(hello, "unsupported", bridge->unsupported);
    json_object_set(hello, "approximates", bridge->approximates);
    json_object_set_new(hello, "joint_impulses", json_boolean(bridge->joint_impulses));
    json_object_set_new(hello, "contact_impulses", json_boolean(bridge->contact_impulses));
    json_object_set_new(hello, "offset", json_pack("[f,f,f]", bridge->offset.x, bridge->offset.y, bridge->offset.z));
    print_line(hello);
}

static void serve(const BridgeEngine *engine, Bridge *bridge)
{
    char line[64];
    int body;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "step\n") == 0) {
            remember_places(bridge);
            double begin = now();
            engine->step(bridge);
            double seconds = now() - begin;
            engine->read(bridge);
            write_state(bridge, seconds);
        } else if (sscanf(line, "remove %d", &body) == 1 && body > 0 && body < bridge->body_count) {
            bridge->bodies[body].removed = true;
            engine->remove(bridge, body);
        } else {
            die("a command that this bridge does not know");
        }
    }
}

int bridge_main(const BridgeEngine *engine, int argc, char **argv)
{
    open_channel();
    if (argc > 1 && strcmp(argv[1], "--describe") == 0) {
        print_line(describe(engine));
        return 0;
    }
    char *line = NULL;
    size_t room = 0;
    json_error_t error;
    json_t *root = getline(&line, &room, stdin) > 0 ? json_loads(line, 0, &error) : NULL;
    free(line);
    if (!root || json_integer_value(json_object_get(root, "rigor_engine")) != PROTOCOL)
        die("the first line is no world of version 1 of the protocol");
    Bridge bridge = {.unsupported = json_array(), .approximates = json_array(), .precision = engine->precision};
    read_world(&bridge, root);
    engine->build(&bridge);
    say_hello(engine, &bridge);
    if (json_array_size(bridge.unsupported) > 0)
        return 0;
    engine->read(&bridge);
    bridge.events[0] = '\0';
    write_state(&bridge, 0.0);
    serve(engine, &bridge);
    return 0;
}
