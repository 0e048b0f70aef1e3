/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/descent/element.h"

#include "model/contact/block_contact.h"
#include "model/rows/row.h"
#include "solvers/position/pair.h"

#include <string.h>

/* Length scales: a point whose anchors have come further apart than this does not stick to them any longer. */
static const double STICKS_WITHIN = 0.01;

/* The authors' demo: bodies at rest overlap by so much (m), and a point sticks within so much (m). */
static const double DEMO_MARGIN = 0.0005, DEMO_STICKS = 0.01;

/* A face has four points where an edge in 2D has two: with this share of its penalties and multipliers in each, boxes
 * that move in a plane are the demo's. */
static const double DEMO_SHARE = 0.5;

/* J M^-1 J^T of one row. */
static double row_weight(const World *world, const Element *e, const double J[ROW_WIDTH])
{
    if (e->bodies == 4)
        return volume_weight(world, e->body, J);
    Pair pair = pair_at(world, e->body);
    PairRow row = pair_row_of_jacobian(&pair, J);
    return pair_weight(&pair, &row);
}

static double penalty_most(const Element *e, int i, const PenaltyRule *rule)
{
    return fmin(rule->most * e->mass[i], e->stiffness);
}

/* k and lambda as the substep begins; rows that nothing can move are left out. */
static void element_warm_start(Element *e, const World *world, const PenaltyRule *rule)
{
    for (int i = 0; i < e->count; i++) {
        double w = row_weight(world, e, e->J[i]);
        e->mass[i] = !(w > 0.0) ? 0.0 : rule->per_kg ? 1.0 / w : e->demo ? DEMO_SHARE : 1.0;
        double least = fmin(rule->least * e->mass[i], e->stiffness);
        e->k[i] = rule->dual            ? clamp(rule->keep_k * e->k[i], least, penalty_most(e, i, rule))
                  : isinf(e->stiffness) ? least
                                        : e->stiffness;
        e->lambda[i] *= rule->dual && isinf(e->stiffness) ? rule->keep_lambda : 0.0;
        e->pulled[i] = e->lambda[i] != 0.0;
    }
}

/* The part of an error that may wait: a gap that is open does not. */
static double error_that_waits(double C, double lower, double upper)
{
    return (lower == 0.0 && C > 0.0) || (upper == 0.0 && C < 0.0) ? 0.0 : C;
}

void element_begin_joint(Element *e, const World *world, int b, double h, const PenaltyRule *rule)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    (void)h;
    block_rows(world, block, &rows);
    e->b = b;
    e->count = rows.count;
    e->linear = e->patch = false;
    e->bodies = block_body_count(block);
    memcpy(e->body, block->body, sizeof e->body);
    e->metres = block_metres(world, block->kind);
    double compliance = block_terms(block)->compliance;
    e->stiffness = compliance > 0.0 ? 1.0 / compliance : INFINITY;
    memcpy(e->J, rows.J, sizeof e->J);
    for (int i = 0; i < rows.count; i++)
        e->C_old[i] = isinf(e->stiffness) ? error_that_waits(rows.C[i], rows.lower[i], rows.upper[i]) : 0.0;
    element_warm_start(e, world, rule);
}

/* The anchors of a point that sticks; new ones where it does not. */
static void point_anchors(ElementMemory *memory, const World *world, const Block *block, const Vec3 fresh[2],
                          Vec3 anchor[2])
{
    for (int k = 0; k < 2; k++) {
        Pose pose = world->pose[block->body[k]];
        if (!memory->sticks)
            memory->anchor[k] = quat_rotate_inverse(pose.q, vec3_sub(fresh[k], pose.x));
        anchor[k] = world_point(world, block->body[k], memory->anchor[k]);
    }
}

void element_begin_point(Element *e, const World *world, int b, ElementMemory *memory, const PenaltyRule *rule)
{
    const Block *block = &world->blocks[b];
    ContactFrame f = contact_frame(world, block);
    const Vec3 direction[BLOCK_MAX_ROWS] = {f.n, f.t1, f.t2};
    double gap = vec3_dot(f.n, vec3_sub(f.p2, f.p1));
    const Vec3 surface[2] = {f.p1, f.p2};
    Vec3 anchor[2];
    point_anchors(memory, world, block, rule->demo ? surface : f.at, anchor);
    Vec3 offset = vec3_sub(anchor[1], anchor[0]);
    const Vec3 *at = rule->demo ? anchor : f.at;
    Vec3 arm1 = vec3_sub(at[0], world->pose[block->body[0]].x), arm2 = vec3_sub(at[1], world->pose[block->body[1]].x);
    *e = (Element){.b = b,
                   .count = block->off || (rule->demo && gap > 0.0) ? 0
                            : block->friction > 0.0                 ? 3
                                                                    : 1,
                   .linear = true,
                   .demo = rule->demo,
                   .bodies = 2,
                   .metres = 1.0,
                   .stiffness = INFINITY,
                   .mu = block->friction,
                   .memory = memory};
    memcpy(e->body, block->body, sizeof e->body);
    for (int i = 0; i < e->count; i++) {
        row_linear(e->J[i], direction[i], arm1, arm2);
        e->C_old[i] = i > 0 ? vec3_dot(direction[i], offset) : e->demo ? vec3_dot(f.n, offset) + DEMO_MARGIN : gap;
        e->lambda[i] = i == 0 ? memory->lambda : vec3_dot(direction[i], memory->friction);
        e->k[i] = memory->k[i];
    }
    element_warm_start(e, world, rule);
}

void element_begin_patch(Element *e, const World *world, int b, ElementMemory *memory, int first, int points,
                         const PenaltyRule *rule)
{
    const Block *block = &world->blocks[b];
    *e = (Element){.b = b,
                   .count = block->off ? 0 : 1,
                   .linear = true,
                   .patch = true,
                   .bodies = 2,
                   .metres = block_metres(world, block->kind),
                   .stiffness = INFINITY,
                   .mu = block->friction,
                   .arm = 2.0 / 3.0 * block->seat->patch_radius,
                   .first = first,
                   .points = points,
                   .lambda = {memory->torsion},
                   .k = {memory->torsion_k},
                   .memory = memory};
    memcpy(e->body, block->body, sizeof e->body);
    row_angular(e->J[0], contact_frame(world, block).n);
    element_warm_start(e, world, rule);
}

static void evaluate_joint(const Element *e, const World *world, double h, double alpha, ElementRows *out)
{
    Rows rows;
    block_rows(world, &world->blocks[e->b], &rows);
    memcpy(out->J, rows.J, sizeof out->J);
    for (int i = 0; i < e->count; i++) {
        /* where a driven row should be at the substep's end, but for the error that waits */
        out->C[i] = rows.C[i] - h * rows.velocity[i] - alpha * e->C_old[i];
        double f = e->lambda[i] - e->k[i] * out->C[i];
        out->f[i] = clamp(f, rows.lower[i], rows.upper[i]);
        out->inside[i] = out->f[i] > rows.lower[i] && out->f[i] < rows.upper[i];
    }
}

/* How far a body has come since the substep began, as (v, w) times its length. */
static Velocity travelled(const World *world, int body)
{
    Pose now = world->pose[body], before = world->pose_before[body];
    return (Velocity){vec3_sub(now.x, before.x), quat_log(quat_mul(now.q, quat_conj(before.q)))};
}

static double row_times(const double J[ROW_WIDTH], const Velocity d[2])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++)
        sum += vec3_dot(vec3(J[6 * k], J[6 * k + 1], J[6 * k + 2]), d[k].v) +
               vec3_dot(vec3(J[6 * k + 3], J[6 * k + 4], J[6 * k + 5]), d[k].w);
    return sum;
}

/* The load that bounds friction: of the last multipliers, or where there are none of the force itself. */
static double load_of(const Element *e, const ElementRows *rows, bool dual)
{
    return fmax(dual ? e->lambda[0] : rows->f[0], 0.0);
}

static void evaluate_point(const Element *e, const World *world, double alpha, bool dual, ElementRows *out)
{
    Velocity d[2] = {travelled(world, e->body[0]), travelled(world, e->body[1])};
    memcpy(out->J, e->J, sizeof out->J);
    for (int i = 0; i < e->count; i++) {
        double waits = i == 0 && !e->demo ? fmin(e->C_old[0], 0.0) : e->C_old[i];
        out->C[i] = e->C_old[i] - alpha * waits + row_times(e->J[i], d);
        out->f[i] = e->lambda[i] - e->k[i] * out->C[i];
    }
    out->f[0] = fmax(out->f[0], 0.0);
    out->inside[0] = out->f[0] > 0.0;
    if (e->count == 1)
        return;
    double bound = e->mu * load_of(e, out, dual || e->demo), size = hypot(out->f[1], out->f[2]);
    bool slides = size >= bound;
    for (int i = 1; i < 3; i++) {
        out->f[i] *= slides && size > 0.0 ? bound / size : 1.0;
        out->inside[i] = !slides;
    }
}

/* The torque of a patch within 2/3 mu R times its load, whatever the force. */
static void evaluate_patch(const Element *e, const Element *all, const World *world, ElementRows *out)
{
    Velocity d[2] = {travelled(world, e->body[0]), travelled(world, e->body[1])};
    double load = 0.0;
    for (int i = 0; i < e->points; i++)
        load += fmax(all[e->first + i].lambda[0], 0.0);
    double bound = e->mu * e->arm * load;
    memcpy(out->J, e->J, sizeof out->J);
    out->C[0] = row_times(e->J[0], d);
    double f = e->lambda[0] - e->k[0] * out->C[0];
    out->f[0] = clamp(f, -bound, bound);
    out->inside[0] = fabs(f) < bound;
}

void element_evaluate(const Element *e, const Element *all, const World *world, double h, double alpha, bool dual,
                      ElementRows *rows)
{
    if (e->patch)
        evaluate_patch(e, all, world, rows);
    else if (e->linear)
        evaluate_point(e, world, alpha, dual, rows);
    else
        evaluate_joint(e, world, h, alpha, rows);
}

void element_raise(Element *e, const ElementRows *rows, const PenaltyRule *rule)
{
    for (int i = 0; i < e->count; i++) {
        e->lambda[i] = isinf(e->stiffness) ? rows->f[i] : 0.0;
        e->pulled[i] = e->pulled[i] || e->lambda[i] != 0.0;
        if (rows->inside[i])
            e->k[i] =
                fmin(e->k[i] + rule->growth * e->mass[i] * e->metres * fabs(rows->C[i]), penalty_most(e, i, rule));
    }
}

Vec3 element_on_body2(const Element *e, const World *world, const ElementRows *rows, bool friction)
{
    BlockKind kind = world->blocks[e->b].kind;
    int at = e->bodies == 4 ? 3 : block_unit(kind) == UNIT_ANGLE ? 9 : 6;
    int from = friction ? 1 : 0, to = e->linear && !friction && e->count > 0 ? 1 : e->count;
    Vec3 sum = VEC3_ZERO;
    for (int i = from; i < to; i++)
        sum = vec3_add_scaled(sum, rows->f[i], vec3(rows->J[i][at], rows->J[i][at + 1], rows->J[i][at + 2]));
    return sum;
}

void element_keep(Element *e, const World *world)
{
    ElementMemory *memory = e->memory;
    if (e->patch) {
        memory->torsion = e->lambda[0];
        memory->torsion_k = e->k[0];
        return;
    }
    memory->lambda = e->lambda[0];
    memory->friction = VEC3_ZERO;
    for (int i = 1; i < e->count; i++)
        memory->friction = vec3_add_scaled(memory->friction, e->lambda[i], vec3(e->J[i][6], e->J[i][7], e->J[i][8]));
    memcpy(memory->k, e->k, sizeof memory->k);
    if (!e->demo)
        element_note_sticking(e, world);
}

void element_note_sticking(Element *e, const World *world)
{
    const BlockSeat *seat = world->blocks[e->b].seat;
    bool rolls = seat->radius[0] > 0.0 || seat->radius[1] > 0.0;
    double within = e->demo ? DEMO_STICKS : STICKS_WITHIN * world->length_scale;
    double friction = e->demo ? hypot(e->lambda[1], e->lambda[2]) : vec3_norm(e->memory->friction);
    e->memory->sticks =
        e->count == 3 && !rolls && friction < e->mu * e->lambda[0] && hypot(e->C_old[1], e->C_old[2]) < within;
}

/* Lengths of the columns of d^2/dphi^2 u.(exp(phi) r) = (u r^T + r u^T)/2 - (u.r) 1, which a turning arm adds. */
static void add_arm_stiffness(double A[6][6], Vec3 u, Vec3 r, double f)
{
    for (int c = 0; c < 3; c++) {
        Vec3 column = vec3_add_scaled(vec3_scale(0.5 * vec3_get(r, c), u), 0.5 * vec3_get(u, c), r);
        double diagonal = vec3_get(column, c) - vec3_dot(u, r), whole = vec3_dot(column, column);
        whole += diagonal * diagonal - vec3_get(column, c) * vec3_get(column, c);
        A[3 + c][3 + c] += fabs(f) * sqrt(fmax(whole, 0.0));
    }
}

/* Geometric stiffness of joints: of arms that turn, and of a distance, whose direction turns, too. */
static void add_geometry(const Element *e, const World *world, const ElementRows *rows, int k, double A[6][6])
{
    const Block *block = &world->blocks[e->b];
    BlockError error;
    if (e->bodies == 4 || block_unit(block->kind) != UNIT_LENGTH)
        return;
    block_error(world, block, &error);
    Vec3 r = k == 0 ? error.arm1 : error.arm2;
    for (int i = 0; i < e->count; i++) {
        const double *j = rows->J[i] + 6 * k;
        Vec3 u = vec3(j[0], j[1], j[2]);
        add_arm_stiffness(A, u, r, rows->f[i]);
        double length = block->kind == BLOCK_DISTANCE ? block->seat->rest + error.C : 0.0;
        for (int c = 0; c < 3 && length > 0.0; c++) {
            double along = vec3_get(u, c), across = sqrt(fmax(1.0 - along * along, 0.0));
            A[c][c] += fabs(rows->f[i]) * across / length;
            A[3 + c][3 + c] += fabs(rows->f[i]) * across * vec3_dot(r, r) / length;
        }
    }
}

void element_add(const Element *e, const World *world, const ElementRows *rows, int k, double A[6][6], double g[6])
{
    int width = e->bodies == 4 ? 3 : 6;
    for (int i = 0; i < e->count; i++) {
        const double *J = rows->J[i] + width * k;
        if (rows->f[i] == 0.0 && !rows->inside[i] && !e->pulled[i] && !e->demo)
            continue;
        for (int a = 0; a < width; a++) {
            g[a] += J[a] * rows->f[i];
            for (int c = 0; c < width; c++)
                A[a][c] += e->k[i] * J[a] * J[c];
        }
    }
    if (!e->linear)
        add_geometry(e, world, rows, k, A);
}
