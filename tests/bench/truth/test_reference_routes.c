/* SPDX-License-Identifier: MIT */
/* The two routes of `reference`, joint coordinates and multipliers with projection, share no equation of motion: where
 * both can go they must meet. */
#include "bench/run/run.h"
#include "model/energy.h"
#include "tests/support/build.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <string.h>

extern const Solver reference_solver;

static const double DT = 1.0 / 60;

/* m, m/s, rad/s, and of the largest force: a local error of 1e-12 has grown by a few hundred at most. */
#define ROUTES_AGREE 1e-9

static const char REDUCED[] = "integrated in joint coordinates",
                  MULTIPLIERS[] = "integrated by multipliers with projection";

static void settings_read(Run *run, const char *settings, bool (*set)(Run *, const char *, const char *, Status *))
{
    Status status = {0};
    char text[128], key[RUN_KEY];
    const char *value;
    strcpy(text, settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        if (!assignment_split(word, key, &value, &status) || !set(run, key, value, &status))
            fail_msg("%s", status.message);
}

static Run run_route(const char *scene, const char *params, double time, const char *coordinates)
{
    Run run = {.dt = DT, .time = time, .without_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, scene, &status));
    settings_read(&run, params, run_set_param);
    run_choose_solver(&run, &reference_solver);
    assert_true(run_set_option(&run, "coordinates", coordinates, &status));
    if (!run_make(&run, NULL))
        fail_msg("%s: %s", scene, run.status.message);
    return run;
}

/* Bodies' states, and joints' reactions over the last frame. */
static void assert_same_motion(const World *one, const World *two)
{
    double largest = 0.0;
    for (int i = 1; i < one->body_count; i++) {
        assert_vec3_near(one->pose[i].x, two->pose[i].x, ROUTES_AGREE);
        assert_vec3_near(one->velocity[i].v, two->velocity[i].v, ROUTES_AGREE);
        assert_vec3_near(one->velocity[i].w, two->velocity[i].w, ROUTES_AGREE);
        Quat turn = quat_mul(quat_conj(one->pose[i].q), two->pose[i].q);
        assert_vec3_near(vec3(turn.x, turn.y, turn.z), VEC3_ZERO, ROUTES_AGREE);
    }
    for (int j = 0; j < one->joint_count; j++) {
        Vec3 force, torque;
        world_reaction(one, j, DT, &force, &torque);
        largest = fmax(largest, fmax(vec3_norm(force), vec3_norm(torque)));
    }
    for (int j = 0; j < one->joint_count; j++) {
        Vec3 force[2], torque[2];
        world_reaction(one, j, DT, &force[0], &torque[0]);
        world_reaction(two, j, DT, &force[1], &torque[1]);
        assert_vec3_near(force[0], force[1], ROUTES_AGREE * largest);
        assert_vec3_near(torque[0], torque[1], ROUTES_AGREE * largest);
    }
}

static void routes_meet_on_every_scene_that_is_a_tree(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *params;
        double time;
    } CASES[] = {{"chain", "links=20", 0.5},   {"chain", "links=7 mass_ratio=37 damping=0.3", 0.5},
                 {"pendulum", "links=3", 1.0}, {"pendulum", "links=5 kind=particle mass_ratio=3.3", 1.0},
                 {"heavy_top", "", 0.25},      {"tumbling_box", "", 1.0},
                 {"bead_on_wire", "", 1.0},    {"prismatic", "", 2.0},
                 {"cylinder", "", 2.0},        {"servo", "", 2.0},
                 {"motor", "", 2.0},           {"hinge_limit", "", 2.0},
                 {"ball_limit", "", 2.0}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Run reduced = run_route(CASES[i].scene, CASES[i].params, CASES[i].time, "auto");
        Run multipliers = run_route(CASES[i].scene, CASES[i].params, CASES[i].time, "multipliers");
        assert_string_equal(reduced.result.events[0].what, REDUCED);
        assert_string_equal(multipliers.result.events[0].what, MULTIPLIERS);
        assert_same_motion(reduced.problem->world, multipliers.problem->world);
        run_clear(&reduced);
        run_clear(&multipliers);
    }
}

static void what_has_no_joint_coordinates_goes_by_multipliers(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"four_bar", "spring", "cradle", "joint_gallery"};
    for (int i = 0; i < 4; i++) {
        Run run = run_route(SCENES[i], "", 2 * DT, "auto");
        assert_string_equal(run.result.events[0].what, MULTIPLIERS);
        run_clear(&run);
    }
}

static int tree_add_limb(World *world, Random *random, int parent, JointType type)
{
    BodyDef limb = BODY_DEF_INIT;
    JointDef joint = joint_def(type, 0, 0);
    Vec3 from = world->pose[parent].x, along = random_vec3(random, 0.5);
    limb.name = "limb";
    limb.position = vec3_add(from, along);
    limb.orientation = quat_unit((Quat){1.0, along.x, along.y, along.z});
    limb.shape.kind = SHAPE_BOX;
    limb.shape.size = random_sides(random, 0.1, 0.4);
    limb.density = 1000.0 * random_in(random, 0.3, 3.0);
    limb.angular_velocity = random_vec3(random, 2.0);
    int body = build_body(world, &limb);
    /* Every other joint has its parent as second body. */
    joint.body[0] = body % 2 ? parent : body;
    joint.body[1] = body % 2 ? body : parent;
    joint.anchor[0] = vec3_add_scaled(from, 0.4, along);
    joint.axis = random_unit(random);
    joint.angular_damping = random_in(random, 0.0, 0.4);
    if (type == JOINT_MOTOR)
        joint.speed = random_in(random, -3.0, 3.0);
    build_joint(world, &joint);
    return body;
}

/* A trunk that hangs or floats, two limbs on every body, joints of many kinds, both ways round. */
static World *random_tree(unsigned long long seed, bool floats)
{
    static const JointType TYPES[] = {JOINT_BALL, JOINT_HINGE, JOINT_MOTOR, JOINT_FIXED, JOINT_PRISMATIC};
    enum { LIMBS = 12 };
    Random random = {seed};
    World *world = world_create();
    int bodies[LIMBS];
    for (int i = 0; i < LIMBS; i++) {
        if (i == 0 && floats) {
            BodyDef trunk = BODY_DEF_INIT;
            trunk.name = "trunk";
            trunk.mass = 3.1;
            trunk.has_inertia = true;
            trunk.inertia = vec3(0.31, 0.22, 0.17);
            trunk.angular_velocity = random_vec3(&random, 1.0);
            bodies[0] = build_body(world, &trunk);
            continue;
        }
        bodies[i] = tree_add_limb(world, &random, i == 0 ? 0 : bodies[(i - 1) / 2], TYPES[i % 5]);
    }
    return world;
}

/* `removed`: a body that is taken out half way; 0: none. Velocities that break joints are projected at the start. */
static World *run_tree(unsigned long long seed, bool floats, const char *coordinates, int removed)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    World *world = random_tree(seed, floats);
    Status status = {0};
    Stepper stepper;
    settings_init(reference_solver.settings, reference_solver.setting_count, options);
    const Setting *setting = settings_find(reference_solver.settings, reference_solver.setting_count, "coordinates");
    assert_true(setting_parse(setting, options, coordinates, &status));
    assert_true(stepper_begin(&stepper, &reference_solver, options, world, DT, DETECT_SUBSTEP, &status));
    for (int frame = 0; frame < 20; frame++) {
        if (frame == 10 && removed > 0)
            world_remove_body(world, removed);
        stepper_frame(&stepper, false);
    }
    bool reduced = strcmp(coordinates, "auto") == 0;
    assert_string_equal(stepper.step.events[0].what, reduced ? REDUCED : MULTIPLIERS);
    assert_true(reference_solver.error_estimate(stepper.self) < ROUTES_AGREE);
    stepper_end(&stepper);
    return world;
}

static void routes_meet_on_trees_that_branch(void **state)
{
    (void)state;
    for (unsigned long long seed = 1; seed <= 6; seed++) {
        World *one = run_tree(seed, seed % 2, "auto", 0), *two = run_tree(seed, seed % 2, "multipliers", 0);
        assert_same_motion(one, two);
        world_destroy(one);
        world_destroy(two);
    }
}

static void routes_meet_after_a_body_was_removed(void **state)
{
    (void)state;
    World *one = run_tree(77, false, "auto", 3), *two = run_tree(77, false, "multipliers", 3);
    assert_same_motion(one, two);
    world_destroy(one);
    world_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_meet_on_every_scene_that_is_a_tree),
        cmocka_unit_test(what_has_no_joint_coordinates_goes_by_multipliers),
        cmocka_unit_test(routes_meet_on_trees_that_branch),
        cmocka_unit_test(routes_meet_after_a_body_was_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
