/* SPDX-License-Identifier: MIT */
#include "solvers/tree/articulated_series.h"

#include "model/joint/stack.h"
#include "solvers/tree/spatial.h"

void series_begin(Link *link, const World *world)
{
    const Joint *joint = &world->joints[link->joint];
    LinkJoint *own = link->own;
    Pose placed = stack_placed(world, joint);
    link->series = true;
    link->turn = TURN_NONE;
    link->shift = SHIFT_NONE;
    link->dofs = (unsigned char)joint->coordinate_count;
    for (int k = 0; k < link->dofs; k++) {
        const JointCoordinate *coordinate = &joint->coordinates[series_axis(link, k)];
        LinkAxis *axis = &own->axes[k];
        *axis = (LinkAxis){coordinate->turns, coordinate->axis, coordinate->anchor};
        if (!link->reversed)
            continue;
        axis->axis = vec3_negate(quat_rotate_inverse(placed.q, axis->axis));
        axis->anchor = quat_rotate_inverse(placed.q, vec3_sub(axis->anchor, placed.x));
    }
    if (link->reversed)
        placed = (Pose){quat_rotate_inverse(placed.q, vec3_negate(placed.x)), quat_conj(placed.q)};
    own->placed = placed;
}

/* An axis where those before it have carried it, in the world. */
typedef struct CarriedAxis {
    Vec3 axis, anchor;
} CarriedAxis;

/* Where the axes are, and the link's pose. */
static Pose series_carry(const Link *link, Pose parent, const double d[], CarriedAxis carried[])
{
    Pose moved = {VEC3_ZERO, QUAT_IDENTITY};
    for (int k = 0; k < link->dofs; k++) {
        const LinkAxis *axis = &link->own->axes[k];
        Vec3 a = quat_rotate(moved.q, axis->axis), o = vec3_add(quat_rotate(moved.q, axis->anchor), moved.x);
        carried[k].axis = quat_rotate(parent.q, a);
        carried[k].anchor = vec3_add(parent.x, quat_rotate(parent.q, o));
        if (axis->turns) {
            Quat turn = quat_axis_angle(a, d[k]);
            moved.x = vec3_add(o, quat_rotate(turn, vec3_sub(moved.x, o)));
            moved.q = quat_mul(turn, moved.q);
        } else {
            moved.x = vec3_add_scaled(moved.x, d[k], a);
        }
    }
    Vec3 x = vec3_add(quat_rotate(moved.q, link->own->placed.x), moved.x);
    return (Pose){vec3_add(parent.x, quat_rotate(parent.q, x)),
                  quat_unit(quat_mul(parent.q, quat_mul(moved.q, link->own->placed.q)))};
}

static void carried_column(const LinkAxis *axis, const CarriedAxis *carried, Vec3 x, double S[6])
{
    if (axis->turns)
        spatial_set(S, carried->axis, vec3_cross(carried->axis, vec3_sub(x, carried->anchor)));
    else
        spatial_set(S, VEC3_ZERO, carried->axis);
}

/* With w the turn before an axis, o a point of it that what carries the axis moves, a its direction:
 *     slide   c += (0, w x a d');   hinge   c += (w x a d', (w x a d') x (x - o) + a d' x (v - o')),
 * and what the parent's turn does to r: w_parent x (v - v_parent). */
void series_place(Link *link, const SeriesState *state, World *world)
{
    Pose parent = world->pose[link->parent_body], *pose = &world->pose[link->body];
    Velocity from = world->velocity[link->parent_body], *to = &world->velocity[link->body];
    CarriedAxis carried[LINK_MAX_DOFS];
    *pose = series_carry(link, parent, state->d, carried);
    link->at->r = vec3_sub(pose->x, parent.x);
    link->at->arm = quat_rotate(pose->q, link->anchors->own);
    link->at->inertia = mat3_turn_diagonal(pose->q, world->mass[link->body].inertia);
    *to = (Velocity){vec3_add(from.v, vec3_cross(from.w, link->at->r)), from.w};
    for (int k = 0; k < link->dofs; k++) {
        double *S = link->own->S[k];
        carried_column(&link->own->axes[k], &carried[k], pose->x, S);
        to->v = vec3_add_scaled(to->v, state->speed[k], linear(S));
        to->w = vec3_add_scaled(to->w, state->speed[k], angular(S));
    }
    Vec3 turn = VEC3_ZERO, shift = vec3_cross(from.w, vec3_sub(to->v, from.v)), w = from.w;
    for (int k = 0; k < link->dofs; k++) {
        Vec3 change = vec3_scale(state->speed[k], vec3_cross(w, carried[k].axis));
        if (!link->own->axes[k].turns) {
            shift = vec3_add(shift, change);
            continue;
        }
        Vec3 o = vec3_add(from.v, vec3_cross(from.w, vec3_sub(carried[k].anchor, parent.x)));
        for (int i = 0; i < k; i++) {
            double S[6];
            carried_column(&link->own->axes[i], &carried[i], carried[k].anchor, S);
            o = vec3_add_scaled(o, state->speed[i], linear(S));
        }
        Vec3 spin = vec3_scale(state->speed[k], carried[k].axis);
        turn = vec3_add(turn, change);
        shift = vec3_add(shift, vec3_cross(change, vec3_sub(pose->x, carried[k].anchor)));
        shift = vec3_add(shift, vec3_cross(spin, vec3_sub(to->v, o)));
        w = vec3_add(w, spin);
    }
    spatial_set(link->at->c, turn, shift);
}

void series_read(const Link *link, const World *world, SeriesState *state)
{
    const Joint *joint = &world->joints[link->joint];
    *state = (SeriesState){{0}, {0}};
    for (int k = 0; k < link->dofs; k++) {
        int axis = series_axis(link, k);
        state->d[k] = joint_coordinate(world, joint, axis) - joint->coordinates[axis].law->start;
    }
}
