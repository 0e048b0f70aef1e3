/* SPDX-License-Identifier: MIT */
/* What a page is shown of a run: states, forces, contacts, errors. */
#include "bench/metrics/metrics.h"
#include "model/energy.h"
#include "reports/page/wasm/playground.h"

#include <stdlib.h>
#include <string.h>

extern const Metric metric_drift_max, metric_penetration_max;

static double energy_of(const Playground *p)
{
    return world_energy(p->world) - p->world->actuator_work;
}

double EXPORT(playground_energy_change)(const Playground *p)
{
    return energy_of(p) - p->energy_start;
}

void playground_rebase(Playground *p, double change)
{
    p->energy_start = energy_of(p) - change;
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

/* kg, of all that moves. */
double EXPORT(playground_moving_mass)(const Playground *p)
{
    double sum = 0.0;
    for (int i = 1; i < p->world->body_count; i++)
        sum += world_is_fixed(p->world, i) ? 0.0 : p->world->mass[i].mass;
    return sum;
}
