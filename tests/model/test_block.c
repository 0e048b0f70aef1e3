/* SPDX-License-Identifier: MIT */
/* The rows of every kind: J against a finite difference of C, k against one of J V, C against its definition, bounds,
 * violation, and the momentum that a row's force pair keeps. */
#include "tests/model/block_cases.h"

/* Column c of J: which body, and which of its degrees of freedom. */
static int column_body(const Block *block, int c)
{
    return block->body[block->kind == BLOCK_VOLUME ? c / 3 : c / 6];
}

static int column_freedom(const Block *block, int c)
{
    return block->kind == BLOCK_VOLUME ? c % 3 : c % 6;
}

static void check_jacobian(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    Rows rows, plus, minus;
    block_rows(world, block, &rows);
    assert_int_equal(rows.count, block_row_count(block->kind));
    for (int c = 0; c < ROW_WIDTH; c++) {
        int body = column_body(block, c), freedom = column_freedom(block, c);
        Pose kept = world->pose[body];
        build_move(world, body, freedom, DIFFERENCE_STEP);
        block_rows(world, block, &plus);
        world->pose[body] = kept;
        build_move(world, body, freedom, -DIFFERENCE_STEP);
        block_rows(world, block, &minus);
        world->pose[body] = kept;
        for (int r = 0; r < rows.count; r++)
            assert_near(rows.J[r][c], (plus.C[r] - minus.C[r]) / (2.0 * DIFFERENCE_STEP), DIFFERENCE_TOLERANCE);
    }
}

static void jacobian_is_the_derivative_of_the_error(void **state)
{
    (void)state;
    for_all_cases(check_jacobian, 101);
}

/* J V with the velocities of the world. */
static void row_rates(const World *world, const Block *block, double rate[BLOCK_MAX_ROWS])
{
    Rows rows;
    block_rows(world, block, &rows);
    for (int r = 0; r < rows.count; r++) {
        rate[r] = 0.0;
        for (int c = 0; c < ROW_WIDTH; c++) {
            const Velocity *u = &world->velocity[column_body(block, c)];
            int freedom = column_freedom(block, c);
            rate[r] += rows.J[r][c] * vec3_get(freedom < 3 ? u->v : u->w, freedom % 3);
        }
    }
}

static void check_bias(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    double k[BLOCK_MAX_ROWS], before[BLOCK_MAX_ROWS], after[BLOCK_MAX_ROWS];
    block_rows_bias(world, block, k);
    build_drift(world, -DIFFERENCE_STEP);
    row_rates(world, block, before);
    build_drift(world, 2.0 * DIFFERENCE_STEP);
    row_rates(world, block, after);
    for (int r = 0; r < block_row_count(block->kind); r++)
        /* One derivative more than for J: third derivatives of order 100. */
        assert_near(k[r], (after[r] - before[r]) / (2.0 * DIFFERENCE_STEP), 10.0 * DIFFERENCE_TOLERANCE);
}

static void bias_is_the_rate_of_J_V_at_constant_velocity(void **state)
{
    (void)state;
    for_all_cases(check_bias, 102);
}

/* The error as the header states it, by matrices. */
static int stated_error(const World *world, const Block *block, double C[BLOCK_MAX_ROWS])
{
    Vec3 d = span_of(world, block), a1 = axis_of(world, block, 0), a2 = axis_of(world, block, 1);
    Vec3 b1 = world_direction(world, block->body[0], block->seat->normal[0]);
    Vec3 c1 = world_direction(world, block->body[0], block->seat->normal[1]);
    switch (block->kind) {
    case BLOCK_ATTACH:
        C[0] = d.x, C[1] = d.y, C[2] = d.z;
        return 3;
    case BLOCK_DISTANCE:
        C[0] = vec3_norm(d) - block->seat->rest;
        return 1;
    case BLOCK_GUIDE:
        C[0] = vec3_dot(b1, d), C[1] = vec3_dot(c1, d);
        return 2;
    case BLOCK_SLIDE:
        C[0] = vec3_dot(a1, d);
        return 1;
    case BLOCK_ALIGN:
        C[0] = vec3_dot(b1, a2), C[1] = vec3_dot(c1, a2);
        return 2;
    case BLOCK_SWING:
        C[0] = acos(vec3_dot(a1, a2));
        return 1;
    case BLOCK_TURN:
        C[0] = 2.0 * acos(cosine_of_turn(world, block));
        return 1;
    case BLOCK_WIRE:
        C[0] = hypot(vec3_dot(b1, d), vec3_dot(c1, d)) - block->seat->rest, C[1] = vec3_dot(a1, d);
        return 2;
    default:
        return 0;
    }
}

static void check_stated_error(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    if (stand == SOFT) /* see a_soft_turn_has_one_energy */
        return;
    double C[BLOCK_MAX_ROWS];
    Rows rows;
    block_rows(world, block, &rows);
    int count = stated_error(world, block, C);
    bool ranged = block->kind == BLOCK_SLIDE || block->kind == BLOCK_SWING || block->kind == BLOCK_TURN;
    double end = stand == NEAR_UPPER || stand == ABOVE_UPPER ? block_terms(block)->upper : block_terms(block)->lower;
    for (int r = 0; r < count; r++)
        /* acos loses digits towards 0 and pi: sine > 0.3 here. */
        assert_near(rows.C[r], C[r] - (ranged ? end : 0.0), 10.0 * ROUND_OFF);
}

static void rows_have_the_stated_error(void **state)
{
    (void)state;
    for_all_cases(check_stated_error, 103);
}

static void check_bounds(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    joint_terms(block)->max_force = 37.5;
    Rows rows;
    block_rows(world, block, &rows);
    bool at_lower = stand == NEAR_LOWER || stand == BELOW_LOWER;
    bool at_upper = stand == NEAR_UPPER || stand == ABOVE_UPPER || stand == SLACK || stand == TAUT;
    for (int r = 0; r < rows.count; r++) {
        assert_near(rows.lower[r], at_lower ? 0.0 : -37.5, 0.0);
        assert_near(rows.upper[r], at_upper ? 0.0 : 37.5, 0.0);
        assert_near(rows.velocity[r], stand == DRIVEN ? 1.7 : 0.0, 0.0);
    }
    assert_int_equal(block_is_limit(block), at_lower || at_upper);
    /* Inside its range a limit's C has the sign that its multiplier does not act against. */
    if (stand == NEAR_LOWER || stand == ABOVE_UPPER || stand == TAUT)
        assert_near(rows.C[0], 0.2, ROUND_OFF);
    if (stand == BELOW_LOWER || stand == NEAR_UPPER || stand == SLACK)
        assert_near(rows.C[0], -0.2, ROUND_OFF);
    if (stand == DRIVEN)
        assert_near(rows.C[0], 0.35, ROUND_OFF);
}

static void limits_push_only_back_into_their_range(void **state)
{
    (void)state;
    for_all_cases(check_bounds, 111);
}

static void check_violation(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    double violation = block_violation(world, block);
    BlockError e;
    block_error(world, block, &e);
    if (stand == NEAR_LOWER || stand == NEAR_UPPER || stand == SLACK)
        assert_near(violation, 0.0, 0.0);
    else if (stand == BELOW_LOWER || stand == ABOVE_UPPER || stand == TAUT)
        assert_near(violation, 0.2, ROUND_OFF);
    else
        assert_near(violation, e.scalar ? fabs(e.C) : vec3_norm(e.error), 0.0);
    block->off = true;
    Rows rows;
    block_rows(world, block, &rows);
    assert_int_equal(rows.count, 0);
    assert_near(block_violation(world, block), 0.0, 0.0);
}

static void violation_counts_limits_only_outside_and_nothing_of_removed_blocks(void **state)
{
    (void)state;
    for_all_cases(check_violation, 112);
}

/* Total force and total torque about the origin of a row's force pair J^T. */
static void pair_totals(const World *world, const Block *block, const double J[ROW_WIDTH], Vec3 *force, Vec3 *torque)
{
    *force = *torque = VEC3_ZERO;
    int wide = block->kind == BLOCK_VOLUME ? 3 : 6;
    for (int c = 0; c < ROW_WIDTH; c += wide) {
        Vec3 f = vec3(J[c], J[c + 1], J[c + 2]);
        *force = vec3_add(*force, f);
        *torque = vec3_add(*torque, vec3_cross(world->pose[column_body(block, c)].x, f));
        if (wide == 6)
            *torque = vec3_add(*torque, vec3(J[c + 3], J[c + 4], J[c + 5]));
    }
}

static void check_pair(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    Rows rows;
    block_rows(world, block, &rows);
    for (int r = 0; r < rows.count; r++) {
        Vec3 force, torque;
        pair_totals(world, block, rows.J[r], &force, &torque);
        assert_vec3_near(force, VEC3_ZERO, ROUND_OFF);
        /* Without a total force this torque is the same about any point. Attach acts at two points d apart along world
         * axes, so its rows have d x u each, and none together when the force is along the error d. */
        Vec3 pair = block->kind == BLOCK_ATTACH ? vec3_cross(span_of(world, block), vec3_axis(r)) : VEC3_ZERO;
        assert_vec3_near(torque, pair, ROUND_OFF);
    }
}

static void every_row_keeps_momentum_and_angular_momentum(void **state)
{
    (void)state;
    for_all_cases(check_pair, 117);
}

/* Erratum 27: with the printed lever p1 - x1 on body 1, guide and slide rows gain the torque -d x u. */
static void printed_lever_of_restrict_to_axis_would_lose_angular_momentum(void **state)
{
    (void)state;
    Random random = {118};
    World *world = build_random_world(&random);
    static const BlockKind KINDS[] = {BLOCK_GUIDE, BLOCK_SLIDE};
    for (int k = 0; k < 2; k++) {
        JointTerms terms;
        Block block = make_case(world, &random, (Case){KINDS[k], PLAIN}, &terms);
        terms.lower = terms.upper = 0.0;
        Rows rows;
        block_rows(world, &block, &rows);
        double *J = rows.J[0];
        Vec3 u = vec3(J[6], J[7], J[8]), r1 = world_direction(world, 1, terms.seat.anchor[0]), force, torque;
        Vec3 printed = vec3_cross(u, r1);
        J[3] = printed.x, J[4] = printed.y, J[5] = printed.z;
        pair_totals(world, &block, J, &force, &torque);
        Vec3 d = span_of(world, &block);
        assert_vec3_near(torque, vec3_cross(d, u), ROUND_OFF);
        assert_true(vec3_norm(torque) > 0.1);
    }
    world_destroy(world);
}

/* Erratum 12: with C = 6 (V - V0) and lambda = -C/alpha, J^T lambda is minus the gradient of C^2/(2 alpha). */
static void volume_force_is_the_gradient_of_its_energy(void **state)
{
    (void)state;
    Random random = {119};
    World *world = build_random_world(&random);
    double alpha = 0.37;
    for (int trial = 0; trial < TRIALS; trial++) {
        JointTerms terms;
        Block block = make_case(world, &random, (Case){BLOCK_VOLUME, PLAIN}, &terms);
        Rows rows;
        block_rows(world, &block, &rows);
        for (int c = 0; c < ROW_WIDTH; c++) {
            int body = column_body(&block, c), freedom = column_freedom(&block, c);
            double energy[2];
            for (int k = 0; k < 2; k++) {
                Pose kept = world->pose[body];
                build_move(world, body, freedom, k == 0 ? -1e-4 : 1e-4);
                double C = block_violation(world, &block);
                energy[k] = C * C / (2.0 * alpha);
                world->pose[body] = kept;
            }
            /* C is linear in one coordinate, so the difference is exact: round-off 1e3 x 1e-16/1e-4 is left. */
            assert_near(rows.J[0][c] * -rows.C[0] / alpha, -(energy[1] - energy[0]) / 2e-4, 1e-7);
        }
    }
    world_destroy(world);
}

/* The rows of a turn that is a spring are as long as its angle, up to just below 180 degrees, so that everybody has the
 * energy angle^2 / (2 alpha), whose gradient is J^T C / alpha. */
static void a_soft_turn_has_one_energy(void **state)
{
    (void)state;
    static const BlockKind KINDS[] = {BLOCK_ALIGN, BLOCK_ORIENT};
    static const double ANGLES[] = {0.0, 1e-12, 1e-7, 0.01, 0.6, 1.5, PI / 2, 2.9, 3.1415};
    Random random = {121};
    World *world = build_random_world(&random);
    for (int k = 0; k < 2; k++)
        for (size_t a = 0; a < sizeof ANGLES / sizeof ANGLES[0]; a++) {
            JointTerms terms;
            Block block = make_case(world, &random, (Case){KINDS[k], SOFT}, &terms);
            Vec3 about = vec3_any_normal(terms.axis[0]); /* in body 1 */
            Quat placed =
                quat_mul(world->pose[block.body[0]].q, quat_mul(quat_axis_angle(about, ANGLES[a]), terms.placed));
            world->pose[block.body[1]].q = placed;
            Rows rows;
            block_rows(world, &block, &rows);
            double squares = 0.0;
            Vec3 gradient = VEC3_ZERO, along = quat_rotate(world->pose[block.body[0]].q, about);
            for (int i = 0; i < rows.count; i++) {
                squares += rows.C[i] * rows.C[i];
                gradient = vec3_add_scaled(gradient, rows.C[i], vec3(rows.J[i][9], rows.J[i][10], rows.J[i][11]));
            }
            assert_near(sqrt(squares), ANGLES[a], 10.0 * ROUND_OFF);
            assert_near(block_violation(world, &block), ANGLES[a], 10.0 * ROUND_OFF);
            /* of an alignment near 180 degrees a part 1 / sin of the round-off is left */
            assert_vec3_near(gradient, vec3_scale(ANGLES[a], along), 1e-10);
        }
    world_destroy(world);
}

/* Opposite axes: the torque is that of 180 degrees, about some normal, and nothing is infinite. */
static void a_soft_alignment_pushes_back_from_180_degrees(void **state)
{
    (void)state;
    Random random = {122};
    World *world = build_random_world(&random);
    JointTerms terms;
    Block block = make_case(world, &random, (Case){BLOCK_ALIGN, SOFT}, &terms);
    terms.axis[0] = vec3(0, 0, 1);
    terms.axis[1] = vec3(0, 0, -1);
    terms.seat.normal[0] = vec3(1, 0, 0);
    terms.seat.normal[1] = vec3(0, 1, 0);
    world->pose[block.body[1]].q = world->pose[block.body[0]].q;
    Rows rows;
    block_rows(world, &block, &rows);
    Vec3 on_2 = vec3(rows.J[0][9], rows.J[0][10], rows.J[0][11]);
    assert_near(rows.C[0], PI, ROUND_OFF);
    assert_near(vec3_norm(on_2), 1.0, ROUND_OFF);
    assert_near(vec3_dot(on_2, axis_of(world, &block, 0)), 0.0, ROUND_OFF);
    for (int c = 0; c < ROW_WIDTH; c++)
        assert_near(rows.J[1][c], 0.0, 0.0);
    world_destroy(world);
}

static void volume_is_six_times_that_of_the_tetrahedron(void **state)
{
    (void)state;
    Random random = {120};
    World *world = build_random_world(&random);
    JointTerms terms;
    Block block = make_block(&random, BLOCK_VOLUME, &terms);
    terms.seat.rest = 0.5;
    static const Vec3 CORNERS[4] = {{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {1, 1, 6}};
    for (int i = 0; i < 4; i++)
        world->pose[FIRST_PARTICLE + i].x = CORNERS[i];
    Vec3 gradient[4];
    assert_near(block_volume(world, &block, gradient), 2.0 * 3.0 * 5.0 - 0.5, ROUND_OFF);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_is_the_derivative_of_the_error),
        cmocka_unit_test(bias_is_the_rate_of_J_V_at_constant_velocity),
        cmocka_unit_test(rows_have_the_stated_error),
        cmocka_unit_test(limits_push_only_back_into_their_range),
        cmocka_unit_test(violation_counts_limits_only_outside_and_nothing_of_removed_blocks),
        cmocka_unit_test(every_row_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(printed_lever_of_restrict_to_axis_would_lose_angular_momentum),
        cmocka_unit_test(volume_force_is_the_gradient_of_its_energy),
        cmocka_unit_test(a_soft_turn_has_one_energy),
        cmocka_unit_test(a_soft_alignment_pushes_back_from_180_degrees),
        cmocka_unit_test(volume_is_six_times_that_of_the_tetrahedron),
    };
    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
