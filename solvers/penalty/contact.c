/* SPDX-License-Identifier: MIT */
#include "solvers/penalty/contact.h"

#include <string.h>

static bool touches(const World *world, const RowSystem *system, int b)
{
    const RowBlock *rb = &system->blocks[b];
    return world->blocks[b].kind == BLOCK_CONTACT && rb->count > 0 && rb->C[0] < 0.0;
}

static void count_points(RowSystem *system, const World *world)
{
    memset(system->points_of, 0, sizeof *system->points_of * (size_t)world->body_count);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        for (int k = 0; k < 2 && touches(world, system, b); k++)
            system->points_of[system->blocks[b].body[k]]++;
}

/* Points of the body that has more of them, fixed ones aside. With this many sharing what stops a slip, all dampers of
 * friction together take at most the slip away: sum_i h c_i |J_i u|^2 <= |u|^2_M, since |J_i u|^2 <= A_ii |u|^2_M
 * over the bodies of point i. */
static int sharing(const RowSystem *system, const World *world, const RowBlock *rb)
{
    int most = 1;
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, rb->body[k]) && system->points_of[rb->body[k]] > most)
            most = system->points_of[rb->body[k]];
    return most;
}

static double damping_ratio(ContactSprings *springs, double e)
{
    if (e != springs->restitution) {
        springs->restitution = e;
        springs->damping_ratio = contact_damping_ratio(e);
    }
    return springs->damping_ratio;
}

static void point_push(ContactSprings *springs, RowBlock *rb, const double rate[], double h, Spring *row)
{
    double omega = 2.0 * PI * springs->frequency, m = rb->step[0];
    row->k = omega > 0.0 ? m * omega * omega : springs->stiffness;
    row->c = 2.0 * damping_ratio(springs, rb->restitution) * sqrt(row->k * m);
    rb->lambda[0] = h * fmax(-row->k * rb->C[0] - row->c * rate[0], 0.0);
}

/* Viscous, and along the slip. A patch bounds its points together. */
static void point_rub(const ContactSprings *springs, RowBlock *rb, const double rate[], double h, int share,
                      Spring *row)
{
    double slip = sqrt(rate[1] * rate[1] + rate[2] * rate[2]);
    double bound = rb->slides_with_patch ? springs->slip_speed : fmax(slip, springs->slip_speed);
    double most = rb->slide_step / (h * share), load = rb->mu * rb->lambda[0] / h;
    double c = load < most * bound ? load / bound : most;
    for (int i = 1; i < 3; i++) {
        row[i].s = h * c;
        rb->lambda[i] = -h * c * rate[i];
    }
}

/* The torque against the patch's spin, as that of its points' dampers at the arm; then force and torque back into
 * (f/f_max)^2 + (m/m_max)^2 <= 1 by one scale. */
static void patch_rub(RowSystem *system, RowBlock *torsion, const Velocity *velocity, PenaltyRows *rows)
{
    double rate[BLOCK_MAX_ROWS], taken = 0.0, load = 0.0, arm = torsion->patch_arm;
    const ManifoldBlocks *patch = &torsion->patch;
    Vec3 f = VEC3_ZERO;
    row_block_rates(torsion, velocity, rate);
    for (int i = 0; i < patch->count; i++) {
        const RowBlock *point = &system->blocks[manifold_contact(patch, i)];
        taken += rows[manifold_contact(patch, i)].spring[1].s;
        load += point->lambda[0];
        for (int t = 1; t < point->count; t++)
            f = vec3_add_scaled(f, point->lambda[t], vec3(point->J[t][6], point->J[t][7], point->J[t][8]));
    }
    double m = -taken * arm * rate[0], size = sqrt(vec3_dot(f, f) + m * m), limit = torsion->mu * load;
    double scale = size > limit ? limit / size : 1.0;
    torsion->lambda[0] = scale * m * arm;
    rows[patch->torsion].spring[0].s = scale * taken * arm * arm;
    for (int i = 0; i < patch->count; i++) {
        int b = manifold_contact(patch, i);
        for (int t = 1; t < system->blocks[b].count; t++) {
            system->blocks[b].lambda[t] *= scale;
            rows[b].spring[t].s *= scale;
        }
    }
}

void penalty_contacts(ContactSprings *springs, RowSystem *system, const World *world, double h, PenaltyRows *rows)
{
    count_points(system, world);
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        double rate[BLOCK_MAX_ROWS];
        memset(rows[b].spring, 0, sizeof rows[b].spring);
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = 0.0;
        if (touches(world, system, b)) {
            row_block_rates(rb, world->velocity_before, rate);
            point_push(springs, rb, rate, h, &rows[b].spring[0]);
            if (rb->kind == ROWS_CONTACT)
                point_rub(springs, rb, rate, h, sharing(system, world, rb), rows[b].spring);
        } else if (world->blocks[b].kind == BLOCK_TORSION && rb->count > 0) {
            patch_rub(system, rb, world->velocity_before, rows);
        }
    }
}
