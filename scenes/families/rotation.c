/* SPDX-License-Identifier: MIT */
/* Is the gyroscopic term -w x I w right? Rigid bodies that spin (lecture 003): free of torque, as a box in flight, and
 * as a top on its tip. */
#include "model/energy.h"
#include "scenes/list.h"
#include "scenes/parts.h"
#include "scenes/truth/spin.h"
#include "scenes/truth/top.h"

/* A free body from the origin: its centre on a parabola, its spin free of torque. */
typedef struct Flight {
    Spin spin;
    Vec3 velocity;
    double gravity;
} Flight;

static Vec3 flight_centre(const Flight *flight, double t)
{
    return vec3_add(vec3_scale(t, flight->velocity), vec3(0.0, -0.5 * flight->gravity * t * t, 0.0));
}

static void flight_truth(const Problem *problem, double t, Truth *truth)
{
    const Flight *flight = problem->data;
    truth_set_pose(truth, 1, (Pose){flight_centre(flight, t), spin_orientation(&flight->spin, t)});
}

/* Adds the body (its axes are the principal ones) and what both scenes say about its flight of `time` seconds. */
static bool flight_build(Problem *problem, const BodyDef *def, Vec3 inertia, double gravity, double time,
                         Status *status)
{
    World *world = problem->world;
    part_set_gravity(world, gravity);
    if (world_add_body(world, def, status) < 0)
        return false;
    Flight flight = {spin_from(inertia, def->angular_velocity), def->velocity, gravity};
    problem_set_scales(problem, fmax(-flight_centre(&flight, time).y, 0.0));
    problem->time = time;
    problem->passive = true;
    problem->conserves = CONSERVES_ENERGY;
    /* A momentum that is zero has no relative error. */
    if (gravity == 0.0 && world_momentum_scale(world) > 0.0)
        problem->conserves |= CONSERVES_MOMENTUM;
    if (gravity == 0.0 && world_angular_momentum_scale(world) > 0.0)
        problem->conserves |= CONSERVES_ANGULAR_MOMENTUM;
    problem->truth = flight_truth;
    return part_keep(problem, &flight, sizeof flight, status);
}

typedef struct TorqueFreeParams {
    double Ix, Iy, Iz, wx, wy, wz, gravity;
} TorqueFreeParams;

static const Setting TORQUE_FREE_SETTINGS[] = {
    PARAM_REAL(TorqueFreeParams, Ix, "moment of inertia about the body's x axis (kg m^2)", 1, 1e-6, 1e6),
    PARAM_REAL(TorqueFreeParams, Iy, "about y (kg m^2)", 2, 1e-6, 1e6),
    PARAM_REAL(TorqueFreeParams, Iz, "about z (kg m^2)", 3, 1e-6, 1e6),
    PARAM_REAL(TorqueFreeParams, wx, "angular velocity at the start, x (rad/s)", 0.01, -1e4, 1e4),
    PARAM_REAL(TorqueFreeParams, wy, "y (rad/s)", 3, -1e4, 1e4),
    PARAM_REAL(TorqueFreeParams, wz, "z (rad/s)", 0.01, -1e4, 1e4),
    PARAM_WEIGHTLESS(TorqueFreeParams),
};

static bool torque_free_build(Problem *problem, const void *params, Status *status)
{
    const TorqueFreeParams *spin = params;
    BodyDef def = BODY_DEF_INIT;
    def.name = "body";
    def.mass = 1.0;
    def.has_inertia = true;
    def.inertia = vec3(spin->Ix, spin->Iy, spin->Iz);
    def.angular_velocity = vec3(spin->wx, spin->wy, spin->wz);
    return flight_build(problem, &def, def.inertia, spin->gravity, 20.0, status);
}

const Scene torque_free_scene = {
    .name = "torque_free",
    .question = "Is the gyroscopic term right?",
    .about =
        "One rigid body `body` (1 kg, no shape) at the origin with principal moments Ix, Iy, Iz along the world's axes "
        "at the start, spinning freely.\n"
        "About its middle axis (the default) it should flip over and back again and again, energy and angular momentum "
        "constant. Without the gyroscopic term it never flips; an explicit one gains energy.\n"
        "Truth: angular velocity by Jacobi's elliptic functions, orientation from the constant angular momentum and "
        "one "
        "quadrature, for every kind of body and spin. Scales: the kinetic energy at the start (+ m g x the fall in "
        "20 s, with gravity), speed from it. Time: 20 s.",
    .lectures = "003",
    SCENE_PARAMS(TORQUE_FREE_SETTINGS, TorqueFreeParams),
    .build = torque_free_build,
};

typedef struct TumblingBoxParams {
    double size_x, size_y, size_z, vx, vy, vz, wx, wy, wz, gravity;
} TumblingBoxParams;

static const Setting TUMBLING_BOX_SETTINGS[] = {
    PARAM_REAL(TumblingBoxParams, size_x, "edge along x (m)", 0.1, 1e-3, 1e3),
    PARAM_REAL(TumblingBoxParams, size_y, "edge along y (m)", 0.4, 1e-3, 1e3),
    PARAM_REAL(TumblingBoxParams, size_z, "edge along z (m)", 0.9, 1e-3, 1e3),
    PARAM_REAL(TumblingBoxParams, vx, "velocity at the start, x (m/s)", 1, -1e3, 1e3),
    PARAM_REAL(TumblingBoxParams, vy, "y (m/s)", 0.5, -1e3, 1e3),
    PARAM_REAL(TumblingBoxParams, vz, "z (m/s)", 0, -1e3, 1e3),
    PARAM_REAL(TumblingBoxParams, wx, "angular velocity at the start, x (rad/s)", 0.1, -1e4, 1e4),
    PARAM_REAL(TumblingBoxParams, wy, "y (rad/s)", 5, -1e4, 1e4),
    PARAM_REAL(TumblingBoxParams, wz, "z (rad/s)", 0.1, -1e4, 1e4),
    PARAM_WEIGHTLESS(TumblingBoxParams),
};

static const double BOX_DENSITY = 1000.0; /* kg/m^3 */

static bool tumbling_box_build(Problem *problem, const void *params, Status *status)
{
    const TumblingBoxParams *box = params;
    BodyDef def = part_box(box->size_x, box->size_y, box->size_z, BOX_DENSITY);
    def.name = "box1";
    def.velocity = vec3(box->vx, box->vy, box->vz);
    def.angular_velocity = vec3(box->wx, box->wy, box->wz);
    /* A spin's history depends on the ratios of its moments alone: those of a box are y^2 + z^2, ... */
    Vec3 square = vec3_mul(def.shape.size, def.shape.size);
    Vec3 inertia = vec3(square.y + square.z, square.z + square.x, square.x + square.y);
    problem->reference = true;
    return flight_build(problem, &def, inertia, box->gravity, 10.0, status);
}

const Scene tumbling_box_scene = {
    .name = "tumbling_box",
    .question = "Is the gyroscopic term right for a box in flight?",
    .about =
        "One box `box1` of density 1000 kg/m^3, thrown from the origin with the velocity v and the angular velocity w; "
        "with the default size y is its middle axis, and it tumbles.\n"
        "Its centre should move as a point (a straight line; with gravity a parabola), its energy stay, and without "
        "gravity its momentum and angular momentum too, however it tumbles.\n"
        "Truth: position and orientation in closed form, as `torque_free`; `reference` agrees. Scales: the kinetic "
        "energy at the start + m g x how far below it the run leads, speed from it. Time: 10 s.",
    .lectures = "003",
    SCENE_PARAMS(TUMBLING_BOX_SETTINGS, TumblingBoxParams),
    .build = tumbling_box_build,
};

typedef struct HeavyTopParams {
    double mass, J_across, J_spin, length, spin, rate, tilt, gravity;
} HeavyTopParams;

static const Setting HEAVY_TOP_SETTINGS[] = {
    PARAM_REAL(HeavyTopParams, mass, "kg", 15, 1e-3, 1e6),
    PARAM_REAL(HeavyTopParams, J_across, "moment of inertia across the axis, about the centre (kg m^2)", 0.234375, 1e-6,
               1e6),
    PARAM_REAL(HeavyTopParams, J_spin, "moment of inertia about the axis (kg m^2)", 0.46875, 1e-6, 1e6),
    PARAM_REAL(HeavyTopParams, length, "from the tip to the centre of mass (m)", 1, 1e-3, 1e3),
    PARAM_REAL(HeavyTopParams, spin, "angular velocity about the axis at the start (rad/s)", 150, -1e4, 1e4),
    PARAM_REAL(HeavyTopParams, rate, "angular velocity about the body's y axis at the start (rad/s)", -4.61538, -1e3,
               1e3),
    PARAM_ANGLE(HeavyTopParams, tilt, "of the axis, from upright towards +x", 0.5 * PI, 0, PI),
    PARAM_GRAVITY(HeavyTopParams),
};

static void heavy_top_truth(const Problem *problem, double t, Truth *truth)
{
    TopState state;
    if (!top_at(problem->data, t, &state))
        return;
    truth_set_pose(truth, 1, (Pose){state.centre, state.orientation});
    truth_set_force(truth, 0, state.force);
}

static bool heavy_top_build(Problem *problem, const void *params, Status *status)
{
    const HeavyTopParams *heavy = params;
    World *world = problem->world;
    part_set_gravity(world, heavy->gravity);
    Vec3 arm = vec3(heavy->length, 0, 0), w = vec3(heavy->spin, heavy->rate, 0); /* body axes */
    BodyDef def = BODY_DEF_INIT;
    def.name = "top";
    def.mass = heavy->mass;
    def.has_inertia = true;
    def.inertia = vec3(heavy->J_spin, heavy->J_across, heavy->J_across);
    def.orientation = quat_axis_angle(vec3(0, 0, 1), 0.5 * PI - heavy->tilt);
    def.position = quat_rotate(def.orientation, arm);
    def.angular_velocity = quat_rotate(def.orientation, w);
    def.velocity = vec3_cross(def.angular_velocity, def.position);
    int body = world_add_body(world, &def, status);
    if (body < 0)
        return false;
    JointDef tip = joint_def(JOINT_BALL, 0, body);
    tip.name = "tip";
    tip.local_anchors = true;
    tip.anchor[1] = vec3_negate(arm);
    if (world_add_joint(world, &tip, status) < 0)
        return false;
    problem_set_scales(problem, def.position.y + heavy->length);
    problem->time = 10.0;
    problem->passive = true;
    problem->conserves = CONSERVES_ENERGY;
    problem->reference = true;
    problem->truth = heavy_top_truth;
    double across = heavy->J_across + heavy->mass * heavy->length * heavy->length;
    Top top = {
        .mass = heavy->mass, .inertia = vec3(heavy->J_spin, across, across), .arm = arm, .gravity = world->gravity};
    if (!part_keep(problem, &top, sizeof top, status))
        return false;
    top_start(problem->data, def.orientation, w);
    return true;
}

const Scene heavy_top_scene = {
    .name = "heavy_top",
    .question = "Are precession and nutation right?",
    .about =
        "One symmetric rigid body `top` (no shape) on a `ball` joint `tip` at the world's origin. Its axis is the "
        "body's x; at tilt 90 deg the body's axes are the world's. It starts with the angular velocity (spin, rate, 0) "
        "in body axes.\n"
        "The defaults are a well-known benchmark top that is usually written with z up: its (x, y, z) are our "
        "(z, x, y), so that its gravity along -z is ours along -y, and its axis, y, is our x.\n"
        "It should nutate while it precesses, energy and spin kept. A horizontal top precesses steadily, without "
        "nutation, at rate = m g length/(J_spin spin), 2.0928 rad/s with the defaults.\n"
        "It spins by 2.5 rad in a frame of 1/60 s: no first-order solver can follow that, and errors of 1.5 to 2 m at "
        "default options say only this. Take steps in which it turns by some hundredths of a radian (64 substeps: 0.1 "
        "to "
        "0.25 m off after 1 s, 256: 0.02 to 0.07 m), integrator=rk4 (kkt with 16 substeps: 2e-6 m; featherstone at its "
        "defaults likewise), or gyroscopic=momentum (pgs with 64 substeps: 0.8 mm).\n"
        "Truth: the top's own seven equations about its tip, integrated to 1e-13 apart from every solver: position, "
        "orientation, force at the tip; `reference` agrees. Scales: kinetic energy + m g x the drop to hanging "
        "straight "
        "down, speed from it. Time: 10 s.",
    .lectures = "003",
    SCENE_PARAMS(HEAVY_TOP_SETTINGS, HeavyTopParams),
    .build = heavy_top_build,
};
