/* SPDX-License-Identifier: MIT */
/* The truths of the contact scenes against second routes: reference numbers, conservation laws, Newton's equations by
 * finite differences, and the geometry that the motion must respect. */
#include "model/energy.h"
#include "scenes/truth/bounce.h"
#include "tests/scenes/apart.h"
#include "tests/scenes/built.h"

#include <stdio.h>

static void bounce_has_its_reference_times(void **state)
{
    (void)state;
    Bounce high = {9.81, 1.0, 0.8}, low = {9.81, 1.0, 0.5};
    /* Times are printed to nine decimals; at the first impact it comes down with 4.43 m/s. */
    assert_near(bounce_height(&high, 0.451523641), 0.0, 4.43e-9);
    assert_near(bounce_height(&high, 1.173961467), 0.0, 4.43e-9);
    assert_near(bounce_height(&high, 1.751911727), 0.0, 4.43e-9);
    assert_near(bounce_rest(&high), 4.063712769, 1e-9);
    assert_near(bounce_rest(&low), 1.354570923, 1e-9);
    Built scene = built_scene("bounce", "");
    assert_near(scene.problem->time, 1.354570923 + 1.0, 1e-9);
    built_destroy(&scene);
}

/* Flight after flight, each begun with e times the speed of the last. */
static void bounce_is_what_flight_after_flight_gives(void **state)
{
    (void)state;
    static const double RESTITUTIONS[] = {1.0, 0.93, 0.8, 0.31};
    for (int r = 0; r < 4; r++) {
        Bounce bounce = {3.7, 0.83, RESTITUTIONS[r]};
        double start = sqrt(2.0 * 0.83 / 3.7), up = bounce.restitution * 3.7 * start;
        for (int flight = 0; flight < 30; flight++) {
            for (int i = 0; i <= 4; i++) {
                double s = 2.0 * up / 3.7 * i / 4.0;
                /* Near the end flights are short: their start is known to 1e-15 s, their speed to 1e-15 m/s. */
                assert_near(bounce_height(&bounce, start + s), s * up - 0.5 * 3.7 * s * s, 1e-13);
            }
            start += 2.0 * up / 3.7;
            up *= bounce.restitution;
        }
    }
    Bounce dead = {9.81, 2.0, 0.0};
    assert_near(bounce_height(&dead, sqrt(2.0 * 2.0 / 9.81) + 0.1), 0.0, 0.0);
    assert_true(isinf(bounce_rest(&(Bounce){9.81, 1.0, 1.0})) && isinf(bounce_rest(&(Bounce){0.0, 1.0, 0.5})));
    assert_near(bounce_height(&(Bounce){0.0, 1.3, 0.5}, 7.0), 1.3, 0.0);
}

/* By laws that the closed form does not use: spin about the point of contact is kept, friction fills its cone or stops
 * the slip, and the normal speed turns round by e. */
static void oblique_obeys_newton_and_coulomb(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double e, mu, vt, spin;
        bool grips;
    } CASES[] = {{"", 0.5, 0.2, 4, 0, false},
                 {"restitution=0", 0, 0.2, 4, 0, false},
                 {"mu=0.7 vt=-1.3 spin=9", 0.5, 0.7, -1.3, 9, true},
                 {"restitution=0.9 mu=0.1 vt=0.2 spin=-31", 0.9, 0.1, 0.2, -31, false}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        Built scene = built_scene("oblique", CASES[c].settings);
        double r = 0.1, vn = 2.0, hits = 0.123 / vn, m = scene.world->mass[2].mass, I = scene.world->mass[2].inertia.z;
        assert_near(built_position(&scene, 2, hits).y, r, 1e-14);
        Vec3 v = built_velocity(&scene, 2, hits + 0.1);
        double turned[2];
        for (int i = 0; i < 2; i++)
            turned[i] = quat_log(built_orientation(&scene, 2, hits + 1e-3 * i)).z;
        double w = remainder(turned[1] - turned[0], 2.0 * PI) / 1e-3;
        assert_near(v.y, CASES[c].e * vn, 1e-9); /* differences at 1e-3 s of a straight line */
        assert_near(I * w - m * r * v.x, I * CASES[c].spin - m * r * CASES[c].vt, 1e-9 * m);
        double friction = fabs(v.x - CASES[c].vt), cone = CASES[c].mu * (1.0 + CASES[c].e) * vn, slip = v.x + r * w;
        if (CASES[c].grips)
            assert_true(fabs(slip) < 1e-9 && friction < cone);
        else
            assert_true(fabs(friction - cone) < 1e-9 && slip * (CASES[c].vt + r * CASES[c].spin) > 0.0);
        World *world = scene.world;
        assert_false(scene.problem->settled(scene.problem, world)); /* it has not rubbed yet */
        world->velocity[2].v.x = CASES[c].vt + 0.981 * (v.x - CASES[c].vt);
        assert_true(scene.problem->settled(scene.problem, world));
        world->velocity[2].v.x = CASES[c].vt + 0.979 * (v.x - CASES[c].vt);
        assert_false(scene.problem->settled(scene.problem, world));
        built_destroy(&scene);
    }
}

static void incline_slides_with_its_reference_acceleration_or_stays(void **state)
{
    (void)state;
    Built scene = built_scene("incline", "angle=30deg mu=0.3");
    Vec3 a = built_acceleration(&scene, 2, 0.7);
    assert_vec3_near(a, vec3_scale(2.356287237, vec3(cos(PI / 6), -0.5, 0)), 1e-8); /* differences at 1e-3 s */
    built_destroy(&scene);
    /* Both sides of tan(angle) = mu. */
    scene = built_scene("incline", "angle=0.54 mu=0.6");
    assert_vec3_near(built_position(&scene, 2, 3.0), scene.world->bodies[2].position, 0.0);
    built_destroy(&scene);
    scene = built_scene("incline", "angle=0.541 mu=0.6");
    assert_true(built_position(&scene, 2, 3.0).x > scene.world->bodies[2].position.x);
    assert_true(scene.problem->settled && !scene.problem->rest);
    built_destroy(&scene);
}

static void rolling_begins_where_and_when_it_should(void **state)
{
    (void)state;
    Built scene = built_scene("rolling", "v0=2 mu=0.2");
    double begins = 0.291247998;
    assert_near(built_position(&scene, 2, begins).x, 0.499282282, 1e-8); /* printed to nine decimals */
    double h = 1e-4, turned[3];
    for (int i = 0; i < 3; i++)
        turned[i] = -quat_log(built_orientation(&scene, 2, begins + 0.01 + i * h)).z;
    Vec3 v = built_velocity(&scene, 2, begins + 0.1);
    assert_near(v.x, 2.0 * 5.0 / 7.0, 1e-9);
    double turn = turned[1] - turned[0];
    turn += turn < 0.0 ? 2.0 * PI : 0.0;
    assert_near(0.1 * turn / h, 2.0 * 5.0 / 7.0, 1e-9); /* no slip: difference of a linear function */
    /* While sliding, friction does both: m a = f and I w' = f r give w' r = 5/2 a. */
    double angle = -quat_log(built_orientation(&scene, 2, 0.1)).z, lost = 2.0 * 0.1 - built_position(&scene, 2, 0.1).x;
    assert_near(0.1 * angle, 2.5 * lost, 1e-14);
    built_destroy(&scene);
    scene = built_scene("rolling", "mu=0");
    assert_near(built_position(&scene, 2, 3.0).x, 3.0, 1e-14);
    assert_null(scene.problem->settled);
    built_destroy(&scene);
}

/* Moves the bodies where the truth says. */
static void place(Built *scene, double t)
{
    scene->problem->truth(scene->problem, t, &scene->truth);
    for (int i = 1; i < scene->world->body_count; i++) {
        if (scene->truth.has_position[i])
            scene->world->pose[i].x = scene->truth.position[i];
        if (scene->truth.has_orientation[i])
            scene->world->pose[i].q = quat_mul(scene->truth.orientation[i], scene->world->principal[i]);
    }
}

/* The angular velocity of the truth, by central differences. */
static Vec3 turning(Built *scene, int body, double t)
{
    double h = 1e-5;
    Quat before = built_orientation(scene, body, t - h), after = built_orientation(scene, body, t + h);
    return vec3_scale(0.5 / h, quat_log(quat_mul(after, quat_conj(before))));
}

static void tilting_box_turns_about_its_edge_and_keeps_its_energy(void **state)
{
    (void)state;
    Built scene = built_scene("tilting_box", "tilt=33deg size=0.7");
    const BodyDef *placed = &scene.world->bodies[2];
    double lands = 0.0;
    for (double t = 0.0; t < 2.0; t += 0.001) {
        scene.truth.has_position[2] = false;
        scene.problem->truth(scene.problem, t, &scene.truth);
        if (!scene.truth.has_position[2])
            break;
        lands = t;
    }
    assert_true(lands > 0.1 && lands < 1.9);
    double m = scene.world->mass[2].mass, I = scene.world->mass[2].inertia.z;
    for (int i = 1; i < 20; i++) {
        double t = 0.05 * i * lands;
        place(&scene, t);
        Vec3 edge = quat_rotate(built_orientation(&scene, 2, t), vec3(0.35, -0.35, 0));
        assert_vec3_near(vec3_add(built_position(&scene, 2, t), edge), VEC3_ZERO, 1e-14);
        assert_near(apart(scene.world, 1, 2), 0.0, 1e-14);
        Vec3 v = built_velocity(&scene, 2, t), w = turning(&scene, 2, t);
        double kinetic = 0.5 * m * vec3_dot(v, v) + 0.5 * I * w.z * w.z;
        double fallen = m * 9.81 * (placed->position.y - built_position(&scene, 2, t).y);
        assert_near(kinetic, fallen, 1e-8 * m); /* differences of 1e-10 in speeds of some m/s */
    }
    place(&scene, lands);
    assert_near(scene.world->pose[2].x.y, 0.35, 5e-3); /* within one sample of landing */
    built_destroy(&scene);
    /* The hinge's force needs more friction than this. */
    scene = built_scene("tilting_box", "mu=0.3");
    assert_null(scene.problem->truth);
    built_destroy(&scene);
}

static void cradle_passes_its_motion_through(void **state)
{
    (void)state;
    Built scene = built_scene("cradle", "balls=6 lifted=2 angle=70deg radius=0.07 length=0.8");
    /* The pendulum's quarter, from when the first balls pass the bottom. */
    double step = 1e-3, quarter = 0.0;
    while (built_position(&scene, 2, quarter).x < 0.14 * (1 - 2.5) - 1e-12)
        quarter += step;
    Vec3 start = scene.world->bodies[1].position;
    for (int i = 0; i <= 400; i++) {
        place(&scene, 0.01 * i * quarter);
        for (int k = 1; k < 6; k++)
            assert_true(apart(scene.world, k, k + 1) > -1e-12);
    }
    Vec3 end = built_position(&scene, 6, 2.0 * quarter);
    assert_near(end.x, -start.x, 2e-3); /* the quarter is known to a step */
    assert_near(end.y, start.y, 2e-3);
    assert_vec3_near(built_position(&scene, 4, 2.0 * quarter), scene.world->bodies[4].position, 0.0);
    assert_vec3_near(built_position(&scene, 1, 4.0 * quarter), start, 1e-4); /* slow there: second order in a step */
    /* All balls together have the energy of those lifted. */
    double m = scene.world->mass[1].mass, I = scene.world->mass[1].inertia.z;
    for (int n = 1; n < 12; n++) {
        double t = 0.31 * quarter * n, energy = 0.0;
        if (n == 3 || n == 10)
            continue; /* close to an impact, where differences would cross it */
        for (int i = 1; i <= 6; i++) {
            Vec3 v = built_velocity(&scene, i, t), w = turning(&scene, i, t);
            energy += 0.5 * m * vec3_dot(v, v) + 0.5 * I * vec3_dot(w, w) + m * 9.81 * built_position(&scene, i, t).y;
        }
        assert_near(energy / m, 2.0 * 9.81 * 0.8 * (1.0 - cos(70.0 * PI / 180.0)), 1e-7);
    }
    built_destroy(&scene);
}

/* Puts the boxes where the truth has them, with velocities by differences. */
static void collide2_place(Built *scene, double t)
{
    place(scene, t);
    for (int i = 1; i <= 2; i++)
        scene->world->velocity[i] = (Velocity){built_velocity(scene, i, t), turning(scene, i, t)};
}

static double boxes_apart(const World *world)
{
    double best = apart(world, 1, 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Vec3 d =
                vec3_cross(quat_rotate(world->pose[1].q, vec3_axis(i)), quat_rotate(world->pose[2].q, vec3_axis(j)));
            if (vec3_norm(d) > 1e-9)
                best = fmax(best, apart_both_ways(world, 1, 2, vec3_unit(d)));
        }
    return best;
}

static void collide2_obeys_newton_and_keeps_momenta(void **state)
{
    (void)state;
    static const char *const SETTINGS[] = {"restitution=0", "restitution=0.5", "restitution=1"};
    for (int r = 0; r < 3; r++) {
        Built scene = built_scene("collide2", SETTINGS[r]);
        World *world = scene.world;
        collide2_place(&scene, 0.25);
        Vec3 momentum = world_momentum(world), angular = world_angular_momentum(world);
        double energy = world_energy(world), scale = world_momentum_scale(world);
        collide2_place(&scene, 1.3);
        /* Velocities by differences are good to 1e-9 of some m/s. */
        assert_vec3_near(world_momentum(world), momentum, 1e-8 * scale);
        assert_vec3_near(world_angular_momentum(world), angular, 1e-8 * scale);
        assert_true(r == 2 ? fabs(world_energy(world) - energy) < 1e-8 * energy : world_energy(world) < 0.99 * energy);
        /* Close before and after the impact, at the point in touch: the corner of box2. */
        double speed[2];
        for (int side = 0; side < 2; side++) {
            double t = 0.5 + (side == 0 ? -0.003 : 0.003);
            collide2_place(&scene, t);
            Vec3 n = quat_rotate(world->pose[1].q, vec3(1, 0, 0));
            Vec3 corner = vec3_add(world->pose[2].x, quat_rotate(world->pose[2].q, vec3(-0.25, 0.35, -0.2)));
            Vec3 u1 = world_point_velocity(world, 1, vec3_sub(corner, world->pose[1].x));
            Vec3 u2 = world_point_velocity(world, 2, vec3_sub(corner, world->pose[2].x));
            speed[side] = vec3_dot(n, vec3_sub(u2, u1));
        }
        assert_true(speed[0] < -1.0);
        assert_near(speed[1], -0.5 * r * speed[0], 0.02); /* 3 ms away the points have moved on by some mm */
        built_destroy(&scene);
    }
}

static void collide2_boxes_meet_once(void **state)
{
    (void)state;
    static const char *const SETTINGS[] = {"restitution=0", "restitution=0.1", "restitution=0.5", "restitution=1"};
    for (int r = 0; r < 4; r++) {
        Built scene = built_scene("collide2", SETTINGS[r]);
        for (int i = 0; i <= 2000; i++) {
            place(&scene, 0.001 * i);
            double gap = boxes_apart(scene.world);
            assert_true(gap > -1e-12);
            if (i == 500)
                assert_near(gap, 0.0, 1e-12);
            if (i < 450 || i > 1000)
                assert_true(gap > 0.05);
        }
        built_destroy(&scene);
    }
}

static void asteroids_meet_each_other_and_keep_apart(void **state)
{
    (void)state;
    Built scene = built_scene("asteroids", "");
    Vec3 turned = VEC3_ZERO;
    for (int i = 0; i <= 100; i++) {
        place(&scene, 0.1 * i);
        for (int a = 1; a < scene.world->body_count; a++)
            for (int b = 1; b < a; b++)
                assert_true(vec3_norm(vec3_sub(scene.world->pose[a].x, scene.world->pose[b].x)) > 1.0 - 1e-12);
    }
    int hit = 0;
    for (int i = 1; i < scene.world->body_count; i++) {
        const BodyDef *def = &scene.world->bodies[i];
        Vec3 straight = vec3_add_scaled(def->position, 10.0, def->velocity);
        hit += vec3_norm(vec3_sub(scene.world->pose[i].x, straight)) > 0.1;
        turned = vec3_add(turned, vec3_sub(scene.world->pose[i].x, straight));
    }
    assert_true(hit > 20);
    assert_vec3_near(turned, VEC3_ZERO, 1e-10); /* the centre of mass does not notice */
    built_destroy(&scene);
}

static void resting_truths_rest(void **state)
{
    (void)state;
    static const char *const RESTING[] = {"stack", "pyramid", "wall", "card_house", "heavy_on_light"};
    for (int s = 0; s < 5; s++) {
        Built scene = built_scene(RESTING[s], "");
        for (int i = 2; i < scene.world->body_count; i++)
            assert_vec3_near(built_position(&scene, i, 7.3), scene.world->bodies[i].position, 0.0);
        built_destroy(&scene);
    }
}

/* Half-planes a x + b y <= c in the plane of the crown's thrust and its moment. */
typedef struct HalfPlane {
    double a, b, c;
} HalfPlane;

/* Whether some corner of two boundaries satisfies all: enough, as the feasible set is bounded. */
static bool feasible(const HalfPlane *plane, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            double det = plane[i].a * plane[j].b - plane[j].a * plane[i].b;
            if (fabs(det) < 1e-12)
                continue;
            double x = (plane[i].c * plane[j].b - plane[j].c * plane[i].b) / det;
            double y = (plane[i].a * plane[j].c - plane[j].a * plane[i].c) / det;
            bool all = true;
            for (int k = 0; k < count && all; k++)
                all = plane[k].a * x + plane[k].b * y <= plane[k].c + 1e-9;
            if (all)
                return true;
        }
    return false;
}

/* Whether a line of thrust fits into the right half of the arch as built (an odd number: half of the keystone is cut
 * off at the crown, where by symmetry the thrust H is horizontal, at height y0). At each joint the force passes
 * between its ends: moments about them, linear in H and H y0. `centre` scales the voussoirs' distance from the middle.
 */
static bool arch_stands(double thickness, double centre)
{
    char settings[64];
    snprintf(settings, sizeof settings, "thickness=%.17g", thickness);
    Built scene = built_scene("arch", settings);
    const World *world = scene.world;
    enum { COUNT = 15, HALF = COUNT / 2 };
    HalfPlane planes[2 * (HALF + 1)];
    int used = 0;
    double m = world->mass[2].mass, weight = 0.0, moment = 0.0;
    for (int joint = HALF; joint >= 0; joint--) {
        /* What lies between the crown and the joint: half the keystone first, then whole wedges. Where the half's
         * weight acts does not matter: it shifts all moments alike, as H y0 does. */
        double above = joint == HALF ? 0.5 * m : m;
        weight += above;
        moment += joint == HALF ? 0.0 : above * centre * world->pose[2 + joint].x.x;
        double angle = PI * joint / COUNT;
        for (int side = 0; side < 2; side++) {
            double r = side == 0 ? 10 - 0.5 * thickness : 10 + 0.5 * thickness, x = r * cos(angle), y = r * sin(angle);
            /* Anticlockwise moment about (x, y) of the weights and of H, which pushes towards +x at y0. The joint's
             * force points up and inwards: it balances a moment <= 0 about the inner, >= 0 about the outer end. */
            double load = weight * x - moment;
            planes[used++] = side == 0 ? (HalfPlane){y, -1.0, -load} : (HalfPlane){-y, 1.0, load};
        }
    }
    built_destroy(&scene);
    return feasible(planes, used);
}

static double arch_critical(double centre)
{
    double low = 0.5, high = 2.0;
    assert_true(arch_stands(high, centre) && !arch_stands(low, centre));
    for (int i = 0; i < 30; i++) {
        double middle = 0.5 * (low + high);
        *(arch_stands(middle, centre) ? &high : &low) = middle;
    }
    return 0.1 * high;
}

static void the_arch_as_built_has_its_critical_thickness(void **state)
{
    (void)state;
    /* Curved inside and outside, a voussoir's centre is further out: sin(a)/a of its half angle a instead of cos(a). */
    double half = 0.5 * PI / 15;
    assert_near(arch_critical(sin(half) / (half * cos(half))), 0.106265, 1e-6); /* printed to six decimals */
    assert_near(arch_critical(1.0), 0.106068, 1e-6);                            /* what the scene's text says */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounce_has_its_reference_times),
        cmocka_unit_test(bounce_is_what_flight_after_flight_gives),
        cmocka_unit_test(oblique_obeys_newton_and_coulomb),
        cmocka_unit_test(incline_slides_with_its_reference_acceleration_or_stays),
        cmocka_unit_test(rolling_begins_where_and_when_it_should),
        cmocka_unit_test(tilting_box_turns_about_its_edge_and_keeps_its_energy),
        cmocka_unit_test(cradle_passes_its_motion_through),
        cmocka_unit_test(collide2_obeys_newton_and_keeps_momenta),
        cmocka_unit_test(collide2_boxes_meet_once),
        cmocka_unit_test(asteroids_meet_each_other_and_keep_apart),
        cmocka_unit_test(resting_truths_rest),
        cmocka_unit_test(the_arch_as_built_has_its_critical_thickness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
