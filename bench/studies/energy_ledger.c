/* SPDX-License-Identifier: MIT */
#include "bench/studies/energy_ledger.h"

#include "model/energy.h"

#include <stdlib.h>
#include <string.h>

const char *const energy_source_names[] = {
    [ENERGY_INTEGRATOR] = "integrator",   [ENERGY_CONSTRAINTS] = "constraints",
    [ENERGY_WARM_START] = "warm start",   [ENERGY_CORRECTION] = "position correction",
    [ENERGY_RESTITUTION] = "restitution", [ENERGY_FRICTION] = "friction",
};

/* What a block's impulse acts on, at the substep's beginning. */
typedef struct Grip {
    BlockError at;
    const int *body;
} Grip;

static Vec3 grip_velocity(const Grip *grip, const Velocity *velocity)
{
    Velocity one = velocity[grip->body[0]], two = velocity[grip->body[1]];
    if (grip->at.angular)
        return vec3_sub(two.w, one.w);
    Vec3 p1 = vec3_add(one.v, vec3_cross(one.w, grip->at.arm1));
    Vec3 p2 = vec3_add(two.v, vec3_cross(two.w, grip->at.arm2));
    return vec3_sub(p2, p1);
}

/* The unit direction in which the block's error grows; zero: it has none that counts. */
static Vec3 grip_opens(const Grip *grip, const Block *block)
{
    const BlockError *e = &grip->at;
    if (!e->scalar)
        return vec3_norm(e->error) > 0.0 ? vec3_unit(e->error) : VEC3_ZERO;
    bool violated = e->C != 0.0 && (block->kind == BLOCK_CONTACT ? e->C < 0.0 : true);
    return violated ? vec3_scale(copysign(1.0, e->C), vec3_unit(e->gradient)) : VEC3_ZERO;
}

/* The part of u that makes the error smaller. */
static Vec3 closing_part(Vec3 opens, Vec3 u)
{
    return vec3_scale(fmin(vec3_dot(opens, u), 0.0), opens);
}

/* The impulse on its second body of the multipliers that a joint's block or a normal began with. */
static Vec3 kept_impulse(const World *at, const Block *block, const double *lambda)
{
    Rows rows;
    Vec3 sum = VEC3_ZERO;
    int first = block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
    block_rows(at, block, &rows);
    for (int i = 0; i < rows.count; i++) {
        const double *J = rows.J[i] + first;
        sum = vec3_add_scaled(sum, lambda[i], vec3(J[0], J[1], J[2]));
    }
    return sum;
}

/* The part of what it began with that stayed in the impulse p it ended with: what was taken back did no work. */
static Vec3 part_that_stayed(Vec3 kept, Vec3 p)
{
    double size = vec3_dot(kept, kept);
    return size > 0.0 ? vec3_scale(fmin(fmax(vec3_dot(p, kept) / size, 0.0), 1.0), kept) : VEC3_ZERO;
}

/* How many multipliers the block has in a system of rows: a point's tangents stand with its normal. */
static int rows_of(const World *at, const Block *block)
{
    Rows rows;
    if (block->off || block->kind == BLOCK_FRICTION)
        return 0;
    if (block->kind == BLOCK_CONTACT)
        return block->friction > 0.0 ? BLOCK_MAX_ROWS : 1;
    block_rows(at, block, &rows);
    return rows.count;
}

static int rows_of_all(const World *at)
{
    int count = 0;
    for (int b = 0; b < at->block_count; b++)
        count += rows_of(at, &at->blocks[b]);
    return count;
}

/* A joint or a normal: an impact, or the way back of an error, or else by whose impulses. */
static void ledger_constraint(EnergyLedger *ledger, const World *world, const Block *block, const Grip *grip, Vec3 p,
                              Vec3 kept)
{
    Vec3 before = grip_velocity(grip, world->velocity_before), after = grip_velocity(grip, world->velocity);
    Vec3 mean = vec3_scale(0.5, vec3_add(before, after));
    double rest = LEDGER_HIT * vec3_norm(world->gravity) * ledger->stepper->step.h;
    if (block->kind == BLOCK_CONTACT && vec3_dot(grip->at.gradient, before) < -rest) {
        ledger->energy[ENERGY_RESTITUTION] += vec3_dot(p, mean);
        return;
    }
    Vec3 closing = closing_part(grip_opens(grip, block), mean), other = vec3_sub(mean, closing);
    ledger->energy[ENERGY_CORRECTION] += vec3_dot(p, closing);
    ledger->energy[ENERGY_WARM_START] += vec3_dot(kept, other);
    ledger->energy[ENERGY_CONSTRAINTS] += vec3_dot(vec3_sub(p, kept), other);
}

static void ledger_block(EnergyLedger *ledger, const World *world, const World *at, int b, const double *kept)
{
    const Block *block = &world->blocks[b];
    Grip grip = {.body = block->body};
    Vec3 p = world->block_impulse[b];
    if (block->kind == BLOCK_VOLUME || block_terms(block)->actuator) /* a drive's work is W */
        return;
    block_error(at, block, &grip.at);
    if (!grip.at.active)
        return;
    if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION) {
        Vec3 before = grip_velocity(&grip, world->velocity_before), after = grip_velocity(&grip, world->velocity);
        ledger->energy[ENERGY_FRICTION] += 0.5 * vec3_dot(p, vec3_add(before, after));
        return;
    }
    ledger_constraint(ledger, world, block, &grip, p,
                      kept ? part_that_stayed(kept_impulse(at, block, kept), p) : VEC3_ZERO);
}

/* J, of the moves that the velocities at the end do not explain. */
static double unexplained_moves(const World *world, double h)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 x0 = world->pose_before[i].x, moved = vec3_sub(world->pose[i].x, x0);
        Vec3 more = vec3_add_scaled(moved, -h, world->velocity[i].v);
        sum -= world->mass[i].mass * vec3_dot(world_field(world, x0), more);
    }
    return sum;
}

static double ledger_energy(const World *world)
{
    return world_energy(world) - world->actuator_work;
}

static double ledger_sum(const EnergyLedger *ledger)
{
    double sum = 0.0;
    for (int i = 0; i < ENERGY_SOURCES; i++)
        sum += ledger->energy[i];
    return sum;
}

/* The multipliers that the first phase began with. */
static void ledger_keep(EnergyLedger *ledger)
{
    const Stepper *stepper = ledger->stepper;
    const double *lambda = NULL;
    int count = stepper->solver->multipliers ? stepper->solver->multipliers(stepper->self, &lambda) : 0;
    if (count > 0 && count > ledger->kept_capacity) {
        double *grown = realloc(ledger->kept, sizeof *grown * (size_t)count);
        ledger->out_of_memory = ledger->out_of_memory || !grown;
        ledger->kept = grown ? grown : ledger->kept;
        ledger->kept_capacity = grown ? count : ledger->kept_capacity;
    }
    ledger->kept_count = ledger->out_of_memory ? 0 : count;
    if (ledger->kept_count > 0)
        memcpy(ledger->kept, lambda, sizeof *lambda * (size_t)count);
}

static void ledger_close(EnergyLedger *ledger)
{
    const World *world = ledger->stepper->step.world;
    double h = ledger->stepper->step.h, sum = ledger_sum(ledger);
    World at = *world;
    at.pose = world->pose_before;
    bool known = ledger->kept_count > 0 && ledger->kept_count == rows_of_all(&at);
    for (int b = 0, row = 0; b < world->block_count; row += rows_of(&at, &world->blocks[b++]))
        ledger_block(ledger, world, &at, b, known ? ledger->kept + row : NULL);
    if (ledger->moves_by_end)
        ledger->energy[ENERGY_CORRECTION] += unexplained_moves(world, h);
    double change = ledger_energy(world) - world_substep_work(world, h) - ledger->begin;
    ledger->energy[ENERGY_INTEGRATOR] += change - (ledger_sum(ledger) - sum);
}

static void ledger_part(void *context, StepPart part, int phase)
{
    EnergyLedger *ledger = context;
    if (part == STEP_ENTER && phase == 0) {
        ledger->begin = ledger_energy(ledger->stepper->step.world);
        ledger->inside = true;
    } else if (part == STEP_SWEEP && phase == 0) {
        ledger_keep(ledger);
    } else if (part == STEP_BETWEEN && ledger->inside) {
        ledger->inside = false;
        ledger_close(ledger);
    }
}

/* Whether the backend offers a choice of integrators, and this is x1 = x0 + h v1. */
static bool is_semi_implicit(const Solver *solver, const CommonOptions *options)
{
    return settings_find(solver->settings, solver->setting_count, "integrator") &&
           options->integrator == INTEGRATE_SEMI_IMPLICIT;
}

void energy_ledger_begin(EnergyLedger *ledger, Stepper *stepper, const CommonOptions *options)
{
    *ledger = (EnergyLedger){.stepper = stepper, .moves_by_end = is_semi_implicit(stepper->solver, options)};
    stepper->hook = (StepHook){ledger_part, ledger};
}

void energy_ledger_end(EnergyLedger *ledger)
{
    ledger->stepper->hook = (StepHook){0};
    free(ledger->kept);
    ledger->kept = NULL;
}
