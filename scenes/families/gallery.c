/* SPDX-License-Identifier: MIT */
/* joint_gallery: does every type of joint hold in one machine?
 * A frame, fixed to the world, carries one mechanism for each type of joint, side by side along x, each moving in or
 * about its own plane across the frame; what one does reaches all others through the frame and its fixed joint. Bodies
 * are stout, and joints rigid: the question is whether joints hold, not what a slender body or a spring does. */
#include "scenes/list.h"
#include "scenes/parts.h"

/* A joint has failed when it gapes by more than this part of the length scale, which is 1 m. */
#define GALLERY_GAP_MAX 0.01

typedef struct GalleryParams {
    double speed, gravity;
} GalleryParams;

static const Setting GALLERY_SETTINGS[] = {
    PARAM_REAL(GalleryParams, speed, "of the motor (rad/s)", 3, -1e3, 1e3),
    PARAM_GRAVITY(GalleryParams),
};

enum { FRAME = 1 };
static const Vec3 ACROSS = {1, 0, 0}, UP = {0, 1, 0};

/* A rod of 1 m and 10 kg that hangs from the frame at x, turned by `angle` about x from hanging. */
static BodyDef gallery_rod(double x, double angle)
{
    BodyDef rod = part_box(1.0, 0.2, 0.2, 250.0);
    Quat turn = quat_axis_angle(ACROSS, angle);
    rod.orientation = quat_mul(turn, quat_axis_angle(vec3(0, 0, 1), -PI / 2));
    rod.position = vec3_add(vec3(x, 0, 0), quat_rotate(turn, vec3(0, -0.5, 0)));
    return rod;
}

static bool gallery_add_frame(World *world, Status *status)
{
    BodyDef frame = part_box(10.0, 3.0, 3.0, 10.0);
    JointDef fixed = part_joint_at(JOINT_FIXED, 0, FRAME, VEC3_ZERO, ACROSS);
    return part_add_body(world, &frame, "frame", 0, status) == FRAME &&
           part_add_joint(world, &fixed, "fixed", 0, status) >= 0;
}

/* Hinge and ball: pendulums; the ball's rod is also pushed out of its plane and spun. */
static bool gallery_add_pendulums(World *world, Status *status)
{
    BodyDef swinging = gallery_rod(-4.0, 1.0), turning = gallery_rod(-3.0, -0.7);
    turning.angular_velocity = vec3(0.4, 1.1, -0.6);
    turning.velocity = vec3_cross(turning.angular_velocity, vec3_sub(turning.position, vec3(-3, 0, 0)));
    int one = part_add_body(world, &swinging, "hinge_rod", 0, status);
    int two = part_add_body(world, &turning, "ball_rod", 0, status);
    JointDef hinge = part_joint_at(JOINT_HINGE, FRAME, one, vec3(-4, 0, 0), ACROSS);
    JointDef ball = part_joint_at(JOINT_BALL, FRAME, two, vec3(-3, 0, 0), ACROSS);
    return one > 0 && two > 0 && part_add_joint(world, &hinge, "hinge", 0, status) >= 0 &&
           part_add_joint(world, &ball, "ball", 0, status) >= 0;
}

/* Distance and wire: a bob on a massless rod of 1 m, a bead on a ring of 0.4 m. */
static bool gallery_add_particles(World *world, Status *status)
{
    BodyDef bob = part_particle(1.0, vec3(-2, -cos(0.9), sin(0.9)));
    BodyDef bead = part_particle(0.5, vec3(-1, -1.0 - 0.4 * cos(1.2), 0.4 * sin(1.2)));
    int one = part_add_body(world, &bob, "bob", 0, status), two = part_add_body(world, &bead, "bead", 0, status);
    JointDef distance = joint_def(JOINT_DISTANCE, FRAME, one);
    distance.local_anchors = true;
    distance.anchor[0] = vec3(-2, 0, 0);
    distance.rest = 1.0;
    JointDef wire = part_joint_at(JOINT_WIRE, FRAME, two, bead.position, ACROSS);
    wire.centre = vec3(-1, -1, 0);
    wire.radius = 0.4;
    return one > 0 && two > 0 && part_add_joint(world, &distance, "distance", 0, status) >= 0 &&
           part_add_joint(world, &wire, "wire", 0, status) >= 0;
}

/* Motor: a rod that turns at its speed. Servo: an arm held level while a rod swings from its end. */
static bool gallery_add_drives(World *world, double speed, Status *status)
{
    BodyDef crank = gallery_rod(0.0, 0.3), arm = gallery_rod(1.0, PI / 2), load = gallery_rod(1.0, -0.5);
    crank.angular_velocity = vec3_scale(speed, ACROSS);
    crank.velocity = vec3_cross(crank.angular_velocity, crank.position);
    Vec3 end = vec3_add(vec3(1, 0, 0), vec3_scale(2.0, vec3_sub(arm.position, vec3(1, 0, 0))));
    load.position = vec3_add(load.position, vec3_sub(end, vec3(1, 0, 0)));
    int one = part_add_body(world, &crank, "motor_rod", 0, status);
    int two = part_add_body(world, &arm, "servo_arm", 0, status);
    int three = part_add_body(world, &load, "servo_load", 0, status);
    JointDef motor = part_joint_at(JOINT_MOTOR, FRAME, one, VEC3_ZERO, ACROSS);
    motor.speed = speed;
    JointDef servo = part_joint_at(JOINT_SERVO, FRAME, two, vec3(1, 0, 0), ACROSS);
    servo.target = 0.0;
    JointDef hanger = part_joint_at(JOINT_HINGE, two, three, end, ACROSS);
    return one > 0 && two > 0 && three > 0 && part_add_joint(world, &motor, "motor", 0, status) >= 0 &&
           part_add_joint(world, &servo, "servo", 0, status) >= 0 &&
           part_add_joint(world, &hanger, "servo_hanger", 0, status) >= 0;
}

/* Prismatic: a slider along z that a rod swinging from it moves to and fro. Cylinder: a spinning drum held in height.
 */
static bool gallery_add_sliders(World *world, Status *status)
{
    BodyDef slider = part_box(0.4, 0.4, 0.4, 100.0), rod = gallery_rod(2.0, 0.8), drum = part_box(0.5, 0.4, 0.5, 100.0);
    slider.position = vec3(2, 0, 0);
    drum.position = vec3(3, -1, 0);
    drum.angular_velocity = vec3(0, 4, 0);
    int one = part_add_body(world, &slider, "slider", 0, status),
        two = part_add_body(world, &rod, "slider_rod", 0, status);
    int three = part_add_body(world, &drum, "drum", 0, status);
    JointDef prismatic = part_joint_at(JOINT_PRISMATIC, FRAME, one, slider.position, vec3(0, 0, 1));
    JointDef hanger = part_joint_at(JOINT_HINGE, one, two, slider.position, ACROSS);
    JointDef cylinder = part_joint_at(JOINT_CYLINDER, FRAME, three, drum.position, UP);
    cylinder.target = 0.0;
    return one > 0 && two > 0 && three > 0 && part_add_joint(world, &prismatic, "prismatic", 0, status) >= 0 &&
           part_add_joint(world, &hanger, "slider_hanger", 0, status) >= 0 &&
           part_add_joint(world, &cylinder, "cylinder", 0, status) >= 0;
}

/* Volume: a tetrahedron of particles, hung by one corner, with rigid edges from there: its base may shear, not shrink.
 */
static bool gallery_add_tetrahedron(World *world, Status *status)
{
    static const Vec3 CORNERS[4] = {{4, -0.5, 0}, {4.4, -1.0, -0.2}, {3.7, -1.0, -0.3}, {3.9, -1.1, 0.4}};
    JointDef volume = joint_def(JOINT_VOLUME, 0, 0);
    for (int i = 0; i < 4; i++) {
        BodyDef corner = part_particle(1.0, CORNERS[i]);
        volume.body[i] = part_add_body(world, &corner, "corner", i + 1, status);
        if (volume.body[i] < 0)
            return false;
    }
    JointDef hanger = part_joint_at(JOINT_BALL, FRAME, volume.body[0], CORNERS[0], UP);
    if (part_add_joint(world, &hanger, "corner_hanger", 0, status) < 0)
        return false;
    for (int i = 1; i < 4; i++) {
        JointDef edge = joint_def(JOINT_DISTANCE, volume.body[0], volume.body[i]);
        edge.local_anchors = true;
        if (part_add_joint(world, &edge, "edge", i, status) < 0)
            return false;
    }
    return part_add_joint(world, &volume, "volume", 0, status) >= 0;
}

static bool gallery_settled(const Problem *problem, const World *world)
{
    (void)problem;
    return part_holds(world, GALLERY_GAP_MAX * world->length_scale);
}

/* All but the frame could fall by about a metre, the length of the rods; as a fall of the common centre of mass. */
static double gallery_drop(const World *world)
{
    double total = 0.0;
    for (int i = FRAME; i < world->body_count; i++)
        total += world->mass[i].mass;
    return 1.0 - world->mass[FRAME].mass / total;
}

static bool gallery_build(Problem *problem, const void *params, Status *status)
{
    const GalleryParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    if (!gallery_add_frame(world, status) || !gallery_add_pendulums(world, status) ||
        !gallery_add_particles(world, status) || !gallery_add_drives(world, p->speed, status) ||
        !gallery_add_sliders(world, status) || !gallery_add_tetrahedron(world, status))
        return false;
    problem->time = 10.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->settled = gallery_settled;
    problem_set_scales(problem, gallery_drop(world));
    return part_keep(problem, p, sizeof *p, status);
}

const Scene joint_gallery_scene = {
    .name = "joint_gallery",
    .question = "Does every type of joint hold, all in one machine?",
    .about =
        "A frame, fixed to the world by a `fixed` joint, carries along x: hinge_rod, ball_rod, a bob on a distance "
        "joint, a bead on a wire, motor_rod, servo_arm with a swinging load, a slider on a prismatic joint with a rod "
        "swinging from it, a spinning drum held by a cylinder, and four corners of a tetrahedron with a `volume` "
        "joint. Joints are named by their type. No limit is reached, nothing is soft and nothing is damped.\n"
        "No joint should drift. Motor, servo and cylinder do work W; E - W stays. There is no closed form.\n"
        "settled: no rigid joint gapes by more than 1 cm.",
    .lectures = "000, 002, 004",
    SCENE_PARAMS(GALLERY_SETTINGS, GalleryParams),
    .build = gallery_build,
};
