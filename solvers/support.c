/* SPDX-License-Identifier: MIT */
/* What a world needs, and whether a solver offers it. */
#include "solvers/solver.h"

#include "model/contact.h"
#include "model/joint/graph.h"

#include <stdlib.h>
#include <string.h>

const char *const capability_names[CAPABILITY_COUNT] = {"joints",
                                                        "loops",
                                                        "limits",
                                                        "drives",
                                                        "compliance",
                                                        "damping",
                                                        "particles",
                                                        "four-body rows",
                                                        "contacts",
                                                        "friction",
                                                        "problems without bodies",
                                                        "stiffness in place of compliance",
                                                        "laws of joints (springs, viscous friction, armature, drives)",
                                                        "dry friction of joints",
                                                        "series of axes and bounds on whole turns",
                                                        "couplings of joints",
                                                        "joint coordinates",
                                                        "rolling and spinning friction",
                                                        "static above kinetic friction"};

/* True if some joint closes a loop: both its bodies are already joined by others. Fixed bodies are all the ground, 0.
 */
static bool world_has_loop(const World *world)
{
    int *parent = malloc(sizeof *parent * (size_t)world->body_count);
    if (!parent)
        return true;
    for (int i = 0; i < world->body_count; i++)
        parent[i] = world_is_fixed(world, i) ? 0 : i;
    bool loop = false;
    for (int j = 0; j < world->joint_count && !loop; j++) {
        const JointDef *def = &world->joints[j].def;
        for (int k = 1; k < joint_body_count(def) && !world->joints[j].off && !loop; k++)
            loop = !forest_join(parent, def->body[0], def->body[k]);
    }
    free(parent);
    return loop;
}

static bool material_resists_turning(const Material *material)
{
    int condim = material->condim > 0 ? material->condim : 6;
    return (condim == 6 && material->rolling_friction > 0.0) || (condim >= 4 && material->spin_friction > 0.0);
}

static unsigned material_needs(const Material *material)
{
    if (material->frictionless || material->condim == 1)
        return 0;
    return (material->friction > 0.0 ? CAN_FRICTION : 0) |
           (material->static_friction > material->friction ? CAN_FRICTION | CAN_STICTION : 0) |
           (material_resists_turning(material) ? CAN_FRICTION | CAN_ROLLING : 0);
}

/* Something that moves has a shape, and something else has one for it to hit; friction where a material has any. */
static unsigned world_needs_contacts(const World *world)
{
    int moving = 0, shapes = 0;
    unsigned friction = 0;
    for (int c = 0; c < world->collider_count; c++) {
        const Collider *collider = &world->colliders[c];
        if (collider->shape.kind == SHAPE_NONE)
            continue;
        shapes++;
        moving += !world_is_fixed(world, collider->body);
        friction |= material_needs(collider_material(world, c));
    }
    if (!world->collide || moving == 0 || shapes < 2)
        return 0;
    return CAN_CONTACTS | friction;
}

static unsigned law_needs(const JointLaw *law)
{
    return !law ? 0 : (law_acts(law) ? CAN_LAWS : 0u) | (law->dry_friction > 0.0 ? CAN_DRY_FRICTION : 0u);
}

/* What laws and series ask for. */
static unsigned joint_needs(const Joint *joint)
{
    unsigned needs = law_needs(joint->def.law) | (joint->def.type == JOINT_SERIES ? CAN_SERIES : 0u);
    for (int i = 0; i < joint->coordinate_count; i++)
        needs |= law_needs(joint->coordinates[i].law);
    return needs | (joint->needs_coordinates ? CAN_COORDINATES : 0u);
}

unsigned world_needs(const World *world)
{
    unsigned needs = 0;
    if (world->joint_count > 0)
        needs |= CAN_JOINTS;
    if (world_has_loop(world))
        needs |= CAN_LOOPS;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block_terms(block)->law)
            continue;
        if (block_is_limit(block))
            needs |= CAN_LIMITS;
        if (block->kind == BLOCK_TURN)
            needs |= CAN_SERIES;
        if (block_is_drive(block))
            needs |= CAN_DRIVES;
        if (block_terms(block)->compliance > 0.0)
            needs |= CAN_COMPLIANCE;
        if (block->kind == BLOCK_VOLUME)
            needs |= CAN_FOUR_BODY;
    }
    for (int j = 0; j < world->joint_count; j++) {
        const JointDef *def = &world->joints[j].def;
        needs |= joint_needs(&world->joints[j]);
        if (joint_has_actuator(&world->joints[j]))
            needs |= CAN_DRIVES;
        if (def->damping > 0.0 || def->angular_damping > 0.0)
            needs |= CAN_DAMPING;
    }
    if (world->coupling_count > 0)
        needs |= CAN_COUPLINGS;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i) && vec3_is_zero(world->mass[i].inertia))
            needs |= CAN_PARTICLES;
    return needs | world_needs_contacts(world);
}

/* Every soft block says what PBD is to make of it. */
static bool world_gives_stiffness(const World *world)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        const JointTerms *terms = block_terms(&world->blocks[b]);
        if (terms->compliance > 0.0 && isnan(terms->stiffness))
            return false;
    }
    return true;
}

bool solver_supports(const Solver *solver, const World *world, Status *status)
{
    unsigned missing = world_needs(world) & ~solver->capabilities;
    if ((solver->capabilities & CAN_STIFFNESS) && world_gives_stiffness(world))
        missing &= ~(unsigned)CAN_COMPLIANCE;
    if (!missing)
        return true;
    char names[400] = "";
    for (int c = 0; c < CAPABILITY_COUNT; c++)
        if (missing & (1u << c)) {
            strcat(names, names[0] ? ", " : "");
            strcat(names, capability_names[c]);
        }
    return status_set(status, STATUS_UNSUPPORTED, "solver %s cannot run this scene: the scene needs %s, which %s lacks",
                      solver->name, names, solver->name);
}

void step_report_recovery(Step *step, double push_speed)
{
    if (isfinite(push_speed) && step->world->contacts && step->world->contacts->recovers)
        step_report(step, "deep overlap was found: taken back no faster than push_speed");
}

void step_fail(Step *step, const char *format, ...)
{
    va_list arguments;
    if (step->failed)
        return;
    va_start(arguments, format);
    step->failed = true;
    status_set_list(&step->status, STATUS_FAILED, format, arguments);
    va_end(arguments);
}

void step_report(Step *step, const char *what)
{
    for (int i = 0; i < step->event_count; i++)
        if (strncmp(step->events[i].what, what, STEP_EVENT_TEXT - 1) == 0) {
            step->events[i].count++;
            return;
        }
    if (step->event_count == STEP_MAX_EVENTS)
        return;
    StepEvent *event = &step->events[step->event_count++];
    *event = (StepEvent){.count = 1, .first_at = step->time};
    strncpy(event->what, what, STEP_EVENT_TEXT - 1);
}

void *solver_create(const SolverTask *task, size_t size,
                    bool (*init)(void *self, const SolverTask *task, Status *status), void (*destroy)(void *self),
                    Status *status)
{
    void *self = calloc(1, size);
    *status = (Status){0};
    if (self && init(self, task, status))
        return self;
    if (self)
        destroy(self);
    if (status->code == STATUS_OK)
        status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}
