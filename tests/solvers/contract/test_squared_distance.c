/* SPDX-License-Identifier: MIT */
/* The lecture's distance constraint C2 = (d^2 - L^2)/2 (001, Distance constraints) against ours, C = d - L. Both are
 * zero at the same lengths, and C2's gradient is d times C's. What stays: the impulse that stops a string from
 * stretching. What changes: how much of an error one correction takes back, and what a compliance means. */
#include "model/block.h"
#include "tests/solvers/worlds.h"
#include "tests/support/drive.h"

static const double L = 0.8, M1 = 1.3, M2 = 0.45;

/* Two particles on a string along a slanted line, d apart. */
static World *string_world(double d, Vec3 along)
{
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 2; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "bob";
        def.mass = i == 0 ? M1 : M2;
        def.position = vec3_scale(i * d, along);
        build_body(world, &def);
    }
    JointDef string = joint_def(JOINT_DISTANCE, 1, 2);
    string.local_anchors = true;
    string.rest = L;
    build_joint(world, &string);
    return world;
}

static double length(const World *world)
{
    return vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x));
}

/* lambda2 = lambda / d and J2 = d J: J2^T lambda2 = J^T lambda. pgs has C; the right side is worked out with C2. */
static void the_impulse_is_the_same(void **state)
{
    (void)state;
    Vec3 along = vec3_unit(vec3(0.3, -0.7, 0.4)), apart = vec3(1.9, -0.6, 0.8);
    World *world = string_world(L, along);
    world->velocity[2].v = apart;
    Vec3 J2 = vec3_scale(L, along); /* dC2/dp_2 = p_2 - p_1 */
    double lambda2 = -vec3_dot(J2, apart) / (vec3_dot(J2, J2) * (1.0 / M1 + 1.0 / M2));
    Vec3 after = vec3_add(apart, vec3_scale(lambda2 / M2, J2));
    drive_run(world, "pgs", "position=none", 1e-9, 1); /* so short that nothing turns */
    assert_vec3_near(world->velocity[2].v, after, 1e-8);
    assert_vec3_near(world->velocity[1].v, vec3_scale(-lambda2 / M1, J2), 1e-8);
    world_destroy(world);
}

/* One correction of C puts a string right, however far it is off. One of C2 is a step of Heron's square root,
 * d -> (d + L^2/d)/2, which leaves (d - L)^2 / (2 d): a fifth of the error at d = 1.8 L, far too long from d = L/10. */
static void one_correction_of_the_difference_is_exact_one_of_the_squares_is_herons_step(void **state)
{
    (void)state;
    static const double SHARES[] = {0.1, 0.6, 1.02, 1.8};
    for (int i = 0; i < 4; i++) {
        double d = SHARES[i] * L;
        World *world = string_world(d, vec3_unit(vec3(0.3, -0.7, 0.4)));
        drive_run(world, "pbd", "substeps=1 iterations=1", 1.0 / 60.0, 1);
        assert_near(length(world), L, 1e-14);
        double squares = 0.5 * (d * d - L * L); /* C2 */
        double moved = squares / (d * d) * d;   /* C2 / |grad C2|^2 |grad C2|, all of it along the string */
        assert_near(d - moved, 0.5 * (d + L * L / d), 1e-14);
        assert_near(d - moved - L, (d - L) * (d - L) / (2.0 * d), 1e-14);
        world_destroy(world);
    }
}

/* Baumgarte: J V = -beta C gives d' = -beta (d - L) by C and (d + L)/(2 d) of that by C2: less where the string is too
 * long, more where it is too short. */
static void baumgarte_by_the_difference_does_not_depend_on_the_length(void **state)
{
    (void)state;
    static const double SHARES[] = {0.5, 1.5};
    for (int i = 0; i < 2; i++) {
        double d = SHARES[i] * L, h = 1.0 / 60.0;
        World *world = string_world(d, vec3(1, 0, 0));
        drive_run(world, "pgs", "beta=0.2 substeps=1", h, 1);
        double by_difference = -0.2 * (d - L), by_squares = by_difference * (d + L) / (2.0 * d);
        assert_near(length(world) - d, by_difference, 1e-12);
        assert_true(fabs(by_squares / by_difference - 1.0) > 0.15);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_impulse_is_the_same),
        cmocka_unit_test(one_correction_of_the_difference_is_exact_one_of_the_squares_is_herons_step),
        cmocka_unit_test(baumgarte_by_the_difference_does_not_depend_on_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
