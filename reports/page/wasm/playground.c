/* The playground: a world and a solver behind plain functions that a page can call through WebAssembly.
 * The page parses scene files; it writes numbers into `body` and `joint` (all doubles, in the order of the structs) and
 * names into `text`. Loop, blow-up, drift and overlap are the program's own (solvers/stepper.c, bench/metrics). A
 * reserved last joint, off until used, is the lecture's drag (004): a compliant ball joint between the pointer and a
 * body. */
#include "bench/metrics/metrics.h"
#include "model/contact.h"
#include "model/energy.h"
#include "reports/page/wasm/solvers.h"
#include "solvers/stepper.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

extern const Metric metric_drift_max, metric_penetration_max;

/* 1/s: the grip lets a pull come to rest within about half a second. */
static const double GRIP_DAMPING = 6.0;

enum { TEXT_BYTES = 256, STATE_WIDTH = 13, CONTACT_WIDTH = 6 };

typedef struct BodyInput {
    Vec3 position;
    Quat orientation;
    Vec3 velocity, angular_velocity, force, torque;
    double radius, length;
    Vec3 size, normal;
    double offset, density, mass;
    Vec3 inertia;
} BodyInput;

/* NaN: not given. */
typedef struct JointInput {
    Vec3 anchor[2], axis, normal;
    double compliance, angular_compliance, stiffness, damping, angular_damping;
    double rest, swing_max, twist_min, twist_max, angle_min, angle_max, position_min, position_max;
    double target, speed, torque, force, max_torque, angle;
    Vec3 centre;
    double radius;
} JointInput;

typedef struct Playground {
    World *world;
    const Solver *solver; /* NULL: none chosen */
    Solver *variant;      /* the solver, where it is a variant; else NULL */
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
    Stepper stepper;
    double energy_start;  /* J, E - W of the beginning; moved along while the grip feeds energy in */
    int grip;             /* its joint; -1: this solver cannot have one */
    double *state;        /* STATE_WIDTH numbers a body */
    double *contacts;     /* CONTACT_WIDTH numbers a contact */
    double *joint_forces; /* CONTACT_WIDTH numbers a joint */
    Status status;
    char text[TEXT_BYTES];
    BodyInput body;
    JointInput joint;
} Playground;

Playground *EXPORT(playground_create)(void)
{
    Playground *p = calloc(1, sizeof *p);
    if (p && !(p->world = world_create())) {
        free(p);
        return NULL;
    }
    if (p)
        p->grip = -1;
    return p;
}

void EXPORT(playground_destroy)(Playground *p)
{
    if (!p)
        return;
    stepper_end(&p->stepper);
    variant_destroy(p->variant);
    world_destroy(p->world);
    free(p->state);
    free(p->contacts);
    free(p->joint_forces);
    free(p);
}

char *EXPORT(playground_text)(Playground *p)
{
    return p->text;
}

const char *EXPORT(playground_message)(const Playground *p)
{
    return p->status.message;
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

static double playground_energy(const Playground *p)
{
    return world_energy(p->world) - p->world->actuator_work;
}

/* J, E - W - E(0); what a pointer fed in is left out. */
double EXPORT(playground_energy_change)(const Playground *p)
{
    return playground_energy(p) - p->energy_start;
}

/* From now on the energy has changed by that much and no more: what came in between was the pointer's. */
static void playground_rebase(Playground *p, double change)
{
    p->energy_start = playground_energy(p) - change;
}

static Joint *playground_grip(const Playground *p)
{
    return &p->world->joints[p->grip];
}

static void grip_switch(Playground *p, bool off, double compliance)
{
    Joint *joint = playground_grip(p);
    Block *block = &p->world->blocks[joint->first_block];
    joint->off = block->off = off;
    /* An idle block must not count as a spring. */
    joint->def.compliance = joint_terms(block)->compliance = compliance;
}

static int first_moving_body(const World *world)
{
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            return i;
    return -1;
}

static bool grip_reserve(Playground *p)
{
    int body = first_moving_body(p->world);
    if (body < 0)
        return status_set(&p->status, STATUS_FAILED, "nothing moves in this scene");
    JointDef def = joint_def(JOINT_BALL, 0, body);
    def.name = "grip";
    def.anchor[0] = p->world->pose[body].x;
    def.compliance = 1.0;
    def.damping = GRIP_DAMPING;
    p->grip = world_add_joint(p->world, &def, &p->status);
    if (p->grip < 0)
        return false;
    grip_switch(p, true, 0.0);
    return true;
}

/* Some solvers take the joints' bodies in once and for all. */
static bool playground_renew_solver(Playground *p)
{
    return stepper_renew(&p->stepper, p->options, &p->status);
}

/* Begins a run at the bodies' first state; all bodies and joints are there. */
bool EXPORT(playground_start)(Playground *p, double dt)
{
    /* A grip closes a loop through the ground. */
    bool can_grip = p->solver->capabilities & CAN_LOOPS;
    p->state = calloc((size_t)p->world->body_count * STATE_WIDTH, sizeof *p->state);
    p->joint_forces = calloc((size_t)p->world->joint_count + 1, sizeof *p->joint_forces * CONTACT_WIDTH);
    if (!p->state || !p->joint_forces ||
        !stepper_begin(&p->stepper, p->solver, p->options, p->world, dt, DETECT_SUBSTEP, &p->status))
        return false;
    if (can_grip && !(grip_reserve(p) && playground_renew_solver(p)))
        return false;
    p->energy_start = playground_energy(p);
    return true;
}

/* Goes on with the options as they are now and another frame time; false with a message: the run cannot go on. */
bool EXPORT(playground_retune)(Playground *p, double dt)
{
    return stepper_retune(&p->stepper, p->options, dt, &p->status);
}

/* Where the bodies are and how they move, in the frames of their new definitions. */
static void take_motion(Playground *p, const World *from)
{
    World *to = p->world;
    for (int i = 1; i < to->body_count; i++) {
        to->pose[i].x = from->pose[i].x;
        to->pose[i].q = quat_mul(world_reported_orientation(from, i), to->principal[i]);
        to->velocity[i] = from->velocity[i];
        if (from->removed[i])
            stepper_remove_body(&p->stepper, i);
    }
    to->actuator_work = from->actuator_work;
    to->gravity = from->gravity;
}

/* What blocks remember: impulses, turns, where motors are, and a hand that holds. */
static void take_joints(Playground *p, const Playground *from)
{
    World *to = p->world;
    for (int b = 0; b < to->joint_block_count; b++) {
        const JointTerms *old = block_terms(&from->world->blocks[b]);
        JointTerms *terms = joint_terms(&to->blocks[b]);
        to->block_impulse[b] = from->world->block_impulse[b];
        terms->angle = old->angle;
        terms->target = old->target;
        terms->target_before = old->target_before;
    }
    if (p->grip < 0 || from->grip < 0)
        return;
    Joint *grip = playground_grip(p);
    const Joint *held = playground_grip(from);
    Block *block = &to->blocks[grip->first_block];
    grip->def.body[1] = block->body[1] = held->def.body[1];
    memcpy(grip->anchor, held->anchor, sizeof grip->anchor);
    memcpy(block->seat->anchor, held->anchor, sizeof block->seat->anchor);
    grip_switch(p, held->off, held->def.compliance);
}

/* Goes on where another run of the same bodies and joints is, whose masses, materials and numbers of joints may differ:
 * its poses, velocities, contacts with their impulses, and multipliers. That other one is at its end. False with a
 * message: nothing moves any more. */
bool EXPORT(playground_take_over)(Playground *p, Playground *from)
{
    World *to = p->world, *old = from->world;
    double change = playground_energy_change(from);
    if (to->body_count != old->body_count || to->joint_block_count != old->joint_block_count)
        return status_set(&p->status, STATUS_FAILED, "the scene has other bodies or joints");
    contacts_store_impulses(old);
    Contacts *contacts = to->contacts;
    to->contacts = old->contacts;
    old->contacts = contacts;
    old->manifold_count = 0;
    take_motion(p, old);
    take_joints(p, from);
    playground_rebase(p, change);
    if (to->collide && !contacts_add_blocks(to))
        return status_set(&p->status, STATUS_FAILED, "out of memory");
    return stepper_take_over(&p->stepper, p->options, &from->stepper, &p->status);
}

/* From now on; what this does to the potential energy is no drift. */
void EXPORT(playground_set_gravity)(Playground *p, double x, double y, double z)
{
    double change = playground_energy_change(p);
    p->world->gravity = vec3(x, y, z);
    playground_rebase(p, change);
}

/* Of every joint but the grip: where it is on its second body, and the force on that body (N, mean over the frame). */
const double *EXPORT(playground_joint_forces)(Playground *p)
{
    const World *world = p->world;
    for (int j = 0; j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        Pose pose = world->pose[joint->def.body[1]];
        Vec3 at = vec3_add(pose.x, quat_rotate(pose.q, joint->anchor[1])), force, torque;
        world_reaction(world, j, p->stepper.dt, &force, &torque);
        memcpy(p->joint_forces + (size_t)j * CONTACT_WIDTH,
               (double[CONTACT_WIDTH]){at.x, at.y, at.z, force.x, force.y, force.z}, sizeof(double[CONTACT_WIDTH]));
    }
    return p->joint_forces;
}

/* One frame; false if the run has blown up. */
bool EXPORT(playground_frame)(Playground *p, double speed_scale)
{
    double change = playground_energy_change(p);
    stepper_frame(&p->stepper, false);
    if (p->grip >= 0 && !playground_grip(p)->off)
        playground_rebase(p, change);
    return !p->stepper.step.failed && !world_blew_up(p->world, speed_scale);
}

/* Whether a scene's event at this time (s) is due as the next frame begins. */
bool EXPORT(playground_event_due)(const Playground *p, double time)
{
    return stepper_event_due(time, p->stepper.frame, p->stepper.dt);
}

void EXPORT(playground_remove_body)(Playground *p, int body)
{
    double change = playground_energy_change(p);
    stepper_remove_body(&p->stepper, body);
    playground_rebase(p, change);
}

/* Position, orientation [w,x,y,z] as the scene defines it, velocity, angular velocity of every body. */
const double *EXPORT(playground_state)(Playground *p)
{
    for (int i = 0; i < p->world->body_count; i++) {
        Vec3 x = p->world->pose[i].x;
        Quat q = world_reported_orientation(p->world, i);
        Velocity u = p->world->velocity[i];
        const double row[STATE_WIDTH] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z, u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z};
        memcpy(p->state + (size_t)i * STATE_WIDTH, row, sizeof row);
    }
    return p->state;
}

/* The metric's largest value in the frame at hand. */
static double playground_measure(const Playground *p, const Metric *metric)
{
    Frame frame = {.world = p->world, .dt = p->stepper.dt};
    Sample sample = {0};
    metric->sample(&frame, &sample);
    return sample.largest;
}

/* m, the largest length error of a rigid joint block. */
double EXPORT(playground_drift)(const Playground *p)
{
    return playground_measure(p, &metric_drift_max);
}

/* m, the deepest overlap at a contact. */
double EXPORT(playground_penetration)(const Playground *p)
{
    return playground_measure(p, &metric_penetration_max);
}

/* Where a point is and the force on body 2 in the last substep; 0: it is inactive, and nothing is written. */
static int playground_put_contact(const Playground *p, const ManifoldBlocks *manifold, int point, double *row)
{
    const World *world = p->world;
    int b = manifold_contact(manifold, point);
    BlockError error;
    block_error(world, &world->blocks[b], &error);
    if (!error.active)
        return 0;
    Vec3 at = vec3_add(world->pose[manifold->body[1]].x, error.arm2);
    Vec3 impulse = vec3_add(world->block_impulse[b], world->block_impulse[manifold_friction(manifold, point)]);
    Vec3 force = vec3_scale(1.0 / p->stepper.step.h, impulse);
    memcpy(row, (double[CONTACT_WIDTH]){at.x, at.y, at.z, force.x, force.y, force.z}, sizeof(double[CONTACT_WIDTH]));
    return 1;
}

/* How many contacts there are; their points and forces (N, on body 2, in the last substep) are in *_contacts. */
int EXPORT(playground_count_contacts)(Playground *p)
{
    const World *world = p->world;
    int room = world->block_count - world->joint_block_count, count = 0;
    double *grown = realloc(p->contacts, sizeof *grown * CONTACT_WIDTH * (size_t)(room + 1));
    if (!grown)
        return 0;
    p->contacts = grown;
    for (int m = 0; m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++)
            count += playground_put_contact(p, &world->manifolds[m], i, p->contacts + CONTACT_WIDTH * count);
    return count;
}

const double *EXPORT(playground_contacts)(const Playground *p)
{
    return p->contacts;
}

double EXPORT(playground_row_solves)(const Playground *p)
{
    return (double)p->stepper.step.row_solves;
}

/* Holds the body at a world point with a compliance (m/N); false if it or the solver cannot be held. */
bool EXPORT(playground_grab)(Playground *p, int body, double x, double y, double z, double compliance)
{
    if (p->grip < 0 || world_is_fixed(p->world, body))
        return false;
    double change = playground_energy_change(p);
    Joint *joint = playground_grip(p);
    Block *block = &p->world->blocks[joint->first_block];
    Pose pose = p->world->pose[body];
    joint->def.body[1] = block->body[1] = body;
    joint->anchor[0] = block->seat->anchor[0] = vec3(x, y, z);
    joint->anchor[1] = block->seat->anchor[1] = quat_rotate_inverse(pose.q, vec3_sub(vec3(x, y, z), pose.x));
    grip_switch(p, false, compliance);
    playground_rebase(p, change); /* a hand that takes hold again lets go of a stretched spring */
    return playground_renew_solver(p);
}

/* The pointer has moved. */
void EXPORT(playground_pull)(Playground *p, double x, double y, double z)
{
    double change = playground_energy_change(p);
    Joint *joint = playground_grip(p);
    joint->anchor[0] = p->world->blocks[joint->first_block].seat->anchor[0] = vec3(x, y, z);
    playground_rebase(p, change);
}

void EXPORT(playground_release)(Playground *p)
{
    double change = playground_energy_change(p);
    grip_switch(p, true, 0.0);
    playground_rebase(p, change);
    playground_renew_solver(p);
}

/* kg, of all that moves. */
double EXPORT(playground_moving_mass)(const Playground *p)
{
    double sum = 0.0;
    for (int i = 1; i < p->world->body_count; i++)
        sum += world_is_fixed(p->world, i) ? 0.0 : p->world->mass[i].mass;
    return sum;
}
