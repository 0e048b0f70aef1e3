/* SPDX-License-Identifier: MIT */
/* Closed loops: does a solver keep them closed, with hinges that make each planar loop redundant in space?
 * One crank, turned by a motor about z, drives every loop; the loops lie side by side along z with their crank pins
 * spread evenly around it. With the pin at P = r (cos phi, sin phi), phi = speed t + phase:
 *   slider_crank  slider at x = r cos phi + sqrt(rod^2 - r^2 sin^2 phi), the cylinder of an engine
 *   four_bar      coupler and rocker meet where the circles about P and the ground pivot (ground, 0) do (upper branch)
 */
#include "scenes/list.h"
#include "scenes/parts.h"

#include <stdlib.h>

/* The crank is a disc, larger than its pin circle by this factor. */
#define CRANK_DISC 1.2
/* A loop is closed while its joints gape by less than this part of the crank, the speed held within this
 * part of it, or of 1 rad/s. */
#define LINKAGE_GAP_MAX 0.05
#define LINKAGE_SPEED_MAX 0.01

/* A body of a loop in its plane: angle from +x, centre, and their rates. */
typedef struct Link {
    double angle, turn; /* rad, rad/s */
    Vec3 centre, velocity;
} Link;

enum { LOOP_LINKS = 2 };

typedef struct LinkageParams {
    int loops;
    double speed, crank, thickness, density, gravity;
    double rod;                     /* slider_crank */
    double coupler, rocker, ground; /* four_bar */
} LinkageParams;

/* The two links of a loop whose pin stands at phi. */
typedef void LinkageKinematics(const LinkageParams *p, double phi, Link links[LOOP_LINKS]);

typedef struct Linkage {
    LinkageParams params;
    LinkageKinematics *kinematics;
} Linkage;

static Vec3 polar(double length, double angle)
{
    return vec3(length * cos(angle), length * sin(angle), 0);
}

/* d/dt of polar(length, angle) */
static Vec3 polar_rate(double length, double angle, double turn)
{
    return vec3(-length * turn * sin(angle), length * turn * cos(angle), 0);
}

/* rod sin(beta) = -r sin(phi) */
static void slider_crank_kinematics(const LinkageParams *p, double phi, Link links[LOOP_LINKS])
{
    double r = p->crank, rod = p->rod, beta = asin(-r * sin(phi) / rod);
    double turn = -r * p->speed * cos(phi) / (rod * cos(beta));
    links[0] = (Link){.angle = beta, .turn = turn};
    links[0].centre = vec3_add(polar(r, phi), polar(0.5 * rod, beta));
    links[0].velocity = vec3_add(polar_rate(r, phi, p->speed), polar_rate(0.5 * rod, beta, turn));
    links[1] = (Link){.centre = vec3(r * cos(phi) + rod * cos(beta), 0, 0)};
    links[1].velocity = vec3(-r * p->speed * sin(phi) - rod * turn * sin(beta), 0, 0);
}

/* The loop r e(phi) + b e(beta) = d e(0) + c e(gamma) and its rate, e(x) = (cos x, sin x); beta by the law of cosines
 * in the triangle of the pin, the ground pivot and the joint of coupler and rocker. */
static void four_bar_kinematics(const LinkageParams *p, double phi, Link links[LOOP_LINKS])
{
    double r = p->crank, b = p->coupler, c = p->rocker;
    Vec3 pin = polar(r, phi), pivot = vec3(p->ground, 0, 0), to = vec3_sub(pivot, pin);
    double f = vec3_norm(to), beta = atan2(to.y, to.x) + acos((f * f + b * b - c * c) / (2.0 * f * b));
    Vec3 joint = vec3_add(pin, polar(b, beta));
    double gamma = atan2(joint.y - pivot.y, joint.x - pivot.x);
    double turn_b = p->speed * r * sin(phi - gamma) / (b * sin(gamma - beta));
    double turn_c = p->speed * r * sin(phi - beta) / (c * sin(gamma - beta));
    links[0] = (Link){beta, turn_b, vec3_add(pin, polar(0.5 * b, beta)),
                      vec3_add(polar_rate(r, phi, p->speed), polar_rate(0.5 * b, beta, turn_b))};
    links[1] = (Link){gamma, turn_c, vec3_add(pivot, polar(0.5 * c, gamma)), polar_rate(0.5 * c, gamma, turn_c)};
}

static double loop_phase(const LinkageParams *p, int k)
{
    return 2.0 * PI * k / p->loops;
}

/* Loops lie two thicknesses apart, centred on the plane of x and y. */
static Vec3 loop_offset(const LinkageParams *p, int k)
{
    return vec3(0, 0, (2.0 * k - (p->loops - 1)) * p->thickness);
}

/* Shapes have their axis along y; the crank turns about z. */
static Quat crank_orientation(double phi)
{
    return quat_mul(quat_axis_angle(vec3(0, 0, 1), phi), quat_axis_angle(vec3(1, 0, 0), PI / 2));
}

static void linkage_truth(const Problem *problem, double t, Truth *truth)
{
    const Linkage *linkage = problem->data;
    const LinkageParams *p = &linkage->params;
    truth_set_pose(truth, 1, (Pose){VEC3_ZERO, crank_orientation(p->speed * t)});
    for (int k = 0; k < p->loops; k++) {
        Link links[LOOP_LINKS];
        linkage->kinematics(p, p->speed * t + loop_phase(p, k), links);
        for (int i = 0; i < LOOP_LINKS; i++)
            truth_set_pose(
                truth, 2 + LOOP_LINKS * k + i,
                (Pose){vec3_add(links[i].centre, loop_offset(p, k)), quat_axis_angle(vec3(0, 0, 1), links[i].angle)});
    }
}

static bool linkage_settled(const Problem *problem, const World *world)
{
    const Linkage *linkage = problem->data;
    const LinkageParams *p = &linkage->params;
    return part_holds(world, LINKAGE_GAP_MAX * p->crank) &&
           fabs(world->velocity[1].w.z - p->speed) <= LINKAGE_SPEED_MAX * fmax(1.0, fabs(p->speed));
}

static bool linkage_add_crank(World *world, const LinkageParams *p, Status *status)
{
    BodyDef crank = BODY_DEF_INIT;
    crank.shape = (Shape){.kind = SHAPE_CYLINDER, .radius = CRANK_DISC * p->crank, .length = p->thickness * p->loops};
    crank.density = p->density;
    crank.orientation = crank_orientation(0.0);
    crank.angular_velocity = vec3(0, 0, p->speed);
    JointDef drive = part_joint_at(JOINT_MOTOR, 0, 1, VEC3_ZERO, vec3(0, 0, 1));
    drive.speed = p->speed;
    return part_add_body(world, &crank, "crank", 0, status) >= 0 &&
           part_add_joint(world, &drive, "motor", 0, status) >= 0;
}

static int linkage_add_link(World *world, BodyDef box, const Link *link, Vec3 offset, const char *word, int number,
                            Status *status)
{
    box.position = vec3_add(link->centre, offset);
    box.orientation = quat_axis_angle(vec3(0, 0, 1), link->angle);
    box.velocity = link->velocity;
    box.angular_velocity = vec3(0, 0, link->turn);
    return part_add_body(world, &box, word, number, status);
}

static bool linkage_join(World *world, JointType type, int body1, int body2, Vec3 point, const char *word, int number,
                         Status *status)
{
    Vec3 axis = type == JOINT_PRISMATIC ? vec3(1, 0, 0) : vec3(0, 0, 1);
    JointDef joint = part_joint_at(type, body1, body2, point, axis);
    return body1 >= 0 && body2 >= 0 && part_add_joint(world, &joint, word, number, status) >= 0;
}

static bool slider_crank_add_loop(World *world, const LinkageParams *p, int k, Status *status)
{
    Link links[LOOP_LINKS];
    double phi = loop_phase(p, k);
    Vec3 offset = loop_offset(p, k), pin = vec3_add(polar(p->crank, phi), offset);
    slider_crank_kinematics(p, phi, links);
    BodyDef rod_box = part_box(p->rod, p->thickness, p->thickness, p->density);
    BodyDef slider_box = part_box(4 * p->thickness, 2 * p->thickness, p->thickness, p->density);
    int rod = linkage_add_link(world, rod_box, &links[0], offset, "rod", k + 1, status);
    int slider = linkage_add_link(world, slider_box, &links[1], offset, "slider", k + 1, status);
    Vec3 wrist = vec3_add(links[1].centre, offset);
    return linkage_join(world, JOINT_HINGE, 1, rod, pin, "pin", k + 1, status) &&
           linkage_join(world, JOINT_HINGE, rod, slider, wrist, "wrist", k + 1, status) &&
           linkage_join(world, JOINT_PRISMATIC, 0, slider, wrist, "guide", k + 1, status);
}

static bool four_bar_add_loop(World *world, const LinkageParams *p, int k, Status *status)
{
    Link links[LOOP_LINKS];
    double phi = loop_phase(p, k);
    Vec3 offset = loop_offset(p, k), pin = vec3_add(polar(p->crank, phi), offset);
    Vec3 pivot = vec3_add(vec3(p->ground, 0, 0), offset);
    four_bar_kinematics(p, phi, links);
    BodyDef coupler_box = part_box(p->coupler, p->thickness, p->thickness, p->density);
    BodyDef rocker_box = part_box(p->rocker, p->thickness, p->thickness, p->density);
    int coupler = linkage_add_link(world, coupler_box, &links[0], offset, "coupler", k + 1, status);
    int rocker = linkage_add_link(world, rocker_box, &links[1], offset, "rocker", k + 1, status);
    Vec3 meeting = vec3_add(pivot, polar(p->rocker, links[1].angle));
    return linkage_join(world, JOINT_HINGE, 1, coupler, pin, "pin", k + 1, status) &&
           linkage_join(world, JOINT_HINGE, coupler, rocker, meeting, "joint", k + 1, status) &&
           linkage_join(world, JOINT_HINGE, 0, rocker, pivot, "pivot", k + 1, status);
}

static bool linkage_build(Problem *problem, const LinkageParams *p, LinkageKinematics *kinematics,
                          bool (*add_loop)(World *, const LinkageParams *, int, Status *), Status *status)
{
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    if (!linkage_add_crank(world, p, status))
        return false;
    for (int k = 0; k < p->loops; k++)
        if (!add_loop(world, p, k, status))
            return false;
    problem->time = 10.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->truth = linkage_truth;
    problem->settled = linkage_settled;
    /* No centre of mass falls further than the crank's pin. */
    problem_set_scales(problem, 2.0 * p->crank);
    Linkage linkage = {*p, kinematics};
    return part_keep(problem, &linkage, sizeof linkage, status);
}

#define LINKAGE_SETTINGS(crank_length)                                                                                 \
    PARAM_INT(LinkageParams, loops, "number of loops on the crank", 1, 1, PARTS_MAX / 4),                              \
        PARAM_REAL(LinkageParams, speed, "of the crank (rad/s)", 5, -1e3, 1e3),                                        \
        PARAM_REAL(LinkageParams, crank, "from the crank's axis to its pins (m)", crank_length, 1e-3, 1e3),            \
        PARAM_REAL(LinkageParams, thickness, "of the links (m)", 0.05, LENGTH_MIN, LENGTH_MAX),                        \
        PARAM_REAL(LinkageParams, density, "of all bodies (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),                  \
        PARAM_GRAVITY(LinkageParams)

static const Setting SLIDER_CRANK_SETTINGS[] = {
    LINKAGE_SETTINGS(0.3),
    PARAM_REAL(LinkageParams, rod, "length of the connecting rod (m)", 1, 1e-3, 1e3),
};

static bool slider_crank_build(Problem *problem, const void *params, Status *status)
{
    const LinkageParams *p = params;
    if (p->rod <= p->crank)
        return status_set(status, STATUS_USAGE, "rod: must be longer than the crank, or it cannot go round");
    return linkage_build(problem, p, slider_crank_kinematics, slider_crank_add_loop, status);
}

const Scene slider_crank_scene = {
    .name = "slider_crank",
    .question = "Does a closed loop with a slider stay closed, and in step with its motor?",
    .about =
        "An engine: a disc `crank` turned by a motor about z, and for each loop a connecting rod `rodK` on a hinge "
        "at the crank pin, a `sliderK` on a hinge at the rod's end, and a prismatic joint that guides the slider "
        "along x. Pins are spread evenly around the crank. In space each loop's joints are redundant.\n"
        "It starts in motion, with velocities that fit the motor's speed. Poses of all bodies are known at all "
        "times from the crank's angle, speed t. The motor does work; E - W stays.\n"
        "settled: no joint gapes by more than a twentieth of the crank, and the speed is held within 1 percent. "
        "Energy is measured against the kinetic energy at the start and a fall by twice the crank.",
    .lectures = "000, 003",
    SCENE_PARAMS(SLIDER_CRANK_SETTINGS, LinkageParams),
    .build = slider_crank_build,
};

static const Setting FOUR_BAR_SETTINGS[] = {
    LINKAGE_SETTINGS(0.3),
    PARAM_REAL(LinkageParams, coupler, "length (m)", 0.9, 1e-3, 1e3),
    PARAM_REAL(LinkageParams, rocker, "length (m)", 0.7, 1e-3, 1e3),
    PARAM_REAL(LinkageParams, ground, "distance of the two fixed pivots (m)", 1, 1e-3, 1e3),
};

/* The crank goes round, and no position is singular, iff the triangle of pin, pivot and joint never folds flat. */
static bool four_bar_build(Problem *problem, const void *params, Status *status)
{
    const LinkageParams *p = params;
    if (!(p->ground + p->crank < p->coupler + p->rocker && fabs(p->ground - p->crank) > fabs(p->coupler - p->rocker)))
        return status_set(status, STATUS_USAGE,
                          "crank: cannot go round: needs ground + crank < coupler + rocker and |ground - crank| > "
                          "|coupler - rocker|");
    return linkage_build(problem, p, four_bar_kinematics, four_bar_add_loop, status);
}

const Scene four_bar_scene = {
    .name = "four_bar",
    .question = "Does a closed loop of hinges stay closed, and in step with its motor?",
    .about =
        "A disc `crank` turned by a motor about z, and for each loop a `couplerK` on a hinge at the crank pin and a "
        "`rockerK` on a hinge at the coupler's end, which swings about a fixed pivot at `ground` on the x axis. Pins "
        "are spread evenly around the crank. In space each loop's hinges are redundant.\n"
        "It starts in motion, with velocities that fit the motor's speed. Poses of all bodies are known at all "
        "times from the crank's angle, speed t. The motor does work; E - W stays.\n"
        "settled: no joint gapes by more than a twentieth of the crank, and the speed is held within 1 percent. "
        "Energy is measured against the kinetic energy at the start and a fall by twice the crank.",
    .lectures = "000, 003",
    SCENE_PARAMS(FOUR_BAR_SETTINGS, LinkageParams),
    .build = four_bar_build,
};
