/* SPDX-License-Identifier: MIT */
/* Contact, friction and torsion blocks: C = n.(p2 - p1) >= 0, slip along t1 and t2, spin about n.
 * The normal turns with the body whose face it belongs to (its carrier), and the force acts where the other body's
 * surface is: for n on body 1 dC/dt = n.v2 + ((p2 - x2) x n).w2 - n.v1 - ((p2 - x1) x n).w1, with both arms to p2, is
 * the exact derivative and keeps angular momentum exactly. A normal fixed in the world would allow only one of the two.
 * Round surfaces carry none: n is the line through their core points, so a body that rolls does not drag it along. By
 * the envelope theorem a surface point p = core + offset(n) moves along n as if it were fixed to its body. */
#define LANES 1
#include "model/contact/block_contact.h"

#include "model/contact.h"
#include "model/contact/place.h"
#include "model/rows/row.h"

/* Whose surface the contact is on. */
static const Collider *contact_collider(const World *world, const Block *block, int side)
{
    const Manifold *manifold = &world->contacts->manifolds[block->manifold];
    return &world->colliders[side ? manifold->collider2 : manifold->collider1];
}

Vec3 contact_axis(const World *world, const Block *block, int side)
{
    if (!block->rolls)
        return VEC3_ZERO;
    const Collider *collider = contact_collider(world, block, side);
    return collider->shape.kind == SHAPE_CYLINDER ? quat_rotate(collider->at.q, vec3(0, 1, 0)) : VEC3_ZERO;
}

/* An ellipsoid that rolls, or NULL. */
static const Collider *contact_ellipsoid(const World *world, const Block *block, int side)
{
    const Collider *collider = block->rolls ? contact_collider(world, block, side) : NULL;
    return collider && collider->shape.kind == SHAPE_ELLIPSOID ? collider : NULL;
}

Vec3 contact_round(const World *world, const Block *block, int side, Quat turn, Vec3 direction)
{
    const Collider *ellipsoid = contact_ellipsoid(world, block, side);
    if (ellipsoid) {
        Quat q = quat_mul(turn, ellipsoid->at.q);
        return quat_rotate(q, ellipsoid_support(ellipsoid->shape.radii, quat_rotate_inverse(q, direction)));
    }
    Vec3 axis = contact_axis(world, block, side);
    if (!vec3_is_zero(axis))
        axis = quat_rotate(turn, axis);
    return convex_round_offset(block->seat->radius[side], axis, direction);
}

/* A contact by itself: where it is at the current poses, and what it takes to find its slip. */
typedef struct ContactAlone {
    ManifoldSeat seat;
    PointSeat point;
    BothPose pose;
    ContactPlace place;
} ContactAlone;

static void contact_find(const World *world, const Block *block, ContactAlone *contact)
{
    contact->seat = manifold_seat(&block);
    point_seat(&block, &contact->seat, &contact->point);
    contact->pose = both_gather_poses(world->pose, block->body);
    contact->place = contact_place(world, &contact->seat, &contact->point, &contact->pose);
}

ContactFrame contact_frame(const World *world, const Block *block)
{
    ContactAlone contact;
    ContactFrame f;
    Vec3 t[2];
    contact_find(world, block, &contact);
    const ContactPlace *place = &contact.place;
    contact_tangents(&contact.point, place->n, t);
    f.n = place->n;
    f.t1 = t[0];
    f.t2 = t[1];
    f.c1 = both_get_vec3(place->core, 0);
    f.c2 = both_get_vec3(place->core, 1);
    f.p1 = both_get_vec3(place->p, 0);
    f.p2 = both_get_vec3(place->p, 1);
    f.at[0] = both_get_vec3(place->at, 0);
    f.at[1] = both_get_vec3(place->at, 1);
    return f;
}

static void set_arms(const ContactAlone *contact, BlockError *error)
{
    BothVec3 arm = both_sub(contact->place.at, contact->pose.x);
    error->arm1 = both_get_vec3(arm, 0);
    error->arm2 = both_get_vec3(arm, 1);
}

void contact_error(const World *world, const Block *block, BlockError *error)
{
    ContactAlone contact;
    contact_find(world, block, &contact);
    error->scalar = true;
    error->C = contact.place.C;
    error->gradient = contact.place.n;
    error->lower = 0.0;
    set_arms(&contact, error);
}

void friction_error(const World *world, const Block *block, BlockError *error)
{
    ContactAlone contact;
    contact_find(world, block, &contact);
    ContactTravel travel = contact_travel(world, block->body, &contact.pose);
    error->error = contact_slip(world, &contact.seat, &contact.point, contact.place.n, &travel);
    set_arms(&contact, error);
}

void friction_rows(const World *world, const Block *block, Rows *rows)
{
    ContactFrame f = contact_frame(world, block);
    BlockError error;
    friction_error(world, block, &error);
    const Vec3 t[2] = {f.t1, f.t2};
    for (int i = 0; i < 2; i++) {
        rows->C[i] = vec3_dot(t[i], error.error);
        row_linear(rows->J[i], t[i], error.arm1, error.arm2);
    }
}

void torsion_error(const World *world, const Block *block, BlockError *error)
{
    Quat turn[2];
    for (int i = 0; i < 2; i++) {
        int body = block->body[i];
        turn[i] = quat_mul(world->pose[body].q, quat_conj(world->pose_before[body].q));
    }
    ContactFrame f = contact_frame(world, block);
    error->scalar = error->angular = true;
    error->gradient = f.n;
    error->C = vec3_dot(f.n, quat_log(quat_mul(turn[1], quat_conj(turn[0]))));
}

/* d/dt of u/|u| */
static Vec3 unit_rate(Vec3 u, Vec3 rate)
{
    double length = vec3_norm(u);
    Vec3 unit = vec3_scale(1.0 / length, u);
    return vec3_scale(1.0 / length, vec3_add_scaled(rate, -vec3_dot(unit, rate), unit));
}

/* d/dt of convex_round_offset along a direction that changes at `rate`, of a body that turns at w. */
static Vec3 offset_rate(double radius, Vec3 axis, Vec3 w, Vec3 direction, Vec3 rate)
{
    if (radius == 0.0 || vec3_is_zero(axis))
        return vec3_scale(radius, rate);
    Vec3 axis_rate = vec3_cross(w, axis);
    double along = vec3_dot(direction, axis), along_rate = vec3_dot(rate, axis) + vec3_dot(direction, axis_rate);
    Vec3 radial = vec3_add_scaled(direction, -along, axis);
    Vec3 radial_rate = vec3_add_scaled(vec3_add_scaled(rate, -along_rate, axis), -along, axis_rate);
    return vec3_scale(radius, unit_rate(radial, radial_rate));
}

/* d/dt of A n / sqrt(n.A n), A = R D^2 R^T, of a body that turns at w. */
static Vec3 ellipsoid_rate(const Collider *ellipsoid, Quat turn, Vec3 w, Vec3 n, Vec3 n_rate)
{
    Vec3 square = vec3_mul(ellipsoid->shape.radii, ellipsoid->shape.radii);
    Mat3 A = mat3_turn_diagonal(quat_mul(turn, ellipsoid->at.q), square);
    Vec3 u = mat3_mul_vec(A, n), own_rate = vec3_sub(n_rate, vec3_cross(w, n));
    Vec3 u_rate = vec3_add(vec3_cross(w, u), mat3_mul_vec(A, own_rate));
    double s2 = vec3_dot(n, u), s2_rate = vec3_dot(n_rate, u) + vec3_dot(n, u_rate), s = sqrt(s2);
    return vec3_add_scaled(vec3_scale(1.0 / s, u_rate), -0.5 * s2_rate / (s2 * s), u);
}

/* n's rate: its carrier's turning, or that of the line through the cores. */
static Vec3 normal_rate(const World *world, const Block *block, const ContactFrame *f)
{
    int one = block->body[0], two = block->body[1];
    if (block->carrier != NORMAL_ALONG_CORES)
        return vec3_cross(world->velocity[block->carrier == NORMAL_ON_1 ? one : two].w, f->n);
    Vec3 v1 = world_point_velocity(world, one, vec3_sub(f->c1, world->pose[one].x));
    Vec3 v2 = world_point_velocity(world, two, vec3_sub(f->c2, world->pose[two].x));
    return unit_rate(vec3_sub(f->c2, f->c1), vec3_sub(v2, v1));
}

/* The rate of f->at, which lies on body 2 if body 1 carries the normal, else on body 1. */
static Vec3 point_rate(const World *world, const Block *block, const ContactFrame *f, Vec3 n_rate)
{
    int side = block->carrier == NORMAL_ON_1 ? 1 : 0, body = block->body[side];
    double sign = side ? -1.0 : 1.0;
    Vec3 core = side ? f->c2 : f->c1, axis = quat_rotate(world->pose[body].q, contact_axis(world, block, side));
    const Collider *ellipsoid = contact_ellipsoid(world, block, side);
    Vec3 rate = ellipsoid ? ellipsoid_rate(ellipsoid, world->pose[body].q, world->velocity[body].w,
                                           vec3_scale(sign, f->n), vec3_scale(sign, n_rate))
                          : offset_rate(block->seat->radius[side], axis, world->velocity[body].w,
                                        vec3_scale(sign, f->n), vec3_scale(sign, n_rate));
    return vec3_add(rate, world_point_velocity(world, body, vec3_sub(core, world->pose[body].x)));
}

/* A row u.(velocity of 2 at p - velocity of 1 at p) has Jdot V = u'.(that) + u.(w2 x (p' - v2) - w1 x (p' - v1)). */
void contact_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS])
{
    int one = block->body[0], two = block->body[1];
    ContactFrame f = contact_frame(world, block);
    Vec3 n_rate = normal_rate(world, block, &f);
    Velocity V1 = world->velocity[one], V2 = world->velocity[two];
    if (block->kind == BLOCK_TORSION) {
        k[0] = vec3_dot(n_rate, vec3_sub(V2.w, V1.w));
        return;
    }
    Vec3 p_rate = point_rate(world, block, &f, n_rate);
    Vec3 slip = vec3_sub(world_point_velocity(world, two, vec3_sub(f.at[1], world->pose[two].x)),
                         world_point_velocity(world, one, vec3_sub(f.at[0], world->pose[one].x)));
    Vec3 turning = vec3_sub(vec3_cross(V2.w, vec3_sub(p_rate, V2.v)), vec3_cross(V1.w, vec3_sub(p_rate, V1.v)));
    if (block->kind == BLOCK_CONTACT) {
        k[0] = vec3_dot(n_rate, slip) + vec3_dot(f.n, turning);
        return;
    }
    Vec3 t0 = block->seat->normal[1];
    double along = vec3_dot(f.n, t0), along_rate = vec3_dot(n_rate, t0);
    Vec3 flat = vec3_add_scaled(t0, -along, f.n);
    Vec3 t1_rate = unit_rate(flat, vec3_add_scaled(vec3_scale(-along_rate, f.n), -along, n_rate));
    Vec3 t2_rate = vec3_add(vec3_cross(n_rate, f.t1), vec3_cross(f.n, t1_rate));
    k[0] = vec3_dot(t1_rate, slip) + vec3_dot(f.t1, turning);
    k[1] = vec3_dot(t2_rate, slip) + vec3_dot(f.t2, turning);
}
