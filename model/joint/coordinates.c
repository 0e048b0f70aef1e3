/* SPDX-License-Identifier: MIT */
/* Joints with coordinates: those with a law, and series. A series has rows between its two bodies, the complement of
 * its axes, where its slides are at right angles and come first, and up to three hinges at one point follow:
 *     linear   0 slides: attach;  1: guide;  2: a slide held along the third direction;  3: nothing
 *     angular  no hinge: orient;  1: align;  2: the angle between their axes;  3: nothing
 * Of two or three hinges the angles are no coordinates of two bodies: laws and limits on them, and other stacks, are
 * left to joint coordinates. */
#include "model/joint/build.h"
#include "model/joint/law_rows.h"
#include "model/joint/stack.h"

#include <stdlib.h>
#include <string.h>

/* Slides are at right angles below this cosine. */
#define SERIES_MAX_COSINE 1e-9
/* Length scales: hinges so near are at one point. Axes whose product of unit vectors is less lie in a plane. */
#define SERIES_ONE_POINT 1e-9
#define SERIES_LEAST_VOLUME 1e-6
/* s: laws have a compliance before the first step says its length. */
#define LAW_NOMINAL_STEP (1.0 / 60.0)

static int slides_of(const Joint *joint)
{
    int slides = 0;
    while (slides < joint->def.axis_count && !joint->def.axes[slides].turns)
        slides++;
    return slides;
}

/* Nothing acts on the coordinate, and nothing bounds it. */
static bool axis_is_free(const SeriesAxis *axis)
{
    return !law_acts(&axis->law) && axis->law.dry_friction == 0.0 && isinf(axis->limits[0]) && isinf(axis->limits[1]);
}

/* How far the axes of the hinges are from lying in a line, or a plane. */
static double hinges_spread(const JointCoordinate *hinge, int count)
{
    Vec3 cross = count > 1 ? vec3_cross(hinge[0].axis, hinge[1].axis) : VEC3_ZERO;
    return count == 3 ? fabs(vec3_dot(cross, hinge[2].axis)) : vec3_norm(cross);
}

/* One hinge, or two or three at one point that only hold. */
static bool hinges_have_rows(const World *world, const Joint *joint, int first)
{
    int count = joint->def.axis_count - first;
    const JointCoordinate *hinge = joint->coordinates + first;
    bool ok = count <= 3 && (count < 2 || hinges_spread(hinge, count) > SERIES_LEAST_VOLUME);
    for (int i = 0; i < count && ok; i++)
        ok = hinge[i].turns && (count == 1 || axis_is_free(&joint->def.axes[first + i])) &&
             vec3_norm(vec3_sub(hinge[i].anchor, hinge[0].anchor)) <= SERIES_ONE_POINT * world->length_scale;
    return ok;
}

static bool series_has_rows(const World *world, const Joint *joint)
{
    int slides = slides_of(joint);
    bool ok = slides <= 3 && hinges_have_rows(world, joint, slides);
    for (int i = 0; i < slides && ok; i++)
        for (int k = 0; k < i; k++)
            ok = ok && fabs(vec3_dot(joint->coordinates[i].axis, joint->coordinates[k].axis)) < SERIES_MAX_COSINE;
    return ok;
}

/* In body 1's internal frame. */
static JointCoordinate coordinate_at(const World *world, const Joint *joint, bool turns, Vec3 axis, Vec3 anchor,
                                     const JointLaw *law)
{
    const Pose *one = &world->pose[joint->def.body[0]];
    return (JointCoordinate){.turns = turns,
                             .axis = quat_rotate_inverse(one->q, vec3_unit(axis)),
                             .anchor = quat_rotate_inverse(one->q, vec3_sub(anchor, one->x)),
                             .law = law};
}

/* A series is anchored at its first hinge, or at body 2's centre. */
static void series_place(const World *world, Joint *joint)
{
    const JointDef *def = &joint->def;
    int slides = slides_of(joint), first = slides < def->axis_count ? slides : 0;
    Vec3 centre = world->pose[def->body[1]].x, anchor = slides < def->axis_count ? def->axes[slides].anchor : centre;
    for (int i = 0; i < def->axis_count; i++) {
        const SeriesAxis *axis = &def->axes[i];
        joint->coordinates[i] =
            coordinate_at(world, joint, axis->turns, axis->axis, axis->turns ? axis->anchor : centre, &axis->law);
        joint->coordinates[i].q = axis->law.start;
    }
    for (int i = 0; i < 2; i++) {
        const Pose *pose = &world->pose[def->body[i]];
        joint->anchor[i] = quat_rotate_inverse(pose->q, vec3_sub(anchor, pose->x));
        if (def->axis_count > 0)
            joint->axis[i] = quat_rotate_inverse(pose->q, vec3_unit(def->axes[first].axis));
    }
}

/* A slide stands at its start where body 1's anchor is so much behind. */
static void start_slides(Joint *joint)
{
    for (int i = 0; i < joint->coordinate_count; i++) {
        const JointCoordinate *coordinate = &joint->coordinates[i];
        if (!coordinate->turns && coordinate->law && coordinate->law->start != 0.0)
            joint->anchor[0] = vec3_add_scaled(joint->anchor[0], -coordinate->law->start, coordinate->axis);
    }
}

static int make_rows(Joint *joint, const JointLaw *law, LawRow rows[], int coordinate)
{
    double push = 0.0;
    int count = law_rows_make(law, rows, &push);
    for (int i = 0; i < count; i++)
        rows[i].coordinate = coordinate;
    if (count >= 0 && coordinate < joint->coordinate_count)
        joint->coordinates[coordinate].push = push;
    joint->needs_coordinates = joint->needs_coordinates || count < 0;
    return count > 0 ? count : 0;
}

/* Three free turns, or none: it starts by a turn, and has no single coordinate. */
static bool has_start_turn(const Joint *joint)
{
    return joint->def.type == JOINT_BALL || joint->def.type == JOINT_FIXED;
}

bool joint_make_coordinates(const World *world, Joint *joint)
{
    const JointDef *def = &joint->def;
    bool series = def->type == JOINT_SERIES, ball = has_start_turn(joint);
    int count = series ? def->axis_count : def->law && !ball ? 1 : 0;
    if (!series && !def->law)
        return true;
    joint->coordinates = calloc((size_t)count + 1, sizeof *joint->coordinates);
    joint->law_rows = calloc((size_t)(count + 1) * LAW_MAX_ROWS, sizeof *joint->law_rows);
    if (!joint->coordinates || !joint->law_rows)
        return false;
    if (series)
        series_place(world, joint);
    else if (!ball)
        joint->coordinates[0] = (JointCoordinate){
            .turns = def->type == JOINT_HINGE, .axis = joint->axis[0], .anchor = joint->anchor[0], .law = def->law};
    joint->coordinate_count = count;
    joint->needs_coordinates = series && !series_has_rows(world, joint);
    start_slides(joint);
    for (int i = 0; i < count; i++)
        joint->law_row_count += make_rows(joint, joint->coordinates[i].law, joint->law_rows + joint->law_row_count, i);
    if (ball)
        joint->law_row_count = make_rows(joint, def->law, joint->law_rows, 0);
    Quat placed = quat_mul(quat_conj(world->pose[def->body[0]].q), world->pose[def->body[1]].q);
    joint->law_rows[0].zero = quat_mul(quat_conj(joint_start_turn(world, joint)), placed);
    return true;
}

bool joint_is_pushed(const Joint *joint)
{
    for (int i = 0; i < joint->coordinate_count; i++)
        if (joint->coordinates[i].push != 0.0)
            return true;
    return false;
}

bool joint_law_drives(const Joint *joint)
{
    for (int i = 0; i < joint->coordinate_count; i++)
        if (joint->coordinates[i].law && law_has_drive(joint->coordinates[i].law))
            return true;
    return false;
}

Quat joint_start_turn(const World *world, const Joint *joint)
{
    if (has_start_turn(joint) && joint->def.law) {
        Quat principal = world->principal[joint->def.body[0]];
        return quat_mul(quat_conj(principal), quat_mul(joint->def.law->start_turn, principal));
    }
    for (int i = 0; i < joint->coordinate_count; i++)
        if (joint->coordinates[i].turns && joint->coordinates[i].law)
            return quat_exp(vec3_scale(joint->coordinates[i].law->start, joint->coordinates[i].axis));
    return QUAT_IDENTITY;
}

/* Turns a block of a series to an axis in body 1. */
static JointTerms *along(const World *world, const Joint *joint, JointTerms *terms, Vec3 axis)
{
    const Pose *pose = world->pose;
    if (!terms)
        return NULL;
    terms->axis[0] = axis;
    terms->axis[1] = quat_rotate_inverse(pose[joint->def.body[1]].q, quat_rotate(pose[joint->def.body[0]].q, axis));
    terms->seat.normal[0] = vec3_any_normal(axis);
    terms->seat.normal[1] = vec3_cross(axis, terms->seat.normal[0]);
    return terms;
}

static bool add_series_limits(World *world, const Joint *joint, int index)
{
    for (int i = 0; i < joint->coordinate_count; i++) {
        const JointCoordinate *coordinate = &joint->coordinates[i];
        const double *limits = joint->def.axes[i].limits;
        BlockKind kind = coordinate->turns ? BLOCK_TWIST : BLOCK_SLIDE;
        bool open = isinf(limits[0]) && isinf(limits[1]);
        if (!open &&
            !along(world, joint, joint_add_range(world, joint, index, kind, limits[0], limits[1]), coordinate->axis))
            return false;
    }
    return true;
}

/* Two hinges keep the angle between the first, in body 1, and the second, in body 2. */
static bool add_series_turns(World *world, const Joint *joint, int index, const JointCoordinate *hinge, int count)
{
    if (count == 0)
        return joint_block(world, joint, index, BLOCK_ORIENT);
    if (count == 1)
        return along(world, joint, joint_block(world, joint, index, BLOCK_ALIGN), hinge->axis);
    if (count == 3)
        return true;
    double angle = acos(clamp(vec3_dot(hinge[0].axis, hinge[1].axis), -1.0, 1.0));
    JointTerms *terms = joint_add_range(world, joint, index, BLOCK_SWING, angle, angle);
    if (!along(world, joint, terms, hinge[1].axis))
        return false;
    terms->axis[0] = hinge[0].axis;
    return true;
}

bool joint_add_series(World *world, const Joint *joint, int index)
{
    const JointCoordinate *of = joint->coordinates;
    int slides = slides_of(joint);
    bool ok = true;
    if (!series_has_rows(world, joint))
        return true;
    if (slides == 0)
        ok = joint_block(world, joint, index, BLOCK_ATTACH);
    else if (slides == 1)
        ok = along(world, joint, joint_block(world, joint, index, BLOCK_GUIDE), of[0].axis);
    else if (slides == 2)
        ok = along(world, joint, joint_add_range(world, joint, index, BLOCK_SLIDE, 0.0, 0.0),
                   vec3_unit(vec3_cross(of[0].axis, of[1].axis)));
    return ok && add_series_turns(world, joint, index, of + slides, joint->coordinate_count - slides) &&
           add_series_limits(world, joint, index);
}

bool joint_add_laws(World *world, const Joint *joint, int index)
{
    for (int i = 0; i < joint->law_row_count && !joint->needs_coordinates; i++) {
        LawRow *row = &joint->law_rows[i];
        bool ball = joint->coordinate_count == 0, turns = !ball && joint->coordinates[row->coordinate].turns;
        BlockKind kind = ball ? BLOCK_ORIENT : turns ? BLOCK_TWIST : BLOCK_SLIDE;
        JointTerms *terms = joint_block(world, joint, index, kind);
        if (!terms ||
            (joint->def.type == JOINT_SERIES && !along(world, joint, terms, joint->coordinates[row->coordinate].axis)))
            return false;
        row->zero = terms->placed;
        terms->law = row;
        terms->lower = terms->upper = 0.0;
        terms->max_force = row->bound;
        terms->actuator = row->friction;
        law_row_begin(world, &world->blocks[world->block_count - 1], LAW_NOMINAL_STEP);
    }
    return true;
}

Vec3 joint_ball_turn(const World *world, const Joint *joint)
{
    const int *body = joint->def.body;
    Quat relative = quat_mul(quat_conj(world->pose[body[0]].q), world->pose[body[1]].q);
    Quat turn = quat_mul(relative, quat_conj(joint->law_rows[0].zero));
    return quat_log(turn.w < 0.0 ? (Quat){-turn.w, -turn.x, -turn.y, -turn.z} : turn);
}

/* p2 - p1 of the anchors, and the arm of body 1 that reaches to p2. */
static Vec3 joint_span(const World *world, const Joint *joint)
{
    return vec3_sub(world_point(world, joint->def.body[1], joint->anchor[1]),
                    world_point(world, joint->def.body[0], joint->anchor[0]));
}

bool joint_is_stack(const Joint *joint)
{
    return joint->def.type == JOINT_SERIES && (joint->block_count == 0 || joint->def.axis_count - slides_of(joint) > 1);
}

void joint_follow_stack(const World *world, Joint *joint)
{
    double q[SERIES_MAX_AXES], rate[SERIES_MAX_AXES];
    stack_coordinates(world, joint, q, rate);
    for (int i = 0; i < joint->coordinate_count; i++)
        joint->coordinates[i].q = q[i];
}

double joint_coordinate(const World *world, const Joint *joint, int index)
{
    const JointCoordinate *coordinate = &joint->coordinates[index];
    if (joint_is_stack(joint)) {
        double q[SERIES_MAX_AXES], rate[SERIES_MAX_AXES];
        stack_coordinates(world, joint, q, rate);
        return q[index];
    }
    if (coordinate->turns)
        return joint_angle(world, joint);
    return vec3_dot(quat_rotate(world->pose[joint->def.body[0]].q, coordinate->axis), joint_span(world, joint));
}

double joint_coordinate_rate(const World *world, const Joint *joint, int index)
{
    const JointCoordinate *coordinate = &joint->coordinates[index];
    int one = joint->def.body[0], two = joint->def.body[1];
    if (joint_is_stack(joint)) {
        double q[SERIES_MAX_AXES], rate[SERIES_MAX_AXES];
        stack_coordinates(world, joint, q, rate);
        return rate[index];
    }
    Vec3 axis = quat_rotate(world->pose[one].q, coordinate->axis);
    if (coordinate->turns)
        return vec3_dot(axis, vec3_sub(world->velocity[two].w, world->velocity[one].w));
    Vec3 arm2 = quat_rotate(world->pose[two].q, joint->anchor[1]);
    Vec3 arm1 = vec3_sub(vec3_add(world->pose[two].x, arm2), world->pose[one].x);
    return vec3_dot(axis, vec3_sub(world_point_velocity(world, two, arm2), world_point_velocity(world, one, arm1)));
}
