/* SPDX-License-Identifier: MIT */
/* XPBD as the program of Ten Minute Physics 25 has it (22 and 10 are parts of it), where that is not what the slides
 * say. One pass over the joints in a substep of length h:
 *
 *     v += h g,  x += h v,  q += h/2 [0, w] q, normalised;   for each joint: its point or line, then its turns;
 *     v = (x - x_prev)/h,  w = +-2 vec(q q_prev^-1)/h;       for each joint: its damping.
 *
 * A correction takes an error vector e, body 2 against body 1: n = e/|e|, lambda = -|e| / (w1 + w2 + alpha/h^2), and no
 * lambda is kept. Its departures from xpbd with one iteration, each with an option; without them it is xpbd:
 *     halve_turns   every turn of a correction is halved once more (`stabilize rotation`): no slide says so;
 *     linear_turns  free flight has q + phi/2 q for exp(phi), and w is a sine, 2 sin(phi/2)/h;
 *     sines         errors of turns are cross products: a soft turn's energy is no angle^2 / (2 alpha), and directions
 *                   count with the length that the scene gives them, where that is a unit's to three decimals;
 *     lean          a limit or drive turns normal to normal, and so takes back what they lean out of their plane, too;
 *     one_line      a line and its limits or target are one correction, at the joint's two points;
 *     own_damping   prismatic, cylinder and fixed joints lose all relative spin in every substep; else the speed along
 *                   p2 - p1 is damped, spin about a hinge's axis, and all spin elsewhere.
 * No gyroscopic term. */
#include "model/block/pose.h"
#include "model/rows/gradient.h"
#include "solvers/motion.h"

#include <stdlib.h>
#include <string.h>

typedef struct LectureOptions {
    CommonOptions common;
    int halve_turns, linear_turns, sines, lean, one_line, own_damping;
} LectureOptions;

static const Setting LECTURE_SETTINGS[] = {
    SUBSTEPS_SETTING(20),
    PARAM_BOOL(LectureOptions, halve_turns, "every turn of a correction is halved", true),
    PARAM_BOOL(LectureOptions, linear_turns,
               "bodies turn by q + q phi/2, normalised, and spin is a sine; else exp, log", true),
    PARAM_BOOL(LectureOptions, sines, "errors of turns are cross products; else angles", true),
    PARAM_BOOL(LectureOptions, lean, "limits and drives turn normal to normal; else about their axis", true),
    PARAM_BOOL(LectureOptions, one_line, "a line and its limits or target are one correction", true),
    PARAM_BOOL(LectureOptions, own_damping,
               "sliders and fixed joints lose all relative spin; else damping as elsewhere", true),
};

typedef struct Lecture {
    LectureOptions options;
    Motion motion;
} Lecture;

/* v += h g, x += h v, q likewise */
static void lecture_integrate(void *self, Step *step)
{
    Lecture *lecture = self;
    World *world = step->world;
    motion_begin(&lecture->motion, world, step->h);
    motion_predict(&lecture->motion, world, step->h);
    for (int i = 0; lecture->options.linear_turns && i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            world->pose[i].q =
                quat_nudge_world(lecture->motion.base_pose[i].q, vec3_scale(step->h, world->velocity[i].w));
    if (world->block_count > 0) /* else there may be no array */
        memset(world->block_impulse, 0, sizeof *world->block_impulse * (size_t)world->block_count);
}

/* x_i += lambda grad_i C / m_i, and turns by as much as the options say */
static void lecture_move(const LectureOptions *options, World *world, const Gradient *g, double lambda)
{
    for (int k = 0; k < g->count; k++) {
        Pose *pose = &world->pose[g->body[k]];
        if (world_is_fixed(world, g->body[k]))
            continue;
        Vec3 turn = world_inv_inertia_mul(world, g->body[k], g->of[k].turn);
        Vec3 phi = vec3_scale(options->halve_turns ? 0.5 * lambda : lambda, turn);
        pose->x = vec3_add_scaled(pose->x, lambda * world->mass[g->body[k]].inv_mass, g->of[k].x);
        pose->q = quat_nudge_world(pose->q, phi);
    }
}

/* Along the error, or of a volume along its gradient. Returns the size of the correction's impulse, with its sign. */
static double lecture_correct(const Lecture *lecture, Step *step, const Block *block, const BlockError *e)
{
    bool volume = block->kind == BLOCK_VOLUME;
    double C = volume ? e->C : vec3_norm(e->error);
    if (C == 0.0)
        return 0.0;
    Gradient g = gradient_along(step->world, block, e, vec3_scale(1.0 / C, e->error));
    double w = gradient_weight(step->world, &g);
    if (w == 0.0)
        return 0.0;
    double h2 = step->h * step->h, most = h2 * block_terms(block)->max_force;
    double lambda = clamp(-C / (w + block_terms(block)->compliance / h2), -most, most);
    lecture_move(&lecture->options, step->world, &g, lambda);
    step->row_solves += block_row_count(block->kind);
    return lambda / step->h;
}

/* Axis and normal of a joint, as each of its bodies carries them. */
typedef struct Frames {
    Vec3 axis[2], normal[2];
} Frames;

static double length_if_unit(Vec3 direction)
{
    double length = vec3_norm(direction);
    return fabs(length - 1.0) < 1e-3 ? length : 1.0;
}

static Frames block_frames(const World *world, const Block *block)
{
    const JointDef *def = &world->joints[block->joint].def;
    const JointTerms *terms = block_terms(block);
    Vec3 normal1 = vec3_scale(length_if_unit(def->normal), block->seat->normal[0]);
    Vec3 normal[2] = {normal1, quat_rotate_inverse(terms->placed, normal1)};
    Frames frames;
    for (int i = 0; i < 2; i++) {
        Quat q = world->pose[block->body[i]].q;
        frames.axis[i] = quat_rotate(q, vec3_scale(length_if_unit(def->axis), terms->axis[i]));
        frames.normal[i] = quat_rotate(q, normal[i]);
    }
    return frames;
}

/* a turned by [cos phi/2, n sin phi/2], which is as little a unit as n. */
static Vec3 turned_about(Vec3 n, double phi, Vec3 a)
{
    Quat q = quat_axis_angle(n, phi);
    return quat_vec(quat_mul(quat_mul(q, (Quat){0.0, a.x, a.y, a.z}), quat_conj(q)));
}

/* The turn that takes a to b: the cross product, or, as long as the angle, along it. */
static Vec3 turn_between(const LectureOptions *options, Vec3 a, Vec3 b)
{
    Vec3 cross = vec3_cross(a, b);
    double sine = vec3_norm(cross);
    if (options->sines || sine < SWING_MIN_SINE)
        return cross;
    return vec3_scale(atan2(sine, vec3_dot(a, b)) / sine, cross);
}

/* Of the angle from a to b about n against a range: what is left to its nearer end. b need not be normal to n, and what
 * it leans is taken back with it. */
static Vec3 limit_error(const LectureOptions *options, Vec3 n, Vec3 a, Vec3 b, double lower, double upper)
{
    double phi = asin(clamp(vec3_dot(vec3_cross(a, b), n), -1.0, 1.0));
    if (vec3_dot(a, b) < 0.0)
        phi = PI - phi;
    if (phi > PI)
        phi -= 2.0 * PI;
    if (lower <= phi && phi <= upper)
        return VEC3_ZERO;
    return turn_between(options, turned_about(n, clamp(phi, lower, upper), a), b);
}

/* The part of a across n, as a unit vector. */
static Vec3 across(Vec3 n, Vec3 a)
{
    return vec3_unit_or_zero(vec3_add_scaled(a, -vec3_dot(n, a), n));
}

static Vec3 twist_error(const LectureOptions *options, const World *world, const Block *block, const Frames *frames)
{
    const JointTerms *terms = block_terms(block);
    JointType type = world->joints[block->joint].def.type;
    double lower = terms->driven ? terms->target : terms->lower, upper = terms->driven ? terms->target : terms->upper;
    Vec3 n = frames->axis[0], a = frames->normal[0], b = frames->normal[1];
    if (type != JOINT_HINGE && type != JOINT_SERVO && type != JOINT_MOTOR) {
        n = vec3_unit_or_zero(vec3_add(frames->axis[0], frames->axis[1]));
        a = across(n, a);
        b = across(n, b);
    }
    return limit_error(options, n, a, b, lower, upper);
}

static Vec3 turn_error(const LectureOptions *options, const World *world, const Block *block)
{
    Frames frames = block_frames(world, block);
    Vec3 a1 = frames.axis[0], a2 = frames.axis[1];
    if (block->kind == BLOCK_ALIGN)
        return turn_between(options, a1, a2);
    if (block->kind == BLOCK_SWING)
        return limit_error(options, vec3_unit_or_zero(vec3_cross(a1, a2)), a1, a2, 0.0, block_terms(block)->upper);
    if (block->kind == BLOCK_TWIST)
        return twist_error(options, world, block, &frames);
    Quat turn = block_turn(world, block);
    Vec3 held = options->sines ? vec3_scale(2.0, quat_vec(turn)) : quat_log(turn);
    return quat_rotate(block_quat1(world, block), held);
}

/* How far along a line is too far; `slide`: its limits or target, NULL: free. */
static double slide_error(const Block *slide, double along)
{
    const JointTerms *terms = slide ? block_terms(slide) : NULL;
    return terms ? along - clamp(along, terms->lower, terms->upper) : 0.0;
}

/* The one error vector of a block; of a line, with its limits. */
static void lecture_error(const Lecture *lecture, const World *world, const Block *block, const Block *slide,
                          BlockError *e)
{
    block_error(world, block, e);
    if (!e->active)
        return;
    if (e->angular && (!e->scalar || lecture->options.lean)) {
        e->error = turn_error(&lecture->options, world, block);
    } else if (block->kind == BLOCK_GUIDE && lecture->options.one_line) {
        Span span = block_span(world, block);
        Vec3 a = block_axis1(world, block);
        e->error = vec3_add_scaled(e->error, slide_error(slide, vec3_dot(a, span.d)), a);
        e->arm1 = span.r1;
    } else if (e->scalar) {
        bool within = (e->lower == 0.0 && e->C > 0.0) || (e->upper == 0.0 && e->C < 0.0);
        e->error = within ? VEC3_ZERO : vec3_scale(e->C / vec3_dot(e->gradient, e->gradient), e->gradient);
    }
}

static const Block *slide_of(const World *world, int guide)
{
    for (int b = guide + 1; b < world->joint_block_count && world->blocks[b].joint == world->blocks[guide].joint; b++)
        if (world->blocks[b].kind == BLOCK_SLIDE)
            return &world->blocks[b];
    return NULL;
}

static void lecture_solve(void *self, Step *step)
{
    const Lecture *lecture = self;
    World *world = step->world;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b], *slide = NULL;
        BlockError e;
        if (block->kind == BLOCK_SLIDE && lecture->options.one_line)
            continue;
        if (block->kind == BLOCK_GUIDE)
            slide = slide_of(world, b);
        lecture_error(lecture, world, block, slide, &e);
        if (!e.active)
            continue;
        Vec3 n = block->kind == BLOCK_VOLUME ? e.gradient : vec3_unit_or_zero(e.error);
        Vec3 P = vec3_scale(lecture_correct(lecture, step, block, &e), n);
        world->block_impulse[b] = P;
    }
}

/* v = (x - x_prev)/h, w = +-2 vec(q q_prev^-1)/h */
static void lecture_derive(void *self, Step *step)
{
    Lecture *lecture = self;
    World *world = step->world;
    motion_derive_velocities(&lecture->motion, world, step->h);
    for (int i = 0; lecture->options.linear_turns && i < world->body_count; i++) {
        Quat turn = quat_mul(world->pose[i].q, quat_conj(lecture->motion.base_pose[i].q));
        if (!world_is_fixed(world, i))
            world->velocity[i].w = vec3_scale((turn.w < 0.0 ? -2.0 : 2.0) / step->h, quat_vec(turn));
    }
}

/* Takes this share of the relative velocity u, of points or of spins, away. */
static void damp(World *world, const int body[2], const BlockError *at, Vec3 u, double share)
{
    double speed = vec3_norm(u);
    if (speed == 0.0 || share == 0.0)
        return;
    Vec3 n = vec3_scale(1.0 / speed, u);
    Gradient g = at->angular ? gradient_angular(body, n) : gradient_linear(body, n, at->arm1, at->arm2);
    double w = gradient_weight(world, &g);
    if (w > 0.0)
        gradient_kick(world, &g, -share * speed / w);
}

static void damp_joint(World *world, const Joint *joint, double h)
{
    const Block *block = &world->blocks[joint->first_block];
    JointType type = joint->def.type;
    bool stops = type == JOINT_PRISMATIC || type == JOINT_CYLINDER || type == JOINT_FIXED;
    Span span = block_span(world, block);
    BlockError point = {.arm1 = span.r1, .arm2 = span.r2}, turn = {.angular = true};
    Vec3 n = vec3_unit_or_zero(span.d), v = error_velocity(block, &point, world->velocity);
    damp(world, block->body, &point, vec3_scale(vec3_dot(n, v), n), fmin(joint->def.damping * h, 1.0));
    Vec3 spin = error_velocity(block, &turn, world->velocity);
    if (type == JOINT_HINGE) {
        Vec3 axis = vec3_scale(length_if_unit(joint->def.axis), block_axis1(world, block));
        spin = vec3_scale(vec3_dot(spin, axis), axis);
    }
    damp(world, block->body, &turn, spin, stops ? 1.0 : fmin(joint->def.angular_damping * h, 1.0));
}

static void lecture_damp(void *self, Step *step)
{
    const Lecture *lecture = self;
    World *world = step->world;
    if (!lecture->options.own_damping)
        motion_damp(&lecture->motion, world, step->h);
    for (int j = 0; lecture->options.own_damping && j < world->joint_count; j++)
        if (!world->joints[j].off && world->joints[j].def.type != JOINT_VOLUME)
            damp_joint(world, &world->joints[j], step->h);
}

static bool lecture_init(void *self, const SolverTask *task, Status *status)
{
    Lecture *lecture = self;
    lecture->options = *(const LectureOptions *)task->options;
    lecture->options.common.integrator = INTEGRATE_SEMI_IMPLICIT;
    lecture->options.common.gyroscopic = GYROSCOPIC_OFF;
    (void)status;
    return motion_init(&lecture->motion, task->world, &lecture->options.common);
}

static void lecture_destroy(void *self)
{
    if (self)
        motion_free(&((Lecture *)self)->motion);
    free(self);
}

static void *lecture_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Lecture), lecture_init, lecture_destroy, status);
}

static int lecture_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "position", .iterations = 1, .enter = lecture_integrate, .iterate = lecture_solve};
    phases[1] = (Phase){.name = "velocity", .enter = lecture_derive};
    phases[2] = (Phase){.name = "damp", .enter = lecture_damp};
    return 3;
}

static const PhaseStep LECTURE_STEPS[] = {
    {"position", PHASE_ENTER, "", "poses from free flight, then corrected joint by joint, once"},
    {"position", PHASE_ENTER, "predict", "Bodies move without constraints; no gyroscopic term.",
     "v <- v + h g,  x <- x + h v\nq <- q + h/2 [0, w] q, normalised", "linear_turns", "true"},
    {"position", PHASE_ENTER, "predict", "Bodies move without constraints; no gyroscopic term.",
     "v <- v + h g,  x <- x + h v\nq <- exp(h w) q"},
    {"position", PHASE_SWEEP, "points", "Of a joint its point, or its line with limits and target as one error.",
     "lambda = -|e| / (w1 + w2 + alpha/h^2),  n = e/|e|\nx <- x + lambda n/m,  q likewise", "one_line", "true"},
    {"position", PHASE_SWEEP, "points", "Of a joint its point, or its line; then that line's limits or target.",
     "lambda = -|e| / (w1 + w2 + alpha/h^2),  n = e/|e|\nx <- x + lambda n/m,  q likewise"},
    {"position", PHASE_SWEEP, "turns",
     "Then its axes, limits and target angle: errors are sines, and so a soft turn's law is alpha torque = sin(angle).",
     "e = a1 x a2", "sines", "true"},
    {"position", PHASE_SWEEP, "turns", "Then its axes, limits and target angle.", "e = angle (a1 x a2)/|a1 x a2|"},
    {"position", PHASE_SWEEP, "halving", "Turns of all corrections are halved once more.", "phi <- phi/2",
     "halve_turns", "true"},
    {"velocity", PHASE_ENTER, "", "velocities from poses"},
    {"velocity", PHASE_ENTER, "derive", "The velocities are what the poses did, spin by its sine.",
     "v = (x - x_prev)/h\nw = +-2 vec(q q_prev^-1)/h", "linear_turns", "true"},
    {"velocity", PHASE_ENTER, "derive", "The velocities are what the poses did.",
     "v = (x - x_prev)/h\nw = log(q q_prev^-1)/h"},
    {"damp", PHASE_ENTER, "", "joint damping"},
    {"damp", PHASE_ENTER, "damping",
     "Of each joint the speed along p2 - p1, then spin: about a hinge's axis, else all of it; prismatic, cylinder and "
     "fixed joints lose all relative spin, whatever c.",
     "u <- u max(0, 1 - c h)", "own_damping", "true"},
    {"damp", PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",
     "v <- v max(0, 1 - c h)"},
    {NULL},
};

const Solver xpbd_lecture_solver = {
    .abi = SOLVER_ABI,
    .name = "xpbd_lecture",
    .summary = "xpbd as the lectures' programs have it, not their slides: turns halved, angles as sines",
    .reference = "Ten Minute Physics 10, 22, 25",
    .capabilities = CAN_ALL_JOINTS,
    SOLVER_SETTINGS(LECTURE_SETTINGS),
    .steps = LECTURE_STEPS,
    .options_size = sizeof(LectureOptions),
    .create = lecture_create,
    .destroy = lecture_destroy,
    .plan = lecture_plan,
};
