/* SPDX-License-Identifier: MIT */
/* Placing the links, and their coordinates' derivatives. The recursions: articulated_solve.c. */
#include "solvers/tree/articulated_four.h"
#include "solvers/tree/articulated_series.h"

#include <string.h>

/* |a1 x a2| and |a1 + a2| below this are round-off: any direction will do. */
#define LIMIT_MIN_SINE 1e-9

/* A directed set of up to two unit vectors normal to u. */
static void sphere_basis(Vec3 u, Vec3 e[2])
{
    e[0] = vec3_any_normal(u);
    e[1] = vec3_cross(u, e[0]);
}

/* Shift of the anchors, its rate in the parent's frame, its centripetal part, and the directions of its coordinates. */
typedef struct ShiftMotion {
    Vec3 d, rate, centripetal;
    int count;
    Vec3 direction[3];
} ShiftMotion;

static ShiftMotion link_shift(const Link *link, const LinkState *state)
{
    ShiftMotion m = {0};
    if (link->shift == SHIFT_AXIS) {
        m.d = vec3_scale(state->shift.x, link->own->axis);
        m.rate = vec3_scale(state->rate.x, link->own->axis);
        m.count = 1;
        m.direction[0] = link->own->axis;
    } else if (link->shift == SHIFT_CIRCLE) {
        double c = cos(state->shift.x), s = sin(state->shift.x);
        Vec3 out = vec3_add_scaled(vec3_scale(c, link->own->normal[0]), s, link->own->normal[1]);
        Vec3 along = vec3_add_scaled(vec3_scale(-s, link->own->normal[0]), c, link->own->normal[1]);
        m.d = vec3_scale(link->own->rest, out);
        m.direction[0] = vec3_scale(link->own->rest, along);
        m.rate = vec3_scale(state->rate.x, m.direction[0]);
        m.centripetal = vec3_scale(-state->rate.x * state->rate.x, m.d);
        m.count = 1;
    } else if (link->shift == SHIFT_SPHERE) {
        m.d = vec3_scale(link->own->rest, state->shift);
        m.rate = vec3_scale(link->own->rest, state->rate);
        m.centripetal = vec3_scale(-vec3_dot(state->rate, state->rate), m.d);
        sphere_basis(state->shift, m.direction);
        m.direction[0] = vec3_scale(link->own->rest, m.direction[0]);
        m.direction[1] = vec3_scale(link->own->rest, m.direction[1]);
        m.count = 2;
    } else if (link->shift == SHIFT_FREE) {
        m.d = state->shift;
        m.rate = state->rate;
        m.count = 3;
        for (int i = 0; i < 3; i++)
            m.direction[i] = vec3_axis(i);
    }
    return m;
}

void link_column(const Link *link, int k, double S[6])
{
    if (link->ball)
        spatial_set(S, vec3_axis(k), vec3_cross(link->at->arm, vec3_axis(k)));
    else
        memcpy(S, link->own->S[k], sizeof link->own->S[k]);
}

/* Relative angular velocity in the parent's frame. */
static Vec3 link_spin(const Link *link, const LinkState *state)
{
    return link->turn == TURN_AXIS ? vec3_scale(state->spin.x, link->own->axis) : state->spin;
}

/* Swing turns about a1 x a2, twist about a1 + a2: normal to each other. Where the axes agree any swing will do. */
static void link_limit_basis(Link *link, Quat q_parent, Quat q)
{
    Vec3 a = quat_rotate(q_parent, link->own->axis), b = quat_rotate(q, link->own->child_axis);
    Vec3 cross = vec3_cross(a, b), sum = vec3_add(a, b);
    double sine = vec3_norm(cross), length = vec3_norm(sum);
    link->own->basis[0] = sine > LIMIT_MIN_SINE ? vec3_scale(1.0 / sine, cross) : vec3_any_normal(a);
    link->own->basis[1] = length > LIMIT_MIN_SINE ? vec3_scale(1.0 / length, sum) : vec3_cross(link->own->basis[0], a);
    link->own->basis[2] = vec3_cross(link->own->basis[0], link->own->basis[1]);
}

/* Columns of S: a turn about a by the anchor is (a, arm x a), a shift along e is (0, e). */
static void link_set_columns(Link *link, Quat q_parent, const ShiftMotion *shift)
{
    int n = 0;
    if (link->turn == TURN_AXIS) {
        Vec3 a = quat_rotate(q_parent, link->own->axis);
        spatial_set(link->own->S[n++], a, vec3_cross(link->at->arm, a));
    }
    for (int i = 0; link->turn == TURN_FREE && i < 3; i++)
        spatial_set(link->own->S[n++], link->own->basis[i], vec3_cross(link->at->arm, link->own->basis[i]));
    for (int i = 0; i < shift->count; i++)
        spatial_set(link->own->S[n++], VEC3_ZERO, quat_rotate(q_parent, shift->direction[i]));
}

/* c = A - X A_parent - S qddot: with w = w_parent + spin, d the anchors' shift and its rate u in the parent's frame,
 *     angular  w_parent x spin
 *     linear   w_parent x (v - v_parent + u) + centripetal - (w_parent x spin) x arm - spin x (w x arm). */
static void link_place(Link *link, const LinkState *state, World *world)
{
    if (link->series) {
        series_place(link, (const SeriesState *)(const void *)state, world);
        return;
    }
    Pose parent = world->pose[link->parent_body], *pose = &world->pose[link->body];
    Velocity from = world->velocity[link->parent_body], *to = &world->velocity[link->body];
    ShiftMotion shift = link_shift(link, state);
    Vec3 spin = quat_rotate(parent.q, link_spin(link, state)), rate = quat_rotate(parent.q, shift.rate);
    if (!link->particle)
        pose->q = quat_unit(quat_mul(parent.q, state->turn));
    Vec3 anchor = vec3_add(parent.x, quat_rotate(parent.q, vec3_add(link->anchors->parent, shift.d)));
    Vec3 arm = quat_rotate(pose->q, link->anchors->own);
    pose->x = vec3_sub(anchor, arm);
    link->at->arm = link->particle ? VEC3_ZERO : arm;
    link->at->r = vec3_sub(vec3_sub(anchor, link->at->arm), parent.x);
    to->w = link->particle ? VEC3_ZERO : vec3_add(from.w, spin);
    to->v =
        vec3_add(vec3_add(from.v, vec3_cross(from.w, link->at->r)), vec3_sub(rate, vec3_cross(spin, link->at->arm)));

    Vec3 coriolis = vec3_cross(from.w, spin);
    Vec3 c = vec3_cross(from.w, vec3_add(vec3_sub(to->v, from.v), rate));
    c = vec3_add(c, quat_rotate(parent.q, shift.centripetal));
    c = vec3_sub(c, vec3_cross(coriolis, link->at->arm));
    c = vec3_sub(c, vec3_cross(spin, vec3_cross(to->w, link->at->arm)));
    spatial_set(link->at->c, coriolis, c);
    link->at->inertia = mat3_turn_diagonal(pose->q, world->mass[link->body].inertia);
    if (link->limited)
        link_limit_basis(link, parent.q, pose->q);
    link_set_columns(link, parent.q, &shift);
}

/* p of the acceleration that a link would have alone: -I a. */
static void link_load(Link *link, Velocity a)
{
    spatial_set(link->at->p, vec3_negate(mat3_mul_vec(link->at->inertia, a.w)), vec3_scale(-link->mass, a.v));
}

/* motion: NULL, p stays */
LANE_VERSIONS static void tree_place(Articulated *tree, const double *state, World *world, const Motion *motion)
{
    BallFrame frame = {.body = -1}; /* of the last ball, as a rule the next one's parent */
    bool same_field = world->attractor.gm == 0.0;
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        if (link->ball && frame.body != link->parent_body)
            ball_frame(world, link->parent_body, &frame);
        if (link->four && same_field) {
            ball_place_four(link, link_state_of(link, state), world, motion, &frame);
            i += LANES - 1;
        } else if (link->ball) {
            ball_place(link, link_state_of(link, state), world, motion, &frame);
        } else {
            link_place(link, link_state_of(link, state), world);
            if (motion)
                link_load(link, motion_acceleration(motion, world, link->body));
        }
    }
}

void articulated_place(Articulated *tree, const double *state, World *world)
{
    tree_place(tree, state, world, NULL);
}

void articulated_place_loaded(Articulated *tree, const double *state, World *world, Motion *motion, Velocity *alone)
{
    bool local = motion->actuated_count == 0 && motion->damped_count == 0; /* nothing hangs on other bodies */
    tree_place(tree, state, world, local ? motion : NULL);
    if (local)
        return;
    motion_accelerations(motion, world, 0.0, alone);
    articulated_load(tree, alone);
}

void articulated_unload(Articulated *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        memset(link->at->c, 0, sizeof link->at->c);
        memset(link->at->p, 0, sizeof link->at->p);
        memset(link->moves->given, 0, sizeof link->moves->given);
        memset(link->moves->qddot, 0, sizeof link->moves->qddot);
    }
}

void articulated_load(Articulated *tree, const Velocity *acceleration)
{
    for (int i = 0; i < tree->link_count; i++)
        link_load(&tree->links[i], acceleration[tree->links[i].body]);
}

/* The parts of qddot that turn, and those that shift, as the derivatives of spin and rate. */
static void link_speed_change(const Link *link, const LinkState *state, const World *world, Vec3 *spin, Vec3 *rate)
{
    Quat q = world->pose[link->parent_body].q;
    int n = 0;
    *spin = *rate = VEC3_ZERO;
    if (link->turn == TURN_AXIS)
        spin->x = link->moves->qddot[n++];
    for (int i = 0; link->turn == TURN_FREE && i < 3; i++) {
        Vec3 along = link->ball ? vec3_axis(i) : link->own->basis[i];
        *spin = vec3_add_scaled(*spin, link->moves->qddot[n++], quat_rotate_inverse(q, along));
    }
    if (link->shift == SHIFT_AXIS || link->shift == SHIFT_CIRCLE) {
        rate->x = link->moves->qddot[n];
    } else if (link->shift == SHIFT_SPHERE) {
        Vec3 e[2];
        sphere_basis(state->shift, e);
        *rate = vec3_add_scaled(vec3_scale(link->moves->qddot[n], e[0]), link->moves->qddot[n + 1], e[1]);
    } else if (link->shift == SHIFT_FREE) {
        *rate = vec3(link->moves->qddot[n], link->moves->qddot[n + 1], link->moves->qddot[n + 2]);
    }
}

LinkState link_derivative(const Link *link, const LinkState *state, const World *world, bool centripetal)
{
    LinkState out = {0};
    if (link->ball) {
        ball_rate(link, state, world->pose[link->parent_body].q, &out.turn, &out.spin);
        return out;
    }
    out.shift = state->rate;
    Vec3 spin = link_spin(link, state);
    out.turn = quat_mul((Quat){0.0, 0.5 * spin.x, 0.5 * spin.y, 0.5 * spin.z}, state->turn);
    out.angle = state->spin.x;
    link_speed_change(link, state, world, &out.spin, &out.rate);
    if (centripetal && link->shift == SHIFT_SPHERE)
        out.rate = vec3_add_scaled(out.rate, -vec3_dot(state->rate, state->rate), state->shift);
    return out;
}

double link_speed(const Link *link, const LinkState *state, const World *world, int dof)
{
    if (link->series)
        return ((const SeriesState *)(const void *)state)->speed[dof];
    if (link->turn == TURN_FREE && dof < 3) {
        Vec3 along = link->ball ? vec3_axis(dof) : link->own->basis[dof];
        return vec3_dot(along, quat_rotate(world->pose[link->parent_body].q, state->spin));
    }
    return link->turn == TURN_AXIS && dof == 0 ? state->spin.x : state->rate.x;
}

void link_add_jump(const Link *link, LinkState *state, const World *world)
{
    Vec3 spin, rate;
    for (int k = 0; k < link->dofs && link->series; k++)
        ((SeriesState *)(void *)state)->speed[k] += link->moves->qddot[k];
    if (link->series)
        return;
    link_speed_change(link, state, world, &spin, &rate);
    state->spin = vec3_add(state->spin, link->absolute ? angular(link->moves->A) : spin);
    if (!link->ball)
        state->rate = vec3_add(state->rate, rate);
}

void link_stop(const Link *link, LinkState *state)
{
    if (link->series)
        memset(((SeriesState *)(void *)state)->speed, 0, sizeof((SeriesState *)NULL)->speed);
    else
        state->spin = state->rate = VEC3_ZERO;
}

void link_normalise(const Link *link, LinkState *state)
{
    if (link->series)
        return;
    if (link->turn == TURN_FREE)
        state->turn = quat_unit(state->turn);
    else if (link->turn == TURN_AXIS)
        state->turn = quat_mul(quat_axis_angle(link->own->axis, state->angle), link->own->base);
    if (link->shift == SHIFT_SPHERE) {
        state->shift = vec3_unit(state->shift);
        state->rate = vec3_add_scaled(state->rate, -vec3_dot(state->shift, state->rate), state->shift);
    }
}

void link_move(const Link *link, LinkState *state, const LinkState *speeds, double h)
{
    for (int k = 0; k < link->dofs && link->series; k++)
        ((SeriesState *)(void *)state)->d[k] += h * ((const SeriesState *)(const void *)speeds)->speed[k];
    if (link->series)
        return;
    if (link->turn == TURN_FREE)
        state->turn = quat_mul(quat_exp(vec3_scale(h, speeds->spin)), state->turn);
    state->angle += h * speeds->spin.x;
    if (link->shift == SHIFT_SPHERE) {
        Quat arc = quat_exp(vec3_scale(h, vec3_cross(state->shift, speeds->rate)));
        state->shift = quat_rotate(arc, state->shift);
        state->rate = quat_rotate(arc, state->rate);
    } else {
        state->shift = vec3_add_scaled(state->shift, h, speeds->rate);
    }
}
