/* SPDX-License-Identifier: MIT */
/* The error of a block as one vector against its rows, and the care that angular blocks need: half turns, twist under
 * swing, whole turns. */
#include "tests/model/block_cases.h"

static void check_error_vector(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    Rows rows;
    BlockError e;
    block_rows(world, block, &rows);
    block_error(world, block, &e);
    assert_true(e.active);
    assert_int_equal(e.angular, block_unit(block->kind) == UNIT_ANGLE);
    assert_int_equal(e.scalar, block_row_count(block->kind) == 1);
    if (e.scalar) {
        /* A driven row is measured where its target was, the error where it will be. */
        double moved = stand == DRIVEN ? block_terms(block)->target - block_terms(block)->target_before : 0.0;
        assert_near(e.C, rows.C[0] - moved, ROUND_OFF);
        assert_near(e.lower, rows.lower[0], 0.0);
        assert_near(e.upper, rows.upper[0], 0.0);
        const double *J = rows.J[0];
        Vec3 to_2 = block->kind == BLOCK_VOLUME ? vec3(J[3], J[4], J[5])
                    : e.angular                 ? vec3(J[9], J[10], J[11])
                                                : vec3(J[6], J[7], J[8]);
        assert_vec3_near(e.gradient, to_2, 0.0);
    } else if (!e.angular) {
        double square = 0.0;
        for (int r = 0; r < rows.count; r++)
            square += rows.C[r] * rows.C[r];
        assert_near(vec3_norm(e.error), sqrt(square), ROUND_OFF);
    }
}

static void error_vector_says_the_same_as_the_rows(void **state)
{
    (void)state;
    for_all_cases(check_error_vector, 104);
}

static double error_length(const World *world, const Block *block)
{
    BlockError e;
    block_error(world, block, &e);
    return e.scalar ? e.C : vec3_norm(e.error);
}

static void turn_body(World *world, int body, Vec3 phi)
{
    world->pose[body].q = quat_mul(quat_exp(phi), world->pose[body].q);
}

/* The rate at which |error| grows when body i is moved along its direction, at the point where corrections act. */
static double growth_along_error(World *world, const Block *block, int i)
{
    BlockError e;
    block_error(world, block, &e);
    Vec3 n = vec3_unit(e.error), step = vec3_scale(DIFFERENCE_STEP, n);
    int body = block->body[i];
    Pose kept = world->pose[body];
    double length[2];
    for (int k = 0; k < 2; k++) {
        Vec3 move = k == 0 ? vec3_negate(step) : step;
        if (e.angular)
            turn_body(world, body, move);
        else
            world->pose[body].x = vec3_add(kept.x, move);
        length[k] = error_length(world, block);
        world->pose[body] = kept;
    }
    return (length[1] - length[0]) / (2.0 * DIFFERENCE_STEP);
}

static void check_error_growth(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    BlockError e;
    block_error(world, block, &e);
    if (e.scalar || vec3_norm(e.error) < 0.1) /* no direction to speak of where a wire happens to pass by */
        return;
    assert_near(growth_along_error(world, block, 1), 1.0, DIFFERENCE_TOLERANCE);
    assert_near(growth_along_error(world, block, 0), -1.0, DIFFERENCE_TOLERANCE);
}

/* So a correction of -error on body 2, or +error on body 1, takes it away at unit rate, and no other turn is shorter.
 */
static void error_grows_at_unit_rate_along_itself(void **state)
{
    (void)state;
    for_all_cases(check_error_growth, 105);
}

/* One full correction of an angular block removes its error, from anywhere. */
static void check_angular_correction(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    BlockError e;
    block_error(world, block, &e);
    if (e.scalar || !e.angular)
        return;
    turn_body(world, block->body[1], vec3_negate(e.error));
    assert_near(error_length(world, block), 0.0, 1e-12);
}

static void one_turn_back_by_the_error_removes_it(void **state)
{
    (void)state;
    for_all_cases(check_angular_correction, 106);
}

/* rows: C0 = b1.a2, C1 = c1.a2, so a1 x a2 = C0 c1 - C1 b1. */
static void align_error_and_rows_name_the_same_turn(void **state)
{
    (void)state;
    Random random = {107};
    World *world = build_random_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        JointTerms terms;
        Block block = make_case(world, &random, (Case){BLOCK_ALIGN, PLAIN}, &terms);
        Rows rows;
        BlockError e;
        block_rows(world, &block, &rows);
        block_error(world, &block, &e);
        Vec3 b1 = world_direction(world, 1, terms.seat.normal[0]), c1 = world_direction(world, 1, terms.seat.normal[1]);
        Vec3 cross = vec3_add_scaled(vec3_scale(rows.C[0], c1), -rows.C[1], b1);
        double angle = vec3_norm(e.error);
        assert_vec3_near(vec3_scale(sin(angle) / angle, e.error), cross, ROUND_OFF);
        assert_near(cos(angle), vec3_dot(axis_of(world, &block, 0), axis_of(world, &block, 1)), ROUND_OFF);
    }
    world_destroy(world);
}

/* rows: 2 vec(q) = 2 sin(angle/2) axis, in body 1's frame. */
static void orient_error_and_rows_name_the_same_turn(void **state)
{
    (void)state;
    Random random = {108};
    World *world = build_random_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        JointTerms terms;
        Block block = make_case(world, &random, (Case){BLOCK_ORIENT, PLAIN}, &terms);
        Rows rows;
        BlockError e;
        block_rows(world, &block, &rows);
        block_error(world, &block, &e);
        double angle = vec3_norm(e.error);
        Vec3 C = world_direction(world, 1, vec3(rows.C[0], rows.C[1], rows.C[2]));
        assert_vec3_near(C, vec3_scale(2.0 * sin(0.5 * angle) / angle, e.error), ROUND_OFF);
    }
    world_destroy(world);
}

/* Puts body 2 as it was placed against body 1, then turns it by phi (world). */
static void place_turned(World *world, const Block *block, Vec3 phi)
{
    world->pose[block->body[1]].q =
        quat_mul(quat_exp(phi), quat_mul(world->pose[block->body[0]].q, block_terms(block)->placed));
}

static void opposite_axes_are_no_false_zero(void **state)
{
    (void)state;
    Random random = {109};
    World *world = build_random_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        JointTerms terms[2];
        Block align = make_block(&random, BLOCK_ALIGN, &terms[0]), swing = make_block(&random, BLOCK_SWING, &terms[1]);
        build_scatter(world, &random);
        place_turned(world, &align, vec3_scale(PI, vec3_any_normal(axis_of(world, &align, 0))));
        BlockError e;
        block_error(world, &align, &e);
        assert_near(vec3_norm(e.error), PI, 1e-7); /* within 1e-9 of a half turn the direction is a choice */
        assert_near(vec3_dot(e.error, axis_of(world, &align, 0)), 0.0, 1e-7);

        terms[1].lower = 0.0;
        terms[1].upper = 0.7;
        place_turned(world, &swing, vec3_scale(PI, vec3_any_normal(axis_of(world, &swing, 0))));
        assert_near(block_violation(world, &swing), PI - 0.7, 1e-7);
        block_error(world, &swing, &e);
        turn_body(world, 2, vec3_scale(-e.C, e.gradient));
        assert_near(block_violation(world, &swing), 0.0, 1e-7);
    }
    world_destroy(world);
}

static void aligned_axes_have_no_swing_and_no_error(void **state)
{
    (void)state;
    Random random = {110};
    World *world = build_random_world(&random);
    JointTerms terms[2];
    Block swing = make_block(&random, BLOCK_SWING, &terms[0]), align = make_block(&random, BLOCK_ALIGN, &terms[1]);
    terms[0].lower = 0.0;
    terms[0].upper = 0.7;
    Rows rows;
    place_turned(world, &swing, VEC3_ZERO);
    block_rows(world, &swing, &rows);
    /* Round-off may give the axes a direction apart; the limit is far either way. */
    assert_true(rows.count == 0 || fabs(rows.C[0] + 0.7) < 1e-7);
    assert_near(block_violation(world, &swing), 0.0, 0.0);
    place_turned(world, &align, VEC3_ZERO);
    assert_near(block_violation(world, &align), 0.0, ROUND_OFF);
    world_destroy(world);
}

static void twist_follows_whole_turns(void **state)
{
    (void)state;
    Random random = {113};
    World *world = build_random_world(&random);
    JointTerms terms;
    Block block = make_block(&random, BLOCK_TWIST, &terms);
    for (int direction = -1; direction <= 1; direction += 2) {
        terms.angle = 0.0;
        for (int i = 0; i <= 40; i++) {
            build_scatter(world, &random);
            double angle = 0.73 * i * direction;
            place_turned(world, &block, vec3_scale(angle, axis_of(world, &block, 0)));
            terms.angle = block_twist(world, &block);
            assert_near(terms.angle, angle, ROUND_OFF * 100.0);
        }
    }
    world_destroy(world);
}

/* As the slides do it: the angle between b1 and b2, both projected on the plane normal to (a1 + a2)/|a1 + a2|. */
static double slide_twist(Vec3 a1, Vec3 b1, Vec3 a2, Vec3 b2)
{
    Vec3 n = vec3_unit(vec3_add(a1, a2));
    Vec3 p1 = vec3_add_scaled(b1, -vec3_dot(n, b1), n), p2 = vec3_add_scaled(b2, -vec3_dot(n, b2), n);
    return atan2(vec3_dot(n, vec3_cross(p1, p2)), vec3_dot(p1, p2));
}

/* Erratum 26: the slide gives 0.473 when the swing turns about c1. */
static void twist_is_exact_under_swing_where_the_slide_distorts_it(void **state)
{
    (void)state;
    Random random = {114};
    World *world = build_random_world(&random);
    JointTerms terms;
    Block block = make_block(&random, BLOCK_TWIST, &terms);
    build_scatter(world, &random);
    Vec3 a1 = axis_of(world, &block, 0), b1 = world_direction(world, 1, terms.seat.normal[0]), c1 = vec3_cross(a1, b1);
    Quat swing = quat_axis_angle(c1, 1.2), twist = quat_axis_angle(a1, 0.4), turn = quat_mul(swing, twist);
    place_turned(world, &block, quat_log(turn));
    assert_near(block_twist(world, &block), 0.4, ROUND_OFF);
    assert_near(slide_twist(a1, b1, quat_rotate(turn, a1), quat_rotate(turn, b1)), 0.473, 5e-4); /* as printed */
    world_destroy(world);
}

/* Erratum 24: 0.8 rad apart with a limit of 0.5, one correction arrives at 0.5 instead of diverging to 1.095. */
static void limit_correction_turns_back_to_the_limit(void **state)
{
    (void)state;
    Random random = {115};
    World *world = build_random_world(&random);
    static const BlockKind KINDS[] = {BLOCK_SWING, BLOCK_TWIST};
    for (int k = 0; k < 2; k++) {
        JointTerms terms;
        Block block = make_block(&random, KINDS[k], &terms);
        terms.lower = KINDS[k] == BLOCK_SWING ? 0.0 : -0.5;
        terms.upper = 0.5;
        Vec3 a1 = axis_of(world, &block, 0);
        place_turned(world, &block, vec3_scale(0.8, KINDS[k] == BLOCK_SWING ? vec3_any_normal(a1) : a1));
        BlockError e;
        block_error(world, &block, &e);
        assert_near(e.C, 0.3, ROUND_OFF);
        turn_body(world, 2, vec3_scale(-e.C, e.gradient));
        assert_near(coordinate_of(world, &block), 0.5, ROUND_OFF);
    }
    world_destroy(world);
}

static void twist_rests_where_the_axes_are_opposite(void **state)
{
    (void)state;
    Random random = {116};
    World *world = build_random_world(&random);
    JointTerms terms;
    Block block = make_block(&random, BLOCK_TWIST, &terms);
    terms.lower = terms.upper = 0.0;
    place_turned(world, &block, vec3_scale(PI - 0.01, vec3_any_normal(axis_of(world, &block, 0))));
    Rows rows;
    block_rows(world, &block, &rows);
    assert_int_equal(rows.count, 0);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_vector_says_the_same_as_the_rows),
        cmocka_unit_test(error_grows_at_unit_rate_along_itself),
        cmocka_unit_test(one_turn_back_by_the_error_removes_it),
        cmocka_unit_test(align_error_and_rows_name_the_same_turn),
        cmocka_unit_test(orient_error_and_rows_name_the_same_turn),
        cmocka_unit_test(opposite_axes_are_no_false_zero),
        cmocka_unit_test(aligned_axes_have_no_swing_and_no_error),
        cmocka_unit_test(twist_follows_whole_turns),
        cmocka_unit_test(twist_is_exact_under_swing_where_the_slide_distorts_it),
        cmocka_unit_test(limit_correction_turns_back_to_the_limit),
        cmocka_unit_test(twist_rests_where_the_axes_are_opposite),
    };
    return cmocka_run_group_tests_name("block_error", tests, NULL, NULL);
}
