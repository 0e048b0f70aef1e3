/* SPDX-License-Identifier: MIT */
/* Contact, friction and torsion blocks: exact rows, exact conservation, and surfaces that roll. */
#include "model/contact.h"
#include "model/contact/block_contact.h"
#include "tests/support/build.h"

enum { STARTS = 40 };

static int add_body(World *world, Random *random, Shape shape, Vec3 x, Quat q)
{
    BodyDef def = build_random_def(random, "body");
    def.shape = shape;
    def.position = x;
    def.orientation = q;
    def.fixed = shape.kind == SHAPE_PLANE;
    def.density = def.fixed ? 0.0 : 1000.0;
    return build_body(world, &def);
}

static Shape random_shape(Random *random, ShapeKind kind)
{
    Shape shape = {.kind = kind, .radius = random_in(random, 0.2, 0.5), .length = random_in(random, 0.3, 1.0)};
    shape.size = random_sides(random, 0.3, 1.0);
    shape.normal = random_unit(random);
    return shape;
}

static int add_random_body(World *world, Random *random, ShapeKind kind)
{
    Quat q = random_quat(random);
    Vec3 x = random_vec3(random, 0.5);
    return add_body(world, random, random_shape(random, kind), x, q);
}

/* Two shapes that overlap a little, their contact blocks, and a pose some way on from detection. */
static World *touching_world(Random *random, ShapeKind kind1, ShapeKind kind2)
{
    for (;;) {
        World *world = world_create();
        world->collide = true;
        world->materials[0].patch_radius = 0.1;
        int one = add_random_body(world, random, kind1), two = add_random_body(world, random, kind2);
        world->contacts->reach = 0.0;
        assert_true(contacts_detect(world));
        if (world->contacts->manifold_count == 1) {
            assert_true(contacts_add_blocks(world));
            for (int i = one; i <= two; i++)
                if (!world_is_fixed(world, i)) {
                    world->pose[i].x = vec3_add(world->pose[i].x, random_vec3(random, 0.01));
                    world->pose[i].q = quat_mul(quat_exp(random_vec3(random, 0.03)), world->pose[i].q);
                    world->velocity[i] = (Velocity){random_vec3(random, 1.0), random_vec3(random, 1.0)};
                }
            world_begin_substep(world, 0.001);
            return world;
        }
        world_destroy(world);
    }
}

static const ShapeKind PAIRS[][2] = {
    {SHAPE_PLANE, SHAPE_BOX},      {SHAPE_SPHERE, SHAPE_PLANE},  {SHAPE_PLANE, SHAPE_CYLINDER},
    {SHAPE_BOX, SHAPE_BOX},        {SHAPE_SPHERE, SHAPE_SPHERE}, {SHAPE_SPHERE, SHAPE_BOX},
    {SHAPE_BOX, SHAPE_CAPSULE},    {SHAPE_CYLINDER, SHAPE_BOX},  {SHAPE_CAPSULE, SHAPE_CAPSULE},
    {SHAPE_CAPSULE, SHAPE_SPHERE},
};
enum { PAIR_COUNT = sizeof PAIRS / sizeof PAIRS[0] };

typedef void Check(World *, const Block *);

static void for_all_blocks(uint64_t seed, Check *check)
{
    Random random = {seed};
    for (int p = 0; p < PAIR_COUNT; p++)
        for (int start = 0; start < STARTS; start++) {
            World *world = touching_world(&random, PAIRS[p][0], PAIRS[p][1]);
            for (int b = 0; b < world->block_count; b++)
                check(world, &world->blocks[b]);
            world_destroy(world);
        }
}

/* Central difference of fourth order: truncation h^4 / 30 times fifth derivatives of up to 4!/0.03^4 (two cores 3 cm
 * apart), round-off 1e-16 / h. */
#define STEP 1e-4
#define TOLERANCE 1e-9

static const struct {
    double at, weight;
} STENCIL[4] = {{-2.0, 1.0 / 12.0}, {-1.0, -8.0 / 12.0}, {1.0, 8.0 / 12.0}, {2.0, -1.0 / 12.0}};

static void check_jacobian(World *world, const Block *block)
{
    Rows rows, moved;
    block_rows(world, block, &rows);
    assert_int_equal(rows.count, block_row_count(block->kind));
    for (int column = 0; column < ROW_WIDTH; column++) {
        int body = block->body[column / 6];
        if (world->bodies[body].fixed)
            continue;
        Pose pose = world->pose[body];
        double slope[BLOCK_MAX_ROWS] = {0};
        for (int s = 0; s < 4; s++) {
            build_move(world, body, column % 6, STENCIL[s].at * STEP);
            block_rows(world, block, &moved);
            world->pose[body] = pose;
            for (int row = 0; row < rows.count; row++)
                slope[row] += STENCIL[s].weight * moved.C[row] / STEP;
        }
        for (int row = 0; row < rows.count; row++)
            assert_near(rows.J[row][column], slope[row], TOLERANCE);
    }
}

static void jacobians_are_the_derivatives_of_the_errors(void **state)
{
    (void)state;
    for_all_blocks(0x1ac0b, check_jacobian);
}

static void check_bias(World *world, const Block *block)
{
    Pose before[3] = {world->pose[0], world->pose[1], world->pose[2]};
    double slope[BLOCK_MAX_ROWS] = {0}, k[BLOCK_MAX_ROWS];
    block_rows_bias(world, block, k);
    for (int s = 0; s < 4; s++) {
        Rows rows;
        build_drift(world, STENCIL[s].at * STEP);
        block_rows(world, block, &rows);
        for (int i = 0; i < 3; i++)
            world->pose[i] = before[i];
        for (int row = 0; row < rows.count; row++)
            for (int body = 0; body < 2; body++) {
                const double *J = rows.J[row] + 6 * body;
                Velocity V = world->velocity[block->body[body]];
                double rate = vec3_dot(vec3(J[0], J[1], J[2]), V.v) + vec3_dot(vec3(J[3], J[4], J[5]), V.w);
                slope[row] += STENCIL[s].weight * rate / STEP;
            }
    }
    /* Rates of rows: one derivative more, so 1/0.03 more. */
    for (int row = 0; row < block_row_count(block->kind); row++)
        assert_near(k[row], slope[row], TOLERANCE / 0.03);
}

static void biases_are_the_rates_of_the_rows(void **state)
{
    (void)state;
    for_all_blocks(0xb1a5, check_bias);
}

static Vec3 row_vector(const double *row)
{
    return vec3(row[0], row[1], row[2]);
}

/* Also a good way off the pose of detection, where the surface points have slid apart. */
static void check_momentum(World *world, const Block *block)
{
    Rows rows;
    block_rows(world, block, &rows);
    for (int row = 0; row < rows.count; row++) {
        const double *J = rows.J[row];
        assert_vec3_near(vec3_add(row_vector(J), row_vector(J + 6)), VEC3_ZERO, 0.0);
        Vec3 moment = vec3_add(row_vector(J + 3), row_vector(J + 9));
        moment = vec3_add(moment, vec3_cross(world->pose[block->body[0]].x, row_vector(J)));
        moment = vec3_add(moment, vec3_cross(world->pose[block->body[1]].x, row_vector(J + 6)));
        assert_vec3_near(moment, VEC3_ZERO, 1e-15);
    }
}

static void rows_keep_momentum_and_angular_momentum(void **state)
{
    (void)state;
    for_all_blocks(0x303e, check_momentum);
}

static void check_error(World *world, const Block *block)
{
    Rows rows;
    BlockError error;
    block_rows(world, block, &rows);
    block_error(world, block, &error);
    if (block->kind == BLOCK_FRICTION) {
        ContactFrame frame = contact_frame(world, block);
        assert_false(error.scalar);
        assert_near(vec3_dot(error.error, frame.n), 0.0, 1e-15);
        assert_near(vec3_dot(error.error, frame.t1), rows.C[0], 1e-15);
        assert_near(vec3_dot(error.error, frame.t2), rows.C[1], 1e-15);
        assert_near(vec3_dot(vec3_cross(frame.t1, frame.t2), frame.n), 1.0, 1e-14);
    } else {
        assert_true(error.scalar);
        assert_near(error.C, rows.C[0], 0.0);
        assert_int_equal(error.angular, block->kind == BLOCK_TORSION);
    }
    assert_int_equal(block_is_limit(block), block->kind == BLOCK_CONTACT);
    double violation = block->kind == BLOCK_CONTACT ? fmax(0.0, -error.C) : 0.0;
    assert_near(block_violation(world, block), violation, 0.0);
    assert_near(rows.lower[0], block->kind == BLOCK_CONTACT ? 0.0 : -INFINITY, 0.0);
    assert_near(rows.upper[0], INFINITY, 0.0);
}

static void the_error_says_the_same_as_the_rows(void **state)
{
    (void)state;
    for_all_blocks(0xe4404, check_error);
}

static void at_detection_c_is_the_gap_and_nothing_has_slipped(void **state)
{
    (void)state;
    Random random = {0x6a9};
    for (int start = 0; start < STARTS * PAIR_COUNT; start++) {
        World *world = touching_world(&random, PAIRS[start % PAIR_COUNT][0], PAIRS[start % PAIR_COUNT][1]);
        assert_true(contacts_detect(world));
        assert_true(contacts_add_blocks(world));
        for (size_t m = 0, b = 0; m < world->contacts->manifold_count; m++, b++) {
            const Manifold *manifold = &world->contacts->manifolds[m];
            for (int i = 0; i < manifold->count; i++, b += 2) {
                Rows rows;
                block_rows(world, &world->blocks[b], &rows);
                assert_near(rows.C[0], manifold->point[i].gap, 1e-12);
                block_rows(world, &world->blocks[b + 1], &rows);
                assert_near(rows.C[0], 0.0, 1e-14); /* round-off of turning there and back over 1 m */
                assert_near(rows.C[1], 0.0, 1e-14);
            }
        }
        world_destroy(world);
    }
}

/* A sphere, or a cylinder on its side, that turns about its axis over a plane neither rises nor sinks, and slips by as
 * much as its surface turned. */
static void a_rolling_body_keeps_its_gap(void **state)
{
    (void)state;
    Random random = {0x4011};
    for (int kind = 0; kind < 2; kind++) {
        World *world = world_create();
        world->collide = true;
        double angle = 0.2, radius = 0.3;
        Shape plane = {.kind = SHAPE_PLANE, .normal = {0, 1, 0}};
        Shape round = {.kind = kind ? SHAPE_CYLINDER : SHAPE_SPHERE, .radius = radius, .length = 0.8};
        Quat lying = quat_axis_angle(vec3(1, 0, 0), 0.5 * PI);
        add_body(world, &random, plane, VEC3_ZERO, QUAT_IDENTITY);
        int body = add_body(world, &random, round, vec3(0, radius - 0.001, 0), lying);
        assert_true(contacts_detect(world));
        assert_true(contacts_add_blocks(world));
        world_begin_substep(world, 0.01);
        world->pose[body].q = quat_mul(quat_axis_angle(vec3(0, 0, 1), angle), world->pose[body].q);
        assert_int_equal(world->block_count, kind ? 4 : 2);
        for (int b = 0; b < world->block_count; b += 2) {
            Rows normal;
            BlockError slip;
            block_rows(world, &world->blocks[b], &normal);
            block_error(world, &world->blocks[b + 1], &slip);
            assert_near(normal.C[0], -0.001, 1e-12);
            /* The material under the body moves along +x by the sine of the turn. */
            assert_vec3_near(slip.error, vec3(radius * sin(angle), 0, 0), 1e-12);
        }
        world_destroy(world);
    }
}

static void torsion_counts_the_spin_of_the_substep(void **state)
{
    (void)state;
    Random random = {0x7025};
    World *world = world_create();
    world->collide = true;
    world->materials[0].patch_radius = 0.1;
    Shape plane = {.kind = SHAPE_PLANE, .normal = {0, 1, 0}},
          disc = {.kind = SHAPE_CYLINDER, .radius = 0.1, .length = 0.02};
    add_body(world, &random, plane, VEC3_ZERO, QUAT_IDENTITY);
    int body = add_body(world, &random, disc, vec3(0, 0.0099, 0), QUAT_IDENTITY);
    assert_true(contacts_detect(world));
    assert_true(contacts_add_blocks(world));
    assert_int_equal(world->block_count, 9);
    world_begin_substep(world, 0.01);
    world->pose[body].q = quat_mul(quat_axis_angle(vec3(0, 1, 0), 0.07), world->pose[body].q);
    Rows rows;
    block_rows(world, &world->blocks[8], &rows);
    assert_near(rows.C[0], 0.07, 1e-15);
    assert_vec3_near(row_vector(rows.J[0] + 9), vec3(0, 1, 0), 1e-15);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_the_derivatives_of_the_errors),
        cmocka_unit_test(biases_are_the_rates_of_the_rows),
        cmocka_unit_test(rows_keep_momentum_and_angular_momentum),
        cmocka_unit_test(the_error_says_the_same_as_the_rows),
        cmocka_unit_test(at_detection_c_is_the_gap_and_nothing_has_slipped),
        cmocka_unit_test(a_rolling_body_keeps_its_gap),
        cmocka_unit_test(torsion_counts_the_spin_of_the_substep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
