/* SPDX-License-Identifier: MIT */
/* Laws of joints' coordinates: their evaluation, their rows, where they start; series. */
#include "model/energy.h"
#include "model/joint/law_rows.h"
#include "model/rows/prepared_rows.h"
#include "tests/support/build.h"

#define ROUND_OFF 1e-12

static JointDrive servo(double kp, double kd, double target)
{
    JointDrive drive = JOINT_DRIVE_INIT;
    drive.kp = kp;
    drive.kd = kd;
    drive.target = target;
    return drive;
}

static void a_law_is_its_formula(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.viscous = 0.7;
    law.stiffness = 31.0;
    law.rest = -0.2;
    law.drive_count = 2;
    law.drives[0] = servo(12.0, 1.5, 0.9);
    law.drives[0].gear = -2.0;
    law.drives[0].force = 0.3;
    law.drives[0].speed = 0.4;
    law.drives[1] = servo(0.0, 0.0, 0.0);
    law.drives[1].force = 5.0;
    law.drives[1].ctrl_range[1] = 4.0;
    double q = 0.37, u = -1.3;
    double first = -2.0 * (0.3 + 12.0 * (0.9 + 2.0 * q) + 1.5 * (0.4 + 2.0 * u));
    LawForce at = law_force(&law, q, u);
    assert_near(at.force, -0.7 * u - 31.0 * (q + 0.2) + first + 4.0, ROUND_OFF * 50.0);
    assert_near(at.stiffness, 31.0 + 48.0, 0.0);
    assert_near(at.damping, 0.7 + 6.0, 0.0);
    assert_near(law_energy(&law, q), 15.5 * 0.57 * 0.57, ROUND_OFF * 10.0);
}

static void bounds_clamp_a_drive_and_the_sum_of_drives(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    law.drive_count = 2;
    law.drives[0] = servo(100.0, 0.0, 2.0);
    law.drives[0].max[0] = -1.0;
    law.drives[0].max[1] = 3.0;
    law.drives[0].gear = 2.0;
    law.drives[1] = servo(100.0, 0.0, 2.0);
    law.drives[1].ctrl_range[1] = 0.05;
    assert_near(law_drives(&law, 0.0, 0.0).force, 6.0 + 5.0, ROUND_OFF);
    assert_near(law_drives(&law, 0.0, 0.0).stiffness, 100.0, 0.0);
    law.effort[0] = -4.0;
    law.effort[1] = 4.0;
    assert_near(law_drives(&law, 0.0, 0.0).force, 4.0, 0.0);
    assert_near(law_drives(&law, 0.0, 0.0).stiffness, 0.0, 0.0);
}

/* A hinge between two bodies in the middle of a motion. */
static World *hinge_in_motion(Random *random, const JointLaw *law)
{
    World *world = world_create();
    for (int i = 0; i < 2; i++) {
        BodyDef body = build_random_def(random, i ? "two" : "one");
        body.mass = random_in(random, 0.5, 3.0);
        body.has_inertia = true;
        body.inertia = vec3(0.3, 0.4, 0.5);
        build_body(world, &body);
    }
    JointDef def = joint_def(JOINT_HINGE, 1, 2);
    def.axis = random_unit(random);
    def.anchor[0] = random_vec3(random, 1.0);
    def.law = law;
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), 0);
    return world;
}

/* Gauss-Seidel over the rows of the law alone, until they stand. What they give then must be the law at the end of the
 * substep, less what the armature takes. */
static void rows_of_a_law_are_backward_euler(void **state)
{
    (void)state;
    Random random = {901};
    for (int trial = 0; trial < 40; trial++) {
        double h = pow(10.0, random_in(&random, -4.0, -1.0));
        JointLaw law = JOINT_LAW_INIT;
        law.viscous = trial & 1 ? random_in(&random, 0.0, 5.0) : 0.0;
        law.stiffness = trial & 2 ? random_in(&random, 0.0, 100.0) : 0.0;
        law.rest = random_in(&random, -1.0, 1.0);
        law.armature = trial & 4 ? random_in(&random, 0.0, 0.3) : 0.0;
        law.start = random_in(&random, -4.0, 4.0);
        law.drive_count = trial % 3;
        for (int i = 0; i < law.drive_count; i++) {
            law.drives[i] = servo(random_in(&random, 0.0, 50.0), random_in(&random, 0.0, 2.0), 0.5);
            law.drives[i].speed = random_in(&random, -2.0, 2.0);
            law.drives[i].gear = random_in(&random, -2.0, 2.0);
            law.drives[i].max[0] = trial % 5 ? -2.0 : -INFINITY;
            law.drives[i].max[1] = trial % 5 ? 5.0 : INFINITY;
        }
        World *world = hinge_in_motion(&random, &law);
        const Joint *joint = &world->joints[0];
        world_begin_substep(world, h);
        double q = joint_coordinate(world, joint, 0), u = joint_coordinate_rate(world, joint, 0), sum = 0.0;
        assert_near(q, law.start, ROUND_OFF);
        int first = joint->first_block + 2, count = joint->block_count - 2;
        PreparedRows rows[LAW_MAX_ROWS];
        for (int i = 0; i < count; i++)
            rows_prepare(world, &world->blocks[first + i], h, 0.0, &rows[i]);
        for (int sweep = 0; sweep < 3000; sweep++)
            for (int i = 0; i < count; i++) {
                const Block *block = &world->blocks[first + i];
                double after = rows[i].lambda[0] - rows[i].step[0] * rows_residual(&rows[i], block, world->velocity, 0);
                after = clamp(after, h * rows[i].rows.lower[0], h * rows[i].rows.upper[0]);
                row_apply(rows[i].B[0], block, after - rows[i].lambda[0], world->velocity);
                rows[i].lambda[0] = after;
            }
        for (int i = 0; i < count; i++)
            sum += rows[i].lambda[0] / h;
        double end = joint_coordinate_rate(world, joint, 0);
        double wanted = law_force(&law, q + h * end, end).force - law.armature * (end - u) / h;
        assert_near(sum + joint->coordinates[0].push, wanted, 1e-9 * fmax(1.0, law.armature / h));
        world_destroy(world);
    }
}

static void bounds_on_drives_and_on_their_sum_need_joint_coordinates(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    LawRow rows[LAW_MAX_ROWS];
    double push;
    law.drive_count = 2;
    law.drives[0] = law.drives[1] = servo(10.0, 0.0, 1.0);
    law.drives[0].max[0] = -1.0;
    law.drives[0].max[1] = 1.0;
    assert_int_equal(law_rows_make(&law, rows, &push), 2); /* the other has no bound of its own */
    law.effort[0] = -1.5;
    law.effort[1] = 1.5;
    assert_int_equal(law_rows_make(&law, rows, &push), -1);
    law.drive_count = 1;
    assert_int_equal(law_rows_make(&law, rows, &push), 1);
    assert_near(rows[0].bound, 1.0, 0.0);
}

static void a_constant_drive_is_a_push_within_its_bounds(void **state)
{
    (void)state;
    JointLaw law = JOINT_LAW_INIT;
    LawRow rows[LAW_MAX_ROWS];
    double push;
    law.drive_count = 1;
    law.drives[0] = servo(0.0, 0.0, 0.0);
    law.drives[0].force = 9.0;
    law.drives[0].gear = 3.0;
    law.drives[0].max[0] = -2.0;
    law.drives[0].max[1] = 2.5;
    assert_int_equal(law_rows_make(&law, rows, &push), 0);
    assert_near(push, 7.5, 0.0);
    law.effort[0] = -4.0;
    law.effort[1] = 4.0;
    assert_int_equal(law_rows_make(&law, rows, &push), 0);
    assert_near(push, 4.0, 0.0);
}

static void armature_and_springs_have_energy(void **state)
{
    (void)state;
    Random random = {902};
    JointLaw law = JOINT_LAW_INIT;
    law.armature = 0.37;
    law.stiffness = 11.0;
    law.rest = 0.25;
    law.start = -0.6;
    World *with = hinge_in_motion(&random, &law);
    double u = joint_coordinate_rate(with, &with->joints[0], 0), energy = world_energy(with);
    with->joints[0].off = true;
    with->blocks[2].off = true;
    assert_near(energy - world_energy(with), 0.5 * 0.37 * u * u + 5.5 * 0.85 * 0.85, 1e-11);
    world_destroy(with);
}

/* A ball that starts turned: limits and spring count from its own zero. */
static void a_balls_turn_counts_from_its_start(void **state)
{
    (void)state;
    Random random = {903};
    World *world = world_create();
    BodyDef body = build_random_def(&random, "ball");
    body.mass = 1.0;
    body.has_inertia = true;
    body.inertia = vec3(0.3, 0.4, 0.5);
    build_body(world, &body);
    JointLaw law = JOINT_LAW_INIT;
    Vec3 turn = vec3(0.3, -0.5, 0.7);
    law.start_turn = quat_exp(turn);
    law.stiffness = 2.0;
    JointDef def = joint_def(JOINT_BALL, 0, 1);
    def.anchor[0] = body.position;
    def.axis = vec3(0, 0, 1);
    def.swing_max = 1.0;
    def.law = &law;
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), 0);
    assert_vec3_near(joint_ball_turn(world, &world->joints[0]), turn, ROUND_OFF);
    assert_near(world_elastic_energy(world), vec3_dot(turn, turn), ROUND_OFF);
    /* The swing: between z and z turned by the start. */
    BlockError error;
    block_error(world, &world->blocks[1], &error);
    assert_near(error.C + 1.0, acos(quat_rotate(law.start_turn, vec3(0, 0, 1)).z), 1e-11);
    world_destroy(world);
}

static JointDef planar(SeriesAxis axes[3], Random *random)
{
    Vec3 x = random_unit(random), y = vec3_any_normal(x);
    for (int i = 0; i < 3; i++)
        axes[i] = (SeriesAxis){.name = i == 0   ? "x"
                                       : i == 1 ? "y"
                                                : "turn",
                               .turns = i == 2,
                               .axis = i == 0   ? x
                                       : i == 1 ? y
                                                : vec3_cross(x, y),
                               .anchor = random_vec3(random, 1.0),
                               .limits = {-INFINITY, INFINITY},
                               .law = JOINT_LAW_INIT};
    axes[0].law.start = 0.4;
    axes[2].law.start = -2.0;
    axes[1].limits[0] = -0.3;
    axes[1].limits[1] = 0.2;
    JointDef def = joint_def(JOINT_SERIES, 1, 2);
    def.axis_count = 3;
    def.axes = axes;
    return def;
}

static void a_planar_series_holds_a_plane_and_has_three_coordinates(void **state)
{
    (void)state;
    Random random = {904};
    SeriesAxis axes[3];
    JointLaw none = JOINT_LAW_INIT;
    World *world = hinge_in_motion(&random, &none);
    JointDef def = planar(axes, &random);
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), 1);
    const Joint *joint = &world->joints[1];
    assert_false(joint->needs_coordinates);
    assert_int_equal(joint->block_count, 3);
    assert_int_equal(world->blocks[joint->first_block].kind, BLOCK_SLIDE);
    assert_int_equal(world->blocks[joint->first_block + 1].kind, BLOCK_ALIGN);
    Vec3 step = vec3_add(vec3_scale(0.7, axes[0].axis), vec3_scale(-0.2, axes[1].axis));
    Quat turn = quat_axis_angle(axes[2].axis, 0.9);
    Vec3 arm = vec3_sub(world->pose[2].x, axes[2].anchor);
    world->pose[2].x = vec3_add(vec3_add(axes[2].anchor, step), quat_rotate(turn, arm));
    world->pose[2].q = quat_mul(turn, world->pose[2].q);
    assert_near(joint_coordinate(world, joint, 0), 0.4 + 0.7, ROUND_OFF);
    assert_near(joint_coordinate(world, joint, 1), -0.2, ROUND_OFF);
    assert_near(joint_coordinate(world, joint, 2), -2.0 + 0.9, ROUND_OFF);
    for (int b = 0; b < 2; b++)
        assert_near(block_violation(world, &world->blocks[joint->first_block + b]), 0.0, ROUND_OFF);
    world_destroy(world);
}

/* Hooke's joint: four rows, and the angle between the two axes stays. */
static void two_hinges_at_a_point_keep_the_angle_between_them(void **state)
{
    (void)state;
    Random random = {906};
    SeriesAxis axes[3];
    JointLaw none = JOINT_LAW_INIT;
    World *world = hinge_in_motion(&random, &none);
    JointDef def = planar(axes, &random);
    def.axis_count = 2;
    axes[0] = axes[1] = axes[2];
    axes[0].law.start = axes[1].law.start = 0.0;
    axes[1].axis = random_unit(&random);
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), 1);
    const Joint *joint = &world->joints[1];
    assert_false(joint->needs_coordinates);
    assert_int_equal(joint->block_count, 2);
    /* First about the second, then both about the first. */
    Quat turn = quat_mul(quat_axis_angle(axes[0].axis, 0.9), quat_axis_angle(axes[1].axis, -1.4));
    world->pose[2].x = vec3_add(axes[0].anchor, quat_rotate(turn, vec3_sub(world->pose[2].x, axes[0].anchor)));
    world->pose[2].q = quat_mul(turn, world->pose[2].q);
    for (int b = 0; b < 2; b++)
        assert_near(block_violation(world, &world->blocks[joint->first_block + b]), 0.0, ROUND_OFF);
    world->pose[2].q = quat_mul(quat_axis_angle(vec3_cross(axes[0].axis, axes[1].axis), 0.2), world->pose[2].q);
    assert_true(block_violation(world, &world->blocks[joint->first_block + 1]) > 1e-3);
    /* A law on its angles has no row. */
    axes[1].law.viscous = 1.0;
    assert_int_equal(world_add_joint(world, &def, &status), 2);
    assert_true(world->joints[2].needs_coordinates);
    world_destroy(world);
}

/* A stack's coordinates by Newton: bodies put where its chain of turns and shifts brings them, more than half turns
 * too. */
static void a_stacks_coordinates_are_found_from_its_poses(void **state)
{
    (void)state;
    Random random = {907};
    for (int trial = 0; trial < 20; trial++) {
        SeriesAxis axes[3];
        JointLaw none = JOINT_LAW_INIT;
        World *world = hinge_in_motion(&random, &none);
        JointDef def = planar(axes, &random);
        for (int i = 0; i < 3; i++) { /* a slide between two hinges apart */
            axes[i].turns = i != 1;
            axes[i].axis = random_unit(&random);
            axes[i].anchor = random_vec3(&random, 1.0);
            axes[i].law.viscous = 1.0;
        }
        Status status = {0};
        assert_int_equal(world_add_joint(world, &def, &status), 1);
        Joint *joint = &world->joints[1];
        assert_true(joint->needs_coordinates && joint_is_stack(joint));
        Pose one = world->pose[1], two = world->pose[2];
        double speed[3] = {2.0, -0.6, -1.7}, h = 0.1;
        for (int step = 1; step <= 40; step++) {
            Pose at = two;
            Vec3 w = VEC3_ZERO, v = VEC3_ZERO;
            /* The last axis first: what is nearer to body 1 carries it. */
            for (int i = 2; i >= 0; i--) {
                double d = speed[i] * h * step;
                Quat turn = axes[i].turns ? quat_axis_angle(axes[i].axis, d) : QUAT_IDENTITY;
                Vec3 arm = vec3_sub(at.x, axes[i].anchor);
                v = quat_rotate(turn, v);
                w = quat_rotate(turn, w);
                at.q = quat_mul(turn, at.q);
                at.x = axes[i].turns ? vec3_add(axes[i].anchor, quat_rotate(turn, arm))
                                     : vec3_add_scaled(at.x, d, axes[i].axis);
                Vec3 out = vec3_sub(at.x, axes[i].anchor);
                v = vec3_add(v, axes[i].turns ? vec3_cross(vec3_scale(speed[i], axes[i].axis), out)
                                              : vec3_scale(speed[i], axes[i].axis));
                w = axes[i].turns ? vec3_add_scaled(w, speed[i], axes[i].axis) : w;
            }
            /* All of it on a body 1 that moves. */
            Quat moved = quat_axis_angle(vec3_unit(vec3(1, 2, 3)), 0.1 * step);
            Velocity u = {vec3(0.3, -0.2, 0.1), vec3(-0.4, 0.5, 0.6)};
            world->pose[1] = (Pose){vec3_add(one.x, vec3(0.1 * step, 0, 0)), quat_mul(moved, one.q)};
            world->pose[2] =
                (Pose){vec3_add(world->pose[1].x, quat_rotate(moved, vec3_sub(at.x, one.x))), quat_mul(moved, at.q)};
            Vec3 span = vec3_sub(world->pose[2].x, world->pose[1].x);
            world->velocity[1] = u;
            world->velocity[2] = (Velocity){vec3_add(quat_rotate(moved, v), vec3_add(u.v, vec3_cross(u.w, span))),
                                            vec3_add(u.w, quat_rotate(moved, w))};
            for (int i = 0; i < 3; i++) {
                assert_near(joint_coordinate(world, joint, i), axes[i].law.start + speed[i] * h * step, 1e-9);
                assert_near(joint_coordinate_rate(world, joint, i), speed[i], 1e-9);
            }
            joint_follow_stack(world, joint);
        }
        world_destroy(world);
    }
}

static void a_stack_without_rows_is_left_to_joint_coordinates(void **state)
{
    (void)state;
    Random random = {905};
    SeriesAxis axes[3];
    JointLaw none = JOINT_LAW_INIT;
    World *world = hinge_in_motion(&random, &none);
    JointDef def = planar(axes, &random);
    axes[0].turns = true;
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), 1);
    assert_true(world->joints[1].needs_coordinates);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_is_its_formula),
        cmocka_unit_test(bounds_clamp_a_drive_and_the_sum_of_drives),
        cmocka_unit_test(rows_of_a_law_are_backward_euler),
        cmocka_unit_test(bounds_on_drives_and_on_their_sum_need_joint_coordinates),
        cmocka_unit_test(a_constant_drive_is_a_push_within_its_bounds),
        cmocka_unit_test(armature_and_springs_have_energy),
        cmocka_unit_test(a_balls_turn_counts_from_its_start),
        cmocka_unit_test(a_planar_series_holds_a_plane_and_has_three_coordinates),
        cmocka_unit_test(two_hinges_at_a_point_keep_the_angle_between_them),
        cmocka_unit_test(a_stacks_coordinates_are_found_from_its_poses),
        cmocka_unit_test(a_stack_without_rows_is_left_to_joint_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
