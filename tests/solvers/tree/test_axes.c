/* SPDX-License-Identifier: MIT */
/* Joints that joint coordinates alone can hold, and couplings, as `articulated` has them. */
#include "tests/support/build.h"
#include "tests/support/drive.h"

static int add_box(World *world, const char *name, Vec3 at, Vec3 size, double mass)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = name;
    def.position = at;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    def.mass = mass;
    return build_body(world, &def);
}

enum { AXES = 3 };

/* A slide, then two hinges apart from each other and not at right angles. */
static const Vec3 AXIS[AXES] = {{1, 0.2, 0}, {0.1, 0.3, 1}, {1, 0.4, 0.2}},
                  ANCHOR[AXES] = {{0, 0, 0}, {0.3, 0.1, 0}, {0.5, -0.1, 0.2}};

static World *stack(bool reversed, const double limits[2])
{
    World *world = world_create();
    SeriesAxis axes[AXES];
    int body = add_box(world, "bob", vec3(0.9, -0.2, 0.1), vec3(0.4, 0.3, 0.2), 2.3);
    for (int i = 0; i < AXES; i++) {
        int k = reversed ? AXES - 1 - i : i; /* the first is nearest to body 1 */
        axes[i] = (SeriesAxis){.name = "axis",
                               .turns = k > 0,
                               .axis = AXIS[k],
                               .anchor = ANCHOR[k],
                               .limits = {-INFINITY, INFINITY},
                               .law = JOINT_LAW_INIT};
        if (reversed)
            axes[i].axis = vec3_negate(axes[i].axis);
        if (limits && k == 1) {
            axes[i].limits[0] = limits[0];
            axes[i].limits[1] = limits[1];
        }
        axes[i].law.armature = 0.05;
        axes[i].law.viscous = 0.2;
    }
    JointDef joint = joint_def(JOINT_SERIES, reversed ? body : 0, reversed ? 0 : body);
    joint.name = "stack";
    joint.axes = axes;
    joint.axis_count = AXES;
    build_joint(world, &joint);
    return world;
}

/* The same by joints between links that weigh next to nothing. */
static World *links_between(void)
{
    World *world = world_create();
    const double nothing = 1e-9;
    int first = add_box(world, "first", ANCHOR[1], vec3(0.1, 0.1, 0.1), nothing);
    int second = add_box(world, "second", ANCHOR[2], vec3(0.1, 0.1, 0.1), nothing);
    int body = add_box(world, "bob", vec3(0.9, -0.2, 0.1), vec3(0.4, 0.3, 0.2), 2.3);
    const int chain[AXES + 1] = {0, first, second, body};
    for (int i = 0; i < AXES; i++) {
        JointLaw law = JOINT_LAW_INIT;
        law.armature = 0.05;
        law.viscous = 0.2;
        JointDef joint = joint_def(i == 0 ? JOINT_PRISMATIC : JOINT_HINGE, chain[i], chain[i + 1]);
        joint.name = "joint";
        joint.axis = AXIS[i];
        joint.anchor[0] = ANCHOR[i];
        joint.law = &law;
        if (i == 0)
            joint.angle_min = joint.angle_max = 0.0;
        build_joint(world, &joint);
    }
    return world;
}

static void a_stack_moves_as_links_of_no_mass_between_do(void **state)
{
    (void)state;
    World *links = links_between();
    drive_run(links, "articulated", "substeps=4 iterations=50", 1.0 / 60, 60);
    for (int reversed = 0; reversed < 2; reversed++) {
        World *world = stack(reversed, NULL);
        drive_run(world, "articulated", "substeps=4", 1.0 / 60, 60);
        /* 1e-9 kg on 2.3 kg; the turn that the slide holds is a row there */
        assert_vec3_near(world->pose[1].x, links->pose[3].x, 1e-6);
        assert_vec3_near(world->velocity[1].w, links->velocity[3].w, 1e-5);
        assert_true(vec3_norm(vec3_sub(world->pose[1].x, vec3(0.9, -0.2, 0.1))) > 0.3);
        world_destroy(world);
    }
    world_destroy(links);
}

static void a_stacks_limit_stops_it(void **state)
{
    (void)state;
    const double limits[2] = {-0.25, 0.6};
    double angle = 0.0;
    World *free = stack(false, NULL), *world = stack(false, limits);
    Drive drive;
    drive_begin(&drive, world, "articulated", "substeps=8");
    for (int f = 0; f < 90; f++)
        drive_frame(&drive, 1.0 / 60);
    drive_end(&drive);
    drive_run(free, "articulated", "substeps=8", 1.0 / 60, 90);
    /* the second axis' angle: the turn of the body about it, as the third one's is small */
    Vec3 turn = quat_log(world_reported_orientation(world, 1)), loose = quat_log(world_reported_orientation(free, 1));
    angle = vec3_dot(vec3_unit(AXIS[1]), turn);
    assert_true(angle > -0.45 && vec3_dot(vec3_unit(AXIS[1]), loose) < -0.6);
    world_destroy(free);
    world_destroy(world);
}

/* A run that is begun anew in the middle goes on as if it had not been. */
static void a_stack_is_read_where_it_is(void **state)
{
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        World *whole = stack(reversed, NULL), *parted = stack(reversed, NULL);
        drive_run(whole, "articulated", "substeps=4", 1.0 / 60, 60);
        drive_run(parted, "articulated", "substeps=4", 1.0 / 60, 30);
        drive_run(parted, "articulated", "substeps=4", 1.0 / 60, 30);
        assert_vec3_near(parted->pose[1].x, whole->pose[1].x, 1e-10);
        assert_vec3_near(parted->velocity[1].w, whole->velocity[1].w, 1e-9);
        world_destroy(whole);
        world_destroy(parted);
    }
}

/* Two flywheels, q1 = 0.1 - 1.7 q2 + 0.3 q2^2 as far as they turn, or linear; a torque on the second one. */
static World *geared(int terms, double torque)
{
    World *world = world_create();
    JointLaw law = JOINT_LAW_INIT;
    law.drive_count = 1;
    law.drives[0] = (JointDrive)JOINT_DRIVE_INIT;
    law.drives[0].force = torque;
    for (int i = 0; i < 2; i++) {
        int body = add_box(world, i ? "two" : "one", vec3(2.0 * i, 0, 0), vec3(0.4, 0.4, 0.1 + 0.1 * i), 3.0);
        JointDef joint = joint_def(JOINT_HINGE, 0, body);
        joint.name = i ? "j2" : "j1";
        joint.anchor[0] = vec3(2.0 * i, 0, 0);
        joint.axis = vec3(0, 0, 1);
        joint.law = i ? &law : NULL;
        build_joint(world, &joint);
    }
    JointCoupling coupling = {
        .name = "gear", .of = {{0, 0}, {1, 0}}, .term_count = terms, .polynomial = {0.0, -1.7, 0.3}};
    assert_true(world_add_coupling(world, &coupling));
    return world;
}

static void a_gear_shares_a_torque_by_both_inertias(void **state)
{
    (void)state;
    static const char *const LOOPS[] = {"loops=direct", "loops=swept iterations=500"};
    for (int i = 0; i < 2; i++) {
        World *world = geared(2, 0.8);
        double I = 3.0 * (0.16 + 0.16) / 12.0; /* kg m^2 about z, of both */
        drive_run(world, "articulated", LOOPS[i], 1.0 / 60, 60);
        double rate = 0.8 * 1.0 / (I + 1.7 * 1.7 * I); /* rad/s after 1 s */
        assert_near(world->velocity[2].w.z, rate, 1e-9 * rate + (i ? 1e-7 : 0.0));
        assert_near(world->velocity[1].w.z, -1.7 * rate, 1e-9 * rate + (i ? 1e-7 : 0.0));
        world_destroy(world);
    }
}

static void a_cam_follows_its_polynomial(void **state)
{
    (void)state;
    World *world = geared(3, 0.8);
    drive_run(world, "articulated", "substeps=50", 1.0 / 60, 60);
    double q1 = joint_angle(world, &world->joints[0]), q2 = joint_angle(world, &world->joints[1]);
    assert_true(q2 > 0.5);
    assert_near(q1, -1.7 * q2 + 0.3 * q2 * q2, 1e-5); /* h^2 of the slope's change, taken back by a fifth */
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_moves_as_links_of_no_mass_between_do),
        cmocka_unit_test(a_stacks_limit_stops_it),
        cmocka_unit_test(a_stack_is_read_where_it_is),
        cmocka_unit_test(a_gear_shares_a_torque_by_both_inertias),
        cmocka_unit_test(a_cam_follows_its_polynomial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
