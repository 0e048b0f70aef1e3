/* Contact, friction and torsion blocks: C = n.(p2 - p1) >= 0, slip along t1 and t2, spin about n.
 * The normal turns with the body whose face it belongs to (its carrier), and the force acts where the other body's
 * surface is: for n on body 1 dC/dt = n.v2 + ((p2 - x2) x n).w2 - n.v1 - ((p2 - x1) x n).w1, with both arms to p2, is
 * the exact derivative and keeps angular momentum exactly. A normal fixed in the world would allow only one of the two.
 * Round surfaces carry none: n is the line through their core points, so a body that rolls does not drag it along. By
 * the envelope theorem a surface point p = core + offset(n) moves along n as if it were fixed to its body. */
#include "model/block_contact.h"

#include "model/collide.h"
#include "model/row.h"
#include "model/world.h"

static inline Vec3 pose_point(const Pose *pose, Vec3 local)
{
    return vec3_add(pose->x, quat_rotate(pose->q, local));
}

/* The point of a surface farthest along u, beyond its core point. */
static inline Vec3 surface_point(Vec3 core, double radius, Quat q, Vec3 axis, Vec3 u)
{
    if (radius == 0.0)
        return core;
    if (vec3_is_zero(axis))
        return vec3_add_scaled(core, radius, u);
    return vec3_add(core, convex_round_offset(radius, quat_rotate(q, axis), u));
}

/* The tangent of detection, laid into the plane of n: turns smoothly with it. */
static void frame_set_tangents(ContactFrame *f, const Block *block)
{
    Vec3 t = vec3_add_scaled(block->seat->normal[1], -vec3_dot(f->n, block->seat->normal[1]), f->n);
    double length = vec3_norm(t);
    f->t1 = length > 0.0 ? vec3_scale(1.0 / length, t) : vec3_any_normal(f->n);
    f->t2 = vec3_cross(f->n, f->t1);
}

Vec3 contact_axis(const World *world, const Block *block, int side)
{
    int body = block->body[side];
    if (!block->rolls || world->bodies[body].shape.kind != SHAPE_CYLINDER)
        return VEC3_ZERO;
    return quat_rotate_inverse(world->principal[body], vec3(0, 1, 0));
}

static inline void frame_set_surfaces(ContactFrame *f, const World *world, const Block *block)
{
    const Pose *one = &world->pose[block->body[0]], *two = &world->pose[block->body[1]];
    f->p1 = surface_point(f->c1, block->seat->radius[0], one->q, contact_axis(world, block, 0), f->n);
    f->p2 = surface_point(f->c2, block->seat->radius[1], two->q, contact_axis(world, block, 1), vec3_negate(f->n));
    f->at = block->carrier == NORMAL_ON_1 ? f->p2 : f->p1;
}

static inline Vec3 line_of_cores(const World *world, const Block *block, Vec3 c1, Vec3 c2)
{
    Vec3 d = vec3_sub(c2, c1);
    double length = vec3_norm(d);
    return length > CORES_MEET * world->length_scale ? vec3_scale(1.0 / length, d) : block->seat->normal[0];
}

static inline Vec3 carried_normal(const World *world, const Block *block)
{
    int carrier = block->body[block->carrier == NORMAL_ON_1 ? 0 : 1];
    return quat_rotate(world->pose[carrier].q, block->seat->normal[0]);
}

/* Of any two surfaces. Not inlined: the compiler would turn anchors before it knows that there are none. */
static __attribute__((noinline)) void frame_place_any(ContactFrame *f, const World *world, const Block *block)
{
    const Pose *one = &world->pose[block->body[0]], *two = &world->pose[block->body[1]];
    f->c1 = pose_point(one, block->seat->anchor[0]);
    f->c2 = pose_point(two, block->seat->anchor[1]);
    if (block->carrier == NORMAL_ALONG_CORES)
        f->n = line_of_cores(world, block, f->c1, f->c2);
    else
        f->n = carried_normal(world, block);
    frame_set_surfaces(f, world, block);
}

/* All but the tangents. Of two spheres, whose core points are their centres, nothing turns. */
static inline void frame_place(ContactFrame *f, const World *world, const Block *block)
{
    if (block->carrier != NORMAL_ALONG_CORES || !vec3_is_zero(block->seat->anchor[0]) ||
        !vec3_is_zero(block->seat->anchor[1])) {
        frame_place_any(f, world, block);
        return;
    }
    f->c1 = world->pose[block->body[0]].x;
    f->c2 = world->pose[block->body[1]].x;
    f->n = line_of_cores(world, block, f->c1, f->c2);
    f->at = f->p1 = vec3_add_scaled(f->c1, block->seat->radius[0], f->n);
    f->p2 = vec3_add_scaled(f->c2, -block->seat->radius[1], f->n);
}

ContactFrame contact_frame(const World *world, const Block *block)
{
    ContactFrame f;
    frame_place(&f, world, block);
    frame_set_tangents(&f, block);
    return f;
}

static void set_arms(const World *world, const Block *block, const ContactFrame *f, BlockError *error)
{
    error->arm1 = vec3_sub(f->at, world->pose[block->body[0]].x);
    error->arm2 = vec3_sub(f->at, world->pose[block->body[1]].x);
}

void contact_error(const World *world, const Block *block, BlockError *error)
{
    ContactFrame f;
    frame_place(&f, world, block);
    error->scalar = true;
    error->C = vec3_dot(f.n, vec3_sub(f.p2, f.p1));
    error->gradient = f.n;
    error->lower = 0.0;
    set_arms(world, block, &f, error);
}

/* Where the point of contact was when the substep began. */
static Vec3 point_before(const World *world, const Block *block)
{
    int side = block->carrier == NORMAL_ON_1 ? 1 : 0;
    const Pose *pose = &world->pose_before[block->body[side]], *other = &world->pose_before[block->body[!side]];
    Vec3 core = pose_point(pose, block->seat->anchor[side]), n;
    if (block->seat->radius[side] == 0.0)
        return core;
    if (block->carrier == NORMAL_ALONG_CORES)
        n = line_of_cores(world, block, core, pose_point(other, block->seat->anchor[1]));
    else
        n = quat_rotate(other->q, block->seat->normal[0]);
    return surface_point(core, block->seat->radius[side], pose->q, contact_axis(world, block, side),
                         side ? vec3_negate(n) : n);
}

void contact_travel(const World *world, const int body[2], Travel travel[2])
{
    for (int k = 0; k < 2; k++) {
        const Pose *before = &world->pose_before[body[k]], *now = &world->pose[body[k]];
        travel[k] = (Travel){before->x, vec3_sub(now->x, before->x), quat_mul(now->q, quat_conj(before->q))};
    }
}

/* How far the point of the body that was at `start` when the substep began has moved. */
static Vec3 travel_of(const Travel *travel, Vec3 start)
{
    Vec3 u = quat_vec(travel->turn), t = vec3_scale(2.0, vec3_cross(u, vec3_sub(start, travel->from)));
    return vec3_add(travel->shift, vec3_add_scaled(vec3_cross(u, t), travel->turn.w, t));
}

Vec3 contact_slip(const World *world, const Block *block, Vec3 n, const Travel travel[2])
{
    Vec3 start = point_before(world, block);
    Vec3 slip = vec3_sub(travel_of(&travel[1], start), travel_of(&travel[0], start));
    return vec3_add_scaled(slip, -vec3_dot(n, slip), n);
}

void friction_error(const World *world, const Block *block, BlockError *error)
{
    ContactFrame f;
    Travel travel[2];
    frame_place(&f, world, block);
    contact_travel(world, block->body, travel);
    error->error = contact_slip(world, block, f.n, travel);
    set_arms(world, block, &f, error);
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
    Vec3 rate = offset_rate(block->seat->radius[side], axis, world->velocity[body].w, vec3_scale(sign, f->n),
                            vec3_scale(sign, n_rate));
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
    Vec3 slip = vec3_sub(world_point_velocity(world, two, vec3_sub(f.at, world->pose[two].x)),
                         world_point_velocity(world, one, vec3_sub(f.at, world->pose[one].x)));
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
