/* SPDX-License-Identifier: MIT */
/* Two spinning boxes hit each other off their centres: Newton's law at the one point of contact, without friction,
 *     j = -(1 + e) n.u / (n.K n),   K = sum of 1/m E - [r] I^-1 [r],   u the relative velocity of the points in touch.
 * The scene is set up at the impact (a corner of box2 on a face of box1) and run back: before and after it each box
 * moves freely, its centre uniformly, its turning by elliptic functions (scenes/truth/spin.h). */
#include "scenes/ground.h"
#include "scenes/list.h"
#include "scenes/truth/spin.h"

typedef struct Collide2Params {
    double restitution, gravity;
} Collide2Params;

static const Setting COLLIDE2_SETTINGS[] = {
    PARAM_RESTITUTION(Collide2Params, 0.5),
    PARAM_WEIGHTLESS(Collide2Params),
};

/* One box at the impact. */
typedef struct Flight {
    Pose at;                         /* pose at the impact */
    Velocity before, after;          /* at the impact */
    Spin spin_backward, spin_onward; /* turning from the impact on, run back and forth */
} Flight;

typedef struct Collide2 {
    Flight box[2];
    double gravity;
} Collide2;

static const double COLLIDE2_IMPACT = 0.5; /* s */
static const double COLLIDE2_TIME = 2.0;   /* s */
/* What a run's steps may change of the relative velocity, as a part of that before the impact. */
static const double COLLIDE2_SPEED_OFF = 0.1;

static const Vec3 COLLIDE2_SIZE[2] = {{1.0, 0.8, 0.6}, {0.5, 0.7, 0.4}}; /* m */
/* Where box2's corner touches box1's face +x, in box1's frame: off its middle both ways. */
static const Vec3 COLLIDE2_POINT = {0.5, -0.17, 0.12};
/* The corner of box2 that touches, in half sizes: of all the one nearest to the face. */
static const Vec3 COLLIDE2_CORNER = {-1.0, 1.0, -1.0};

/* box1 turned somehow; box2 turned against it so that only its corner points at the face. */
static Quat collide2_turn(int i)
{
    Quat first = quat_mul(quat_axis_angle(vec3(0, 0, 1), 0.3), quat_axis_angle(vec3(0, 1, 0), -0.2));
    Quat against = quat_mul(quat_axis_angle(vec3(0, 0, 1), 0.7), quat_axis_angle(vec3(0, 1, 0), 0.5));
    return i == 0 ? first : quat_mul(first, against);
}

/* At the impact: poses about a contact at the origin, and velocities. */
static void collide2_place(Flight box[2])
{
    static const Velocity MOTION[2] = {{{0.8, 0.1, 0.0}, {0.2, -0.4, 0.9}}, {{-1.1, 0.0, 0.2}, {-0.7, 0.5, 0.8}}};
    Vec3 contact[2] = {COLLIDE2_POINT, vec3_mul(COLLIDE2_CORNER, vec3_scale(0.5, COLLIDE2_SIZE[1]))};
    for (int i = 0; i < 2; i++) {
        Quat q = collide2_turn(i);
        box[i].at = (Pose){vec3_negate(quat_rotate(q, contact[i])), q};
        box[i].before = box[i].after = MOTION[i];
    }
}

/* Of a box as built: its internal axes are its own. */
static Vec3 turned_inverse(const Mass *mass, Quat q, Vec3 u)
{
    return quat_rotate(q, vec3_mul(mass->inv_inertia, quat_rotate_inverse(q, u)));
}

/* The impulse on box2 along box1's face; the contact is at the origin, so that arms are -x. */
static void collide2_impact(Flight box[2], const Mass mass[2], double restitution)
{
    Vec3 n = quat_rotate(box[0].at.q, vec3(1, 0, 0)), turn[2];
    double approach = 0.0, K = 0.0;
    for (int i = 0; i < 2; i++) {
        Vec3 arm = vec3_negate(box[i].at.x), lever = vec3_cross(arm, n);
        Vec3 u = vec3_add(box[i].before.v, vec3_cross(box[i].before.w, arm));
        turn[i] = turned_inverse(&mass[i], box[i].at.q, lever);
        K += mass[i].inv_mass + vec3_dot(lever, turn[i]);
        approach += (i == 0 ? -1.0 : 1.0) * vec3_dot(n, u);
    }
    double j = -(1.0 + restitution) * approach / K;
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? -1.0 : 1.0;
        box[i].after.v = vec3_add_scaled(box[i].before.v, sign * j * mass[i].inv_mass, n);
        box[i].after.w = vec3_add_scaled(box[i].before.w, sign * j, turn[i]);
    }
}

static Pose flight_at(const Flight *flight, double since, double fallen)
{
    bool back = since < 0.0;
    Vec3 v = back ? flight->before.v : flight->after.v;
    Vec3 x = vec3_add_scaled(flight->at.x, since, v);
    x.y -= fallen;
    const Spin *spin = back ? &flight->spin_backward : &flight->spin_onward;
    return (Pose){x, quat_mul(flight->at.q, spin_orientation(spin, fabs(since)))};
}

static void collide2_truth(const Problem *problem, double t, Truth *truth)
{
    const Collide2 *collide = problem->data;
    for (int i = 0; i < 2; i++)
        truth_set_pose(truth, i + 1, flight_at(&collide->box[i], t - COLLIDE2_IMPACT, 0.5 * collide->gravity * t * t));
}

static bool collide2_settled(const Problem *problem, const World *world)
{
    const Flight *box = ((const Collide2 *)problem->data)->box;
    Vec3 before = vec3_sub(box[1].before.v, box[0].before.v), after = vec3_sub(box[1].after.v, box[0].after.v);
    Vec3 now = vec3_sub(world->velocity[2].v, world->velocity[1].v);
    return vec3_norm(vec3_sub(now, after)) <= COLLIDE2_SPEED_OFF * vec3_norm(before);
}

static bool collide2_build(Problem *problem, const void *params, Status *status)
{
    const Collide2Params *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, 0.0, p->restitution);
    Collide2 collide = {.gravity = p->gravity};
    collide2_place(collide.box);
    for (int i = 0; i < 2; i++) {
        Flight *flight = &collide.box[i];
        Vec3 size = COLLIDE2_SIZE[i];
        BodyDef def = part_box(size.x, size.y, size.z, GROUND_DENSITY);
        Vec3 inertia = vec3(size.y * size.y + size.z * size.z, size.z * size.z + size.x * size.x,
                            size.x * size.x + size.y * size.y); /* up to a factor, which the motion does not know */
        Vec3 w = quat_rotate_inverse(flight->at.q, flight->before.w);
        flight->spin_backward = spin_from(inertia, vec3_negate(w));
        part_place(&def, flight_at(flight, -COLLIDE2_IMPACT, 0.0));
        def.velocity = flight->before.v;
        Vec3 start = spin_velocity(&flight->spin_backward, COLLIDE2_IMPACT);
        def.angular_velocity = vec3_negate(quat_rotate(def.orientation, start));
        if (part_add_body(world, &def, "box", i + 1, status) < 0)
            return false;
    }
    collide2_impact(collide.box, world->mass + 1, p->restitution);
    for (int i = 0; i < 2; i++) {
        Flight *flight = &collide.box[i];
        Vec3 w = quat_rotate_inverse(flight->at.q, flight->after.w);
        flight->spin_onward = spin_from(world->mass[i + 1].inertia, w);
    }
    problem_set_scales(problem, 0.5 * p->gravity * COLLIDE2_TIME * COLLIDE2_TIME);
    problem->time = COLLIDE2_TIME;
    problem->passive = true;
    problem->conserves = p->restitution == 1.0 ? CONSERVES_ENERGY : 0;
    if (p->gravity == 0.0)
        problem->conserves |= CONSERVES_MOMENTUM | CONSERVES_ANGULAR_MOMENTUM;
    problem->truth = collide2_truth;
    problem->settled = collide2_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, &collide, sizeof collide, status);
}

const Scene collide2_scene = {
    .name = "collide2",
    .question = "What does an off-centre impact of two spinning boxes leave?",
    .about =
        "Two boxes of different sizes, `box1` and `box2`, spin freely towards each other; after 0.5 s a corner of box2 "
        "hits a face of box1 off its middle, without friction. They do not meet again.\n"
        "Momentum and angular momentum are kept, and the points in touch part with `restitution` times the speed along "
        "the face's normal with which they met; at 1 energy is kept too.\n"
        "Truth: both poses at all times: uniform motion and free turning (elliptic functions) before and after, "
        "Newton's law at the contact point between. settled: the centres' relative velocity after the impact is "
        "right to a tenth of that before. Scales: the kinetic energy at the start (and the fall, if there is "
        "gravity). Time: 2 s.",
    .lectures = "001",
    SCENE_PARAMS(COLLIDE2_SETTINGS, Collide2Params),
    .build = collide2_build,
};
