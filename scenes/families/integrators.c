/* SPDX-License-Identifier: MIT */
/* Which integrator keeps the energy, and which is exact? One particle in free motion (lecture 003): a Kepler orbit, a
 * linear spring, and a throw, each against its closed form. */
#include "model/energy.h"
#include "scenes/list.h"
#include "scenes/parts.h"
#include "scenes/truth/kepler.h"
#include "scenes/truth/oscillator.h"

static const double PARTICLE_MASS = 1.0; /* kg */

static int add_particle(World *world, const char *name, Vec3 position, Vec3 velocity, Status *status)
{
    BodyDef def = part_particle(PARTICLE_MASS, position);
    def.velocity = velocity;
    return part_add_body(world, &def, name, 0, status);
}

/* y'' = -g from y(0) = 0, y'(0) = v */
static double fall(double v, double g, double t)
{
    return v * t - 0.5 * g * t * t;
}

typedef struct OrbitParams {
    double eccentricity, periods, gravity;
} OrbitParams;

static const Setting ORBIT_SETTINGS[] = {
    PARAM_REAL(OrbitParams, eccentricity, "of the ellipse; 0 is a circle", 0.5, 0, 0.99),
    PARAM_REAL(OrbitParams, periods, "length of the run, in periods of 2 pi s", 10, 0.01, 1e5),
    PARAM_WEIGHTLESS(OrbitParams),
};

static void orbit_truth(const Problem *problem, double t, Truth *truth)
{
    const OrbitParams *params = problem->data;
    Vec3 position, velocity;
    kepler_at(params->eccentricity, t, &position, &velocity);
    truth_set_position(truth, 1, position);
}

static bool orbit_build(Problem *problem, const void *params, Status *status)
{
    const OrbitParams *orbit = params;
    World *world = problem->world;
    part_set_gravity(world, orbit->gravity);
    world->attractor = (Attractor){VEC3_ZERO, 1.0};
    Vec3 position, velocity;
    kepler_at(orbit->eccentricity, 0.0, &position, &velocity);
    if (add_particle(world, "planet", position, velocity, status) < 0)
        return false;
    problem_set_energy_scale(problem, fabs(world_energy(world)));
    problem->time = 2.0 * PI * orbit->periods;
    problem->passive = true;
    problem->conserves = CONSERVES_ENERGY;
    if (orbit->gravity > 0.0) {
        problem->reference = true; /* no longer Kepler's problem */
        return true;
    }
    problem->conserves |= CONSERVES_ANGULAR_MOMENTUM;
    problem->truth = orbit_truth;
    return part_keep(problem, orbit, sizeof *orbit, status);
}

const Scene orbit_scene = {
    .name = "orbit",
    .question = "Which integrator keeps the energy of an orbit?",
    .about =
        "One particle `planet` (1 kg) under a central attraction towards the origin, GM = 1 m^3/s^2, on an ellipse of "
        "semi-major axis 1 m in the x-y plane, from periapsis at (1 - eccentricity, 0, 0) towards +y.\n"
        "It should return to its start every 2 pi s, with energy -1/2 J and angular momentum about the origin kept: "
        "explicit Euler spirals out, a symplectic integrator keeps the size and lets the ellipse turn.\n"
        "Truth: Kepler's equation, position in closed form (gravity > 0 leaves it to `reference`). "
        "Scales: energy |E(0)| = 1/2 J, speed 1 m/s. Time: `periods` periods.",
    .lectures = "003",
    SCENE_PARAMS(ORBIT_SETTINGS, OrbitParams),
    .build = orbit_build,
};

typedef struct SpringParams {
    double frequency, damping, gravity;
} SpringParams;

static const Setting SPRING_SETTINGS[] = {
    PARAM_REAL(SpringParams, frequency, "of the undamped spring (Hz)", 1, 1e-3, 1e4),
    PARAM_REAL(SpringParams, damping, "c, a force -c m v (1/s); critical at 4 pi frequency", 0, 0, 1e6),
    PARAM_WEIGHTLESS(SpringParams),
};

static const double SPRING_STRETCH = 1.0; /* m, along +x at the start */

static double spring_omega(const SpringParams *spring)
{
    return 2.0 * PI * spring->frequency;
}

/* Each direction is an oscillator of its own; gravity moves the rest position in y to -g/omega^2. */
static void spring_truth(const Problem *problem, double t, Truth *truth)
{
    const SpringParams *spring = problem->data;
    double omega = spring_omega(spring), sag = -spring->gravity / (omega * omega);
    Vec3 position = {oscillator_at(omega, spring->damping, SPRING_STRETCH, 0.0, t),
                     sag + oscillator_at(omega, spring->damping, 0.0 - sag, 0.0, t), 0.0};
    truth_set_position(truth, 1, position);
    truth_set_force(truth, 0, vec3_scale(-PARTICLE_MASS * omega * omega, position));
}

static bool spring_build(Problem *problem, const void *params, Status *status)
{
    const SpringParams *spring = params;
    World *world = problem->world;
    double omega = spring_omega(spring);
    part_set_gravity(world, spring->gravity);
    int bob = add_particle(world, "bob", vec3(SPRING_STRETCH, 0, 0), VEC3_ZERO, status);
    if (bob < 0)
        return false;
    JointDef joint = joint_def(JOINT_BALL, 0, bob);
    joint.local_anchors = true; /* both at the origins: the spring's rest length is zero */
    joint.compliance = 1.0 / (PARTICLE_MASS * omega * omega);
    joint.damping = spring->damping;
    if (part_add_joint(world, &joint, "spring", 0, status) < 0)
        return false;
    problem_set_energy_scale(problem, fabs(world_energy(world)));
    problem->time = 10.0;
    problem->passive = true;
    problem->conserves = spring->damping == 0.0 ? CONSERVES_ENERGY : 0;
    problem->truth = spring_truth;
    return part_keep(problem, spring, sizeof *spring, status);
}

const Scene spring_scene = {
    .name = "spring",
    .question = "Which integrator keeps the energy of an oscillator?",
    .about =
        "One particle `bob` (1 kg) on a compliant `ball` joint to the world's origin: a spring of rest length zero and "
        "stiffness (2 pi frequency)^2 N/m, released at rest from (1, 0, 0).\n"
        "It should swing through the origin for ever (damping 0), or die out as the damped oscillator x'' = -omega^2 x "
        "- c x' does: implicit steps add damping of their own, explicit ones blow up at h omega > 2.\n"
        "Truth: position in closed form, under-, over- and critically damped, with or without gravity; the joint's "
        "force is the spring's, without the damper's. Scales: energy |E(0)| = omega^2/2 J, speed from it. Time: 10 s.",
    .lectures = "002, 003",
    SCENE_PARAMS(SPRING_SETTINGS, SpringParams),
    .build = spring_build,
};

typedef struct ProjectileParams {
    double speed, angle, gravity;
} ProjectileParams;

static const Setting PROJECTILE_SETTINGS[] = {
    PARAM_REAL(ProjectileParams, speed, "at the start (m/s)", 10, 1e-3, 1e4),
    PARAM_ANGLE(ProjectileParams, angle, "of the throw, above the horizontal", 0.25 * PI, -0.5 * PI, 0.5 * PI),
    PARAM_GRAVITY(ProjectileParams),
};

static const double PROJECTILE_TIME = 2.0; /* s: up and down again with the defaults */

static Vec3 projectile_velocity(const ProjectileParams *thrown)
{
    return vec3_scale(thrown->speed, vec3(cos(thrown->angle), sin(thrown->angle), 0.0));
}

static void projectile_truth(const Problem *problem, double t, Truth *truth)
{
    const ProjectileParams *thrown = problem->data;
    Vec3 v = projectile_velocity(thrown);
    truth_set_position(truth, 1, vec3(v.x * t, fall(v.y, thrown->gravity, t), 0.0));
}

static bool projectile_build(Problem *problem, const void *params, Status *status)
{
    const ProjectileParams *thrown = params;
    part_set_gravity(problem->world, thrown->gravity);
    Vec3 v = projectile_velocity(thrown);
    if (add_particle(problem->world, "ball1", VEC3_ZERO, v, status) < 0)
        return false;
    problem_set_scales(problem, fmax(-fall(v.y, thrown->gravity, PROJECTILE_TIME), 0.0));
    problem->time = PROJECTILE_TIME;
    problem->passive = true;
    problem->conserves = CONSERVES_ENERGY;
    problem->truth = projectile_truth;
    return part_keep(problem, thrown, sizeof *thrown, status);
}

const Scene projectile_scene = {
    .name = "projectile",
    .question = "Is the parabola exact?",
    .about =
        "One particle `ball1` (1 kg), thrown from the origin towards +x at `angle` above the horizontal. Nothing to "
        "hit.\n"
        "It should follow x = v cos(angle) t, y = v sin(angle) t - g t^2/2. RK4 is exact to round-off; semi-implicit "
        "Euler is low by g h t/2, forward Euler high by as much, at every t.\n"
        "Truth: position in closed form. Scales: energy = kinetic energy at the start + m g x how far below the start "
        "the 2 s of the run lead, speed from it.",
    .lectures = "003",
    SCENE_PARAMS(PROJECTILE_SETTINGS, ProjectileParams),
    .build = projectile_build,
};
