/* SPDX-License-Identifier: MIT */
#include "model/joint/law_rows.h"

/* A drive's force at q = q' = 0 and its slopes, on the coordinate. */
static LawRow drive_row(const JointLaw *law, int drive)
{
    JointLaw alone = JOINT_LAW_INIT;
    alone.drive_count = 1;
    alone.drives[0] = law->drives[drive];
    alone.drives[0].max[0] = -INFINITY;
    alone.drives[0].max[1] = INFINITY;
    LawForce at = law_drives(&alone, 0.0, 0.0);
    return (LawRow){.damping = at.damping, .stiffness = at.stiffness, .force = at.force, .bound = INFINITY};
}

static void row_add(LawRow *sum, const LawRow *more)
{
    sum->damping += more->damping;
    sum->stiffness += more->stiffness;
    sum->force += more->force;
}

static bool row_gives(const LawRow *row)
{
    return row->inertia + row->damping + row->stiffness > 0.0;
}

/* Appends a row whose force stays in a range: its middle is a push, so that what is left has symmetric bounds. Returns
 * the number of rows, or -1: one end alone is bounded. */
static int row_bounded(LawRow rows[], int count, LawRow row, const double range[2], double *push)
{
    if (!row_gives(&row)) {
        *push += clamp(row.force, range[0], range[1]);
        return count;
    }
    if (!isinf(range[0]) != !isinf(range[1]))
        return -1;
    double middle = isinf(range[1]) ? 0.0 : 0.5 * (range[0] + range[1]);
    row.force -= middle;
    row.bound = range[1] - middle;
    *push += middle;
    rows[count] = row;
    return row.bound > 0.0 ? count + 1 : count;
}

static bool is_open(const double range[2])
{
    return isinf(range[0]) && isinf(range[1]);
}

int law_rows_make(const JointLaw *law, LawRow rows[LAW_MAX_ROWS], double *push)
{
    LawRow passive = {.inertia = law->armature,
                      .damping = law->viscous,
                      .stiffness = law->stiffness,
                      .force = law->stiffness * law->rest,
                      .bound = INFINITY};
    LawRow open = {.bound = INFINITY};
    const double none[2] = {-INFINITY, INFINITY};
    bool effort = !is_open(law->effort), alone = law->drive_count == 1;
    int count = 0;
    *push = 0.0;
    for (int i = 0; i < law->drive_count; i++) {
        const JointDrive *drive = &law->drives[i];
        double low = fmin(drive->gear * drive->max[0], drive->gear * drive->max[1]);
        double range[2] = {low, fmax(drive->gear * drive->max[0], drive->gear * drive->max[1])};
        LawRow row = drive_row(law, i);
        if (drive->gear == 0.0)
            continue;
        if (is_open(range)) {
            row_add(&open, &row);
        } else if (effort && !alone) {
            return -1;
        } else {
            double least = fmin(fmax(range[0], law->effort[0]), law->effort[1]);
            double within[2] = {least, fmax(least, fmin(range[1], law->effort[1]))};
            count = row_bounded(rows, count, row, within, push);
        }
        if (count < 0)
            return -1;
    }
    if (effort)
        count = row_bounded(rows, count, open, law->effort, push);
    else
        row_add(&passive, &open);
    if (count >= 0 && (!effort || row_gives(&passive) || passive.force != 0.0))
        count = row_bounded(rows, count, passive, none, push);
    if (count >= 0 && law->dry_friction > 0.0)
        rows[count++] = (LawRow){.bound = law->dry_friction, .friction = true};
    return count;
}

/* The coordinate, from its target, and its rate, of a slide or a twist. */
static void row_state(const World *world, const Block *block, double *q, double *speed)
{
    BlockError error;
    block_error(world, block, &error);
    Velocity one = world->velocity[block->body[0]], two = world->velocity[block->body[1]];
    Vec3 rate = vec3_sub(two.w, one.w);
    if (!error.angular)
        rate = vec3_sub(vec3_add(two.v, vec3_cross(two.w, error.arm2)), vec3_add(one.v, vec3_cross(one.w, error.arm1)));
    *q = error.C;
    *speed = vec3_dot(error.gradient, rate);
}

/* 1/K */
static double row_compliance(const LawRow *row, double h)
{
    return h * h / (row->inertia + h * (row->damping + h * row->stiffness));
}

/* The same of a ball: its rotation vector and relative spin in body 1's frame. The target is a turn. */
static void row_begin_ball(const World *world, const Block *block, JointTerms *terms, double h)
{
    const LawRow *row = terms->law;
    Quat one = world->pose[block->body[0]].q, relative = quat_mul(quat_conj(one), world->pose[block->body[1]].q);
    Vec3 spin = vec3_sub(world->velocity[block->body[1]].w, world->velocity[block->body[0]].w);
    Quat turn = quat_mul(relative, quat_conj(row->zero));
    turn = turn.w < 0.0 ? (Quat){-turn.w, -turn.x, -turn.y, -turn.z} : turn;
    Vec3 ahead = vec3_scale(row->stiffness, quat_log(turn));
    ahead = vec3_add_scaled(ahead, -row->inertia / h, quat_rotate_inverse(one, spin));
    terms->placed = quat_mul(quat_exp(vec3_scale(-terms->compliance, ahead)), relative);
}

void law_row_begin(const World *world, Block *block, double h)
{
    JointTerms *terms = joint_terms(block);
    const LawRow *row = terms->law;
    double q, speed;
    if (block->off)
        return;
    terms->compliance = row->friction ? 0.0 : row_compliance(row, h);
    if (block->kind == BLOCK_ORIENT) {
        row_begin_ball(world, block, terms, h);
        return;
    }
    terms->lower = terms->upper = 0.0;
    row_state(world, block, &q, &speed);
    double ahead = row->force - row->stiffness * q + row->inertia / h * speed;
    terms->lower = terms->upper = q + terms->compliance * ahead;
}

double law_row_force(const World *world, const Block *block)
{
    const JointTerms *terms = block_terms(block);
    const LawRow *row = terms->law;
    double q, speed;
    row_state(world, block, &q, &speed);
    q += terms->upper;
    return clamp(row->force - row->stiffness * q - row->damping * speed, -row->bound, row->bound);
}

double laws_elastic_energy(const World *world)
{
    double sum = 0.0;
    for (int j = 0; j < world->joint_count && world->lawful_count > 0; j++) {
        const Joint *joint = &world->joints[j];
        for (int i = 0; i < joint->coordinate_count && !joint->off; i++)
            if (joint->coordinates[i].law)
                sum += law_energy(joint->coordinates[i].law, joint_coordinate(world, joint, i));
        if (joint->def.type == JOINT_BALL && joint->def.law && !joint->off) {
            Vec3 turn = joint_ball_turn(world, joint);
            sum += 0.5 * joint->def.law->stiffness * vec3_dot(turn, turn);
        }
    }
    return sum;
}

/* Those of a stack have no rows. */
static double stack_kinetic_energy(const World *world, const Joint *joint)
{
    double sum = 0.0;
    for (int i = 0; i < joint->coordinate_count; i++) {
        double speed = joint_coordinate_rate(world, joint, i);
        sum += 0.5 * joint->coordinates[i].law->armature * speed * speed;
    }
    return sum;
}

double laws_kinetic_energy(const World *world)
{
    double sum = 0.0;
    for (int j = 0; j < world->joint_count && world->lawful_count > 0; j++)
        if (joint_is_stack(&world->joints[j]) && !world->joints[j].off)
            sum += stack_kinetic_energy(world, &world->joints[j]);
    for (int b = 0; b < world->joint_block_count && world->lawful_count > 0; b++) {
        const Block *block = &world->blocks[b];
        const LawRow *row = block_terms(block)->law;
        if (!row || row->inertia == 0.0 || block->off)
            continue;
        double q, speed;
        Vec3 spin = vec3_sub(world->velocity[block->body[1]].w, world->velocity[block->body[0]].w);
        if (block->kind != BLOCK_ORIENT)
            row_state(world, block, &q, &speed);
        sum += 0.5 * row->inertia * (block->kind == BLOCK_ORIENT ? vec3_dot(spin, spin) : speed * speed);
    }
    return sum;
}

double law_drive_work(const World *before, const World *after, const Joint *joint)
{
    double work = 0.0;
    for (int i = 0; i < joint->coordinate_count && !joint->off; i++) {
        const JointLaw *law = joint->coordinates[i].law;
        if (!law || !law_has_drive(law))
            continue;
        double from = joint_coordinate(before, joint, i), to = joint_coordinate(after, joint, i);
        double start = law_drives(law, from, joint_coordinate_rate(before, joint, i)).force;
        double end = law_drives(law, to, joint_coordinate_rate(after, joint, i)).force;
        work += 0.5 * (start + end) * (to - from);
    }
    return work;
}
