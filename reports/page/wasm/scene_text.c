/* SPDX-License-Identifier: MIT */
#include "reports/page/wasm/scene_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows; `first`: nothing stands in the object or array at hand yet. */
typedef struct Writer {
    char *text;
    size_t used, room;
    bool first, failed;
} Writer;

static void put(Writer *w, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && w->used + (size_t)length + 1 > w->room) {
        size_t room = 2 * (w->room + (size_t)length + 1);
        char *grown = realloc(w->text, room);
        w->failed = w->failed || !grown;
        w->text = grown ? grown : w->text;
        w->room = grown ? room : w->room;
    }
    if (length >= 0 && !w->failed) {
        vsnprintf(w->text + w->used, w->room - w->used, format, again);
        w->used += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

/* The comma before all but the first. */
static void next(Writer *w)
{
    put(w, w->first ? "" : ",");
    w->first = false;
}

static void key(Writer *w, const char *name)
{
    next(w);
    put(w, "\"%s\":", name);
}

static void begin(Writer *w, char bracket)
{
    put(w, "%c", bracket);
    w->first = true;
}

static void end(Writer *w, char bracket)
{
    put(w, "%c", bracket);
    w->first = false;
}

/* Names have no letters that JSON would want to be escaped: the builders make them. */
static void put_text(Writer *w, const char *name, const char *text)
{
    key(w, name);
    put(w, "\"%s\"", text);
}

/* JSON has no infinities; beyond the largest number a reader finds one. */
static void put_number(Writer *w, double x)
{
    put(w, isinf(x) ? (x < 0.0 ? "-1e999" : "1e999") : "%.17g", x);
}

static void put_real(Writer *w, const char *name, double x)
{
    key(w, name);
    put_number(w, x);
}

static void put_numbers(Writer *w, const double *x, int count)
{
    begin(w, '[');
    for (int i = 0; i < count; i++) {
        next(w);
        put_number(w, x[i]);
    }
    end(w, ']');
}

static void put_vec3(Writer *w, const char *name, Vec3 a)
{
    key(w, name);
    put_numbers(w, (double[]){a.x, a.y, a.z}, 3);
}

/* What differs from its default; -0 differs from 0 in its bits. */
static void put_vec3_unless_zero(Writer *w, const char *name, Vec3 a)
{
    if (memcmp(&a, &VEC3_ZERO, sizeof a) != 0)
        put_vec3(w, name, a);
}

static void put_shape(Writer *w, const Shape *shape)
{
    static const char *const NAMES[] = {
        [SHAPE_SPHERE] = "sphere",     [SHAPE_BOX] = "box",     [SHAPE_CAPSULE] = "capsule",
        [SHAPE_CYLINDER] = "cylinder", [SHAPE_PLANE] = "plane", [SHAPE_ELLIPSOID] = "ellipsoid"};
    if (shape->kind == SHAPE_NONE)
        return;
    w->failed = w->failed || shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH;
    if (w->failed)
        return;
    key(w, "shape");
    begin(w, '{');
    key(w, NAMES[shape->kind]);
    begin(w, '{');
    if (shape->kind == SHAPE_BOX) {
        put_vec3(w, "size", shape->size);
    } else if (shape->kind == SHAPE_ELLIPSOID) {
        put_vec3(w, "radii", shape->radii);
    } else if (shape->kind == SHAPE_PLANE) {
        put_vec3(w, "normal", shape->normal);
        put_real(w, "offset", shape->offset);
    } else {
        put_real(w, "radius", shape->radius);
        if (shape->kind != SHAPE_SPHERE)
            put_real(w, "length", shape->length);
    }
    end(w, '}');
    end(w, '}');
}

static void put_mass(Writer *w, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    double mass = def->density > 0.0 ? world->mass[body].mass : def->mass;
    if (def->density > 0.0 && !def->has_inertia) {
        put_real(w, "density", def->density);
    } else if (mass > 0.0) {
        put_real(w, "mass", mass);
        if (def->has_inertia)
            put_vec3(w, "inertia", def->inertia);
    }
}

static void put_body(Writer *w, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    Quat q = def->orientation;
    next(w);
    begin(w, '{');
    put_text(w, "name", def->name);
    if (def->fixed) {
        key(w, "fixed");
        put(w, "true");
    }
    put_vec3_unless_zero(w, "position", def->position);
    if (memcmp(&q, &QUAT_IDENTITY, sizeof q) != 0) {
        key(w, "orientation");
        put_numbers(w, (double[]){q.w, q.x, q.y, q.z}, 4);
    }
    put_vec3_unless_zero(w, "velocity", def->velocity);
    put_vec3_unless_zero(w, "angular_velocity", def->angular_velocity);
    put_vec3_unless_zero(w, "force", def->force);
    put_vec3_unless_zero(w, "torque", def->torque);
    put_shape(w, &def->shape);
    put_mass(w, world, body);
    if (def->material != 0)
        put_text(w, "material", world->materials[def->material].name);
    end(w, '}');
}

static void put_joint_bodies(Writer *w, const World *world, const JointDef *def)
{
    key(w, "bodies");
    begin(w, '[');
    for (int i = 0; i < joint_body_count(def); i++) {
        next(w);
        put(w, "\"%s\"", world->bodies[def->body[i]].name);
    }
    end(w, ']');
}

static void put_anchors(Writer *w, const JointDef *def)
{
    bool centres = memcmp(def->anchor, (Vec3[2]){{0}}, sizeof def->anchor) == 0;
    if (def->type == JOINT_VOLUME ||
        (def->local_anchors && centres && (def->type == JOINT_DISTANCE || def->type == JOINT_WIRE)))
        return;
    if (!def->local_anchors) {
        put_vec3(w, "anchor", def->anchor[0]);
        return;
    }
    key(w, "anchors");
    begin(w, '[');
    for (int i = 0; i < 2; i++) {
        next(w);
        put_numbers(w, (double[]){def->anchor[i].x, def->anchor[i].y, def->anchor[i].z}, 3);
    }
    end(w, ']');
}

/* NaN: not given; zero is the default where that is said. */
static void put_joint_numbers(Writer *w, const JointDef *def)
{
    const struct {
        const char *name;
        double value;
        bool zero_is_plain;
    } REALS[] = {
        {"rest", def->rest, false},
        {"swing_max", def->swing_max, false},
        {"twist_min", def->twist_min, false},
        {"twist_max", def->twist_max, false},
        {"angle_min", def->angle_min, false},
        {"angle_max", def->angle_max, false},
        {"position_min", def->position_min, false},
        {"position_max", def->position_max, false},
        {"target", def->target, false},
        {"speed", def->speed, false},
        {"torque", def->torque, false},
        {"force", def->force, false},
        {"max_torque", def->max_torque, false},
        {"angle", def->angle, false},
        {"radius", def->radius, false},
        {"compliance", def->compliance, true},
        {"angular_compliance", def->angular_compliance, true},
        {"stiffness", def->stiffness, false},
        {"damping", def->damping, true},
        {"angular_damping", def->angular_damping, true},
    };
    for (size_t i = 0; i < sizeof REALS / sizeof REALS[0]; i++) {
        /* An infinite bound is one that was not given, but for a slide's twist, which is bounded if it is not given. */
        bool twist = def->type == JOINT_PRISMATIC && strncmp(REALS[i].name, "angle_m", 7) == 0;
        double x = REALS[i].value;
        if (!isnan(x) && !(REALS[i].zero_is_plain && x == 0.0) && (!isinf(x) || twist))
            put_real(w, REALS[i].name, x);
    }
}

static void put_joint(Writer *w, const World *world, const JointDef *def)
{
    next(w);
    begin(w, '{');
    if (*def->name)
        put_text(w, "name", def->name);
    put_text(w, "type", joint_type_names[def->type]);
    put_joint_bodies(w, world, def);
    put_anchors(w, def);
    bool directed = def->type != JOINT_FIXED && def->type != JOINT_DISTANCE && def->type != JOINT_VOLUME;
    if (directed && !vec3_is_zero(def->axis))
        put_vec3(w, "axis", def->axis);
    if (directed && !vec3_is_zero(def->normal))
        put_vec3(w, "normal", def->normal);
    if (def->type == JOINT_WIRE)
        put_vec3(w, "center", def->centre);
    put_joint_numbers(w, def);
    if (def->one_sided) {
        key(w, "one_sided");
        put(w, "true");
    }
    end(w, '}');
}

static void put_materials(Writer *w, const World *world)
{
    static const char *const COMBINE[] = {"average", "multiply", "sum", "min", "max"};
    key(w, "materials");
    begin(w, '{');
    for (int i = 0; i < world->material_count; i++) {
        const Material *material = &world->materials[i];
        key(w, material->name);
        begin(w, '{');
        put_real(w, "friction", material->friction);
        put_real(w, "restitution", material->restitution);
        key(w, "patch_radius");
        put(w, isnan(material->patch_radius) ? "\"auto\"" : "%.17g", material->patch_radius);
        end(w, '}');
    }
    end(w, '}');
    key(w, "combine");
    begin(w, '{');
    put_text(w, "friction", COMBINE[world->combine_friction]);
    put_text(w, "restitution", COMBINE[world->combine_restitution]);
    end(w, '}');
}

static void put_collide(Writer *w, const World *world)
{
    key(w, "collide");
    if (!world->collide || world->collide_except_count == 0) {
        put(w, world->collide ? "\"all\"" : "\"none\"");
        return;
    }
    begin(w, '{');
    key(w, "except");
    begin(w, '[');
    for (int i = 0; i < world->collide_except_count; i++) {
        const int *pair = world->collide_except[i];
        next(w);
        put(w, "[\"%s\",\"%s\"]", world->bodies[pair[0]].name, world->bodies[pair[1]].name);
    }
    end(w, ']');
    end(w, '}');
}

static void put_head(Writer *w, const Problem *problem)
{
    const World *world = problem->world;
    put_text(w, "name", problem->name);
    put_vec3(w, "gravity", world->gravity);
    put_real(w, "energy_scale", problem->energy_scale);
    put_real(w, "speed_scale", problem->speed_scale);
    put_real(w, "length_scale", world->length_scale);
    if (world->attractor.gm == 0.0)
        return;
    key(w, "attractor");
    begin(w, '{');
    put_vec3(w, "at", world->attractor.at);
    put_real(w, "gm", world->attractor.gm);
    end(w, '}');
}

char *scene_text(const Problem *problem)
{
    const World *world = problem->world;
    Writer w = {0};
    begin(&w, '{');
    put_head(&w, problem);
    put_materials(&w, world);
    put_collide(&w, world);
    key(&w, "bodies");
    begin(&w, '[');
    for (int i = 1; i < world->body_count; i++)
        put_body(&w, world, i);
    end(&w, ']');
    key(&w, "joints");
    begin(&w, '[');
    for (int j = 0; j < world->joint_count; j++)
        put_joint(&w, world, &world->joints[j].def);
    end(&w, ']');
    key(&w, "events");
    begin(&w, '[');
    for (int i = 0; i < problem->event_count; i++) {
        next(&w);
        begin(&w, '{');
        put_real(&w, "time", problem->events[i].time);
        put_text(&w, "remove", world->bodies[problem->events[i].remove].name);
        end(&w, '}');
    }
    end(&w, ']');
    end(&w, '}');
    if (!w.failed)
        return w.text;
    free(w.text);
    return NULL;
}
