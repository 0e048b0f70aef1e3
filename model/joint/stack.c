/* SPDX-License-Identifier: MIT */
/* Coordinates of a stack: a series whose axes act one through the other. With S_i the line of axis i as placed, in body
 * 1's frame, and d_i = q_i - start_i, body 2 is at
 *     X = E_1(d_1) ... E_k(d_k) X_placed,    E_i the turn about S_i or the shift along it.
 * Newton's method finds d from X, least squares where X is off; it begins where the last substep ended. */
#include "model/joint/stack.h"

#include "model/joint/build.h"
#include "model/joint/law_rows.h"

/* Steps of the search, which ends where one is below round-off. */
enum { STACK_STEPS = 20 };
#define STACK_ROUND_OFF 1e-14
/* Part of a diagonal that keeps axes in a line solvable. */
#define STACK_LEAST 1e-14

/* Body 2 in body 1's frame. */
typedef struct StackPose {
    Vec3 x;
    Quat q;
} StackPose;

static StackPose pose_between(Pose one, Pose two)
{
    return (StackPose){quat_rotate_inverse(one.q, vec3_sub(two.x, one.x)), quat_mul(quat_conj(one.q), two.q)};
}

Pose stack_placed(const World *world, const Joint *joint)
{
    Quat q = quat_mul(joint_start_turn(world, joint), joint->law_rows[0].zero);
    Vec3 anchor = joint->anchor[0];
    for (int i = 0; i < joint->coordinate_count; i++)
        if (!joint->coordinates[i].turns)
            anchor = vec3_add_scaled(anchor, joint->coordinates[i].law->start, joint->coordinates[i].axis);
    return (Pose){vec3_sub(anchor, quat_rotate(q, joint->anchor[1])), q};
}

/* Body 2 at d, and the motion of its centre by each coordinate: column i is (w, v). */
static StackPose stack_place(const World *world, const Joint *joint, const double d[], Vec3 column[][2])
{
    StackPose at = {VEC3_ZERO, QUAT_IDENTITY};
    Pose placed = stack_placed(world, joint);
    Vec3 line[SERIES_MAX_AXES], point[SERIES_MAX_AXES];
    for (int i = 0; i < joint->coordinate_count; i++) {
        const JointCoordinate *of = &joint->coordinates[i];
        line[i] = quat_rotate(at.q, of->axis);
        point[i] = vec3_add(at.x, quat_rotate(at.q, of->anchor));
        if (of->turns) {
            Quat turn = quat_exp(vec3_scale(d[i], of->axis));
            Vec3 shift = vec3_sub(of->anchor, quat_rotate(turn, of->anchor));
            at.x = vec3_add(at.x, quat_rotate(at.q, shift));
            at.q = quat_mul(at.q, turn);
        } else {
            at.x = vec3_add_scaled(at.x, d[i], line[i]);
        }
    }
    at.x = vec3_add(at.x, quat_rotate(at.q, placed.x));
    at.q = quat_unit(quat_mul(at.q, placed.q));
    for (int i = 0; i < joint->coordinate_count; i++) {
        bool turns = joint->coordinates[i].turns;
        column[i][0] = turns ? line[i] : VEC3_ZERO;
        column[i][1] = turns ? vec3_cross(line[i], vec3_sub(at.x, point[i])) : line[i];
    }
    return at;
}

/* The x that brings sum_i x_i column_i nearest to (w, v), turns counted in length scales: normal equations by Cholesky.
 */
static void stack_fit(int count, Vec3 column[][2], const Vec3 motion[2], double scale, double x[])
{
    double A[SERIES_MAX_AXES][SERIES_MAX_AXES];
    for (int i = 0; i < count; i++) {
        Vec3 w = vec3_scale(scale * scale, column[i][0]);
        x[i] = vec3_dot(w, motion[0]) + vec3_dot(column[i][1], motion[1]);
        for (int k = 0; k <= i; k++)
            A[i][k] = vec3_dot(w, column[k][0]) + vec3_dot(column[i][1], column[k][1]);
    }
    for (int i = 0; i < count; i++) {
        double whole = A[i][i];
        for (int k = 0; k < i; k++) {
            for (int m = 0; m < k; m++)
                A[i][k] -= A[i][m] * A[k][m];
            A[i][k] /= A[k][k];
            A[i][i] -= A[i][k] * A[i][k];
            x[i] -= A[i][k] * x[k];
        }
        A[i][i] = sqrt(fmax(A[i][i], STACK_LEAST * whole));
        x[i] /= A[i][i];
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++)
            x[i] -= A[k][i] * x[k];
        x[i] /= A[i][i];
    }
}

static Vec3 short_turn(Quat q)
{
    return quat_log(q.w < 0.0 ? (Quat){-q.w, -q.x, -q.y, -q.z} : q);
}

void stack_coordinates(const World *world, const Joint *joint, double q[SERIES_MAX_AXES], double rate[SERIES_MAX_AXES])
{
    int count = joint->coordinate_count, one = joint->def.body[0], two = joint->def.body[1];
    StackPose is = pose_between(world->pose[one], world->pose[two]);
    Vec3 column[SERIES_MAX_AXES][2];
    double d[SERIES_MAX_AXES], step[SERIES_MAX_AXES], largest = 1.0;
    for (int i = 0; i < count; i++)
        d[i] = joint->coordinates[i].q - joint->coordinates[i].law->start;
    for (int n = 0; n < STACK_STEPS && largest > STACK_ROUND_OFF; n++) {
        StackPose at = stack_place(world, joint, d, column);
        const Vec3 off[2] = {short_turn(quat_mul(is.q, quat_conj(at.q))), vec3_sub(is.x, at.x)};
        stack_fit(count, column, off, world->length_scale, step);
        largest = 0.0;
        for (int i = 0; i < count; i++) {
            d[i] += step[i];
            largest = fmax(largest, fabs(step[i]) / (joint->coordinates[i].turns ? 1.0 : world->length_scale));
        }
    }
    Velocity u1 = world->velocity[one], u2 = world->velocity[two];
    Vec3 span = vec3_sub(world->pose[two].x, world->pose[one].x);
    Vec3 v = vec3_sub(u2.v, vec3_add(u1.v, vec3_cross(u1.w, span)));
    const Vec3 motion[2] = {quat_rotate_inverse(world->pose[one].q, vec3_sub(u2.w, u1.w)),
                            quat_rotate_inverse(world->pose[one].q, v)};
    stack_place(world, joint, d, column);
    stack_fit(count, column, motion, world->length_scale, rate);
    for (int i = 0; i < count; i++)
        q[i] = d[i] + joint->coordinates[i].law->start;
}
