#include "model/joint.h"
#include "tests/box_mesh.h"
#include "tests/build.h"

#define ROUND_OFF 1e-13

enum { MAX_BLOCKS = 4, TRIALS = 20, NONE = -1 };

typedef void Fill(JointDef *def);

static void fill_nothing(JointDef *def)
{
    (void)def;
}

static void fill_no_length(JointDef *def)
{
    def->rest = 0.0;
}

static void fill_swing(JointDef *def)
{
    def->swing_max = 0.6;
}

static void fill_swing_and_twist(JointDef *def)
{
    def->swing_max = 0.6;
    def->twist_min = -0.3;
    def->twist_max = 0.9;
}

static void fill_twist_max(JointDef *def)
{
    def->twist_max = 0.9;
}

static void fill_angles(JointDef *def)
{
    def->angle_min = -0.4;
    def->angle_max = 1.1;
}

static void fill_speed(JointDef *def)
{
    def->speed = 2.5;
    def->max_torque = 30.0;
}

static void fill_torque(JointDef *def)
{
    def->torque = 4.2;
}

static void fill_positions(JointDef *def)
{
    def->position_min = -0.7;
    def->position_max = 0.2;
}

static void fill_force(JointDef *def)
{
    def->force = 3.9;
}

static void fill_target(JointDef *def)
{
    def->target = 0.0;
}

static void fill_target_and_angle(JointDef *def)
{
    def->target = 0.0;
    def->angle = 0.0;
}

/* A joint, the blocks it must make, and which of them its compliance softens. */
static const struct {
    JointType type;
    Fill *fill;
    int count;
    BlockKind kinds[MAX_BLOCKS];
    int soft;
} CASES[] = {
    {JOINT_FIXED, fill_nothing, 2, {BLOCK_ATTACH, BLOCK_ORIENT}, 0},
    {JOINT_DISTANCE, fill_nothing, 1, {BLOCK_DISTANCE}, 0},
    {JOINT_BALL, fill_nothing, 1, {BLOCK_ATTACH}, 0},
    {JOINT_BALL, fill_swing, 2, {BLOCK_ATTACH, BLOCK_SWING}, 0},
    {JOINT_BALL, fill_twist_max, 2, {BLOCK_ATTACH, BLOCK_TWIST}, 0},
    {JOINT_BALL, fill_swing_and_twist, 3, {BLOCK_ATTACH, BLOCK_SWING, BLOCK_TWIST}, 0},
    {JOINT_HINGE, fill_nothing, 2, {BLOCK_ATTACH, BLOCK_ALIGN}, 0},
    {JOINT_HINGE, fill_angles, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_SERVO, fill_nothing, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 2},
    {JOINT_MOTOR, fill_speed, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_MOTOR, fill_torque, 2, {BLOCK_ATTACH, BLOCK_ALIGN}, 0},
    {JOINT_PRISMATIC, fill_nothing, 3, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_PRISMATIC, fill_positions, 4, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE, BLOCK_TWIST}, 0},
    {JOINT_CYLINDER, fill_force, 2, {BLOCK_GUIDE, BLOCK_ALIGN}, NONE},
    {JOINT_CYLINDER, fill_target, 3, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE}, 2},
    {JOINT_CYLINDER, fill_target_and_angle, 4, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE, BLOCK_TWIST}, 2},
    {JOINT_WIRE, fill_nothing, 1, {BLOCK_WIRE}, 0},
    {JOINT_VOLUME, fill_nothing, 1, {BLOCK_VOLUME}, 0},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

/* Two boxes and four particles anywhere. */
static World *make_world(Random *random)
{
    World *world = world_create();
    assert_non_null(world);
    build_random_box(world, random, "one");
    build_random_box(world, random, "two");
    for (int i = 0; i < 4; i++)
        build_random_particle(world, random, "particle");
    return world;
}

/* Somewhere, along some axis; a wire's anchor lies on its circle, a distance spans two anchors. */
static JointDef make_def(Random *random, int which)
{
    JointDef def = joint_def(CASES[which].type, 1, 2);
    def.name = "joint";
    def.anchor[0] = random_vec3(random, 1.0);
    def.axis = vec3_scale(random_in(random, 0.5, 2.0), random_unit(random));
    def.normal = random_unit(random);
    if (def.type == JOINT_VOLUME)
        for (int i = 0; i < 4; i++)
            def.body[i] = 3 + i;
    if (def.type == JOINT_DISTANCE) {
        def.local_anchors = true;
        def.anchor[1] = random_vec3(random, 0.5);
    }
    if (def.type == JOINT_WIRE) {
        Vec3 out = vec3_any_normal(vec3_unit(def.axis));
        def.radius = random_in(random, 0.4, 1.2);
        def.centre = vec3_add_scaled(def.anchor[0], -def.radius, out);
    }
    CASES[which].fill(&def);
    return def;
}

static void each_type_makes_its_list_of_blocks_and_softens_one(void **state)
{
    (void)state;
    Random random = {201};
    for (int i = 0; i < CASE_COUNT; i++) {
        World *world = make_world(&random);
        JointDef def = make_def(&random, i);
        def.compliance = 0.0123;
        const Joint *joint = build_joint(world, &def);
        assert_int_equal(joint->block_count, CASES[i].count);
        assert_int_equal(world->joint_block_count, CASES[i].count);
        for (int b = 0; b < CASES[i].count; b++) {
            const Block *block = &world->blocks[joint->first_block + b];
            assert_int_equal(block->kind, CASES[i].kinds[b]);
            assert_int_equal(block->joint, 0);
            assert_near(block->compliance, b == CASES[i].soft ? 0.0123 : 0.0, 0.0);
        }
        world_destroy(world);
    }
}

static void every_joint_is_satisfied_as_placed(void **state)
{
    (void)state;
    Random random = {202};
    for (int trial = 0; trial < TRIALS; trial++)
        for (int i = 0; i < CASE_COUNT; i++) {
            World *world = make_world(&random);
            JointDef def = make_def(&random, i);
            const Joint *joint = build_joint(world, &def);
            for (int b = 0; b < joint->block_count; b++)
                assert_near(block_violation(world, &world->blocks[b]), 0.0, ROUND_OFF * 10.0);
            assert_near(joint_angle(world, joint), 0.0, ROUND_OFF);
            if (def.type != JOINT_WIRE && def.type != JOINT_DISTANCE && def.type != JOINT_VOLUME)
                assert_near(joint_position(world, joint), 0.0, ROUND_OFF);
            world_destroy(world);
        }
}

static void distance_without_length_is_an_attachment(void **state)
{
    (void)state;
    Random random = {203};
    World *world = make_world(&random);
    JointDef def = joint_def(JOINT_DISTANCE, 1, 2);
    def.name = "joint";
    def.local_anchors = true;
    fill_no_length(&def);
    build_joint(world, &def);
    assert_int_equal(world->blocks[0].kind, BLOCK_ATTACH);
    world_destroy(world);
}

static void rope_pulls_only_and_rests_as_placed_or_as_told(void **state)
{
    (void)state;
    Random random = {204};
    World *world = make_world(&random);
    JointDef def = joint_def(JOINT_DISTANCE, 1, 2);
    def.local_anchors = true;
    def.one_sided = true;
    build_joint(world, &def);
    assert_near(world->blocks[0].rest, vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x)), ROUND_OFF);
    assert_true(block_is_limit(&world->blocks[0]));
    def.rest = 1.625;
    build_joint(world, &def);
    assert_near(world->blocks[1].rest, 1.625, 0.0);
    world_destroy(world);
}

static void volume_rest_is_a_volume(void **state)
{
    (void)state;
    Random random = {205};
    World *world = make_world(&random);
    JointDef def = make_def(&random, CASE_COUNT - 1);
    def.rest = 0.25;
    build_joint(world, &def);
    assert_near(world->blocks[0].rest, 6.0 * 0.25, 0.0);
    world_destroy(world);
}

static void world_anchor_and_local_anchors_make_the_same_joint(void **state)
{
    (void)state;
    Random random = {206};
    World *world = make_world(&random);
    Vec3 at = random_vec3(&random, 1.0);
    JointDef def = joint_def(JOINT_BALL, 1, 2), local = def;
    def.anchor[0] = at;
    local.local_anchors = true;
    for (int i = 0; i < 2; i++) {
        const BodyDef *body = &world->bodies[1 + i];
        local.anchor[i] = quat_rotate_inverse(body->orientation, vec3_sub(at, body->position));
    }
    const Joint *one = build_joint(world, &def);
    const Joint *two = build_joint(world, &local);
    for (int i = 0; i < 2; i++)
        assert_vec3_near(one->anchor[i], two->anchor[i], ROUND_OFF);
    world_destroy(world);
}

static void drives_carry_target_speed_and_bound(void **state)
{
    (void)state;
    Random random = {207};
    World *world = make_world(&random);
    JointDef servo = joint_def(JOINT_SERVO, 1, 2), motor = joint_def(JOINT_MOTOR, 1, 2);
    servo.target = 2.967; /* 170 degrees */
    servo.max_torque = 12.5;
    fill_speed(&motor);
    build_joint(world, &servo);
    build_joint(world, &motor);
    const Block *angle = &world->blocks[2], *spin = &world->blocks[5];
    Rows rows;
    block_rows(world, angle, &rows);
    assert_near(rows.C[0], -2.967, ROUND_OFF);
    assert_near(rows.upper[0], 12.5, 0.0);
    assert_near(rows.lower[0], -12.5, 0.0);
    assert_true(angle->actuator && !angle->driven);
    assert_true(spin->actuator && spin->driven);
    assert_near(spin->speed, 2.5, 0.0);
    assert_near(spin->max_force, 30.0, 0.0);
    world_destroy(world);
}

static void a_soft_drive_is_a_spring_and_no_actuator(void **state)
{
    (void)state;
    Random random = {208};
    World *world = make_world(&random);
    JointDef servo = joint_def(JOINT_SERVO, 1, 2), cylinder = joint_def(JOINT_CYLINDER, 1, 2);
    servo.compliance = cylinder.compliance = 0.01;
    fill_target(&cylinder);
    build_joint(world, &servo);
    build_joint(world, &cylinder);
    assert_false(world->blocks[2].actuator);
    assert_false(world->blocks[5].actuator);
    world_destroy(world);
}

static void angle_and_position_are_body_2_against_body_1s_axis(void **state)
{
    (void)state;
    Random random = {209};
    for (int trial = 0; trial < TRIALS; trial++) {
        World *world = make_world(&random);
        JointDef def = joint_def(JOINT_CYLINDER, 1, 2);
        def.anchor[0] = random_vec3(&random, 1.0);
        def.axis = random_unit(&random);
        def.force = 1.0;
        const Joint *joint = build_joint(world, &def);
        /* Turn about the axis through the anchor, then shift along it. */
        Quat turn = quat_axis_angle(def.axis, 0.7);
        Vec3 arm = quat_rotate(turn, vec3_sub(world->pose[2].x, def.anchor[0]));
        world->pose[2].q = quat_mul(turn, world->pose[2].q);
        world->pose[2].x = vec3_add_scaled(vec3_add(def.anchor[0], arm), 0.45, def.axis);
        assert_near(joint_angle(world, joint), 0.7, ROUND_OFF);
        assert_near(joint_position(world, joint), 0.45, ROUND_OFF);
        world_destroy(world);
    }
}

static void angle_counts_whole_turns_with_and_without_limits(void **state)
{
    (void)state;
    Random random = {210};
    World *world = make_world(&random);
    JointDef hinge = joint_def(JOINT_HINGE, 1, 2), limited = hinge;
    hinge.axis = limited.axis = random_unit(&random);
    fill_angles(&limited);
    const Joint *joints[2] = {build_joint(world, &hinge), build_joint(world, &limited)};
    for (int i = 1; i <= 30; i++) {
        world_begin_substep(world, 0.01);
        world->pose[2].q = quat_mul(quat_axis_angle(hinge.axis, -0.9), world->pose[2].q);
        world_end_substep(world, 0.01);
        for (int k = 0; k < 2; k++)
            assert_near(joint_angle(world, joints[k]), -0.9 * i, 100.0 * ROUND_OFF);
    }
    world_destroy(world);
}

/* Erratum 28: a positive force extends a1.(p2 - p1). */
static void actuators_act_along_body_1s_axis_on_body_2(void **state)
{
    (void)state;
    Random random = {211};
    World *world = make_world(&random);
    JointDef cylinder = joint_def(JOINT_CYLINDER, 1, 2), motor = joint_def(JOINT_MOTOR, 1, 2);
    JointDef hinge = joint_def(JOINT_HINGE, 1, 2);
    cylinder.axis = motor.axis = random_unit(&random);
    fill_force(&cylinder);
    fill_torque(&motor);
    const Joint *c = build_joint(world, &cylinder), *m = build_joint(world, &motor), *h = build_joint(world, &hinge);
    Quat turn = random_quat(&random);
    world->pose[1].q = quat_mul(turn, world->pose[1].q); /* the axis goes with body 1 */
    Vec3 axis = quat_rotate(turn, cylinder.axis), force, torque;
    joint_actuation(world, c, &force, &torque);
    assert_vec3_near(force, vec3_scale(3.9, axis), ROUND_OFF);
    assert_vec3_near(torque, VEC3_ZERO, 0.0);
    joint_actuation(world, m, &force, &torque);
    assert_vec3_near(force, VEC3_ZERO, 0.0);
    assert_vec3_near(torque, vec3_scale(4.2, axis), ROUND_OFF);
    assert_true(joint_has_actuator(c) && joint_has_actuator(m));
    assert_false(joint_has_actuator(h));
    world_destroy(world);
}

/* A rigid point does not move, so it is not damped; a compliant one is. */
static const struct {
    JointType type;
    DampingForm rigid, soft, angular;
} DAMPING[] = {
    {JOINT_FIXED, DAMPING_NONE, DAMPING_NONE, DAMPING_NONE},
    {JOINT_DISTANCE, DAMPING_AXIS, DAMPING_AXIS, DAMPING_VECTOR},
    {JOINT_BALL, DAMPING_NONE, DAMPING_VECTOR, DAMPING_VECTOR},
    {JOINT_HINGE, DAMPING_NONE, DAMPING_VECTOR, DAMPING_AXIS},
    {JOINT_SERVO, DAMPING_NONE, DAMPING_NONE, DAMPING_AXIS},
    {JOINT_MOTOR, DAMPING_NONE, DAMPING_VECTOR, DAMPING_AXIS},
    {JOINT_PRISMATIC, DAMPING_AXIS, DAMPING_AXIS, DAMPING_AXIS},
    {JOINT_CYLINDER, DAMPING_AXIS, DAMPING_AXIS, DAMPING_AXIS},
    {JOINT_WIRE, DAMPING_AXIS, DAMPING_AXIS, DAMPING_VECTOR},
};

static void damping_acts_where_a_joint_is_free(void **state)
{
    (void)state;
    Random random = {212};
    for (size_t i = 0; i < sizeof DAMPING / sizeof DAMPING[0]; i++)
        for (int soft = 0; soft < 2; soft++) {
            World *world = make_world(&random);
            int which = 0;
            while (CASES[which].type != DAMPING[i].type)
                which++;
            JointDef def = make_def(&random, which);
            def.damping = 0.8;
            def.angular_damping = 1.3;
            def.compliance = soft ? 0.01 : 0.0;
            const Joint *joint = build_joint(world, &def);
            JointDamping damping;
            joint_damping(world, joint, &damping);
            assert_int_equal(damping.linear, soft ? DAMPING[i].soft : DAMPING[i].rigid);
            assert_int_equal(damping.angular, DAMPING[i].angular);
            assert_near(damping.linear_rate, 0.8, 0.0);
            assert_near(damping.angular_rate, 1.3, 0.0);
            assert_vec3_near(damping.angular_axis, vec3_unit(def.axis), ROUND_OFF);
            world_destroy(world);
        }
}

static void no_rate_is_no_damping(void **state)
{
    (void)state;
    Random random = {213};
    World *world = make_world(&random);
    JointDef def = joint_def(JOINT_DISTANCE, 1, 2);
    def.local_anchors = true;
    JointDamping damping;
    joint_damping(world, build_joint(world, &def), &damping);
    assert_int_equal(damping.linear, DAMPING_NONE);
    assert_int_equal(damping.angular, DAMPING_NONE);
    world_destroy(world);
}

/* Whatever the form, the pair of forces along the axis has no total torque: both arms end on one line. */
static void damping_along_an_axis_keeps_angular_momentum(void **state)
{
    (void)state;
    Random random = {214};
    static const JointType TYPES[] = {JOINT_DISTANCE, JOINT_PRISMATIC, JOINT_CYLINDER, JOINT_WIRE};
    for (int i = 0; i < 4; i++) {
        World *world = make_world(&random);
        JointDef def = joint_def(TYPES[i], 1, 2);
        def.axis = random_unit(&random);
        def.anchor[0] = random_vec3(&random, 1.0);
        def.anchor[1] = random_vec3(&random, 1.0);
        def.local_anchors = true;
        def.damping = 1.0;
        def.radius = 1.0;
        def.centre = random_vec3(&random, 1.0);
        def.target = 0.0;
        const Joint *joint = build_joint(world, &def);
        build_scatter(world, &random);
        JointDamping damping;
        joint_damping(world, joint, &damping);
        assert_near(vec3_norm(damping.axis), 1.0, ROUND_OFF);
        Vec3 at1 = vec3_add(world->pose[1].x, damping.arm1), at2 = vec3_add(world->pose[2].x, damping.arm2);
        assert_vec3_near(vec3_cross(vec3_sub(at2, at1), damping.axis), VEC3_ZERO, ROUND_OFF);
        if (TYPES[i] == JOINT_WIRE) { /* along the circle's tangent */
            Vec3 a = quat_rotate(world->pose[1].q, joint->axis[0]);
            Vec3 centre = world_point(world, 1, joint->anchor[0]);
            assert_near(vec3_dot(damping.axis, a), 0.0, ROUND_OFF);
            assert_near(vec3_dot(damping.axis, vec3_sub(at2, centre)), 0.0, ROUND_OFF);
        }
        world_destroy(world);
    }
}

/* The same solid as a box in its own frame, and as a mesh whose frame is turned by `frame` against the box's. */
static World *make_transparent(Random random, Mesh *mesh[2], const Quat frame[2], const Vec3 size[2])
{
    World *world = world_create();
    for (int i = 0; i < 2; i++) {
        BodyDef def = build_random_def(&random, "body");
        def.density = 2.2;
        if (mesh) {
            def.shape = (Shape){.kind = SHAPE_MESH, .mesh = mesh[i]};
            def.orientation = quat_mul(def.orientation, quat_conj(frame[i]));
        } else {
            def.shape = (Shape){.kind = SHAPE_BOX, .size = size[i]};
        }
        build_body(world, &def);
    }
    return world;
}

static void assert_same_rows(const World *a, const World *b)
{
    assert_int_equal(a->block_count, b->block_count);
    for (int k = 0; k < a->block_count; k++) {
        Rows one, two;
        block_rows(a, &a->blocks[k], &one);
        block_rows(b, &b->blocks[k], &two);
        assert_int_equal(one.count, two.count);
        for (int r = 0; r < one.count; r++) {
            if (a->blocks[k].kind != BLOCK_ORIENT) /* its rows are along body 1's own axes */
                assert_near(one.C[r], two.C[r], 10.0 * ROUND_OFF);
            for (int c = 0; c < ROW_WIDTH && a->blocks[k].kind != BLOCK_ORIENT; c++)
                assert_near(one.J[r][c], two.J[r][c], 10.0 * ROUND_OFF);
        }
        assert_near(block_violation(a, &a->blocks[k]), block_violation(b, &b->blocks[k]), 10.0 * ROUND_OFF);
    }
}

static void turning_to_principal_axes_changes_no_joint(void **state)
{
    (void)state;
    Random random = {215};
    for (int trial = 0; trial < TRIALS; trial++)
        for (int i = 0; i < CASE_COUNT; i++) {
            if (CASES[i].type == JOINT_VOLUME)
                continue;
            const Quat frame[2] = {random_quat(&random), random_quat(&random)};
            const Vec3 size[2] = {{0.4, 1.3, 0.9}, {1.1, 0.3, 0.6}};
            Mesh *mesh[2];
            for (int k = 0; k < 2; k++)
                mesh[k] = box_mesh(size[k], frame[k], random_vec3(&random, 1.0));
            World *plain = make_transparent(random, NULL, frame, size);
            World *turned = make_transparent(random, mesh, frame, size);
            JointDef def = make_def(&random, i), in_frames = def;
            if (def.local_anchors)
                for (int k = 0; k < 2; k++)
                    in_frames.anchor[k] = quat_rotate(frame[k], def.anchor[k]);
            build_joint(plain, &def);
            build_joint(turned, &in_frames);
            assert_same_rows(plain, turned);
            for (int body = 1; body <= 2; body++)
                for (int freedom = 0; freedom < 6; freedom++) {
                    double step = random_in(&random, -0.4, 0.4);
                    build_move(plain, body, freedom, step);
                    build_move(turned, body, freedom, step);
                }
            assert_same_rows(plain, turned);
            world_destroy(plain);
            world_destroy(turned);
            for (int k = 0; k < 2; k++)
                mesh_destroy(mesh[k]);
        }
}

static void an_empty_range_is_refused_and_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    Random random = {216};
    World *world = make_world(&random);
    JointDef def = joint_def(JOINT_HINGE, 1, 2);
    def.name = "elbow";
    def.angle_min = 0.5;
    def.angle_max = 0.4;
    Status status = {0};
    assert_int_equal(world_add_joint(world, &def, &status), -1);
    assert_string_equal(status.message, "joint elbow: the range 0.5 .. 0.4 is empty");
    assert_int_equal(world->joint_count, 0);
    assert_int_equal(world->block_count, 0);
    assert_int_equal(world->joint_block_count, 0);
    world_destroy(world);
}

static void normals_form_a_right_handed_frame_with_the_axis(void **state)
{
    (void)state;
    Random random = {217};
    for (int trial = 0; trial < TRIALS; trial++) {
        World *world = make_world(&random);
        JointDef def = joint_def(JOINT_HINGE, 1, 2);
        def.axis = random_unit(&random);
        /* Not given, given, and given along the axis, where it says nothing. */
        def.normal = trial % 3 == 0 ? VEC3_ZERO : trial % 3 == 1 ? random_unit(&random) : def.axis;
        build_joint(world, &def);
        const Block *block = &world->blocks[0];
        Vec3 a = block->axis[0], b = block->normal[0], c = block->normal[1];
        assert_near(vec3_norm(b), 1.0, ROUND_OFF);
        assert_near(vec3_dot(a, b), 0.0, ROUND_OFF);
        assert_vec3_near(vec3_cross(a, b), c, ROUND_OFF);
        if (trial % 3 == 1)
            assert_true(vec3_dot(quat_rotate(world->pose[1].q, b), def.normal) > 0.0);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_makes_its_list_of_blocks_and_softens_one),
        cmocka_unit_test(every_joint_is_satisfied_as_placed),
        cmocka_unit_test(distance_without_length_is_an_attachment),
        cmocka_unit_test(rope_pulls_only_and_rests_as_placed_or_as_told),
        cmocka_unit_test(volume_rest_is_a_volume),
        cmocka_unit_test(world_anchor_and_local_anchors_make_the_same_joint),
        cmocka_unit_test(drives_carry_target_speed_and_bound),
        cmocka_unit_test(a_soft_drive_is_a_spring_and_no_actuator),
        cmocka_unit_test(angle_and_position_are_body_2_against_body_1s_axis),
        cmocka_unit_test(angle_counts_whole_turns_with_and_without_limits),
        cmocka_unit_test(actuators_act_along_body_1s_axis_on_body_2),
        cmocka_unit_test(damping_acts_where_a_joint_is_free),
        cmocka_unit_test(no_rate_is_no_damping),
        cmocka_unit_test(damping_along_an_axis_keeps_angular_momentum),
        cmocka_unit_test(turning_to_principal_axes_changes_no_joint),
        cmocka_unit_test(an_empty_range_is_refused_and_leaves_the_world_as_it_was),
        cmocka_unit_test(normals_form_a_right_handed_frame_with_the_axis),
    };
    return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}
