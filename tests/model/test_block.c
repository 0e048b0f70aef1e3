/* Every kind of joint block at random poses of two turned, moving bodies (volume: four particles), limits on both sides
 * of both ends: J against a finite difference of C, k against one of J V, the error vector against the rows. */
#include "model/block.h"
#include "tests/build.h"

enum { TRIALS = 60, FIRST_BODY = 1, FIRST_PARTICLE = 3 };

/* A few dozen operations on numbers of order one. */
#define ROUND_OFF 1e-13
/* Central differences with step 1e-5: round-off 1e-15/1e-5 and truncation 1e-10 x third derivatives of order 10. */
#define DIFFERENCE_STEP 1e-5
#define DIFFERENCE_TOLERANCE 2e-8

/* How a limit stands to its ends, or a distance to its rest. */
typedef enum Stand { PLAIN, NEAR_LOWER, NEAR_UPPER, BELOW_LOWER, ABOVE_UPPER, ON_TARGET, SLACK, TAUT, DRIVEN } Stand;

typedef struct Case {
    BlockKind kind;
    Stand stand;
} Case;

static const Case CASES[] = {
    {BLOCK_ATTACH, PLAIN},      {BLOCK_DISTANCE, PLAIN},   {BLOCK_DISTANCE, SLACK},    {BLOCK_DISTANCE, TAUT},
    {BLOCK_GUIDE, PLAIN},       {BLOCK_SLIDE, NEAR_LOWER}, {BLOCK_SLIDE, NEAR_UPPER},  {BLOCK_SLIDE, BELOW_LOWER},
    {BLOCK_SLIDE, ABOVE_UPPER}, {BLOCK_SLIDE, ON_TARGET},  {BLOCK_ALIGN, PLAIN},       {BLOCK_ORIENT, PLAIN},
    {BLOCK_TWIST, NEAR_LOWER},  {BLOCK_TWIST, NEAR_UPPER}, {BLOCK_TWIST, BELOW_LOWER}, {BLOCK_TWIST, ABOVE_UPPER},
    {BLOCK_TWIST, ON_TARGET},   {BLOCK_TWIST, DRIVEN},     {BLOCK_SWING, NEAR_UPPER},  {BLOCK_SWING, ABOVE_UPPER},
    {BLOCK_WIRE, PLAIN},        {BLOCK_VOLUME, PLAIN},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

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

static Block make_block(Random *random, BlockKind kind)
{
    Block block = {.kind = kind, .joint = -1, .lower = -INFINITY, .upper = INFINITY, .max_force = INFINITY};
    for (int i = 0; i < 4; i++)
        block.body[i] = kind == BLOCK_VOLUME ? FIRST_PARTICLE + i : i < 2 ? FIRST_BODY + i : -1;
    for (int i = 0; i < 2; i++)
        block.anchor[i] = random_vec3(random, 0.7);
    block.placed = random_quat(random);
    block.axis[0] = random_unit(random);
    block.axis[1] = quat_rotate_inverse(block.placed, block.axis[0]);
    Quat about = quat_axis_angle(block.axis[0], random_in(random, -PI, PI));
    block.normal[0] = quat_rotate(about, vec3_any_normal(block.axis[0]));
    block.normal[1] = vec3_cross(block.axis[0], block.normal[0]);
    block.rest = random_in(random, 0.3, 1.5);
    return block;
}

static Vec3 world_direction(const World *world, int body, Vec3 local)
{
    return mat3_mul_vec(mat3_from_quat(world->pose[body].q), local);
}

static Vec3 span_of(const World *world, const Block *block)
{
    Vec3 p[2];
    for (int i = 0; i < 2; i++)
        p[i] = vec3_add(world->pose[block->body[i]].x, world_direction(world, block->body[i], block->anchor[i]));
    return vec3_sub(p[1], p[0]);
}

static Vec3 axis_of(const World *world, const Block *block, int i)
{
    return world_direction(world, block->body[i], block->axis[i]);
}

/* Body 2 turned against body 1 since it was placed, about body 1's axis. */
static double cosine_of_turn(const World *world, const Block *block)
{
    Quat q = quat_mul(quat_conj(world->pose[block->body[0]].q), world->pose[block->body[1]].q);
    return fabs(quat_mul(q, quat_conj(block->placed)).w);
}

/* Away from where a kind has no derivative: half turns, parallel or opposite axes, points on each other. */
static bool is_regular(const World *world, const Block *block)
{
    Vec3 d = span_of(world, block), a1 = axis_of(world, block, 0), a2 = axis_of(world, block, 1);
    switch (block->kind) {
    case BLOCK_DISTANCE:
        return vec3_norm(d) > 0.4;
    case BLOCK_WIRE:
        return vec3_norm(vec3_cross(a1, d)) > 0.4;
    case BLOCK_ORIENT:
        return cosine_of_turn(world, block) > 0.1;
    case BLOCK_TWIST:
        return vec3_dot(a1, a2) > -0.6;
    case BLOCK_ALIGN:
    case BLOCK_SWING:
        return vec3_norm(vec3_cross(a1, a2)) > 0.3;
    default:
        return true;
    }
}

/* The coordinate of slide, twist, swing or distance: its error against a target of zero. */
static double coordinate_of(const World *world, const Block *block)
{
    Block zero = *block;
    zero.lower = zero.upper = zero.rest = 0.0;
    zero.driven = zero.one_sided = false;
    BlockError e;
    block_error(world, &zero, &e);
    assert_true(e.active && e.scalar);
    return e.C;
}

/* Sets ends 1.0 apart, the nearer one 0.2 away. */
static void stand_set(const World *world, Block *block, Stand stand)
{
    if (stand == PLAIN)
        return;
    double value = coordinate_of(world, block);
    static const double LOWER[] = {
        [NEAR_LOWER] = -0.2, [NEAR_UPPER] = -0.8, [BELOW_LOWER] = 0.2, [ABOVE_UPPER] = -1.2, [ON_TARGET] = 0.3};
    block->lower = value + LOWER[stand <= ON_TARGET ? stand : ON_TARGET];
    block->upper = block->lower + (stand == ON_TARGET ? 0.0 : 1.0);
    if (block->kind == BLOCK_SWING)
        block->lower = 0.0;
    block->one_sided = stand == SLACK || stand == TAUT;
    if (block->one_sided)
        block->rest = value + (stand == SLACK ? 0.2 : -0.2);
    if (stand == DRIVEN) {
        block->driven = true;
        block->speed = 1.7;
        block->target_before = value - 0.35;
        block->target = block->target_before + block->speed / 60.0;
    }
}

/* A random block of this case at random regular poses; a twist may have wound up by whole turns. */
static Block make_case(World *world, Random *random, Case which)
{
    Block block = make_block(random, which.kind);
    do
        build_scatter(world, random);
    while (!is_regular(world, &block));
    if (which.kind == BLOCK_TWIST)
        block.angle = block_twist(world, &block) + 2.0 * PI * (double)(random_bits(random) % 5) - 4.0 * PI +
                      random_in(random, -0.5, 0.5);
    stand_set(world, &block, which.stand);
    return block;
}

typedef void CaseCheck(World *world, Random *random, Block *block, Stand stand);

static void for_all_cases(CaseCheck *check, uint64_t seed)
{
    Random random = {seed};
    World *world = make_world(&random);
    for (int i = 0; i < CASE_COUNT; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            Block block = make_case(world, &random, CASES[i]);
            check(world, &random, &block, CASES[i].stand);
        }
    world_destroy(world);
}

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
    Vec3 b1 = world_direction(world, block->body[0], block->normal[0]);
    Vec3 c1 = world_direction(world, block->body[0], block->normal[1]);
    switch (block->kind) {
    case BLOCK_ATTACH:
        C[0] = d.x, C[1] = d.y, C[2] = d.z;
        return 3;
    case BLOCK_DISTANCE:
        C[0] = vec3_norm(d) - block->rest;
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
    case BLOCK_WIRE:
        C[0] = hypot(vec3_dot(b1, d), vec3_dot(c1, d)) - block->rest, C[1] = vec3_dot(a1, d);
        return 2;
    default:
        return 0;
    }
}

static void check_stated_error(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    double C[BLOCK_MAX_ROWS];
    Rows rows;
    block_rows(world, block, &rows);
    int count = stated_error(world, block, C);
    bool ranged = block->kind == BLOCK_SLIDE || block->kind == BLOCK_SWING;
    double end = stand == NEAR_UPPER || stand == ABOVE_UPPER ? block->upper : block->lower;
    for (int r = 0; r < count; r++)
        /* acos loses digits towards 0 and pi: sine > 0.3 here. */
        assert_near(rows.C[r], C[r] - (ranged ? end : 0.0), 10.0 * ROUND_OFF);
}

static void rows_have_the_stated_error(void **state)
{
    (void)state;
    for_all_cases(check_stated_error, 103);
}

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
        double moved = stand == DRIVEN ? block->target - block->target_before : 0.0;
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
    World *world = make_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        Block block = make_case(world, &random, (Case){BLOCK_ALIGN, PLAIN});
        Rows rows;
        BlockError e;
        block_rows(world, &block, &rows);
        block_error(world, &block, &e);
        Vec3 b1 = world_direction(world, 1, block.normal[0]), c1 = world_direction(world, 1, block.normal[1]);
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
    World *world = make_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        Block block = make_case(world, &random, (Case){BLOCK_ORIENT, PLAIN});
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
    world->pose[block->body[1]].q = quat_mul(quat_exp(phi), quat_mul(world->pose[block->body[0]].q, block->placed));
}

static void opposite_axes_are_no_false_zero(void **state)
{
    (void)state;
    Random random = {109};
    World *world = make_world(&random);
    for (int trial = 0; trial < TRIALS; trial++) {
        Block align = make_block(&random, BLOCK_ALIGN), swing = make_block(&random, BLOCK_SWING);
        build_scatter(world, &random);
        place_turned(world, &align, vec3_scale(PI, vec3_any_normal(axis_of(world, &align, 0))));
        BlockError e;
        block_error(world, &align, &e);
        assert_near(vec3_norm(e.error), PI, 1e-7); /* within 1e-9 of a half turn the direction is a choice */
        assert_near(vec3_dot(e.error, axis_of(world, &align, 0)), 0.0, 1e-7);

        swing.lower = 0.0;
        swing.upper = 0.7;
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
    World *world = make_world(&random);
    Block swing = make_block(&random, BLOCK_SWING), align = make_block(&random, BLOCK_ALIGN);
    swing.lower = 0.0;
    swing.upper = 0.7;
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

static void check_bounds(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    block->max_force = 37.5;
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

static void twist_follows_whole_turns(void **state)
{
    (void)state;
    Random random = {113};
    World *world = make_world(&random);
    Block block = make_block(&random, BLOCK_TWIST);
    for (int direction = -1; direction <= 1; direction += 2) {
        block.angle = 0.0;
        for (int i = 0; i <= 40; i++) {
            build_scatter(world, &random);
            double angle = 0.73 * i * direction;
            place_turned(world, &block, vec3_scale(angle, axis_of(world, &block, 0)));
            block.angle = block_twist(world, &block);
            assert_near(block.angle, angle, ROUND_OFF * 100.0);
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
    World *world = make_world(&random);
    Block block = make_block(&random, BLOCK_TWIST);
    build_scatter(world, &random);
    Vec3 a1 = axis_of(world, &block, 0), b1 = world_direction(world, 1, block.normal[0]), c1 = vec3_cross(a1, b1);
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
    World *world = make_world(&random);
    static const BlockKind KINDS[] = {BLOCK_SWING, BLOCK_TWIST};
    for (int k = 0; k < 2; k++) {
        Block block = make_block(&random, KINDS[k]);
        block.lower = KINDS[k] == BLOCK_SWING ? 0.0 : -0.5;
        block.upper = 0.5;
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
    World *world = make_world(&random);
    Block block = make_block(&random, BLOCK_TWIST);
    block.lower = block.upper = 0.0;
    place_turned(world, &block, vec3_scale(PI - 0.01, vec3_any_normal(axis_of(world, &block, 0))));
    Rows rows;
    block_rows(world, &block, &rows);
    assert_int_equal(rows.count, 0);
    world_destroy(world);
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
    World *world = make_world(&random);
    static const BlockKind KINDS[] = {BLOCK_GUIDE, BLOCK_SLIDE};
    for (int k = 0; k < 2; k++) {
        Block block = make_case(world, &random, (Case){KINDS[k], PLAIN});
        block.lower = block.upper = 0.0;
        Rows rows;
        block_rows(world, &block, &rows);
        double *J = rows.J[0];
        Vec3 u = vec3(J[6], J[7], J[8]), r1 = world_direction(world, 1, block.anchor[0]), force, torque;
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
    World *world = make_world(&random);
    double alpha = 0.37;
    for (int trial = 0; trial < TRIALS; trial++) {
        Block block = make_case(world, &random, (Case){BLOCK_VOLUME, PLAIN});
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

static void volume_is_six_times_that_of_the_tetrahedron(void **state)
{
    (void)state;
    Random random = {120};
    World *world = make_world(&random);
    Block block = make_block(&random, BLOCK_VOLUME);
    block.rest = 0.5;
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
        cmocka_unit_test(error_vector_says_the_same_as_the_rows),
        cmocka_unit_test(error_grows_at_unit_rate_along_itself),
        cmocka_unit_test(one_turn_back_by_the_error_removes_it),
        cmocka_unit_test(align_error_and_rows_name_the_same_turn),
        cmocka_unit_test(orient_error_and_rows_name_the_same_turn),
        cmocka_unit_test(opposite_axes_are_no_false_zero),
        cmocka_unit_test(aligned_axes_have_no_swing_and_no_error),
        cmocka_unit_test(limits_push_only_back_into_their_range),
        cmocka_unit_test(violation_counts_limits_only_outside_and_nothing_of_removed_blocks),
        cmocka_unit_test(twist_follows_whole_turns),
        cmocka_unit_test(twist_is_exact_under_swing_where_the_slide_distorts_it),
        cmocka_unit_test(limit_correction_turns_back_to_the_limit),
        cmocka_unit_test(twist_rests_where_the_axes_are_opposite),
        cmocka_unit_test(every_row_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(printed_lever_of_restrict_to_axis_would_lose_angular_momentum),
        cmocka_unit_test(volume_force_is_the_gradient_of_its_energy),
        cmocka_unit_test(volume_is_six_times_that_of_the_tetrahedron),
    };
    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
