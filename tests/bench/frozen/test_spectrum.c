/* SPDX-License-Identifier: MIT */
/* The rates of sweeps on hanging chains, and dependent rows. */
#include "bench/frozen/spectrum.h"

#include "model/contact.h"
#include "tests/solvers/worlds.h"

#include <stdlib.h>

static Spectrum spectrum_of(World *world)
{
    Spectrum spectrum;
    Status status = {0};
    if (!spectrum_compute(&spectrum, world, 1.0 / 60, NULL, &status))
        fail_msg("%s", status.message);
    return spectrum;
}

static void assert_chain(int count, double ratio, double rate, double tolerance)
{
    World *world = particle_chain(count, 0.3, 1.7, ratio, vec3(1, 0, 0));
    Spectrum spectrum = spectrum_of(world);
    assert_int_equal(spectrum.rows, count);
    assert_int_equal(spectrum.rank, count);
    assert_near(spectrum.gauss_seidel, rate, tolerance);
    assert_near(spectrum.jacobi, sqrt(spectrum.gauss_seidel), 1e-9);  /* tridiagonal: consistently ordered */
    assert_near(spectrum.measured.rate, spectrum.gauss_seidel, 1e-9); /* windows agree to 1e-10 */
    assert_true(spectrum.condition > 1.0);
    spectrum_free(&spectrum);
    world_destroy(world);
}

static void hanging_chains_contract_as_the_table_says(void **state)
{
    (void)state;
    assert_chain(2, 1.0, 0.5, 1e-12);
    assert_chain(2, 37.5, 37.5 / 38.5, 1e-12);
    /* The table has six digits. */
    assert_chain(5, 1.0, 0.904508, 1e-6);
    assert_chain(10, 1.0, 0.975528, 1e-6);
    assert_chain(10, 10.0, 0.991590, 1e-6);
    assert_chain(20, 1.0, 0.993844, 1e-6);
}

/* Equal masses: A is tridiagonal (2, -1) / m with 1 in the first place, the fixed end; its eigenvalues are
 * 2 - 2 cos((2k - 1) pi / (2N + 1)). */
static void eigenvalues_of_an_even_chain_are_known(void **state)
{
    (void)state;
    enum { N = 7 };
    World *world = particle_chain(N, 0.3, 1.7, 1.0, vec3(1, 0, 0));
    Spectrum spectrum = spectrum_of(world);
    for (int k = 1; k <= N; k++)
        assert_near(spectrum.eigenvalues[k - 1], (2 - 2 * cos((2 * k - 1) * PI / (2 * N + 1))) / 1.7, 1e-14);
    assert_near(spectrum.condition, spectrum.eigenvalues[N - 1] / spectrum.eigenvalues[0], 1e-9);
    spectrum_free(&spectrum);
    world_destroy(world);
}

static void dependent_rows_do_not_count(void **state)
{
    (void)state;
    World *world = particle_chain(6, 0.3, 1.7, 1.0, vec3(1, 0, 0));
    Spectrum once = spectrum_of(world);
    /* The third link a second time: one dependent row. */
    JointDef again = joint_def(JOINT_DISTANCE, 2, 3);
    again.local_anchors = true;
    build_joint(world, &again);
    Spectrum twice = spectrum_of(world);
    assert_int_equal(twice.rows, 7);
    assert_int_equal(twice.rank, 6);
    assert_near(twice.eigenvalues[0], 0.0, 1e-14);
    assert_true(twice.condition < 1e3);
    assert_true(twice.gauss_seidel < 1.0 - 1e-3);
    assert_near(twice.measured.rate, twice.gauss_seidel, 1e-9);
    spectrum_free(&once);
    spectrum_free(&twice);
    world_destroy(world);
}

static void only_limits_that_push_take_part(void **state)
{
    (void)state;
    World *world = world_create();
    for (int i = 0; i < 2; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "bob";
        def.mass = 1.0 + i;
        def.position = vec3(i, -0.5, 0);
        build_body(world, &def);
        JointDef rope = joint_def(JOINT_DISTANCE, 0, i + 1);
        rope.local_anchors = true;
        rope.anchor[0] = vec3(i, 0, 0);
        rope.one_sided = true;
        rope.rest = i == 0 ? 0.5 : 0.9; /* taut, and slack */
        build_joint(world, &rope);
    }
    Vec3 before = world->velocity[1].v;
    Spectrum spectrum = spectrum_of(world);
    assert_int_equal(spectrum.rows, 1);
    assert_near(spectrum.eigenvalues[0], 1.0, 1e-15);
    assert_near(spectrum.gauss_seidel, 0.0, 0.0);
    assert_vec3_near(world->velocity[1].v, before, 0.0);
    spectrum_free(&spectrum);
    world_destroy(world);
}

/* Boxes of growing mass, each on the one before, on the floor; slid along it by a force. */
static World *box_stack(int count, double ratio, double push)
{
    World *world = build_pile(count, ratio, vec3(push, 0, 0));
    world->materials[0].friction = 0.4;
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    return world;
}

/* A box lies on the floor with four points of three rows each: twelve rows for six freedoms. */
static void contacts_take_part_though_their_rows_depend_on_each_other(void **state)
{
    (void)state;
    World *world = box_stack(1, 1.0, 0.0);
    Spectrum spectrum = spectrum_of(world);
    assert_int_equal(spectrum.rows, 12);
    assert_int_equal(spectrum.rank, 6);
    assert_true(spectrum.gauss_seidel > 0.1 && spectrum.gauss_seidel < 1.0);
    assert_near(spectrum.measured.rate, spectrum.gauss_seidel, 1e-9); /* windows agree to 1e-10 */
    spectrum_free(&spectrum);
    world_destroy(world);
}

/* Only the floor's points feel a push before anything is solved; in the solution all of them do. */
static void rows_that_push_in_the_solution_take_part(void **state)
{
    (void)state;
    enum { BOXES = 4 };
    World *world = box_stack(BOXES, 1.0, 0.0);
    Spectrum spectrum = spectrum_of(world);
    assert_int_equal(spectrum.rows, 12 * BOXES);
    assert_int_equal(spectrum.rank, 6 * BOXES);
    spectrum_free(&spectrum);
    world_destroy(world);
}

/* Rocking about the two horizontal axes: the ratio of two residuals passes an extremum on its way from one mode to the
 * other, and stands still there at a value that is no rate. */
static void two_slow_modes_are_told_apart(void **state)
{
    (void)state;
    static const double RATIOS[] = {1.0, 3.7, 81.3};
    for (int i = 0; i < 3; i++) {
        World *world = box_stack(2, RATIOS[i], 0.0);
        Spectrum spectrum = spectrum_of(world);
        assert_int_equal(spectrum.rank, 12);
        assert_true(spectrum.gauss_seidel > 0.5 && spectrum.gauss_seidel < 1.0);
        assert_near(spectrum.measured.rate, spectrum.gauss_seidel, 1e-9); /* windows agree to 1e-10 */
        spectrum_free(&spectrum);
        world_destroy(world);
    }
}

/* Pushed with more than 0.4 m g: the tangents are at their bound, and four normals of rank three are left. */
static void friction_of_points_that_slide_is_left_out(void **state)
{
    (void)state;
    double mass = 300.0 * 1.1 * 0.7 * 0.9;
    World *sliding = box_stack(1, 1.0, 0.6 * mass * 9.81), *sticking = box_stack(1, 1.0, 0.2 * mass * 9.81);
    Spectrum slides = spectrum_of(sliding), sticks = spectrum_of(sticking);
    assert_int_equal(slides.rows, 4);
    assert_int_equal(slides.rank, 3);
    assert_near(slides.measured.rate, slides.gauss_seidel, 1e-9); /* windows agree to 1e-10 */
    assert_int_equal(sticks.rows, 12);
    spectrum_free(&slides);
    spectrum_free(&sticks);
    world_destroy(sliding);
    world_destroy(sticking);
}

extern const Solver pgs_solver;

static Spectrum amplification_of(World *world, int sweeps, double share)
{
    Spectrum spectrum;
    Status status = {0};
    WarmStart warm = {.sweeps = sweeps, .share = share, .beta = 0.2};
    if (!spectrum_compute(&spectrum, world, 1e-5, &warm, &status))
        fail_msg("%s", status.message);
    return spectrum;
}

/* Cold, one sweep: a mode that sweeps leave a part g of follows u' = g u - (1 - g) beta c, c' = c + u', whose
 * determinant is g: the slowest has the radius sqrt(g). */
static void cold_start_never_amplifies(void **state)
{
    (void)state;
    World *world = particle_chain(4, 0.3, 1.7, 10.0, vec3(1, 0, 0));
    Spectrum spectrum = amplification_of(world, 1, 0.0);
    assert_near(spectrum.amplification, sqrt(spectrum.gauss_seidel), 1e-12);
    assert_near(spectrum.amplification_cold, spectrum.amplification, 0.0);
    spectrum_free(&spectrum);
    world_destroy(world);
}

/* The largest drift of `steps` steps of pgs. */
static double drift_of(Stepper *stepper, int steps)
{
    const World *world = stepper->step.world;
    double largest = 0.0;
    for (int i = 0; i < steps; i++) {
        stepper_frame(stepper, false);
        for (int b = 0; b < world->block_count; b++)
            largest = fmax(largest, block_violation(world, &world->blocks[b]));
    }
    return largest;
}

/* Steps so short that nothing turns: what pgs does to the errors of its first step is what the frozen map says. */
static void pgs_amplifies_as_predicted_where_it_starts_warm(void **state)
{
    (void)state;
    World *world = particle_chain(4, 0.3, 1.7, 10.0, vec3(0, -1, 0));
    Spectrum few = amplification_of(world, 1, 1.0), many = amplification_of(world, 200, 1.0);
    assert_true(few.amplification > 1.04 && few.amplification_cold < 1.0);
    assert_near(many.amplification, 0.8, 1e-3); /* converged: 1 - beta is left */
    Run run = {0};
    Stepper stepper;
    Status status = {0};
    run_choose_solver(&run, &pgs_solver);
    assert_true(run_set_option(&run, "iterations", "1", &status));
    assert_true(stepper_begin(&stepper, &pgs_solver, run.options, world, 1e-7, DETECT_SUBSTEP, &status));
    drift_of(&stepper, 150);
    double early = drift_of(&stepper, 150), late = drift_of(&stepper, 150);
    /* The oscillation's peaks fall anywhere in the last of 150 steps. */
    assert_near(pow(late / early, 1.0 / 150), few.amplification, 1e-3);
    stepper_end(&stepper);
    spectrum_free(&few);
    spectrum_free(&many);
    world_destroy(world);
}

/* A chain by red and black links is consistently ordered, as it is along the list: both contract alike (Young). Twenty
 * links in two colours of ten: ten turns of two threads, each colour in one of ten. */
static void a_chain_of_two_colours_contracts_as_along_the_list(void **state)
{
    (void)state;
    World *world = particle_chain(20, 0.3, 1.7, 10.0, vec3(1, 0, 0));
    Spectrum spectrum = spectrum_of(world);
    assert_near(spectrum.gauss_seidel_coloured, spectrum.gauss_seidel, 1e-9);
    assert_int_equal(spectrum.colours.units, 20);
    assert_int_equal(spectrum.colours.colours, 2);
    assert_near(spectrum.colours.speedup_2, 2.0, 0.0);
    assert_near(spectrum.colours.speedup_16, 10.0, 0.0);
    assert_near(spectrum.colours.most, 10.0, 0.0);
    spectrum_free(&spectrum);
    world_destroy(world);
}

/* What a sweep leaves of the residual, at last, over `window` sweeps of pgs in this order. */
static double ordered_rate(World *world, const char *order, int sweeps, int window)
{
    Run run = {0};
    Stepper stepper;
    Status status = {0};
    char text[32];
    double *residuals = calloc((size_t)sweeps, sizeof *residuals);
    snprintf(text, sizeof text, "%d", sweeps);
    run_choose_solver(&run, &pgs_solver);
    assert_true(residuals && run_set_option(&run, "iterations", text, &status));
    assert_true(run_set_option(&run, "order", order, &status) && run_set_option(&run, "position", "none", &status));
    assert_true(stepper_begin(&stepper, &pgs_solver, run.options, world, 1.0 / 60, DETECT_SUBSTEP, &status));
    world_begin_frame(world);
    stepper_substep(&stepper, residuals, false);
    double rate = pow(residuals[sweeps - 1] / residuals[sweeps - 1 - window], 1.0 / window);
    stepper_end(&stepper);
    free(residuals);
    return rate;
}

/* Struts past one particle: rows that see up to six others, in four colours and more, so that the order matters. */
static void the_rate_by_colours_is_the_one_of_pgs_by_colours(void **state)
{
    (void)state;
    for (int links = 5; links <= 7; links++) {
        World *world = particle_chain(links, 0.3, 1.7, 3.0, vec3(1, 0, 0));
        for (int i = 1; i + 2 <= links; i++) {
            JointDef strut = joint_def(JOINT_DISTANCE, i, i + 2);
            strut.local_anchors = true;
            strut.rest = 0.6;
            world->pose[i + 1].x.y = i % 2 ? 0.05 : -0.04;
            build_joint(world, &strut);
        }
        Spectrum spectrum = spectrum_of(world);
        for (int i = 1; i <= links; i++) /* something to take away, of all modes */
            world->velocity[i].v = vec3(0.3 * i, sin(i), 0.1);
        assert_true(spectrum.colours.colours >= 4); /* a particle inside has four rows */
        assert_true(fabs(spectrum.gauss_seidel_coloured - spectrum.gauss_seidel) > 1e-6);
        assert_near(ordered_rate(world, "colour", 400, 100), spectrum.gauss_seidel_coloured, 1e-4);
        spectrum_free(&spectrum);
        world_destroy(world);
    }
}

extern const Solver jacobi_split_solver;

/* What an iteration of jacobi_split leaves of the residual, at last, over `window` iterations. */
static double jacobi_split_rate(World *world, int iterations, int window)
{
    Run run = {0};
    Stepper stepper;
    Status status = {0};
    char text[32];
    double *residuals = calloc((size_t)iterations, sizeof *residuals);
    snprintf(text, sizeof text, "%d", iterations);
    run_choose_solver(&run, &jacobi_split_solver);
    assert_true(residuals && run_set_option(&run, "iterations", text, &status));
    assert_true(stepper_begin(&stepper, &jacobi_split_solver, run.options, world, 1.0 / 60, DETECT_SUBSTEP, &status));
    world_begin_frame(world);
    stepper_substep(&stepper, residuals, false);
    double rate = pow(residuals[iterations - 1] / residuals[iterations - 1 - window], 1.0 / window);
    stepper_end(&stepper);
    free(residuals);
    return rate;
}

/* A chain of particles is a star of two leaves at every joint; a box on the floor has contacts with dependent rows. */
static void jacobi_with_split_masses_contracts_as_predicted(void **state)
{
    (void)state;
    static const double RATIOS[] = {1.0, 7.3};
    static const int ITERATIONS[] = {800, 2400};
    for (int i = 0; i < 2; i++) {
        World *world = particle_chain(5, 0.3, 1.7, RATIOS[i], vec3(0, -1, 0));
        Spectrum spectrum = spectrum_of(world);
        /* All bodies but the last are in two links: half a step of Jacobi, or a little more. */
        assert_true(spectrum.jacobi_split > spectrum.jacobi && spectrum.jacobi_split < 1.0);
        /* By then the next mode is far below the slowest, and both above round-off. */
        assert_near(jacobi_split_rate(world, ITERATIONS[i], 50), spectrum.jacobi_split, 1e-7);
        spectrum_free(&spectrum);
        world_destroy(world);
    }
    World *boxes = box_stack(2, 1.0, 0.0);
    for (int i = 2; i < 4; i++) /* so that every mode is stirred, and all points still push */
        boxes->velocity[i] = (Velocity){vec3(0.011, -0.1, 0.017), vec3(0.005 * i, 0.007, -0.006)};
    boxes->materials[0].friction = 3.0; /* and none slides, whichever of the equal solutions is reached */
    assert_true(contacts_detect(boxes) && contacts_add_blocks(boxes));
    Spectrum spectrum = spectrum_of(boxes);
    assert_true(spectrum.jacobi_split > 0.5 && spectrum.jacobi_split < 1.0);
    assert_near(jacobi_split_rate(boxes, 1200, 200), spectrum.jacobi_split, 1e-4);
    spectrum_free(&spectrum);
    world_destroy(boxes);
}

/* A star with fixed leaves: one particle in n links is split n times, and each step is 1/n of Jacobi's. Where the
 * leaves are close together Jacobi's overshoots: 1 - m < -1 for the fastest mode. */
static void on_a_star_split_masses_are_jacobi_relaxed(void **state)
{
    (void)state;
    enum { LEAVES = 3 };
    for (int close = 0; close < 2; close++) {
        World *world = world_create();
        BodyDef def = BODY_DEF_INIT;
        def.name = "hub";
        def.mass = 1.3;
        build_body(world, &def);
        for (int i = 0; i < LEAVES; i++) {
            double angle = (close ? 0.3 : 2.1) * i;
            JointDef link = joint_def(JOINT_DISTANCE, 0, 1);
            link.local_anchors = true;
            link.anchor[0] = vec3(cos(angle), sin(angle), 0.3 * i - 0.2);
            link.rest = vec3_norm(link.anchor[0]);
            build_joint(world, &link);
        }
        Spectrum spectrum = spectrum_of(world);
        double slowest = spectrum.eigenvalues[0] * 1.3, fastest = spectrum.eigenvalues[LEAVES - 1] * 1.3;
        assert_int_equal(spectrum.rank, LEAVES);
        assert_near(spectrum.jacobi_split, fmax(fabs(1.0 - slowest / LEAVES), fabs(1.0 - fastest / LEAVES)), 1e-12);
        assert_near(spectrum.jacobi, fmax(1.0 - slowest, fastest - 1.0), 1e-12);
        assert_true((spectrum.jacobi > 1.0) == close);
        spectrum_free(&spectrum);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_chains_contract_as_the_table_says),
        cmocka_unit_test(eigenvalues_of_an_even_chain_are_known),
        cmocka_unit_test(dependent_rows_do_not_count),
        cmocka_unit_test(only_limits_that_push_take_part),
        cmocka_unit_test(contacts_take_part_though_their_rows_depend_on_each_other),
        cmocka_unit_test(rows_that_push_in_the_solution_take_part),
        cmocka_unit_test(two_slow_modes_are_told_apart),
        cmocka_unit_test(friction_of_points_that_slide_is_left_out),
        cmocka_unit_test(jacobi_with_split_masses_contracts_as_predicted),
        cmocka_unit_test(on_a_star_split_masses_are_jacobi_relaxed),
        cmocka_unit_test(cold_start_never_amplifies),
        cmocka_unit_test(pgs_amplifies_as_predicted_where_it_starts_warm),
        cmocka_unit_test(a_chain_of_two_colours_contracts_as_along_the_list),
        cmocka_unit_test(the_rate_by_colours_is_the_one_of_pgs_by_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
