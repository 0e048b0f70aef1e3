/* SPDX-License-Identifier: MIT */
/* A row as it acts on bodies: J V is the rate of C, B solves M B = J^T, a push changes what it says, a multiplier comes
 * back out of its impulse; and a gradient, body by body, is the same row. */
#include "model/rows/row_apply.h"

#include "model/rows/gradient.h"
#include "tests/model/block_cases.h"

#include <string.h>

static void check_rate(World *world, Random *random, Block *block, Stand stand)
{
    (void)random;
    (void)stand;
    Rows rows, before, after;
    block_rows(world, block, &rows);
    build_drift(world, -DIFFERENCE_STEP);
    block_rows(world, block, &before);
    build_drift(world, 2.0 * DIFFERENCE_STEP);
    block_rows(world, block, &after);
    for (int i = 0; i < rows.count; i++)
        assert_near(row_rate(rows.J[i], block, world->velocity), (after.C[i] - before.C[i]) / (2.0 * DIFFERENCE_STEP),
                    10.0 * DIFFERENCE_TOLERANCE);
}

static void a_rows_rate_is_the_rate_of_its_error(void **state)
{
    (void)state;
    for_all_cases(check_rate, 301);
}

/* M B of one part. */
static Vec3 mass_times(const World *world, const Block *block, const double B[ROW_WIDTH], int part)
{
    int body = row_part_body(block, part);
    const Mass *mass = &world->mass[body];
    if (!row_part_turns(block, part))
        return vec3_scale(mass->mass, row_vector(B, part));
    Quat q = world->pose[body].q;
    return quat_rotate(q, vec3_mul(mass->inertia, quat_rotate_inverse(q, row_vector(B, part))));
}

static void check_push(World *world, Random *random, Block *block, Stand stand)
{
    (void)stand;
    Rows rows;
    double B[ROW_WIDTH], lambda = random_in(random, -2.0, 2.0);
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count; i++) {
        row_times_inverse_mass(world, block, rows.J[i], B);
        for (int part = 0; part < 4; part++)
            assert_vec3_near(mass_times(world, block, B, part), row_vector(rows.J[i], part), ROUND_OFF);
        double before[BLOCK_MAX_ROWS];
        for (int j = 0; j < rows.count; j++)
            before[j] = row_rate(rows.J[j], block, world->velocity);
        row_apply(B, block, lambda, world->velocity);
        for (int j = 0; j < rows.count; j++) {
            double size = row_coupling(rows.J[j], B) * lambda;
            assert_near(row_rate(rows.J[j], block, world->velocity), before[j] + size, ROUND_OFF * (10.0 + fabs(size)));
        }
    }
}

static void a_push_changes_the_rates_by_A_lambda(void **state)
{
    (void)state;
    for_all_cases(check_push, 302);
}

static void check_recall(World *world, Random *random, Block *block, Stand stand)
{
    (void)stand;
    Rows rows;
    double lambda[BLOCK_MAX_ROWS];
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count; i++)
        lambda[i] = random_in(random, -2.0, 2.0);
    Vec3 impulse = rows_impulse(&rows, block->kind, lambda);
    for (int i = 0; i < rows.count; i++) {
        Vec3 own = row_on_body2(rows.J[i], block->kind);
        double square = vec3_dot(own, own), others = vec3_dot(own, vec3_add_scaled(impulse, -lambda[i], own));
        /* Rows of an alignment that is off are not quite at right angles; what is left of the others is what they are
         * along this one. */
        assert_near(row_recall(rows.J[i], block->kind, impulse), lambda[i] + others / square, ROUND_OFF / square);
        if (block->kind != BLOCK_ALIGN && block->kind != BLOCK_ORIENT)
            assert_near(row_recall(rows.J[i], block->kind, impulse), lambda[i], ROUND_OFF / square);
    }
}

static void a_multiplier_comes_back_out_of_its_impulse(void **state)
{
    (void)state;
    for_all_cases(check_recall, 303);
}

static void a_contact_and_its_friction_remember_one_vector(void **state)
{
    (void)state;
    Block blocks[] = {{.kind = BLOCK_ATTACH},
                      {.kind = BLOCK_CONTACT, .normal_block = 1},
                      {.kind = BLOCK_FRICTION, .normal_block = 1},
                      {.kind = BLOCK_TORSION, .normal_block = 1}};
    Vec3 impulse[] = {{0.3, 0.1, -0.7}, {1.9, -0.4, 0.6}, {-0.2, 0.8, 0.5}, {0.0, 0.35, 0.0}};
    World world = {.blocks = blocks, .block_impulse = impulse};
    assert_vec3_near(block_remembered(&world, 0), impulse[0], 0.0);
    assert_vec3_near(block_remembered(&world, 1), vec3(1.7, 0.4, 1.1), ROUND_OFF);
    assert_vec3_near(block_remembered(&world, 2), vec3(1.7, 0.4, 1.1), ROUND_OFF);
    assert_vec3_near(block_remembered(&world, 3), impulse[3], 0.0);
}

static void check_gradient(World *world, Random *random, Block *block, Stand stand)
{
    (void)stand;
    if (block_row_count(block->kind) > 1)
        return;
    Rows rows, after;
    double B[ROW_WIDTH], impulse = random_in(random, -2.0, 2.0);
    block_rows(world, block, &rows);
    BlockError e;
    block_error(world, block, &e);
    Gradient g = gradient_along(world, block, &e, e.gradient);
    const GradientRow row = gradient_row(&g, 1.0), half = gradient_row(&g, 4.0);
    const double *J = row.J;
    for (int c = 0; c < ROW_WIDTH; c++) {
        assert_near(J[c], rows.J[0][c], ROUND_OFF);
        assert_near(half.J[c], 0.5 * J[c], ROUND_OFF);
    }
    row_times_inverse_mass(world, block, J, B);
    double w = gradient_weight(world, &g);
    assert_near(w, row_coupling(J, B), ROUND_OFF * (1.0 + w));
    assert_near(error_weight(world, block, &e, e.gradient), w, 0.0);

    double rate = row_rate(J, block, world->velocity);
    gradient_kick(world, &g, impulse);
    assert_near(row_rate(J, block, world->velocity), rate + w * impulse, ROUND_OFF * (10.0 + w));

    double little = DIFFERENCE_STEP / (1.0 + w);
    gradient_move(world, &g, little);
    block_rows(world, block, &after);
    /* First order: what is left goes with the square of the move. */
    assert_near((after.C[0] - rows.C[0]) / little, w, 100.0 * DIFFERENCE_STEP * (1.0 + w));
}

static void a_gradient_is_its_row_and_a_move_along_it_changes_the_error(void **state)
{
    (void)state;
    for_all_cases(check_gradient, 304);
}

static void what_is_fixed_stays(void **state)
{
    (void)state;
    const int pair[2] = {0, 1};
    Mass mass[2] = {{0}, {2.0, 0.5, {1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}}};
    Pose pose[2] = {{VEC3_ZERO, {1, 0, 0, 0}}, {{0.3, 1.2, -0.4}, {1, 0, 0, 0}}}, before = pose[0];
    Velocity velocity[2] = {{{0}, {0}}, {{0}, {0}}}, still = velocity[0];
    World world = {.mass = mass, .pose = pose, .velocity = velocity};
    Gradient g = gradient_linear(pair, vec3(0.6, 0.0, 0.8), vec3(0.1, 0.7, 0.2), vec3(-0.3, 0.4, 0.1));
    gradient_move(&world, &g, 0.37);
    gradient_kick(&world, &g, 0.37);
    assert_memory_equal(&pose[0], &before, sizeof before);
    assert_memory_equal(&velocity[0], &still, sizeof still);
    assert_vec3_near(pose[1].x, vec3(0.3 + 0.5 * 0.37 * 0.6, 1.2, -0.4 + 0.5 * 0.37 * 0.8), ROUND_OFF);
    assert_vec3_near(velocity[1].v, vec3(0.5 * 0.37 * 0.6, 0.0, 0.5 * 0.37 * 0.8), ROUND_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rows_rate_is_the_rate_of_its_error),
        cmocka_unit_test(a_push_changes_the_rates_by_A_lambda),
        cmocka_unit_test(a_multiplier_comes_back_out_of_its_impulse),
        cmocka_unit_test(a_contact_and_its_friction_remember_one_vector),
        cmocka_unit_test(a_gradient_is_its_row_and_a_move_along_it_changes_the_error),
        cmocka_unit_test(what_is_fixed_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
