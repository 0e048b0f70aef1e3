/* Semismooth Newton on rows with bounds: it ends where sweeps creep, for every law of friction. */
#include "solvers/rows/newton.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double H = 1.0 / 60;

/* Boxes on a floor that slide, spin and lean on each other, as they are after some frames. */
static World *heap(uint64_t seed, double patch)
{
    static const char *const NAMES[] = {"a", "b", "c", "d", "e"};
    Random random = {seed};
    World *world = contact_world(0.4, 0.0);
    world->materials[0].patch_radius = patch;
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 5; i++) {
        BodyDef box = box_def(NAMES[i], vec3(0.6, 0.3, random_in(&random, 0.4, 0.8)), vec3(0.1 * i, 0.3 + 0.45 * i, 0));
        box.orientation = random_quat(&random);
        box.velocity = random_vec3(&random, 1.0);
        box.angular_velocity = random_vec3(&random, 2.0);
        build_body(world, &box);
    }
    drive_run(world, "pgs", "manifold=true", H, 60 + 5 * (int)seed);
    return world;
}

typedef struct Swept {
    RowSystem system;
    Newton newton;
    double before, after; /* residuals: of some sweeps, and polished */
} Swept;

static Swept polish(World *world, FrictionModel friction, int sweeps)
{
    Swept swept;
    for (int i = 1; i < world->body_count; i++) /* free flight */
        if (!world_is_fixed(world, i))
            world->velocity[i].v = vec3_add_scaled(world->velocity[i].v, H, world->gravity);
    assert_true(row_system_init(&swept.system, world) && newton_init(&swept.newton, world));
    row_system_prepare(&swept.system, world,
                       &(RowSetup){.h = H, .relaxation = 1.0, .friction = friction, .facets = 8, .push_speed = 2.0});
    for (int i = 0; i < sweeps; i++)
        row_system_sweep(&swept.system, world->velocity, NULL);
    swept.before = row_system_residual(&swept.system, world->velocity);
    assert_true(newton_prepare(&swept.newton, &swept.system, world, 1000000));
    swept.after = newton_solve(&swept.newton, &swept.system, world->velocity, 400, 1e-14);
    return swept;
}

static void swept_free(Swept *swept)
{
    row_system_free(&swept->system);
    newton_free(&swept->newton);
}

/* 200 sweeps leave more than 1e-10 in most cases; Newton ends below 1e-12 wherever friction is linear. The disc bends:
 * where faces share their load in many ways it takes Newton more steps than there are here, and it says so by what it
 * returns, which is what it left. */
static void it_ends_where_sweeps_creep(void **state)
{
    (void)state;
    static const FrictionModel LAWS[] = {FRICTION_CONE, FRICTION_PYRAMID, FRICTION_BOX, FRICTION_FACETS};
    int crept = 0, ended = 0;
    for (int k = 0; k < 24; k++) {
        World *world = heap((uint64_t)(k / 4 + 1), 0.0);
        Swept swept = polish(world, LAWS[k % 4], 200);
        assert_true(swept.system.rows > 0);
        assert_true(swept.after <= swept.before);
        assert_near(row_system_residual(&swept.system, world->velocity), swept.after, 1e-13);
        crept += swept.before > 1e-10;
        ended += swept.after < 1e-12;
        assert_true(LAWS[k % 4] == FRICTION_CONE || swept.after < 1e-12);
        swept_free(&swept);
        world_destroy(world);
    }
    assert_true(crept >= 18);
    assert_true(ended >= 21);
}

/* The disc again, and its spin with it: a thousandth of what sweeps leave. */
static void a_patch_is_solved_with_its_spin(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        World *world = heap((uint64_t)(k + 1), 0.1);
        Swept swept = polish(world, FRICTION_CONE, 50);
        assert_true(swept.after < 1e-3 * swept.before);
        swept_free(&swept);
        world_destroy(world);
    }
}

/* Joints, a limit and a weak motor: a few steps from nothing give the multipliers to round-off. */
static void joints_and_limits_take_a_few_steps(void **state)
{
    (void)state;
    World *world = rod_chain(6, 1.0);
    BodyDef arm = box_def("arm", vec3(0.5, 0.1, 0.1), vec3(-0.25, 0, 0));
    JointDef motor = joint_def(JOINT_MOTOR, 0, build_body(world, &arm));
    motor.axis = vec3(0, 0, 1);
    motor.speed = 40.0;
    motor.max_torque = 5.0;
    build_joint(world, &motor);
    Swept swept = polish(world, FRICTION_CONE, 1);
    assert_true(swept.before > 1e-3);
    assert_true(swept.after < 1e-12);
    assert_true(swept.newton.steps <= 20);
    swept_free(&swept);
    world_destroy(world);
}

/* A band that is too wide is refused before anything is allocated for it. */
static void room_is_bounded(void **state)
{
    (void)state;
    World *world = heap(1, 0.0);
    RowSystem system;
    Newton newton;
    assert_true(row_system_init(&system, world) && newton_init(&newton, world));
    row_system_prepare(&system, world, &(RowSetup){.h = H, .relaxation = 1.0});
    assert_false(newton_prepare(&newton, &system, world, 10));
    assert_null(newton.matrix);
    row_system_free(&system);
    newton_free(&newton);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_where_sweeps_creep),
        cmocka_unit_test(a_patch_is_solved_with_its_spin),
        cmocka_unit_test(joints_and_limits_take_a_few_steps),
        cmocka_unit_test(room_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
