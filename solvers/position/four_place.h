/* Where the contacts of four manifolds are, a lane each: what place.h and point.h have of one, to the same bits. */
#ifndef RIGOR_SOLVERS_POSITION_FOUR_PLACE_H
#define RIGOR_SOLVERS_POSITION_FOUR_PLACE_H

#include "model/block_contact.h"
#include "solvers/position/four_pair.h"
#include "solvers/position/position_quads.h"

/* What no pose changes, of four manifolds: */
typedef struct ManifoldLanes {
    FourMass mass;
    Wide carrier, friction, restitution;
    bool any_carried, any_along_cores, any_anchored; /* some lane is; anchors are set only then */
} ManifoldLanes;

/* and of one point of each. */
typedef struct PointPlaces {
    FourVec3 normal, tangent;
    Wide radius[2];
    Wide wait; /* m, of an overlap that waits: position_contact_error */
    FourVec3 anchor[2];
} PointPlaces;

/* Adds to `sum` what solve(world, units, lanes, points, count, ...) returns of quads [from, to). Of one point the
 * compiler knows the length. */
#define ADD_OF_QUADS(sum, solve, quads, from, to, world, ...)                                                          \
    for (int q = (from); q < (to); q++) {                                                                              \
        const QuadUnits *units = &(quads)->manifolds.quads[q];                                                         \
        const PointPlaces *points = &(quads)->points[units->first];                                                    \
        (sum) += units->count == 1 ? solve(world, units, &(quads)->lanes[q], points, 1, __VA_ARGS__)                   \
                                   : solve(world, units, &(quads)->lanes[q], points, units->count, __VA_ARGS__);       \
    }

/* The blocks of one point of each manifold. */
typedef struct PointBlocks {
    int contact[QUAD], friction[QUAD];
} PointBlocks;

WIDE_INLINE PointBlocks point_blocks(const World *world, const QuadUnits *units, int point)
{
    PointBlocks blocks;
    for (int i = 0; i < QUAD; i++) {
        const ManifoldBlocks *manifold = &world->manifolds[units->unit[i]];
        blocks.contact[i] = manifold_contact(manifold, point);
        blocks.friction[i] = manifold_friction(manifold, point);
    }
    return blocks;
}

/* lambda and the first number of on_body2 of each block. */
WIDE_INLINE void four_multipliers(const Multiplier *multipliers, const int block[QUAD], Wide x[FOUR])
{
    four_gather((const double *[]){&multipliers[block[0]].lambda.x, &multipliers[block[1]].lambda.x,
                                   &multipliers[block[2]].lambda.x, &multipliers[block[3]].lambda.x},
                x);
}

/* Blocks where mask is not keep theirs. */
WIDE_INLINE void four_set_multipliers(Multiplier *multipliers, const int block[QUAD], WideMask mask, FourVec3 lambda,
                                      FourVec3 on_body2)
{
    Wide a[FOUR] = {lambda.x, lambda.y, lambda.z, on_body2.x}, b[FOUR] = {lambda.z, on_body2.x, on_body2.y, on_body2.z};
    wide_turn(a);
    wide_turn(b);
    for (int i = 0; i < QUAD; i++) {
        Multiplier nowhere, *own = mask[i] ? &multipliers[block[i]] : &nowhere;
        wide_store(&own->lambda.x, a[i]);
        wide_store(&own->lambda.z, b[i]);
    }
}

typedef struct FourPlace {
    FourVec3 n, at;
    Wide C;
} FourPlace;

WIDE_INLINE Wide four_norm(FourVec3 a)
{
    return four_sqrt(four_dot(a, a));
}

/* Both anchors are zero. */
WIDE_INLINE WideMask four_centred(const PointPlaces *point)
{
    return four_is_zero(point->anchor[0]) & four_is_zero(point->anchor[1]);
}

WIDE_INLINE void four_cores(const ManifoldLanes *lanes, const PointPlaces *point, const FourPose pose[2],
                            FourVec3 core[2])
{
    for (int k = 0; k < 2; k++)
        core[k] = pose[k].x;
    if (!lanes->any_anchored)
        return;
    WideMask centred = four_centred(point);
    for (int k = 0; k < 2; k++)
        core[k] = four_choose_vec3(centred, core[k], four_add(core[k], four_rotate(pose[k].q, point->anchor[k])));
}

WIDE_INLINE FourQuat four_choose_quat(WideMask mask, FourQuat a, FourQuat b)
{
    return (FourQuat){four_choose(mask, a.w, b.w), four_choose(mask, a.x, b.x), four_choose(mask, a.y, b.y),
                      four_choose(mask, a.z, b.z)};
}

WIDE_INLINE FourVec3 four_normal(const World *world, const ManifoldLanes *lanes, const PointPlaces *point,
                                 const FourPose pose[2], const FourVec3 core[2])
{
    FourVec3 carried = point->normal, along;
    if (lanes->any_carried)
        carried = four_rotate(four_choose_quat((WideMask)(lanes->carrier == NORMAL_ON_2), pose[1].q, pose[0].q),
                              point->normal);
    if (!lanes->any_along_cores)
        return carried;
    FourVec3 d = four_sub(core[1], core[0]);
    Wide length = four_norm(d);
    along = four_choose_vec3((WideMask)(length > CORES_MEET * world->length_scale), four_scale(1.0 / length, d),
                             point->normal);
    return lanes->any_carried ? four_choose_vec3((WideMask)(lanes->carrier == NORMAL_ALONG_CORES), along, carried)
                              : along;
}

WIDE_INLINE FourPlace four_place_along(const ManifoldLanes *lanes, const PointPlaces *point, const FourVec3 core[2],
                                       FourVec3 n)
{
    FourVec3 p[2] = {four_add_scaled(core[0], point->radius[0], n), four_add_scaled(core[1], -point->radius[1], n)};
    return (FourPlace){n, four_choose_vec3((WideMask)(lanes->carrier == NORMAL_ON_1), p[1], p[0]),
                       four_dot(n, four_sub(p[1], p[0]))};
}

WIDE_INLINE FourPlace four_place(const World *world, const ManifoldLanes *lanes, const PointPlaces *point,
                                 const FourPose pose[2])
{
    FourVec3 core[2];
    four_cores(lanes, point, pose, core);
    return four_place_along(lanes, point, core, four_normal(world, lanes, point, pose, core));
}

WIDE_INLINE void four_arms(const FourPair *pair, FourVec3 at, FourVec3 arm[2])
{
    for (int k = 0; k < 2; k++)
        arm[k] = four_sub(at, pair->pose[k].x);
}

/* position_contact_error without a share or a bound, which are those of other backends. */
WIDE_INLINE Wide four_contact_error(const PointPlaces *point, Wide C, const PositionSolve *how)
{
    return C + how->slop + point->wait;
}

WIDE_INLINE void four_tangents(const PointPlaces *point, FourVec3 n, FourVec3 t[2])
{
    FourVec3 flat = four_add_scaled(point->tangent, -four_dot(n, point->tangent), n);
    Wide length = four_norm(flat);
    WideMask lies = (WideMask)(length > 0.0);
    t[0] = four_scale(1.0 / length, flat);
    if (!four_all(lies))
        for (int i = 0; i < QUAD; i++) {
            Vec3 any = vec3_any_normal(vec3(n.x[i], n.y[i], n.z[i]));
            t[0].x[i] = lies[i] ? t[0].x[i] : any.x;
            t[0].y[i] = lies[i] ? t[0].y[i] : any.y;
            t[0].z[i] = lies[i] ? t[0].z[i] : any.z;
        }
    t[1] = four_cross(n, t[0]);
}

/* The bodies since the substep began. */
typedef struct FourTravel {
    FourPose from[2];
    FourVec3 shift[2];
    FourQuat turn[2];
} FourTravel;

WIDE_INLINE void four_travel(const World *world, const FourPair *pair, FourTravel *travel)
{
    for (int k = 0; k < 2; k++) {
        FourPose *from = &travel->from[k];
        from->x = four_gather_centres(world->pose_before, pair->body[k]);
        from->q = four_gather_turns(world->pose_before, pair->body[k]);
        travel->shift[k] = four_sub(pair->pose[k].x, from->x);
        travel->turn[k] = four_quat_mul(pair->pose[k].q, four_conj(from->q));
    }
}

WIDE_INLINE FourVec3 four_slip(const World *world, const ManifoldLanes *lanes, const PointPlaces *point, FourVec3 n,
                               const FourTravel *travel)
{
    FourVec3 start = four_place(world, lanes, point, travel->from).at, moved[2];
    for (int k = 0; k < 2; k++) {
        FourQuat turn = travel->turn[k];
        FourVec3 u = {turn.x, turn.y, turn.z}, t = four_cross(four_add(u, u), four_sub(start, travel->from[k].x));
        moved[k] = four_add(travel->shift[k], four_add_scaled(four_cross(u, t), turn.w, t));
    }
    FourVec3 slip = four_sub(moved[1], moved[0]);
    return four_add_scaled(slip, -four_dot(n, slip), n);
}

#endif
