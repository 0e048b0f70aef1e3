/* SPDX-License-Identifier: MIT */
#define LANES 1

#include "solvers/rows/contact_rows.h"

#include "solvers/rows/joint_rows.h"
#include "solvers/rows/point_prepare.h"
#include "solvers/rows/point_solve.h"

#include <string.h>

/* m_c of the lecture's box bound, the mass that rests on a point: a body's mass divided by its points; between two
 * moving bodies the smaller share counts. */
static double point_mass(const World *world, const int *points_of, const int body[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            least = fmin(least, world->mass[body[k]].mass / points_of[body[k]]);
    return isinf(least) ? 0.0 : least;
}

/* The packed points of a torsion block's patch. */
static ContactRow *patch_points(const RowSystem *system, const RowBlock *torsion)
{
    return &system->contacts[system->packed[torsion->patch.first]];
}

static void torsion_prepare(RowBlock *rb, const World *world, const ManifoldBlocks *manifold, RowSystem *system,
                            const RowSetup *setup)
{
    const Block *block = &world->blocks[manifold->torsion];
    Rows rows;
    block_rows(world, block, &rows);
    *rb = (RowBlock){.count = rows.count,
                     .lambda = rb->lambda,
                     .B = rb->B,
                     .kind = ROWS_TORSION,
                     .metres = block_metres(world, BLOCK_TORSION),
                     .mu = block->friction,
                     .patch_arm = 2.0 / 3.0 * block->seat->patch_radius,
                     .patch = *manifold};
    memcpy(rb->body, block->body, sizeof rb->body);
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = world_is_fixed(world, rb->body[k]);
    memcpy(rb->J[0], rows.J[0], sizeof rb->J[0]);
    rb->lower[0] = -INFINITY;
    rb->upper[0] = INFINITY;
    row_block_prepare_masses(rb, system, world);
    /* Torque counts as force at the arm: one step for all, below the inverse of the largest diagonal. */
    double largest = rb->A[0][0] * rb->patch_arm * rb->patch_arm;
    ContactRow *points = patch_points(system, rb);
    for (int i = 0; i < manifold->count; i++)
        largest = fmax(largest, 1.0 / points[i].slide_step);
    rb->slide_step = 1.0 / (largest * manifold->count);
    for (int i = 0; i < manifold->count; i++) {
        points[i].slide_step = rb->slide_step;
        if (!setup->sweeps_only)
            system->blocks[points[i].block].slide_step = rb->slide_step;
    }
    rb->lambda[0] =
        setup->keep * vec3_dot(world->block_impulse[manifold->torsion], vec3(rb->J[0][9], rb->J[0][10], rb->J[0][11]));
}

/* The lecture's bound of each point, once it is known how many points each body has. */
static void box_bounds_prepare(RowSystem *system, const World *world, double h)
{
    double g = vec3_norm(world->gravity);
    int *points_of = system->points_of;
    memset(points_of, 0, sizeof *points_of * (size_t)world->body_count);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < system->contact_count; k++) {
            ContactRow *row = &system->contacts[k];
            if (row->kind != ROWS_CONTACT || row->count == 0)
                continue;
            if (pass == 0)
                for (int i = 0; i < 2; i++)
                    points_of[row->body[i]]++;
            else
                row->bound = world->blocks[row->block].friction * point_mass(world, points_of, row->body) * g * h;
        }
}

void contact_row_unfold(RowSystem *system, int at, const Block *block, const PointLook *look)
{
    ContactRow *row = &system->contacts[at];
    RowBlock *rb = &system->blocks[row->block];
    rb->kind = (RowKind)row->kind;
    rb->lambda = row->lambda;
    rb->B = system->B[row->block];
    rb->count = row->count;
    rb->mu = block->friction;
    rb->restitution = block->restitution;
    rb->slides_with_patch = row->slides_with_patch;
    rb->is_soft = false;
    rb->metres = 1.0;
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = row->fixed >> k & 1;
    system->blocks[row->block + 1].count = 0;
    system->blocks[row->block + 1].lambda = NULL;
    if (row->count == 0)
        return;
    memcpy(rb->body, row->body, sizeof row->body);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        const double *p = row->row[r];
        for (int c = 0; c < 3; c++) {
            rb->J[r][c] = p[c];
            rb->J[r][3 + c] = p[3 + c];
            rb->J[r][6 + c] = -p[c];
            rb->J[r][9 + c] = p[6 + c];
            rb->B[r][c] = row->inv_mass[0] * p[c];
            rb->B[r][3 + c] = p[9 + c];
            rb->B[r][6 + c] = row->inv_mass[1] * -p[c];
            rb->B[r][9 + c] = p[12 + c];
        }
        for (int s = 0; s <= r; s++)
            rb->A[r][s] = rb->A[s][r] = look->A[r][s];
        rb->bias[r] = r == 0 ? row->bias : 0.0;
        rb->soft[r] = r == 0 ? row->soft : 0.0;
        rb->C[r] = r == 0 ? look->C : 0.0;
        rb->lower[r] = r == 0 ? 0.0 : -INFINITY;
        rb->upper[r] = INFINITY;
        rb->step[r] = rb->A[r][r] > 0.0 ? 1.0 / rb->A[r][r] : 0.0;
    }
    rb->bounce = look->bounce;
    rb->slide_step = row->slide_step;
    rb->T[1][1] = look->stop[0];
    rb->T[1][2] = rb->T[2][1] = look->stop[1];
    rb->T[2][2] = look->stop[2];
}

void contact_row_set_bias(RowSystem *system, int b, double bias)
{
    system->blocks[b].bias[0] = system->contacts[system->packed[b]].bias = bias;
}

void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup)
{
    RowSetup still = *setup;
    still.rate = 0.0;
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        const RowBlock *rb = &system->blocks[row->block];
        if (row->kind != ROWS_TORSION && row->count > 0)
            contact_row_set_bias(system, row->block, normal_bias(rb->C[0], rb->bounce, &still, 0.0));
    }
    if (system->quads)
        contact_quads_take_biases(system);
}

/* A torsion's packed row only says where it is. */
static ContactRow *torsion_begin(RowSystem *system, int at, int b)
{
    ContactRow *row = &system->contacts[at];
    system->packed[b] = at;
    row->block = b;
    row->kind = ROWS_TORSION;
    row->group = 0;
    row->follows = false;
    row->slide_step = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        row->lambda[i] = 0.0;
    return row;
}

int patch_prepare(RowSystem *system, const World *world, const ManifoldBlocks *manifold, int at, const RowSetup *setup)
{
    int b = manifold->torsion;
    RowBlock *rb = &system->blocks[b];
    double r[BLOCK_MAX_ROWS];
    double *b2 = contact_b2(system, at);
    ContactRow *row = torsion_begin(system, at, b);
    b2[0] = b2[1] = b2[2] = 0.0;
    rb->lambda = row->lambda;
    rb->B = system->B[b];
    rb->count = 0;
    if (!setup->part || setup->part[b])
        torsion_prepare(rb, world, manifold, system, setup);
    row->count = (short)rb->count;
    if (rb->count == 0)
        return 0;
    row_block_residuals(rb, world->velocity, r);
    b2[0] = rb->metres * r[0] * (rb->metres * r[0]);
    return rb->count;
}

void contact_rows_place(RowSystem *system, const World *world)
{
    int at = 0;
    system->contact_count = 0;
    system->unit_count = world->manifold_count;
    if (world->manifold_count == 0)
        return;
    for (int k = 0; k < world->manifold_count; k++) {
        const ManifoldBlocks *manifold = &world->manifolds[k];
        system->first_row[k] = at;
        at += manifold->count + (manifold->torsion >= 0);
    }
    system->first_row[world->manifold_count] = system->contact_count = at;
}

void contact_rows_finish(RowSystem *system, const World *world, const RowSetup *setup)
{
    if (!law_follows_load(setup->friction))
        box_bounds_prepare(system, world, setup->h);
}

/* Where one step of the patch leads: the tangents of its points and its torque. */
typedef struct PatchStep {
    double tangent[MANIFOLD_MAX][BLOCK_MAX_ROWS]; /* [point][1..2], N s */
    double torque;                                /* N m s */
    double turn;                                  /* step size of the torque, the tangents' times arm^2 */
} PatchStep;

/* All step from the same velocities, then back into the bound: with torque as force at the arm the ellipsoid is a ball,
 * sum |f_i|^2 + (m/arm)^2 <= (mu N)^2, and the way back a scaling. Its fixed point has friction against the slip and
 * torque against the spin, in the ratio of maximal dissipation. */
static PatchStep patch_step(const RowBlock *torsion, const ContactRow *points, const Velocity *velocity)
{
    double r[BLOCK_MAX_ROWS], arm = torsion->patch_arm, load = 0.0, force = 0.0;
    PatchStep to = {.turn = torsion->slide_step * arm * arm};
    row_block_residuals(torsion, velocity, r);
    to.torque = torsion->lambda[0] - to.turn * r[0];
    for (int i = 0; i < torsion->patch.count; i++) {
        const ContactRow *point = &points[i];
        double *tangent = to.tangent[i];
        LaneVelocities V;
        velocities_gather((const int(*)[1])point->body, velocity, &V);
        load += point->lambda[0];
        for (int t = 1; t < point->count; t++)
            tangent[t] = point->lambda[t] - torsion->slide_step * lanes_rate(point->row[t], &V);
        force += point->count == 3 ? sqrt(tangent[1] * tangent[1] + tangent[2] * tangent[2]) : 0;
    }
    double size = sqrt(force * force + to.torque * to.torque / (arm * arm)), limit = torsion->mu * load;
    double scale = size > limit ? limit / size : 1.0;
    to.torque *= scale;
    for (int i = 0; i < torsion->patch.count; i++)
        for (int t = 1; t < BLOCK_MAX_ROWS; t++)
            to.tangent[i][t] *= scale;
    return to;
}

void patch_solve(RowSystem *system, ContactRow *row, Velocity *velocity)
{
    RowBlock *torsion = &system->blocks[row->block];
    ContactRow *points = row - torsion->patch.count;
    PatchStep to = patch_step(torsion, points, velocity);
    double d[BLOCK_MAX_ROWS] = {to.torque - torsion->lambda[0]};
    torsion->lambda[0] = to.torque;
    row_block_push(torsion, d, velocity);
    for (int i = 0; i < torsion->patch.count; i++) {
        LaneVelocities V;
        velocities_gather((const int(*)[1])points[i].body, velocity, &V);
        for (int t = 1; t < points[i].count; t++) {
            point_push(&points[i], t, to.tangent[i][t] - points[i].lambda[t], &V);
            points[i].lambda[t] = to.tangent[i][t];
        }
        velocities_scatter((const int(*)[1])points[i].body, points[i].fixed != 0, points[i].inv_mass, velocity, &V);
    }
}

/* The squared natural map of a patch: its points' tangents and its torque, whose common bound is the ellipsoid. */
static double patch_residual(const RowBlock *torsion, const ContactRow *points, const Velocity *velocity)
{
    PatchStep to = patch_step(torsion, points, velocity);
    double natural = torsion->metres * (torsion->lambda[0] - to.torque) / to.turn, sum = natural * natural;
    for (int i = 0; i < torsion->patch.count; i++)
        for (int t = 1; t < points[i].count; t++) {
            natural = (points[i].lambda[t] - to.tangent[i][t]) / torsion->slide_step;
            sum += natural * natural;
        }
    return sum;
}

/* The squared natural map of a point's two tangents, zero for a point whose friction the patch bounds, which is
 * judged there. */
static double friction_residual(const ContactRow *row, const RowSystem *system, const LaneVelocities *V)
{
    if (row->slides_with_patch || !(row->slide_step > 0.0))
        return 0.0;
    const FrictionLaw law = {system->friction, system->facets};
    const double *from = row->lambda + 1, r[2] = {lanes_rate(row->row[1], V), lanes_rate(row->row[2], V)};
    double to[2], step = row->slide_step;
    law_slide(law, step, law_limit(law, row->bound, row->lambda[0]), from, r, to);
    double u = (from[0] - to[0]) / step, v = (from[1] - to[1]) / step;
    return u * u + v * v;
}

double contact_rows_residual(const RowSystem *system, const Velocity *velocity, double sum)
{
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        LaneVelocities V;
        if (row->count == 0)
            continue;
        if (row->kind == ROWS_TORSION) {
            const RowBlock *torsion = &system->blocks[row->block];
            sum += patch_residual(torsion, row - torsion->patch.count, velocity);
            continue;
        }
        velocities_gather((const int(*)[1])row->body, velocity, &V);
        double r = normal_residual(row, &V), moved = row->lambda[0] - row->step * r;
        double natural = row->A * (row->lambda[0] - (moved < 0.0 ? 0.0 : moved));
        sum += natural * natural;
        if (row->kind == ROWS_CONTACT)
            sum += friction_residual(row, system, &V);
    }
    return sum;
}

double contact_row_approach(const ContactRow *row, const Velocity *velocity)
{
    LaneVelocities V;
    velocities_gather((const int(*)[1])row->body, velocity, &V);
    return lanes_rate(row->row[0], &V);
}

void contact_row_bounce(ContactRow *row, double bias, Velocity *velocity)
{
    LaneVelocities V;
    velocities_gather((const int(*)[1])row->body, velocity, &V);
    double rigid = row->A - row->soft, r = lanes_rate(row->row[0], &V) + bias;
    double next = fmax(row->lambda[0] - (rigid > 0.0 ? r / rigid : 0.0), 0.0), d = next - row->lambda[0];
    row->lambda[0] = next;
    point_push(row, 0, d, &V);
    velocities_scatter((const int(*)[1])row->body, row->fixed != 0, row->inv_mass, velocity, &V);
}

/* Sums from 0, so that no impulse is -0. */
Vec3 contact_row_on_body2(const ContactRow *row, bool friction)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = friction ? 1 : 0; i < (friction ? row->count : row->count > 0); i++)
        sum = vec3_add_scaled(sum, row->lambda[i], vec3(-row->row[i][0], -row->row[i][1], -row->row[i][2]));
    return sum;
}
