/* The rates of sweeps on hanging chains, and dependent rows. */
#include "solvers/spectrum.h"

#include "model/contact.h"
#include "tests/solvers/worlds.h"

static Spectrum spectrum_of(World *world)
{
    Spectrum spectrum;
    Status status = {0};
    if (!spectrum_compute(&spectrum, world, 1.0 / 60, &status))
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
    assert_near(spectrum.jacobi, sqrt(spectrum.gauss_seidel), 1e-9); /* tridiagonal: consistently ordered */
    assert_near(spectrum.measured, spectrum.gauss_seidel, 1e-8);     /* steady to 1e-12 a sweep */
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
    assert_near(twice.measured, twice.gauss_seidel, 1e-8);
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

/* A box lies on the floor with four points of three rows each: twelve rows for six freedoms. */
static void contacts_take_part_though_their_rows_depend_on_each_other(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef floor = BODY_DEF_INIT, box = BODY_DEF_INIT;
    floor.name = "floor";
    floor.fixed = true;
    floor.shape = (Shape){.kind = SHAPE_PLANE, .normal = vec3(0, 1, 0)};
    box.name = "box";
    box.shape.kind = SHAPE_BOX;
    box.shape.size = vec3(1.1, 0.7, 0.9);
    box.position = vec3(0, 0.35, 0);
    box.density = 300.0;
    world->materials[0].friction = 0.4;
    world->collide = true;
    build_body(world, &floor);
    build_body(world, &box);
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    Spectrum spectrum = spectrum_of(world);
    assert_int_equal(spectrum.rows, 12);
    assert_int_equal(spectrum.rank, 6);
    assert_true(spectrum.gauss_seidel > 0.1 && spectrum.gauss_seidel < 1.0);
    assert_near(spectrum.measured, spectrum.gauss_seidel, 1e-8);
    spectrum_free(&spectrum);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_chains_contract_as_the_table_says),
        cmocka_unit_test(eigenvalues_of_an_even_chain_are_known),
        cmocka_unit_test(dependent_rows_do_not_count),
        cmocka_unit_test(only_limits_that_push_take_part),
        cmocka_unit_test(contacts_take_part_though_their_rows_depend_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
