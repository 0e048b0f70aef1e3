/* SPDX-License-Identifier: MIT */
/* The residual that the position-based solvers stop by: |C + a lambda| over |C| at the predicted poses. */
#include "solvers/position/multipliers.h"
#include "tests/solvers/contact_worlds.h"

static const double H = 1.0 / 60.0;

/* A particle that hangs 1 m below the origin and has fallen for a substep, C = g h^2. */
typedef struct Hanging {
    World *world;
    Motion motion;
    Multipliers multipliers;
    Step step;
} Hanging;

static Hanging hanging(double compliance, bool rope, double length)
{
    Hanging h = {.world = world_create()};
    Status status = {0};
    BodyDef particle = BODY_DEF_INIT;
    particle.name = "particle";
    particle.mass = 2.3;
    particle.position = vec3(0, -1, 0);
    h.world->gravity = vec3(0, -9.81, 0);
    assert_int_equal(world_add_body(h.world, &particle, &status), 1);
    JointDef def = joint_def(JOINT_DISTANCE, 0, 1);
    def.name = "thread";
    def.local_anchors = true;
    def.rest = length;
    def.one_sided = rope;
    def.compliance = compliance;
    assert_int_equal(world_add_joint(h.world, &def, &status), 0);
    CommonOptions common = {.substeps = 1, .iterations = 1, .integrator = INTEGRATE_SEMI_IMPLICIT};
    assert_true(motion_init(&h.motion, h.world, &common) && multipliers_init(&h.multipliers, h.world));
    h.step = (Step){.world = h.world, .h = H};
    world_begin_substep(h.world, H);
    motion_begin(&h.motion, h.world, H);
    motion_predict(&h.motion, h.world, H);
    multipliers_clear(&h.multipliers, h.world);
    return h;
}

static void hanging_destroy(Hanging *h)
{
    motion_free(&h->motion);
    multipliers_free(&h->multipliers);
    world_destroy(h->world);
}

/* A solve with stiffness k leaves 1 - k of the error: straight down, so exactly but for round-off. */
static void the_residual_is_what_the_solves_have_left(void **state)
{
    (void)state;
    Hanging h = hanging(0.0, false, 1.0);
    PositionSolve how = {.h = H, .stiffness = 0.7};
    double left = 1.0;
    for (int i = 0; i < 3; i++, left *= 0.3) {
        Vec3 x = h.world->pose[1].x;
        assert_near(multipliers_residual(&h.multipliers, &h.motion, &h.step), left, 1e-12); /* 1e-15 m of 3 mm */
        assert_vec3_near(h.world->pose[1].x, x, 0.0);                                       /* poses stay */
        position_solve_block(h.world, &h.world->blocks[0], &how, &h.multipliers.of[0]);
    }
    hanging_destroy(&h);
}

/* A compliant thread is solved where C + a lambda = 0, with C still there. */
static void a_compliant_block_is_solved_with_its_error(void **state)
{
    (void)state;
    Hanging h = hanging(1e-4, false, 1.0);
    PositionSolve how = {.h = H, .stiffness = 1.0};
    position_solve_block(h.world, &h.world->blocks[0], &how, &h.multipliers.of[0]);
    assert_true(block_violation(h.world, &h.world->blocks[0]) > 1e-4);
    assert_near(multipliers_residual(&h.multipliers, &h.motion, &h.step), 0.0, 1e-12);
    hanging_destroy(&h);
}

static void a_slack_rope_leaves_nothing(void **state)
{
    (void)state;
    Hanging h = hanging(0.0, true, 1.5);
    assert_true(multipliers_residual(&h.multipliers, &h.motion, &h.step) == 0.0);
    hanging_destroy(&h);
}

/* lambda is a force times h^2: the thread has given the particle's fall back. */
static void impulses_are_multipliers_over_the_substep(void **state)
{
    (void)state;
    Hanging h = hanging(0.0, false, 1.0);
    PositionSolve how = {.h = H, .stiffness = 1.0};
    position_solve_block(h.world, &h.world->blocks[0], &how, &h.multipliers.of[0]);
    multipliers_store_impulses(&h.multipliers, h.world, H);
    assert_vec3_near(h.world->block_impulse[0], vec3(0, 2.3 * 9.81 * H, 0), 1e-12);
    hanging_destroy(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_is_what_the_solves_have_left),
        cmocka_unit_test(a_compliant_block_is_solved_with_its_error),
        cmocka_unit_test(a_slack_rope_leaves_nothing),
        cmocka_unit_test(impulses_are_multipliers_over_the_substep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
