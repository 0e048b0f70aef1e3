/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/convex/soft_rows.h"

#include "model/contact/block_contact.h"
#include "model/rows/row.h"
#include "solvers/position/pair.h"

#include <string.h>

/* One row over the bodies of a block, two of six or four of three coordinates; particles do not turn. */
static void add_row(SoftRowSet *own, const World *world, const Block *block, const double J[ROW_WIDTH], double R,
                    double aref)
{
    int width = block->kind == BLOCK_VOLUME ? 3 : 6;
    for (int k = 0; k < ROW_WIDTH / width; k++) {
        int column = own->column[block->body[k]];
        bool turns = world->mass[block->body[k]].inv_inertia.x != 0.0;
        for (int c = 0; c < (turns ? width : 3) && column >= 0; c++)
            convex_add_entry(own->problem, column + c, J[width * k + c]);
    }
    convex_end_row(own->problem, 1.0 / R, aref);
}

/* J V of one row. */
static double row_speed(const World *world, const Block *block, const double J[ROW_WIDTH], const Velocity *velocity)
{
    double sum = 0.0;
    int width = block->kind == BLOCK_VOLUME ? 3 : 6;
    (void)world;
    for (int k = 0; k < ROW_WIDTH / width; k++) {
        const double *j = J + width * k;
        Velocity u = velocity[block->body[k]];
        sum += vec3_dot(vec3(j[0], j[1], j[2]), u.v);
        if (width == 6)
            sum += vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return sum;
}

/* J M^-1 J^T of one row; approximately: of a point 1/m1 + 1/m2, of a turn the mean of the bodies' inverse moments. */
static double row_weight(const SoftRowSet *own, const World *world, const Block *block, const double J[ROW_WIDTH])
{
    if (block->kind == BLOCK_VOLUME)
        return volume_weight(world, block->body, J);
    if (own->exact) {
        Pair pair = pair_at(world, block->body);
        PairRow row = pair_row_of_jacobian(&pair, J);
        return pair_weight(&pair, &row);
    }
    double w = 0.0;
    for (int k = 0; k < 2; k++) {
        const Mass *mass = &world->mass[block->body[k]];
        Vec3 inverse = mass->inv_inertia;
        w += block_unit(block->kind) == UNIT_ANGLE ? (inverse.x + inverse.y + inverse.z) / 3.0 : mass->inv_mass;
    }
    return w;
}

/* (1 - d)/d A; MuJoCo's least. */
static double regulariser(double d, double A)
{
    return fmax(1e-15, (1.0 - d) / d * A);
}

/* J' v of a point that is held, MuJoCo's connect; of no other row. */
static void attach_turning(const World *world, const Block *block, double turning[BLOCK_MAX_ROWS])
{
    World before = *world;
    before.velocity = world->velocity_before;
    if (block->kind == BLOCK_ATTACH)
        block_rows_bias(&before, block, turning);
}

void soft_rows_add_joint(SoftRowSet *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    ConvexProblem *p = own->problem;
    Rows rows;
    double squared = 0.0;
    block_rows(world, block, &rows);
    own->first_row[b] = rows.count > 0 ? p->rows : -1;
    for (int i = 0; i < rows.count; i++)
        squared += rows.C[i] * rows.C[i];
    double d = impedance_at(&own->impedance, sqrt(squared));
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    double turning[BLOCK_MAX_ROWS] = {0.0};
    attach_turning(world, block, turning);
    for (int i = 0; i < rows.count; i++) {
        bool open = (rows.lower[i] == 0.0 && rows.C[i] > 0.0) || (rows.upper[i] == 0.0 && rows.C[i] < 0.0);
        double v = row_speed(world, block, rows.J[i], world->velocity_before) - rows.velocity[i];
        double R = regulariser(d, row_weight(own, world, block, rows.J[i]));
        ConvexBlock row = {.first = p->rows, .count = 1, .lower = rows.lower[i], .upper = rows.upper[i]};
        if (open) /* not reached: no force whatever it does */
            row.lower = row.upper = 0.0;
        add_row(own, world, block, rows.J[i], R, -B * v - K * d * rows.C[i] - turning[i]);
        p->blocks[p->block_count++] = row;
    }
}

/* Directions of a point: n, t1, t2 and, of a patch, the spin. */
typedef struct PointRows {
    int count;
    double J[CONVEX_MAX_SIZE][ROW_WIDTH];
    double friction[CONVEX_MAX_SIZE - 1];
    double gap;
} PointRows;

static PointRows point_rows(const World *world, const Block *block)
{
    ContactFrame f = contact_frame(world, block);
    Vec3 arm1 = vec3_sub(f.at[0], world->pose[block->body[0]].x),
         arm2 = vec3_sub(f.at[1], world->pose[block->body[1]].x);
    const Vec3 direction[3] = {f.n, f.t1, f.t2};
    PointRows p = {
        .count = block->friction > 0.0 ? block->seat->patch_radius > 0.0 ? 4 : 3 : 1,
        .friction = {block->friction, block->friction, 2.0 / 3.0 * block->seat->patch_radius * block->friction},
        .gap = vec3_dot(f.n, vec3_sub(f.p2, f.p1))};
    for (int i = 0; i < 3 && i < p.count; i++)
        row_linear(p.J[i], direction[i], arm1, arm2);
    if (p.count == 4)
        row_angular(p.J[3], f.n);
    return p;
}

/* Rows n, t1, t2, spin with one cone: friction has no spring, and R_j friction_j^2 = R_1 friction_1^2, R_1 =
 * R_n/impratio. */
static void add_elliptic(SoftRowSet *own, const World *world, const Block *block, const PointRows *point, double d,
                         double h)
{
    ConvexProblem *p = own->problem;
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    double R = regulariser(d, row_weight(own, world, block, point->J[0])), R1 = R / own->impratio;
    double mu = point->friction[0];
    ConvexBlock cone = {.first = p->rows, .count = point->count, .cone = true, .mu = mu * sqrt(R1 / R)};
    memcpy(cone.friction, point->friction, sizeof cone.friction);
    for (int i = 0; i < point->count; i++) {
        double share = i == 0 ? 1.0 : mu / point->friction[i - 1];
        double v = row_speed(world, block, point->J[i], world->velocity_before);
        add_row(own, world, block, point->J[i], i == 0 ? R : R1 * share * share,
                -B * v - (i == 0 ? K * d * point->gap : 0.0));
    }
    p->blocks[p->block_count++] = cone;
}

/* Facets n + friction_j t_j and n - friction_j t_j, which only push. */
static void add_pyramid(SoftRowSet *own, const World *world, const Block *block, const PointRows *point, double d,
                        double h)
{
    ConvexProblem *p = own->problem;
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    double mu = point->friction[0];
    double A = row_weight(own, world, block, point->J[0]) * (1.0 + mu * mu);
    double R = 2.0 * mu * mu / own->impratio * regulariser(d, A);
    for (int i = 1; i < point->count; i++)
        for (int side = 0; side < 2; side++) {
            double J[ROW_WIDTH], along = (side ? -1.0 : 1.0) * point->friction[i - 1];
            for (int c = 0; c < ROW_WIDTH; c++)
                J[c] = point->J[0][c] + along * point->J[i][c];
            double v = row_speed(world, block, J, world->velocity_before);
            p->blocks[p->block_count++] = (ConvexBlock){.first = p->rows, .count = 1, .lower = 0.0, .upper = INFINITY};
            add_row(own, world, block, J, R, -B * v - K * d * point->gap);
        }
}

void soft_rows_add_point(SoftRowSet *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    ConvexProblem *p = own->problem;
    PointRows point = point_rows(world, block);
    own->first_row[b] = -1;
    if (block->off || point.gap >= 0.0)
        return;
    own->first_row[b] = p->rows;
    double d = impedance_at(&own->impedance, point.gap);
    if (point.count == 1) {
        double v = row_speed(world, block, point.J[0], world->velocity_before);
        p->blocks[p->block_count++] = (ConvexBlock){.first = p->rows, .count = 1, .lower = 0.0, .upper = INFINITY};
        add_row(own, world, block, point.J[0], regulariser(d, row_weight(own, world, block, point.J[0])),
                -impedance_damping(&own->impedance, h) * v - impedance_stiffness(&own->impedance, h) * d * point.gap);
    } else if (own->elliptic) {
        add_elliptic(own, world, block, &point, d, h);
    } else {
        add_pyramid(own, world, block, &point, d, h);
    }
}

Vec3 soft_rows_joint_impulse(const SoftRowSet *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    int at = block->kind == BLOCK_VOLUME ? 3 : block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
    Vec3 sum = VEC3_ZERO;
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count && own->first_row[b] >= 0; i++)
        sum = vec3_add_scaled(sum, h * own->problem->force[own->first_row[b] + i],
                              vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
    return sum;
}

/* The force of a point along n, t1, t2 and its torque: of a pyramid the sums and differences of its facets. */
static void point_force(const SoftRowSet *own, const PointRows *point, int first, double f[CONVEX_MAX_SIZE])
{
    const double *force = own->problem->force + first;
    memset(f, 0, sizeof(double[CONVEX_MAX_SIZE]));
    if (point->count == 1 || own->elliptic) {
        memcpy(f, force, sizeof *f * (size_t)point->count);
        return;
    }
    for (int i = 1; i < point->count; i++) {
        f[0] += force[2 * i - 2] + force[2 * i - 1];
        f[i] = point->friction[i - 1] * (force[2 * i - 2] - force[2 * i - 1]);
    }
}

void soft_rows_store_manifold(const SoftRowSet *own, World *world, const ManifoldBlocks *manifold, double h)
{
    Vec3 torque = VEC3_ZERO;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i), first = own->first_row[b];
        Vec3 part[2] = {VEC3_ZERO, VEC3_ZERO};
        PointRows point = point_rows(world, &world->blocks[b]);
        double f[CONVEX_MAX_SIZE] = {0};
        if (first >= 0)
            point_force(own, &point, first, f);
        for (int k = 0; k < 3 && k < point.count; k++)
            part[k > 0] = vec3_add_scaled(part[k > 0], h * f[k], vec3(point.J[k][6], point.J[k][7], point.J[k][8]));
        if (point.count == 4)
            torque = vec3_add_scaled(torque, h * f[3], vec3(point.J[3][9], point.J[3][10], point.J[3][11]));
        world->block_impulse[b] = part[0];
        world->block_impulse[manifold_friction(manifold, i)] = part[1];
    }
    if (manifold->torsion >= 0)
        world->block_impulse[manifold->torsion] = torque;
}
