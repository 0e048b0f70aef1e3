/* SPDX-License-Identifier: MIT */
/* k = Jdot V of the building blocks: what C'' = J V' + k has beside the accelerations, one function a family. */
#include "model/block/pose.h"
#include "model/contact/block_contact.h"
#include "model/rows/soft_turn.h"

#include <assert.h>

/* The part of (p2 - p1)'' that no acceleration causes, as u.(..) needs it for a u that turns with body 1:
 * centripetal terms of both arms, and those of body 1's turning frame. Also the span's rate in that frame. */
static Vec3 span_bias(const World *world, const Block *block, const Span *span, Vec3 *rate_in_1)
{
    Vec3 w1 = world->velocity[block->body[0]].w, w2 = world->velocity[block->body[1]].w;
    Vec3 rate = vec3_sub(world_point_velocity(world, block->body[1], span->r2),
                         world_point_velocity(world, block->body[0], span->r1));
    *rate_in_1 = vec3_sub(rate, vec3_cross(w1, span->d));
    Vec3 k = vec3_sub(vec3_cross(w2, vec3_cross(w2, span->r2)), vec3_cross(w1, vec3_cross(w1, span->r1)));
    k = vec3_sub(k, vec3_cross(w1, vec3_cross(w1, span->d)));
    return vec3_add_scaled(k, -2.0, vec3_cross(w1, *rate_in_1));
}

static void linear_bias(const World *world, const Block *block, double k[])
{
    Span span = block_span(world, block);
    Vec3 w1 = world->velocity[block->body[0]].w, w2 = world->velocity[block->body[1]].w;
    Vec3 centripetal = vec3_sub(vec3_cross(w2, vec3_cross(w2, span.r2)), vec3_cross(w1, vec3_cross(w1, span.r1)));
    if (block->kind == BLOCK_ATTACH) {
        k[0] = centripetal.x;
        k[1] = centripetal.y;
        k[2] = centripetal.z;
        return;
    }
    /* n.d'' + (|d'|^2 - (n.d')^2) / |d| */
    Vec3 rate = vec3_sub(world_point_velocity(world, block->body[1], span.r2),
                         world_point_velocity(world, block->body[0], span.r1));
    double length = vec3_norm(span.d);
    Vec3 n = vec3_scale(1.0 / length, span.d);
    double along = vec3_dot(n, rate);
    k[0] = vec3_dot(n, centripetal) + (vec3_dot(rate, rate) - along * along) / length;
}

static void axis_bias(const World *world, const Block *block, double k[])
{
    Span span = block_span(world, block);
    Vec3 rate, bias = span_bias(world, block, &span, &rate), a = block_axis1(world, block);
    if (block->kind == BLOCK_GUIDE) {
        for (int i = 0; i < 2; i++)
            k[i] = vec3_dot(bias, quat_rotate(block_quat1(world, block), block->seat->normal[i]));
    } else if (block->kind == BLOCK_SLIDE) {
        k[0] = vec3_dot(bias, a);
    } else {
        Vec3 u, around = vec3_add_scaled(rate, -vec3_dot(a, rate), a);
        double distance = wire_radial(world, span.d, a, &u), along = vec3_dot(u, around);
        k[0] = vec3_dot(bias, u) + (vec3_dot(around, around) - along * along) / distance;
        k[1] = vec3_dot(bias, a);
    }
}

static void angular_bias(const World *world, const Block *block, double k[])
{
    Vec3 w1 = world->velocity[block->body[0]].w, w2 = world->velocity[block->body[1]].w, spin = vec3_sub(w2, w1);
    Vec3 a1 = block_axis1(world, block), a2 = block_axis2(world, block);
    Vec3 a1_rate = vec3_cross(w1, a1), a2_rate = vec3_cross(w2, a2);
    if (block->kind == BLOCK_ALIGN) {
        for (int i = 0; i < 2; i++) {
            Vec3 u = quat_rotate(block_quat1(world, block), block->seat->normal[i]), u_rate = vec3_cross(w1, u);
            k[i] = vec3_dot(u, vec3_cross(w2, a2_rate)) + 2.0 * vec3_dot(u_rate, a2_rate) +
                   vec3_dot(vec3_cross(w1, u_rate), a2);
        }
    } else if (block->kind == BLOCK_ORIENT) {
        /* d/dt of (w - [v]x) R1^T (w2 - w1), v and w those of the turn: -v |spin|^2 / 2 - (w - [v]x) R1^T (w1 x w2) */
        Quat q1 = block_quat1(world, block), turn = block_turn(world, block);
        Vec3 v = quat_vec(turn), c = quat_rotate_inverse(q1, vec3_cross(w1, w2));
        Vec3 sum = vec3_add_scaled(vec3_add_scaled(vec3_cross(v, c), -turn.w, c), -0.5 * vec3_dot(spin, spin), v);
        for (int i = 0; i < 3; i++)
            k[i] = vec3_get(sum, i);
    } else if (block->kind == BLOCK_TWIST) {
        double s = 1.0 + vec3_dot(a1, a2), s_rate = vec3_dot(a1_rate, a2) + vec3_dot(a1, a2_rate);
        Vec3 g_rate =
            vec3_add_scaled(vec3_scale(1.0 / s, vec3_add(a1_rate, a2_rate)), -s_rate / (s * s), vec3_add(a1, a2));
        k[0] = vec3_dot(g_rate, spin);
    } else if (block->kind == BLOCK_TURN) {
        /* n' is what the turn of body 1 and cot(theta/2)/2 of the spin across n make of it. */
        BlockError e;
        block_error(world, block, &e);
        double angle = e.C + block_terms(block)->upper, along = vec3_dot(e.gradient, spin);
        double across = vec3_dot(spin, spin) - along * along;
        k[0] = !e.active ? 0.0 : vec3_dot(vec3_cross(w1, e.gradient), spin) + 0.5 * across / tan(0.5 * angle);
    } else {
        Vec3 cross = vec3_cross(a1, a2);
        double sine = vec3_norm(cross);
        if (sine <= SWING_MIN_SINE) {
            k[0] = 0.0; /* no direction that could turn */
            return;
        }
        Vec3 cross_rate = vec3_add(vec3_cross(a1_rate, a2), vec3_cross(a1, a2_rate)), n = vec3_scale(1.0 / sine, cross);
        Vec3 n_rate = vec3_scale(1.0 / sine, vec3_add_scaled(cross_rate, -vec3_dot(n, cross_rate), n));
        k[0] = vec3_dot(n_rate, spin);
    }
}

/* C is linear in each of three edges: its second derivative pairs their rates, each pair twice. */
static void volume_bias(const World *world, const Block *block, double k[])
{
    Vec3 e[3], rate[3];
    for (int i = 0; i < 3; i++) {
        e[i] = vec3_sub(world->pose[block->body[i + 1]].x, world->pose[block->body[0]].x);
        rate[i] = vec3_sub(world->velocity[block->body[i + 1]].v, world->velocity[block->body[0]].v);
    }
    k[0] = 2.0 * (vec3_dot(vec3_cross(rate[0], rate[1]), e[2]) + vec3_dot(vec3_cross(rate[0], e[1]), rate[2]) +
                  vec3_dot(vec3_cross(e[0], rate[1]), rate[2]));
}

void block_rows_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS])
{
    switch (block->kind) {
    case BLOCK_ATTACH:
    case BLOCK_DISTANCE:
        linear_bias(world, block, k);
        break;
    case BLOCK_GUIDE:
    case BLOCK_SLIDE:
    case BLOCK_WIRE:
        axis_bias(world, block, k);
        break;
    case BLOCK_VOLUME:
        volume_bias(world, block, k);
        break;
    case BLOCK_CONTACT:
    case BLOCK_FRICTION:
    case BLOCK_TORSION:
        contact_bias(world, block, k);
        break;
    default:
        assert(block_unit(block->kind) == UNIT_ANGLE);
        angular_bias(world, block, k);
        if (block_is_soft_turn(block))
            soft_turn_bias(world, block, k);
    }
}
