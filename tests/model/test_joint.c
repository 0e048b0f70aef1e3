/* SPDX-License-Identifier: MIT */
/* What a joint is made of: its list of blocks, where they are placed, and that no frame of a body shows through. */
#include "tests/model/joint_cases.h"
#include "tests/support/box_mesh.h"

static void each_type_makes_its_list_of_blocks_and_softens_one(void **state)
{
    (void)state;
    Random random = {201};
    for (int i = 0; i < CASE_COUNT; i++) {
        World *world = build_random_world(&random);
        JointDef def = make_def(&random, i);
        def.compliance = 0.0123;
        const Joint *joint = build_joint(world, &def);
        assert_int_equal(joint->block_count, CASES[i].count);
        assert_int_equal(world->joint_block_count, CASES[i].count);
        for (int b = 0; b < CASES[i].count; b++) {
            const Block *block = &world->blocks[joint->first_block + b];
            assert_int_equal(block->kind, CASES[i].kinds[b]);
            assert_int_equal(block->joint, 0);
            assert_near(block_terms(block)->compliance, b == CASES[i].soft ? 0.0123 : 0.0, 0.0);
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
            World *world = build_random_world(&random);
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
    World *world = build_random_world(&random);
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
    World *world = build_random_world(&random);
    JointDef def = joint_def(JOINT_DISTANCE, 1, 2);
    def.local_anchors = true;
    def.one_sided = true;
    build_joint(world, &def);
    assert_near(world->blocks[0].seat->rest, vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x)), ROUND_OFF);
    assert_true(block_is_limit(&world->blocks[0]));
    def.rest = 1.625;
    build_joint(world, &def);
    assert_near(world->blocks[1].seat->rest, 1.625, 0.0);
    world_destroy(world);
}

static void volume_rest_is_a_volume(void **state)
{
    (void)state;
    Random random = {205};
    World *world = build_random_world(&random);
    JointDef def = make_def(&random, CASE_COUNT - 1);
    def.rest = 0.25;
    build_joint(world, &def);
    assert_near(world->blocks[0].seat->rest, 6.0 * 0.25, 0.0);
    world_destroy(world);
}

static void world_anchor_and_local_anchors_make_the_same_joint(void **state)
{
    (void)state;
    Random random = {206};
    World *world = build_random_world(&random);
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
    World *world = build_random_world(&random);
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
        World *world = build_random_world(&random);
        JointDef def = joint_def(JOINT_HINGE, 1, 2);
        def.axis = random_unit(&random);
        /* Not given, given, and given along the axis, where it says nothing. */
        def.normal = trial % 3 == 0 ? VEC3_ZERO : trial % 3 == 1 ? random_unit(&random) : def.axis;
        build_joint(world, &def);
        const Block *block = &world->blocks[0];
        Vec3 a = block_terms(block)->axis[0], b = block->seat->normal[0], c = block->seat->normal[1];
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
        cmocka_unit_test(turning_to_principal_axes_changes_no_joint),
        cmocka_unit_test(an_empty_range_is_refused_and_leaves_the_world_as_it_was),
        cmocka_unit_test(normals_form_a_right_handed_frame_with_the_axis),
    };
    return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}
