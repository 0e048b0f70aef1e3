/* SPDX-License-Identifier: MIT */
#include "solvers/tree/articulated_law.h"

#include "solvers/tree/articulated_series.h"

#include <math.h>

/* The coordinate of a joint that is no series and no ball: its turn, or its slide. */
static int law_dof(const Link *link, const Joint *joint)
{
    return joint->coordinates[0].turns || link->turn != TURN_AXIS ? 0 : 1;
}

int link_coordinate_of_axis(const Link *link, const World *world, int axis)
{
    bool hinge = world->joints[link->joint].def.type == JOINT_HINGE;
    return link->series ? series_axis(link, axis) : link->turn == TURN_AXIS && !hinge ? 1 : 0;
}

const JointLaw *link_law(const Link *link, const World *world, int k)
{
    if (link->joint < 0)
        return NULL;
    const Joint *joint = &world->joints[link->joint];
    if (link->series)
        return joint->coordinates[series_axis(link, k)].law;
    if (joint->def.type == JOINT_BALL)
        return k < 3 ? joint->def.law : NULL;
    return joint->coordinate_count > 0 && k == law_dof(link, joint) ? joint->coordinates[0].law : NULL;
}

double link_coordinate(const Link *link, const double *state, const World *world, int k)
{
    const Joint *joint = &world->joints[link->joint];
    const LinkState *at = link_state_of(link, state);
    if (link->series)
        return ((const SeriesState *)(const void *)at)->d[k] + joint->coordinates[series_axis(link, k)].law->start;
    if (joint->def.type == JOINT_BALL) {
        Vec3 turn = quat_rotate(world->pose[joint->def.body[0]].q, joint_ball_turn(world, joint));
        return (link->reversed ? -1.0 : 1.0) * vec3_dot(link->own->basis[k], turn);
    }
    return joint->coordinates[0].turns ? at->angle : at->shift.x;
}

static LawForce law_part(const JointLaw *law, double q, double speed, LawPart part)
{
    return part == LAW_PASSIVE  ? law_passive(law, q, speed)
           : part == LAW_DRIVES ? law_drives(law, q, speed)
                                : law_force(law, q, speed);
}

LawForce link_law_force(const Link *link, const double *state, const World *world, int k, LawPart part)
{
    double speed = link_speed(link, link_state_of(link, state), world, k);
    return law_part(link_law(link, world, k), link_coordinate(link, state, world, k), speed, part);
}

bool law_row_is_linear(const LawRow *row)
{
    return !row->friction && isinf(row->bound);
}

/* What of a coordinate's law is linear; of one that has no rows, all of it as it is now. */
static LawRow link_law_over(const Link *link, const double *state, const World *world, int k, double *speed)
{
    const Joint *joint = &world->joints[link->joint];
    LawRow sum = {0};
    *speed = link_speed(link, link_state_of(link, state), world, k);
    if (joint->needs_coordinates) {
        LawForce f = link_law_force(link, state, world, k, LAW_ALL);
        return (LawRow){link_law(link, world, k)->armature, f.damping, f.stiffness, f.force, INFINITY};
    }
    int axis = link->series ? series_axis(link, k) : 0;
    for (int i = 0; i < joint->law_row_count; i++) {
        const LawRow *row = &joint->law_rows[i];
        if (!law_row_is_linear(row) || row->coordinate != axis)
            continue;
        sum.inertia += row->inertia;
        sum.damping += row->damping;
        sum.stiffness += row->stiffness;
        sum.force += row->force;
    }
    sum.force -= sum.stiffness * link_coordinate(link, state, world, k) + sum.damping * *speed;
    return sum;
}

void articulated_add_laws_over(Articulated *tree, const double *state, const World *world, double h)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        double speed;
        for (int k = 0; k < link->dofs; k++) {
            link->own->diagonal[k] = link->moves->given[k] = 0.0;
            if (!link_law(link, world, k))
                continue;
            LawRow f = link_law_over(link, state, world, k, &speed);
            link->own->diagonal[k] = f.inertia + h * (f.damping + h * f.stiffness);
            link->moves->given[k] = f.inertia * speed + h * (f.force + f.damping * speed);
        }
    }
}
