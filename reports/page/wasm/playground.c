/* SPDX-License-Identifier: MIT */
/* A run of the playground: begun, stepped, tuned, taken over by another. */
#include "reports/page/wasm/playground.h"

#include "model/contact.h"
#include "model/energy.h"
#include "model/rows/pbd_stiffness.h"

#include <stdlib.h>

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
    free(p->removals);
    free(p->state);
    free(p->contacts);
    free(p->joint_forces);
    free(p);
}

const char *EXPORT(playground_message)(const Playground *p)
{
    return p->status.message;
}

/* Begins a run at the bodies' first state; all bodies and joints are there. */
bool EXPORT(playground_start)(Playground *p, double dt)
{
    /* A grip closes a loop through the ground. */
    bool can_grip = p->solver->capabilities & CAN_LOOPS;
    p->state = calloc((size_t)p->world->body_count * STATE_WIDTH, sizeof *p->state);
    p->joint_forces = calloc((size_t)p->world->joint_count + 1, sizeof *p->joint_forces * CONTACT_WIDTH);
    world_freeze_stiffness(p->world);
    if (!p->state || !p->joint_forces ||
        !stepper_begin(&p->stepper, p->solver, p->options, p->world, dt, DETECT_SUBSTEP, &p->status))
        return false;
    if (can_grip && !(grip_reserve(p) && stepper_renew(&p->stepper, p->options, &p->status)))
        return false;
    playground_rebase(p, 0.0);
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
    grip_take(p, from);
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

/* One frame; false if the run has blown up. */
bool EXPORT(playground_frame)(Playground *p, double speed_scale)
{
    double change = playground_energy_change(p);
    stepper_frame(&p->stepper, false);
    if (grip_holds(p))
        playground_rebase(p, change);
    return !p->stepper.step.failed && !world_blew_up(p->world, speed_scale);
}

/* What a body takes along is no drift. */
static void playground_watch_removal(void *self, bool done)
{
    Playground *p = self;
    if (done)
        playground_rebase(p, p->energy_kept);
    else
        p->energy_kept = playground_energy_change(p);
}

/* The body leaves at this time (s), as a scene's event says. False with a message: out of memory. */
bool EXPORT(playground_remove_at)(Playground *p, double time, int body)
{
    Removals *removals = &p->stepper.removals;
    Removal *grown = realloc(p->removals, sizeof *grown * ((size_t)removals->count + 1));
    if (!grown)
        return status_set(&p->status, STATUS_FAILED, "out of memory");
    grown[removals->count] = (Removal){time, body};
    p->removals = grown;
    *removals = (Removals){removals->count + 1, grown, playground_watch_removal, p};
    return true;
}
