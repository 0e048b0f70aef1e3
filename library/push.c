/* SPDX-License-Identifier: MIT */
/* What pushes a run from outside between its frames: forces on bodies, and what joints are driven to. Both are the
 * definitions that a scene gives (model/world.h, model/joint.h), and stay until they are set again. */
#include "library/internal.h"
#include "solvers/engines/engine.h"

#include <string.h>

static RigorStatus push_fail(const RigorRun *own, StatusCode code, const char *what, const char *why)
{
    status_set(&own->rigor->status, code, "%s: %s", what, why);
    return (RigorStatus)code;
}

/* Engines have taken the scene to another process; who serves as truth looks ahead of the frame. */
static bool push_refused(const RigorRun *own)
{
    const Solver *solver = own->run.solver;
    return engine_of(solver) || solver->error_estimate;
}

static bool are_finite(const double *numbers)
{
    return !numbers || (isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]));
}

static Vec3 vector_of(const double *numbers)
{
    return numbers ? vec3(numbers[0], numbers[1], numbers[2]) : VEC3_ZERO;
}

RigorStatus rigor_run_set_force(RigorRun *own, int body, const double force[3], const double torque[3])
{
    LIBRARY_CALL;
    if (!own || body < 0 || body >= rigor_run_body_count(own))
        return RIGOR_FAILED;
    BodyDef *def = &own->run.problem->world->bodies[body + 1];
    if (push_refused(own))
        return push_fail(own, STATUS_UNSUPPORTED, own->run.solver->name, "takes no forces from outside");
    if (!are_finite(force) || !are_finite(torque))
        return push_fail(own, STATUS_USAGE, def->name, "a force must be finite");
    def->force = vector_of(force);
    def->torque = vector_of(torque);
    own->pushed = true;
    return RIGOR_OK;
}

/* The block that holds a servo's or cylinder's target or a motor's speed; NULL: none. */
static JointTerms *drive_terms(const World *world, const Joint *joint)
{
    bool turns = joint->def.type == JOINT_SERVO || joint->def.type == JOINT_MOTOR;
    bool slides = joint->def.type == JOINT_CYLINDER && !isnan(joint->def.target);
    for (int b = 0; (turns || slides) && b < joint->block_count; b++) {
        const Block *block = &world->blocks[joint->first_block + b];
        if (block->kind == (turns ? BLOCK_TWIST : BLOCK_SLIDE))
            return joint_terms(block);
    }
    return NULL;
}

/* The number of the definition that drives the joint; NULL: nothing does. */
static double *drive_number(Joint *joint)
{
    JointDef *def = &joint->def;
    switch (def->type) {
    case JOINT_SERVO:
        return &def->target;
    case JOINT_MOTOR:
        return isnan(def->speed) ? &def->torque : &def->speed;
    case JOINT_CYLINDER:
        return !isnan(def->target) ? &def->target : !isnan(def->force) ? &def->force : NULL;
    default:
        return NULL;
    }
}

static Joint *drive_joint(const RigorRun *own, int joint)
{
    return own && joint >= 0 && joint < rigor_run_joint_count(own) ? &own->run.problem->world->joints[joint] : NULL;
}

double rigor_run_drive(const RigorRun *own, int joint)
{
    Joint *driven = drive_joint(own, joint);
    const double *number = driven ? drive_number(driven) : NULL;
    return number ? *number : NAN;
}

RigorStatus rigor_run_set_drive(RigorRun *own, int joint, double value)
{
    LIBRARY_CALL;
    Joint *driven = drive_joint(own, joint);
    if (!driven)
        return RIGOR_FAILED;
    double *number = drive_number(driven);
    if (push_refused(own))
        return push_fail(own, STATUS_UNSUPPORTED, own->run.solver->name, "takes no targets from outside");
    if (!number)
        return push_fail(own, STATUS_USAGE, driven->def.name, "nothing drives this joint");
    if (!isfinite(value))
        return push_fail(own, STATUS_USAGE, driven->def.name, "a target must be finite");
    *number = value;
    JointTerms *terms = drive_terms(own->run.problem->world, driven);
    if (terms && terms->driven)
        terms->speed = value;
    else if (terms)
        terms->lower = terms->upper = value;
    own->pushed = true;
    return RIGOR_OK;
}
