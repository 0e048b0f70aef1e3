/* Older names of model/lane_vectors.h. */
#ifndef RIGOR_SOLVERS_FOUR_H
#define RIGOR_SOLVERS_FOUR_H

#include "model/lane_vectors.h"
#include "model/wide.h"

enum { FOUR = 4 };

#define FourVec3 LanesVec3
#define FourQuat LanesQuat
#define FourPose LanesPose
#define FourVelocity LanesVelocity
#define FourSymmetric LanesSymmetric
#define four_all mask_all
#define four_choose lanes_choose
#define four_choose_vec3 lanes_choose_vec3
#define four_choose_quat lanes_choose_quat
#define four_sqrt lanes_sqrt
#define four_same lanes_same
#define four_add lanes_add
#define four_sub lanes_sub
#define four_scale lanes_scale
#define four_negate lanes_negate
#define four_add_scaled lanes_add_scaled
#define four_mul lanes_mul
#define four_dot lanes_dot
#define four_norm lanes_norm
#define four_cross lanes_cross
#define four_is_zero lanes_is_zero
#define four_conj lanes_conj
#define four_quat_mul lanes_quat_mul
#define four_rotate lanes_rotate
#define four_rotate_inverse lanes_rotate_inverse
#define four_rows lanes_rotation
#define four_turn_diagonal lanes_turn_diagonal
#define four_unit lanes_unit
#define four_exp lanes_exp
#define four_log lanes_log
#define four_gather lanes_gather
#define four_gather_two lanes_gather_two
#define four_gather_three lanes_gather_three
#define four_gather_velocities lanes_gather_velocities

#define four_load lanes_load_apart
#define four_store lanes_store_apart

/* Nine numbers each: two times four, and the last four over again. */
WIDE_INLINE void four_store_symmetric(FourSymmetric a, Mat3 *to)
{
    four_store(to->m[0], NUMBERS_IN(Mat3), a.xx, a.xy, a.xz, a.xy);
    four_store(to->m[1] + 1, NUMBERS_IN(Mat3), a.yy, a.yz, a.xz, a.yz);
    four_store(to->m[1] + 2, NUMBERS_IN(Mat3), a.yz, a.xz, a.yz, a.zz);
}

/* What follows the fourth vector is loaded, too, and not used: another number must be there. */
WIDE_INLINE FourVec3 four_vec3(const Vec3 *a)
{
    Wide x[FOUR];
    four_load(&a->x, NUMBERS_IN(Vec3), x);
    return (FourVec3){x[0], x[1], x[2]};
}

WIDE_INLINE FourQuat four_orientation(const Pose *pose)
{
    return lanes_gather_quat(LANE_ELEMENTS(pose, LANES_IN_A_ROW(0), q.w));
}

WIDE_INLINE FourPose four_pose(const Pose *pose)
{
    return lanes_gather_poses(pose, LANES_IN_A_ROW(0));
}

WIDE_INLINE void four_set_pose(Pose *pose, FourPose to)
{
    lanes_scatter_pose((Pose *[]){pose, pose + 1, pose + 2, pose + 3}, to);
}

WIDE_INLINE FourVelocity four_velocity(const Velocity *u)
{
    return lanes_gather_velocities(u, LANES_IN_A_ROW(0));
}

WIDE_INLINE void four_set_velocity(Velocity *u, FourVelocity to)
{
    lanes_scatter_velocity((Velocity *[]){u, u + 1, u + 2, u + 3}, to);
}

WIDE_INLINE FourVec3 four_gather_centres(const Pose *pose, const int body[FOUR])
{
    return lanes_gather_vec3(LANE_ELEMENTS(pose, body, x.x));
}

WIDE_INLINE FourQuat four_gather_turns(const Pose *pose, const int body[FOUR])
{
    return lanes_gather_quat(LANE_ELEMENTS(pose, body, q.w));
}

#endif
