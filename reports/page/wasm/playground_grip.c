/* SPDX-License-Identifier: MIT */
/* The hand of the playground: the reserved joint holds, follows the pointer and lets go. */
#include "reports/page/wasm/playground.h"

#include <string.h>

/* 1/s: the grip lets a pull come to rest within about half a second. */
static const double GRIP_DAMPING = 6.0;

static Joint *grip_of(const Playground *p)
{
    return &p->world->joints[p->grip];
}

static void grip_switch(Playground *p, bool off, double compliance)
{
    Joint *joint = grip_of(p);
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

bool grip_reserve(Playground *p)
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

bool grip_holds(const Playground *p)
{
    return p->grip >= 0 && !grip_of(p)->off;
}

void grip_take(Playground *p, const Playground *from)
{
    if (p->grip < 0 || from->grip < 0)
        return;
    Joint *grip = grip_of(p);
    const Joint *held = grip_of(from);
    Block *block = &p->world->blocks[grip->first_block];
    grip->def.body[1] = block->body[1] = held->def.body[1];
    memcpy(grip->anchor, held->anchor, sizeof grip->anchor);
    memcpy(block->seat->anchor, held->anchor, sizeof block->seat->anchor);
    grip_switch(p, held->off, held->def.compliance);
}

/* Some solvers take the joints' bodies in once and for all. */
static bool grip_renew_solver(Playground *p)
{
    return stepper_renew(&p->stepper, p->options, &p->status);
}

/* Holds the body at a world point with a compliance (m/N); false if it or the solver cannot be held. */
bool EXPORT(playground_grab)(Playground *p, int body, double x, double y, double z, double compliance)
{
    if (p->grip < 0 || world_is_fixed(p->world, body))
        return false;
    double change = playground_energy_change(p);
    Joint *joint = grip_of(p);
    Block *block = &p->world->blocks[joint->first_block];
    Pose pose = p->world->pose[body];
    joint->def.body[1] = block->body[1] = body;
    joint->anchor[0] = block->seat->anchor[0] = vec3(x, y, z);
    joint->anchor[1] = block->seat->anchor[1] = quat_rotate_inverse(pose.q, vec3_sub(vec3(x, y, z), pose.x));
    grip_switch(p, false, compliance);
    playground_rebase(p, change); /* a hand that takes hold again lets go of a stretched spring */
    return grip_renew_solver(p);
}

/* The pointer has moved. */
void EXPORT(playground_pull)(Playground *p, double x, double y, double z)
{
    double change = playground_energy_change(p);
    Joint *joint = grip_of(p);
    joint->anchor[0] = p->world->blocks[joint->first_block].seat->anchor[0] = vec3(x, y, z);
    playground_rebase(p, change);
}

void EXPORT(playground_release)(Playground *p)
{
    double change = playground_energy_change(p);
    grip_switch(p, true, 0.0);
    playground_rebase(p, change);
    grip_renew_solver(p);
}
