/* SPDX-License-Identifier: MIT */
#include "solvers/newton_xpbd/joint.h"

/* 1 - cos^2 of half the swing: below it the swing is taken as its sine. */
static const double SWING_SMALL = 1e-4;

static void axes_hold(NewtonAxis axis[3], int from, int to, double compliance, int block)
{
    for (int i = from; i < to; i++)
        axis[i] = (NewtonAxis){.compliance = compliance, .block = block};
}

static bool refuse(const World *world, int joint, const char *what, Status *status)
{
    return status_set(status, STATUS_UNSUPPORTED, "solver newton_xpbd cannot run this scene: joint %s has %s",
                      world->joints[joint].def.name, what);
}

/* One block of the joint. */
static bool joint_take(NewtonJoint *joint, const World *world, int b, Status *status)
{
    const Block *block = &world->blocks[b];
    const JointTerms *terms = block_terms(block);
    double a = terms->compliance;
    NewtonAxis range = {terms->lower, terms->upper, a, terms->driven, b};
    if (isfinite(terms->max_force) && terms->max_force > 0.0 && terms->actuator)
        return refuse(world, block->joint, "a bound on its drive", status);
    joint->turns = joint->turns || block_unit(block->kind) == UNIT_ANGLE;
    switch (block->kind) {
    case BLOCK_ATTACH:
        axes_hold(joint->line, 0, 3, a, b);
        return true;
    case BLOCK_GUIDE:
        axes_hold(joint->line, 1, 3, a, b);
        return true;
    case BLOCK_SLIDE:
        joint->line[0] = range;
        return true;
    case BLOCK_ALIGN:
        axes_hold(joint->turn, 1, 3, a, b);
        return true;
    case BLOCK_ORIENT:
        axes_hold(joint->turn, 0, 3, a, b);
        return true;
    case BLOCK_TWIST:
        joint->turn[0] = range;
        return true;
    case BLOCK_DISTANCE:
        joint->distance = true;
        joint->line[0] = (NewtonAxis){terms->one_sided ? -INFINITY : block->seat->rest, block->seat->rest, a, false, b};
        return true;
    default:
        return refuse(world, block->joint, block->kind == BLOCK_SWING ? "a bound on its swing" : "no such row there",
                      status);
    }
}

bool newton_joint_read(NewtonJoint *joint, const World *world, int index, Status *status)
{
    const Joint *of = &world->joints[index];
    *joint = (NewtonJoint){.body = {of->def.body[0], of->def.body[1]}};
    for (int i = 0; i < 3; i++)
        joint->line[i] = joint->turn[i] = (NewtonAxis){-INFINITY, INFINITY, 0.0, false, of->first_block};
    for (int b = of->first_block; b < of->first_block + of->block_count; b++) {
        const JointTerms *terms = block_terms(&world->blocks[b]);
        const Vec3 x = terms->axis[0], y = terms->seat.normal[0], z = terms->seat.normal[1];
        for (int k = 0; k < 2; k++)
            joint->anchor[k] = terms->seat.anchor[k];
        joint->frame[0] = quat_from_mat3((Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}});
        joint->frame[1] = quat_mul(quat_conj(terms->placed), joint->frame[0]);
        if (!joint_take(joint, world, b, status))
            return false;
    }
    return true;
}

/* The error beyond the bounds; of a drive none. */
static double axis_error(const NewtonAxis *axis, double e)
{
    if (axis->driven)
        return 0.0;
    return e < axis->lower ? e - axis->lower : e > axis->upper ? e - axis->upper : 0.0;
}

static bool axis_is_free(const NewtonAxis *axis)
{
    return !axis->driven && isinf(axis->lower) && isinf(axis->upper);
}

static double row_lambda(const World *world, const NewtonRow *row, double error, double rate, double compliance,
                         double g, double h)
{
    double w = newton_weight(world, row), below = (h + g) * w + compliance / h;
    return below > 0.0 ? -(error + g * rate) / below : 0.0;
}

static int solve_line(const NewtonAxis *axis, World *world, const NewtonRow *row, double e, double h,
                      NewtonRelaxation relax, NewtonChange *change)
{
    double error = axis_error(axis, e), rate = newton_rate(world, row);
    if (fabs(error) <= relax.least_error && fabs(rate) <= relax.least_error)
        return 0;
    double lambda = row_lambda(world, row, error, rate, axis->compliance, 0.0, h);
    newton_give(change, row, lambda * relax.line, lambda * relax.turn);
    Vec3 *given = &world->block_impulse[axis->block];
    *given = vec3_add_scaled(*given, lambda * relax.line, row->line);
    return 1;
}

static int solve_distance(const NewtonJoint *joint, World *world, double h, NewtonRelaxation relax,
                          NewtonChange *change)
{
    Vec3 r[2], d = VEC3_ZERO;
    for (int k = 0; k < 2; k++) {
        Pose pose = world->pose[joint->body[k]];
        r[k] = quat_rotate(pose.q, joint->anchor[k]);
        d = vec3_add_scaled(d, k == 0 ? -1.0 : 1.0, vec3_add(pose.x, r[k]));
    }
    double length = vec3_norm(d);
    if (length == 0.0 || fabs(axis_error(&joint->line[0], length)) <= relax.least_error)
        return 0;
    NewtonRow row = newton_line(joint->body, vec3_scale(1.0 / length, d), r[0], r[1]);
    return solve_line(&joint->line[0], world, &row, length, h, relax, change);
}

/* Body 1's arm ends at the point that the bounds admit, body 2's at its anchor. */
static int solve_lines(const NewtonJoint *joint, World *world, double h, NewtonRelaxation relax, NewtonChange *change)
{
    Pose one = world->pose[joint->body[0]], two = world->pose[joint->body[1]];
    Vec3 r1 = quat_rotate(one.q, joint->anchor[0]), r2 = quat_rotate(two.q, joint->anchor[1]);
    Vec3 apart = vec3_sub(vec3_add(two.x, r2), vec3_add(one.x, r1)), axis[3];
    double e[3];
    int rows = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = quat_rotate(quat_mul(one.q, joint->frame[0]), vec3_axis(i));
        e[i] = vec3_dot(axis[i], apart);
    }
    for (int i = 0; i < 3; i++)
        r1 = vec3_add_scaled(r1, e[i] - axis_error(&joint->line[i], e[i]), axis[i]);
    for (int i = 0; i < 3; i++) {
        NewtonRow row = newton_line(joint->body, axis[i], r1, r2);
        if (!axis_is_free(&joint->line[i]))
            rows += solve_line(&joint->line[i], world, &row, e[i], h, relax, change);
    }
    return rows;
}

/* Of the turn q of frame 2 in frame 1: its twist about x and its swing about y and z, and their gradients by q:
 *     twist = 2 asin(x/s),   swing = ((w y - x z), (w z + x y))/s x theta/sin(theta/2),   s = |(x, w)| = cos(theta/2).
 */
static void split_turn(Quat q, double e[3], Quat gradient[3])
{
    double s = sqrt(q.w * q.w + q.x * q.x), one = 1.0 / s, cubed = one * one * one;
    double a = q.w * q.y - q.x * q.z, b = q.w * q.z + q.x * q.y;
    double twist = 2.0 / fabs(q.w * one), swing = 1.0;
    if (s * s + SWING_SMALL < 1.0)
        swing = 2.0 * acos(clamp(s, -1.0, 1.0)) / sqrt(1.0 - s * s);
    e[0] = 2.0 * asin(clamp(q.x * one, -1.0, 1.0));
    e[1] = swing * a * one;
    e[2] = swing * b * one;
    gradient[0] = (Quat){-twist * q.w * q.x * cubed, twist * (one - q.x * q.x * cubed), 0.0, 0.0};
    gradient[1] = (Quat){swing * q.x * b * cubed, -swing * q.w * b * cubed, swing * q.w * one, -swing * q.x * one};
    gradient[2] = (Quat){-swing * q.x * a * cubed, swing * q.w * a * cubed, swing * q.x * one, swing * q.w * one};
}

static int solve_turns(const NewtonJoint *joint, World *world, double h, NewtonRelaxation relax, NewtonChange *change)
{
    Quat one = quat_mul(world->pose[joint->body[0]].q, joint->frame[0]), gradient[3];
    Quat two = quat_mul(world->pose[joint->body[1]].q, joint->frame[1]);
    if (one.w * two.w + one.x * two.x + one.y * two.y + one.z * two.z < 0.0)
        two = (Quat){-two.w, -two.x, -two.y, -two.z};
    double e[3];
    int rows = 0;
    split_turn(quat_mul(quat_conj(one), two), e, gradient);
    for (int i = 0; i < 3; i++) {
        const NewtonAxis *axis = &joint->turn[i];
        if (axis_is_free(axis))
            continue;
        Vec3 u = vec3_scale(0.5, quat_vec(quat_mul(quat_mul(one, gradient[i]), quat_conj(two))));
        NewtonRow row = newton_turn(joint->body, u);
        double speed = axis->driven ? block_terms(&world->blocks[axis->block])->speed : 0.0;
        double rate = newton_rate(world, &row) - speed * vec3_norm(u);
        double lambda =
            relax.turn * row_lambda(world, &row, axis_error(axis, e[i]), rate, axis->compliance, axis->driven, h);
        Vec3 *given = &world->block_impulse[axis->block];
        newton_give(change, &row, 0.0, lambda);
        *given = vec3_add_scaled(*given, lambda, u);
        rows++;
    }
    return rows;
}

int newton_joint_solve(const NewtonJoint *joint, World *world, double h, NewtonRelaxation relax, NewtonChange *change)
{
    if (joint->distance)
        return solve_distance(joint, world, h, relax, change);
    int rows = solve_lines(joint, world, h, relax, change);
    return joint->turns ? rows + solve_turns(joint, world, h, relax, change) : rows;
}
