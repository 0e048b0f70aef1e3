/* SPDX-License-Identifier: MIT */
/* What a page tells of its scene: fields, materials, bodies, joints; and the solver with its options. */
#include "reports/page/wasm/playground.h"

#include <string.h>

char *EXPORT(playground_text)(Playground *p)
{
    return p->text;
}

BodyInput *EXPORT(playground_body)(Playground *p)
{
    return &p->body;
}

JointInput *EXPORT(playground_joint)(Playground *p)
{
    return &p->joint;
}

void EXPORT(playground_set_field)(Playground *p, double gx, double gy, double gz, double ax, double ay, double az,
                                  double gm)
{
    p->world->gravity = vec3(gx, gy, gz);
    p->world->attractor = (Attractor){vec3(ax, ay, az), gm};
}

void EXPORT(playground_set_length_scale)(Playground *p, double length)
{
    p->world->length_scale = length;
}

/* A material named by `text`; its index, or -1. The world has the one named "default" from the beginning. */
int EXPORT(playground_add_material)(Playground *p, double friction, double restitution, double patch_radius)
{
    Material material = {p->text, friction, restitution, patch_radius};
    if (strcmp(p->text, p->world->materials[0].name) != 0)
        return world_add_material(p->world, &material);
    material.name = p->world->materials[0].name;
    p->world->materials[0] = material;
    return 0;
}

void EXPORT(playground_set_collide)(Playground *p, bool collide, Combine friction, Combine restitution)
{
    p->world->collide = collide;
    p->world->combine_friction = friction;
    p->world->combine_restitution = restitution;
}

bool EXPORT(playground_add_exception)(Playground *p, int body1, int body2)
{
    return world_add_collide_exception(p->world, body1, body2);
}

/* The body in `body`, named by `text`; its index, or -1 with a message. */
int EXPORT(playground_add_body)(Playground *p, ShapeKind kind, int material, bool fixed, bool has_inertia)
{
    const BodyInput *in = &p->body;
    BodyDef def = {.name = p->text,
                   .group = 1,
                   .mask = 1,
                   .position = in->position,
                   .orientation = in->orientation,
                   .velocity = in->velocity,
                   .angular_velocity = in->angular_velocity,
                   .fixed = fixed,
                   .material = material,
                   .force = in->force,
                   .torque = in->torque,
                   .shape = {.kind = kind,
                             .radius = in->radius,
                             .length = in->length,
                             .size = in->size,
                             .radii = in->size,
                             .normal = in->normal,
                             .offset = in->offset},
                   .density = in->density,
                   .mass = in->mass,
                   .has_inertia = has_inertia,
                   .inertia = in->inertia};
    return world_add_body(p->world, &def, &p->status);
}

/* The joint in `joint`, named by `text`; its index, or -1 with a message. */
int EXPORT(playground_add_joint)(Playground *p, JointType type, int b0, int b1, int b2, int b3, bool local_anchors,
                                 bool one_sided)
{
    const JointInput *in = &p->joint;
    JointDef def = {.name = p->text,
                    .type = type,
                    .body = {b0, b1, b2, b3},
                    .local_anchors = local_anchors,
                    .anchor = {in->anchor[0], in->anchor[1]},
                    .axis = in->axis,
                    .normal = in->normal,
                    .compliance = in->compliance,
                    .angular_compliance = in->angular_compliance,
                    .stiffness = in->stiffness,
                    .damping = in->damping,
                    .angular_damping = in->angular_damping,
                    .rest = in->rest,
                    .one_sided = one_sided,
                    .swing_max = in->swing_max,
                    .twist_min = in->twist_min,
                    .twist_max = in->twist_max,
                    .turn_max = NAN, /* the page refuses joints that have one */
                    .angle_min = in->angle_min,
                    .angle_max = in->angle_max,
                    .position_min = in->position_min,
                    .position_max = in->position_max,
                    .target = in->target,
                    .speed = in->speed,
                    .torque = in->torque,
                    .force = in->force,
                    .max_torque = in->max_torque,
                    .angle = in->angle,
                    .centre = in->centre,
                    .radius = in->radius};
    return world_add_joint(p->world, &def, &p->status);
}

/* The index of a type of joint named by `text`, or -1. */
int EXPORT(playground_joint_type)(const Playground *p)
{
    for (int i = 0; i < JOINT_TYPES; i++)
        if (strcmp(joint_type_names[i], p->text) == 0)
            return i;
    return -1;
}

int EXPORT(playground_solver_count)(void)
{
    return offer_count();
}

const char *EXPORT(playground_solver_name)(int solver)
{
    Offer offer = offer_at(solver);
    return offer.variant ? offer.variant->name : offer.backend->name;
}

/* Default options of a solver, to be changed by playground_set_option; false with a message. */
bool EXPORT(playground_choose_solver)(Playground *p, int solver)
{
    Offer offer = offer_at(solver);
    p->solver = offer.backend;
    if (offer.variant)
        p->solver = p->variant = variant_create(offer.backend, offer.variant, &p->status);
    if (p->solver)
        settings_init(p->solver->settings, p->solver->setting_count, p->options);
    return p->solver;
}

/* `text` is "name" 0 "value" 0. */
bool EXPORT(playground_set_option)(Playground *p)
{
    const Setting *setting = settings_find(p->solver->settings, p->solver->setting_count, p->text);
    if (!setting)
        return status_set(&p->status, STATUS_USAGE, "%s has no option %s", p->solver->name, p->text);
    return setting_parse(setting, p->options, p->text + strlen(p->text) + 1, &p->status);
}
