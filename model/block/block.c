/* SPDX-License-Identifier: MIT */
/* The building blocks, one function a kind: rows (C, J) and the error as one vector.
 * A direction u on body 1 (guide, slide, wire) carries the force pair on one line, so body 1's arm reaches to p2:
 * d/dt u.(p2 - p1) = u.v2 + (r2 x u).w2 - u.v1 - ((p2 - x1) x u).w1. */
#include "model/block.h"

#include "model/block/pose.h"
#include "model/contact/block_contact.h"
#include "model/rows/row.h"
#include "model/rows/soft_turn.h"

#include <string.h>

const JointTerms block_contact_terms = {.lower = -INFINITY, .upper = INFINITY, .stiffness = NAN, .max_force = INFINITY};

/* Swing beyond this has no usable twist: 1 + a1.a2 -> 0 and the twist's gradient grows without bound. */
#define TWIST_MIN_ONE_PLUS_COSINE 0.01

static const struct {
    BlockUnit unit;
    int rows;
} KINDS[BLOCK_KINDS] = {
    [BLOCK_ATTACH] = {UNIT_LENGTH, 3},   [BLOCK_DISTANCE] = {UNIT_LENGTH, 1}, [BLOCK_GUIDE] = {UNIT_LENGTH, 2},
    [BLOCK_SLIDE] = {UNIT_LENGTH, 1},    [BLOCK_ALIGN] = {UNIT_ANGLE, 2},     [BLOCK_ORIENT] = {UNIT_ANGLE, 3},
    [BLOCK_TURN] = {UNIT_ANGLE, 1},      [BLOCK_TWIST] = {UNIT_ANGLE, 1},     [BLOCK_SWING] = {UNIT_ANGLE, 1},
    [BLOCK_WIRE] = {UNIT_LENGTH, 2},     [BLOCK_VOLUME] = {UNIT_VOLUME, 1},   [BLOCK_CONTACT] = {UNIT_LENGTH, 1},
    [BLOCK_FRICTION] = {UNIT_LENGTH, 2}, [BLOCK_TORSION] = {UNIT_ANGLE, 1},
};

BlockUnit block_unit(BlockKind kind)
{
    return KINDS[kind].unit;
}

double block_scale(const World *world, BlockKind kind)
{
    double L = world->length_scale;
    const double scales[] = {[UNIT_LENGTH] = L, [UNIT_ANGLE] = 1.0, [UNIT_VOLUME] = L * L * L};
    return scales[block_unit(kind)];
}

double block_metres(const World *world, BlockKind kind)
{
    double L = world->length_scale;
    const double metres[] = {[UNIT_LENGTH] = 1.0, [UNIT_ANGLE] = L, [UNIT_VOLUME] = 1.0 / (L * L)};
    return metres[block_unit(kind)];
}

int block_row_count(BlockKind kind)
{
    return KINDS[kind].rows;
}

bool block_is_drive(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return terms->actuator || terms->driven;
}

bool block_is_limit(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    bool ranged = block->kind == BLOCK_SLIDE || block->kind == BLOCK_TWIST || block->kind == BLOCK_SWING ||
                  block->kind == BLOCK_TURN;
    return terms->one_sided || block->kind == BLOCK_CONTACT ||
           (ranged && !terms->driven && terms->lower < terms->upper);
}

double block_twist(const World *world, const Block *block)
{
    const JointTerms *terms = block_terms(block);
    Quat turn = block_turn(world, block);
    double wrapped = 2.0 * atan2(vec3_dot(quat_vec(turn), terms->axis[0]), turn.w);
    return wrapped + 2.0 * PI * nearbyint((terms->angle - wrapped) / (2.0 * PI));
}

/* The error of a coordinate against lower..upper: signed distance to the nearer end, with the multiplier's bounds. */
static void range_error(const JointTerms *terms, double value, double *C, double *lower, double *upper)
{
    bool target = terms->lower == terms->upper;
    bool near_lower = value - terms->lower < terms->upper - value;
    *C = value - (target || near_lower ? terms->lower : terms->upper);
    *lower = !target && near_lower ? 0.0 : -terms->max_force;
    *upper = target || near_lower ? terms->max_force : 0.0;
}

static void attach_rows(const World *world, const Block *block, Rows *rows)
{
    Span span = block_span(world, block);
    for (int i = 0; i < 3; i++) {
        rows->C[i] = vec3_get(span.d, i);
        row_linear(rows->J[i], vec3_axis(i), span.r1, span.r2);
    }
}

static void attach_error(const World *world, const Block *block, BlockError *e)
{
    Span span = block_span(world, block);
    e->error = span.d;
    e->arm1 = span.r1;
    e->arm2 = span.r2;
}

static void distance_error(const World *world, const Block *block, BlockError *e)
{
    const JointTerms *terms = block_terms(block);
    Span span = block_span(world, block);
    double length = vec3_norm(span.d);
    e->scalar = true;
    e->active = length > MIN_DISTANCE * world->length_scale;
    e->C = length - block->seat->rest;
    e->gradient = e->active ? vec3_scale(1.0 / length, span.d) : VEC3_ZERO;
    e->arm1 = span.r1;
    e->arm2 = span.r2;
    e->lower = -terms->max_force;
    e->upper = terms->one_sided ? 0.0 : terms->max_force;
}

static void guide_rows(const World *world, const Block *block, Rows *rows)
{
    Span span = block_span(world, block);
    for (int i = 0; i < 2; i++) {
        Vec3 u = quat_rotate(block_quat1(world, block), block->seat->normal[i]);
        rows->C[i] = vec3_dot(u, span.d);
        row_linear(rows->J[i], u, vec3_add(span.r1, span.d), span.r2);
    }
}

static void guide_error(const World *world, const Block *block, BlockError *e)
{
    Span span = block_span(world, block);
    Vec3 a = block_axis1(world, block);
    e->error = vec3_add_scaled(span.d, -vec3_dot(a, span.d), a);
    e->arm1 = vec3_add(span.r1, span.d);
    e->arm2 = span.r2;
}

static void slide_error(const World *world, const Block *block, BlockError *e)
{
    Span span = block_span(world, block);
    e->scalar = true;
    e->gradient = block_axis1(world, block);
    e->arm1 = vec3_add(span.r1, span.d);
    e->arm2 = span.r2;
    range_error(block_terms(block), vec3_dot(e->gradient, span.d), &e->C, &e->lower, &e->upper);
}

static void align_rows(const World *world, const Block *block, Rows *rows)
{
    Vec3 a2 = block_axis2(world, block);
    for (int i = 0; i < 2; i++) {
        Vec3 u = quat_rotate(block_quat1(world, block), block->seat->normal[i]);
        rows->C[i] = vec3_dot(u, a2);
        row_angular(rows->J[i], vec3_cross(a2, u));
    }
}

/* The rotation vector that turned a1 into a2; at 180 degrees about any normal, so that it is never a false zero. */
static void align_error(const World *world, const Block *block, BlockError *e)
{
    Vec3 a1 = block_axis1(world, block), a2 = block_axis2(world, block);
    Vec3 cross = vec3_cross(a1, a2);
    double sine = vec3_norm(cross), cosine = vec3_dot(a1, a2);
    e->angular = true;
    if (sine > SWING_MIN_SINE)
        e->error = vec3_scale(atan2(sine, cosine) / sine, cross);
    else
        e->error = cosine > 0.0 ? cross : vec3_scale(PI, vec3_any_normal(a1));
}

static void orient_rows(const World *world, const Block *block, Rows *rows)
{
    Quat q1 = block_quat1(world, block), turn = block_turn(world, block);
    Vec3 v = quat_vec(turn);
    for (int i = 0; i < 3; i++) {
        rows->C[i] = 2.0 * vec3_get(v, i);
        row_angular(rows->J[i], quat_rotate(q1, vec3_add_scaled(vec3_cross(v, vec3_axis(i)), turn.w, vec3_axis(i))));
    }
}

static void orient_error(const World *world, const Block *block, BlockError *e)
{
    e->angular = true;
    e->error = quat_rotate(block_quat1(world, block), quat_log(block_turn(world, block)));
}

/* d(twist)/dw2 = (a1 + a2) / (1 + a1.a2): a1 where the axes are aligned. */
static void twist_error(const World *world, const Block *block, BlockError *e)
{
    const JointTerms *terms = block_terms(block);
    Vec3 a1 = block_axis1(world, block), a2 = block_axis2(world, block);
    double s = 1.0 + vec3_dot(a1, a2), twist = block_twist(world, block);
    e->scalar = e->angular = true;
    e->active = s > TWIST_MIN_ONE_PLUS_COSINE;
    e->gradient = vec3_scale(1.0 / s, vec3_add(a1, a2));
    if (terms->driven) {
        e->C = twist - terms->target;
        e->lower = -terms->max_force;
        e->upper = terms->max_force;
    } else {
        range_error(terms, twist, &e->C, &e->lower, &e->upper);
    }
}

static void swing_error(const World *world, const Block *block, BlockError *e)
{
    const JointTerms *terms = block_terms(block);
    Vec3 a1 = block_axis1(world, block), a2 = block_axis2(world, block);
    Vec3 cross = vec3_cross(a1, a2);
    double sine = vec3_norm(cross), cosine = vec3_dot(a1, a2);
    e->scalar = e->angular = true;
    e->active = sine > SWING_MIN_SINE || cosine < 0.0;
    e->gradient = sine > SWING_MIN_SINE ? vec3_scale(1.0 / sine, cross) : vec3_any_normal(a1);
    e->C = atan2(sine, cosine) - terms->upper;
    e->lower = -terms->max_force;
    e->upper = terms->lower == terms->upper ? terms->max_force : 0.0;
}

/* |theta| of the turn exp(theta), and its direction. */
static void turn_error(const World *world, const Block *block, BlockError *e)
{
    Vec3 turn = quat_log(block_turn(world, block));
    double angle = vec3_norm(turn);
    e->scalar = e->angular = true;
    e->active = angle > SWING_MIN_SINE;
    e->gradient = e->active ? quat_rotate(block_quat1(world, block), vec3_scale(1.0 / angle, turn)) : vec3_axis(0);
    e->C = angle - block_terms(block)->upper;
    e->lower = -block_terms(block)->max_force;
    e->upper = 0.0;
}

static void wire_rows(const World *world, const Block *block, Rows *rows)
{
    Span span = block_span(world, block);
    Vec3 a = block_axis1(world, block), u, arm1 = vec3_add(span.r1, span.d);
    rows->C[0] = wire_radial(world, span.d, a, &u) - block->seat->rest;
    rows->C[1] = vec3_dot(a, span.d);
    row_linear(rows->J[0], u, arm1, span.r2);
    row_linear(rows->J[1], a, arm1, span.r2);
}

static void wire_error(const World *world, const Block *block, BlockError *e)
{
    Span span = block_span(world, block);
    Vec3 u;
    wire_radial(world, span.d, block_axis1(world, block), &u);
    e->error = vec3_add_scaled(span.d, -block->seat->rest, u);
    e->arm1 = vec3_add(span.r1, span.d);
    e->arm2 = span.r2;
}

double block_volume(const World *world, const Block *block, Vec3 gradient[4])
{
    Vec3 x[4];
    for (int i = 0; i < 4; i++)
        x[i] = world->pose[block->body[i]].x;
    Vec3 e2 = vec3_sub(x[1], x[0]), e3 = vec3_sub(x[2], x[0]), e4 = vec3_sub(x[3], x[0]);
    gradient[1] = vec3_cross(e3, e4);
    gradient[2] = vec3_cross(e4, e2);
    gradient[3] = vec3_cross(e2, e3);
    gradient[0] = vec3_negate(vec3_add(gradient[1], vec3_add(gradient[2], gradient[3])));
    return vec3_dot(gradient[3], e4) - block->seat->rest;
}

static void volume_rows(const World *world, const Block *block, Rows *rows)
{
    Vec3 gradient[4];
    rows->C[0] = block_volume(world, block, gradient);
    memcpy(rows->J[0], gradient, sizeof rows->J[0]);
}

static void volume_error(const World *world, const Block *block, BlockError *e)
{
    Vec3 gradient[4];
    e->scalar = true;
    e->C = block_volume(world, block, gradient);
    e->gradient = gradient[1];
}

/* The one row of a scalar kind, from its error. */
static void scalar_rows(const World *world, const Block *block, Rows *rows)
{
    BlockError e;
    block_error(world, block, &e);
    if (!e.active) {
        rows->count = 0;
        return;
    }
    rows->C[0] = e.C;
    rows->lower[0] = e.lower;
    rows->upper[0] = e.upper;
    if (e.angular)
        row_angular(rows->J[0], e.gradient);
    else
        row_linear(rows->J[0], e.gradient, e.arm1, e.arm2);
}

typedef void RowsFunction(const World *, const Block *, Rows *);
typedef void ErrorFunction(const World *, const Block *, BlockError *);

static RowsFunction *const ROWS[BLOCK_KINDS] = {
    [BLOCK_ATTACH] = attach_rows,     [BLOCK_DISTANCE] = scalar_rows, [BLOCK_GUIDE] = guide_rows,
    [BLOCK_SLIDE] = scalar_rows,      [BLOCK_ALIGN] = align_rows,     [BLOCK_ORIENT] = orient_rows,
    [BLOCK_TWIST] = scalar_rows,      [BLOCK_SWING] = scalar_rows,    [BLOCK_TURN] = scalar_rows,
    [BLOCK_WIRE] = wire_rows,         [BLOCK_VOLUME] = volume_rows,   [BLOCK_CONTACT] = scalar_rows,
    [BLOCK_FRICTION] = friction_rows, [BLOCK_TORSION] = scalar_rows,
};

static ErrorFunction *const ERRORS[BLOCK_KINDS] = {
    [BLOCK_ATTACH] = attach_error,     [BLOCK_DISTANCE] = distance_error, [BLOCK_GUIDE] = guide_error,
    [BLOCK_SLIDE] = slide_error,       [BLOCK_ALIGN] = align_error,       [BLOCK_ORIENT] = orient_error,
    [BLOCK_TWIST] = twist_error,       [BLOCK_SWING] = swing_error,       [BLOCK_TURN] = turn_error,
    [BLOCK_WIRE] = wire_error,         [BLOCK_VOLUME] = volume_error,     [BLOCK_CONTACT] = contact_error,
    [BLOCK_FRICTION] = friction_error, [BLOCK_TORSION] = torsion_error,
};

void block_rows(const World *world, const Block *block, Rows *rows)
{
    const JointTerms *terms = block_terms(block);
    rows->count = block->off ? 0 : block_row_count(block->kind);
    for (int i = 0; i < rows->count; i++) {
        rows->lower[i] = -terms->max_force;
        rows->upper[i] = terms->max_force;
        rows->velocity[i] = 0.0;
    }
    if (block->off)
        return;
    ROWS[block->kind](world, block, rows);
    if (block_is_soft_turn(block))
        soft_turn_rows(world, block, rows);
    if (terms->driven) {
        /* block_error measures against the substep's end; the row says the same with a target velocity. */
        rows->velocity[0] = terms->speed;
        rows->C[0] = block_twist(world, block) - terms->target_before;
    }
}

void block_error(const World *world, const Block *block, BlockError *error)
{
    error->active = !block->off;
    error->scalar = error->angular = false;
    error->lower = -block_terms(block)->max_force;
    error->upper = block_terms(block)->max_force;
    if (!block->off)
        ERRORS[block->kind](world, block, error);
}

double block_violation(const World *world, const Block *block)
{
    /* To slip is no violation, nor what a law asks for. */
    if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION || block_terms(block)->law)
        return 0.0;
    BlockError e;
    block_error(world, block, &e);
    if (!e.active)
        return 0.0;
    if (!e.scalar)
        return vec3_norm(e.error);
    bool satisfied = (e.lower == 0.0 && e.C > 0.0) || (e.upper == 0.0 && e.C < 0.0);
    return satisfied ? 0.0 : fabs(e.C);
}
