/* SPDX-License-Identifier: MIT */
/* Do joint limits hold in a fall? A figure of capsules and boxes on ball joints (swing and twist limits: neck, waist,
 * shoulders, hips) and hinges (elbows, knees) falls on the ground. */
#include "scenes/ground.h"
#include "scenes/list.h"

typedef struct RagdollParams {
    double height, tilt, mu, gravity;
} RagdollParams;

static const Setting RAGDOLL_SETTINGS[] = {
    PARAM_REAL(RagdollParams, height, "of the feet above the ground (m)", 0.5, 0, 1e3),
    PARAM_ANGLE(RagdollParams, tilt, "of the whole figure, towards +z", 0.3, -PI, PI),
    PARAM_MU(RagdollParams, 0.5),
    PARAM_GRAVITY(RagdollParams),
};

static const double RAGDOLL_LIMIT_OFF = 0.1;      /* rad, by which a limit may be violated at the end */
static const double RAGDOLL_GAP_MAX = 1.0 / 16.0; /* of the length scale, by which a joint may be open: 2 cm */

/* A part as the figure stands upright, feet on y = 0, facing +z; arms along +/- x. */
typedef struct RagdollPart {
    const char *name;
    Vec3 centre;   /* m */
    Vec3 size;     /* box: edges; capsule: radius, length of the cylinder, 0 */
    bool sideways; /* a capsule along x */
} RagdollPart;

/* A joint of a part with the one nearer to the waist. */
typedef struct RagdollJoint {
    const char *name;
    JointType type;
    int inner, outer; /* parts */
    Vec3 at, axis;    /* axis: of the hinge, or the direction that swing and twist are counted from */
    double low, high; /* hinge: angles; ball: swing, and twist both ways */
} RagdollJoint;

enum {
    HIPS,
    CHEST,
    HEAD,
    UPPER_ARM_L,
    LOWER_ARM_L,
    UPPER_ARM_R,
    LOWER_ARM_R,
    UPPER_LEG_L,
    LOWER_LEG_L,
    UPPER_LEG_R,
    LOWER_LEG_R,
    RAGDOLL_PARTS
};

/* Parts that no joint joins are at least 1 cm apart. */
static const RagdollPart RAGDOLL[RAGDOLL_PARTS] = {
    [HIPS] = {"hips", {0, 0.97, 0}, {0.32, 0.2, 0.2}, false},
    [CHEST] = {"torso", {0, 1.26, 0}, {0.36, 0.36, 0.22}, false},
    [HEAD] = {"head", {0, 1.62, 0}, {0.1, 0.08, 0}, false},
    [UPPER_ARM_L] = {"upper_arm1", {0.36, 1.38, 0}, {0.05, 0.2, 0}, true},
    [LOWER_ARM_L] = {"lower_arm1", {0.66, 1.38, 0}, {0.045, 0.2, 0}, true},
    [UPPER_ARM_R] = {"upper_arm2", {-0.36, 1.38, 0}, {0.05, 0.2, 0}, true},
    [LOWER_ARM_R] = {"lower_arm2", {-0.66, 1.38, 0}, {0.045, 0.2, 0}, true},
    [UPPER_LEG_L] = {"upper_leg1", {0.1, 0.66, 0}, {0.07, 0.28, 0}, false},
    [LOWER_LEG_L] = {"lower_leg1", {0.1, 0.23, 0}, {0.06, 0.34, 0}, false},
    [UPPER_LEG_R] = {"upper_leg2", {-0.1, 0.66, 0}, {0.07, 0.28, 0}, false},
    [LOWER_LEG_R] = {"lower_leg2", {-0.1, 0.23, 0}, {0.06, 0.34, 0}, false},
};

/* Elbows bend the lower arms forward (+z), knees the lower legs backward. */
static const RagdollJoint RAGDOLL_JOINTS[] = {
    {"waist", JOINT_BALL, HIPS, CHEST, {0, 1.075, 0}, {0, 1, 0}, 0.5, 0.5},
    {"neck", JOINT_BALL, CHEST, HEAD, {0, 1.46, 0}, {0, 1, 0}, 0.6, 0.8},
    {"shoulder1", JOINT_BALL, CHEST, UPPER_ARM_L, {0.21, 1.38, 0}, {1, 0, 0}, 1.3, 0.8},
    {"elbow1", JOINT_HINGE, UPPER_ARM_L, LOWER_ARM_L, {0.51, 1.38, 0}, {0, -1, 0}, 0.0, 2.4},
    {"shoulder2", JOINT_BALL, CHEST, UPPER_ARM_R, {-0.21, 1.38, 0}, {-1, 0, 0}, 1.3, 0.8},
    {"elbow2", JOINT_HINGE, UPPER_ARM_R, LOWER_ARM_R, {-0.51, 1.38, 0}, {0, 1, 0}, 0.0, 2.4},
    {"hip1", JOINT_BALL, HIPS, UPPER_LEG_L, {0.1, 0.86, 0}, {0, -1, 0}, 1.0, 0.5},
    {"knee1", JOINT_HINGE, UPPER_LEG_L, LOWER_LEG_L, {0.1, 0.445, 0}, {1, 0, 0}, 0.0, 2.4},
    {"hip2", JOINT_BALL, HIPS, UPPER_LEG_R, {-0.1, 0.86, 0}, {0, -1, 0}, 1.0, 0.5},
    {"knee2", JOINT_HINGE, UPPER_LEG_R, LOWER_LEG_R, {-0.1, 0.445, 0}, {1, 0, 0}, 0.0, 2.4},
};

/* The figure's own coordinates in the world: tilted about its lowest point, which is `height` above the ground. */
typedef struct RagdollFrame {
    Quat turn;
    double lift;
} RagdollFrame;

static Vec3 ragdoll_point(const RagdollFrame *frame, Vec3 point)
{
    return vec3_add(quat_rotate(frame->turn, point), vec3(0, frame->lift, 0));
}

static BodyDef ragdoll_body(const RagdollPart *part)
{
    BodyDef def = part_box(part->size.x, part->size.y, part->size.z, GROUND_DENSITY);
    if (part->size.z == 0.0)
        def.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = part->size.x, .length = part->size.y};
    def.position = part->centre;
    def.orientation = part->sideways ? quat_axis_angle(vec3(0, 0, 1), 0.5 * PI) : QUAT_IDENTITY;
    return def;
}

/* How far above y = 0 the tilted figure must be lifted so that nothing is below `height`. */
static double ragdoll_lift(Quat turn, double height)
{
    double lowest = INFINITY;
    for (int i = 0; i < RAGDOLL_PARTS; i++) {
        BodyDef def = ragdoll_body(&RAGDOLL[i]);
        Vec3 down = quat_rotate_inverse(quat_mul(turn, def.orientation), vec3(0, 1, 0)),
             half = vec3_scale(0.5, def.shape.size);
        double reach = def.shape.kind == SHAPE_BOX
                           ? half.x * fabs(down.x) + half.y * fabs(down.y) + half.z * fabs(down.z)
                           : def.shape.radius + 0.5 * def.shape.length * fabs(down.y);
        lowest = fmin(lowest, quat_rotate(turn, def.position).y - reach);
    }
    return height - lowest;
}

static bool ragdoll_add_joint(World *world, const RagdollFrame *frame, const RagdollJoint *joint, Status *status)
{
    enum { FIRST_BODY = 2 };
    JointDef def = part_joint_at(joint->type, FIRST_BODY + joint->inner, FIRST_BODY + joint->outer,
                                 ragdoll_point(frame, joint->at), quat_rotate(frame->turn, joint->axis));
    if (joint->type == JOINT_HINGE) {
        def.angle_min = joint->low;
        def.angle_max = joint->high;
    } else {
        def.swing_max = joint->low;
        def.twist_min = -joint->high;
        def.twist_max = joint->high;
    }
    return part_add_joint(world, &def, joint->name, 0, status) >= 0;
}

static bool ragdoll_settled(const Problem *problem, const World *world)
{
    (void)problem;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block_is_limit(block) && !(block_violation(world, block) <= RAGDOLL_LIMIT_OFF))
            return false;
    }
    return part_holds(world, RAGDOLL_GAP_MAX * world->length_scale);
}

static bool ragdoll_build(Problem *problem, const void *params, Status *status)
{
    const RagdollParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    RagdollFrame frame = {quat_axis_angle(vec3(1, 0, 0), p->tilt), 0.0};
    frame.lift = ragdoll_lift(frame.turn, p->height);
    double mass = 0.0, moment = 0.0;
    for (int i = 0; i < RAGDOLL_PARTS; i++) {
        BodyDef def = ragdoll_body(&RAGDOLL[i]);
        part_place(&def, (Pose){ragdoll_point(&frame, def.position), quat_mul(frame.turn, def.orientation)});
        int body = part_add_body(world, &def, RAGDOLL[i].name, 0, status);
        if (body < 0)
            return false;
        mass += world->mass[body].mass;
        moment += world->mass[body].mass * def.position.y;
    }
    for (size_t i = 0; i < sizeof RAGDOLL_JOINTS / sizeof *RAGDOLL_JOINTS; i++)
        if (!ragdoll_add_joint(world, &frame, &RAGDOLL_JOINTS[i], status))
            return false;
    problem_set_scales(problem, moment / mass);
    problem->passive = true;
    problem->rest = true;
    problem->settled = ragdoll_settled;
    return true;
}

const Scene ragdoll_scene = {
    .name = "ragdoll",
    .question = "Do joint angle limits hold in a fall?",
    .about =
        "A figure 1.76 m tall: `hips`, `torso`, `head`, `upper_arm1`, `lower_arm1`, `upper_leg1`, `lower_leg1` at +x, "
        "the same with 2 at -x. Waist, neck, shoulders and hips are `ball` joints with swing and twist limits, elbows "
        "and knees hinges that bend one way. It stands `height` above the `ground`, arms stretched out, tilted by "
        "`tilt`, and is let go.\n"
        "It should fall, fold up as far as its limits allow, and come to rest. Parts joined to each other do not "
        "collide, all others do.\n"
        "settled: no limit is violated by more than 0.1 rad, no joint open by more than 2 cm. Scales: energy = total "
        "mass x g x the height of the centre of mass. Time: 10 s.",
    .lectures = "000",
    SCENE_PARAMS(RAGDOLL_SETTINGS, RagdollParams),
    .build = ragdoll_build,
};
