/* SPDX-License-Identifier: MIT */
/* Does an impact rub as hard as it pushes? A ball strikes the floor at a slant; without gravity nothing else ever loads
 * the contact, so that what friction gives in the one step of the impact is all there is. Newton's restitution with
 * Coulomb's law on the whole impulse (lectures 001, 003):
 *     p_n = (1 + e) m v_n,   p_t = min(mu p_n, 2/7 m |u|),   u = v_t + r w the slip, 2/7 m its mass, I = 2/5 m r^2. */
#include "scenes/ground.h"
#include "scenes/list.h"

typedef struct ObliqueParams {
    double restitution, mu, vn, vt, spin, gap, radius, gravity, spread;
    int balls;
} ObliqueParams;

static const Setting OBLIQUE_SETTINGS[] = {
    PARAM_RESTITUTION(ObliqueParams, 0.5),
    PARAM_MU(ObliqueParams, 0.2),
    PARAM_REAL(ObliqueParams, vn, "speed towards the ground (m/s)", 2, 1e-3, 1e3),
    PARAM_REAL(ObliqueParams, vt, "speed along it, towards +x (m/s)", 4, -1e3, 1e3),
    PARAM_REAL(ObliqueParams, spin, "about z (rad/s)", 0, -1e4, 1e4),
    /* 0.0615 s of flight: no multiple of the usual steps. */
    PARAM_REAL(ObliqueParams, gap, "under the ball at the start (m)", 0.123, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ObliqueParams, radius, "of the ball (m)", 0.1, LENGTH_MIN, LENGTH_MAX),
    PARAM_WEIGHTLESS(ObliqueParams),
    PARAM_INT(ObliqueParams, balls, "side by side along z", 1, 1, 1000),
    PARAM_REAL(ObliqueParams, spread, "of the gaps of many balls (m)", 0, 0, LENGTH_MAX),
};

static const double OBLIQUE_APART = 4.0;      /* radii from ball to ball */
static const double OBLIQUE_AFTER = 0.25;     /* s, of a run after the impact */
static const double OBLIQUE_OFF = 0.02;       /* part of the friction impulse */
static const double OBLIQUE_ROUND_OFF = 1e-9; /* of the speeds: where there is no friction */

/* The gap under ball k: by the golden ratio, so that impacts spread evenly and no step of a solver falls into step. */
static double oblique_gap(const ObliqueParams *p, int k)
{
    return p->gap + p->spread * fmod(k * 0.5 * (sqrt(5.0) - 1.0), 1.0);
}

/* Where ball k stands along z. */
static double oblique_aside(const ObliqueParams *p, int k)
{
    return OBLIQUE_APART * p->radius * (k - 0.5 * (p->balls - 1));
}

/* The friction impulse on a ball along x, over its mass. */
static double oblique_friction(const ObliqueParams *p)
{
    double slip = p->vt + p->radius * p->spin, slides = p->mu * (1.0 + p->restitution) * p->vn;
    return -copysign(fmin(slides, 2.0 / 7.0 * fabs(slip)), slip);
}

static void oblique_truth(const Problem *problem, double t, Truth *truth)
{
    const ObliqueParams *p = problem->data;
    double dv = oblique_friction(p);
    for (int k = 0; k < p->balls; k++) {
        double gap = oblique_gap(p, k), before = fmin(t, gap / p->vn), after = t - before;
        double x = p->vt * t + dv * after, turned = p->spin * t + 2.5 * dv / p->radius * after;
        double y = gap - p->vn * before + p->restitution * p->vn * after;
        truth_set_pose(truth, problem->world->body_count - p->balls + k,
                       (Pose){vec3(x, p->radius + y, oblique_aside(p, k)), quat_axis_angle(vec3(0, 0, 1), turned)});
    }
}

static bool oblique_settled(const Problem *problem, const World *world)
{
    const ObliqueParams *p = problem->data;
    double expected = oblique_friction(p);
    double off = OBLIQUE_OFF * fabs(expected) + OBLIQUE_ROUND_OFF * (p->vn + fabs(p->vt));
    for (int i = world->body_count - p->balls; i < world->body_count; i++)
        if (!(fabs(world->velocity[i].v.x - p->vt - expected) <= off))
            return false;
    return true;
}

static bool oblique_build(Problem *problem, const void *params, Status *status)
{
    const ObliqueParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, p->restitution);
    if (ground_add(world, status) < 0)
        return false;
    for (int k = 0; k < p->balls; k++) {
        BodyDef ball = ground_sphere(p->radius, GROUND_DENSITY);
        ball.position = vec3(0, oblique_gap(p, k) + p->radius, oblique_aside(p, k));
        ball.velocity = vec3(p->vt, -p->vn, 0);
        ball.angular_velocity = vec3(0, 0, p->spin);
        if (part_add_body(world, &ball, "ball", k + 1, status) < 0)
            return false;
    }
    problem_set_scales(problem, p->gap);
    problem->time = (p->gap + p->spread) / p->vn + OBLIQUE_AFTER;
    problem->passive = true;
    problem->reference = p->gravity > 0.0;
    if (p->gravity == 0.0) {
        problem->truth = oblique_truth;
        problem->settled = oblique_settled;
        problem->settled_time = problem->time;
    }
    return part_keep(problem, p, sizeof *p, status);
}

const Scene oblique_scene = {
    .name = "oblique",
    .question = "Does an impact rub as hard as it pushes?",
    .about =
        "A sphere `ball1` strikes the `ground` at a slant, without gravity unless it is asked for: (vt, -vn), turning "
        "with `spin`; `gap` sets when, and so where in a step, the impact is. Many `balls` stand side by side and do "
        "not "
        "meet; `spread` adds to each gap a part of itself, by the golden ratio.\n"
        "The impact gives (1 + e) m vn along the normal, and friction against the slip vt + radius spin: mu times that "
        "(it slides through), or 2/7 m |slip| where that is less (it grips, and rolls on). A solver that tests "
        "friction against the part of the normal impulse that one of its passes gives loses the rest of it: `xpbd` and "
        "`pbd` as published give 0 to 1 of it at e = 0, by where in a substep the impact falls; `xpbd_stick`, "
        "`pbd_stick` and `pgs` give all of it.\n"
        "Truth: the poses at all times, in closed form, without gravity; else `reference`. settled, likewise: the "
        "friction impulse is "
        "right to 2 %. Scales: the kinetic energy at the start and the fall through the gap. Time: 0.25 s after the "
        "impact.",
    .lectures = "001, 003",
    SCENE_PARAMS(OBLIQUE_SETTINGS, ObliqueParams),
    .build = oblique_build,
};
