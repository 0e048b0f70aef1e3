/* SPDX-License-Identifier: MIT */
/* Newton's method on rows with bounds: it ends where sweeps creep, for every law of friction. */
#include "bench/frozen/friction_law.h"
#include "bench/frozen/smooth.h"
#include "solvers/cone/bodies.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double H = 1.0 / 60;

/* Boxes on a floor that slide, spin and lean on each other, as they are after some frames. */
static World *heap(uint64_t seed, double patch)
{
    static const char *const NAMES[] = {"a", "b", "c", "d", "e"};
    Random random = {seed};
    World *world = contact_world(0.4, 0.0);
    world->materials[0].patch_radius = patch;
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 5; i++) {
        BodyDef box = box_def(NAMES[i], vec3(0.6, 0.3, random_in(&random, 0.4, 0.8)), vec3(0.1 * i, 0.3 + 0.45 * i, 0));
        box.orientation = random_quat(&random);
        box.velocity = random_vec3(&random, 1.0);
        box.angular_velocity = random_vec3(&random, 2.0);
        build_body(world, &box);
    }
    drive_run(world, "pgs", "manifold=true", H, 60 + 5 * (int)seed);
    return world;
}

typedef struct Swept {
    const World *world;
    Velocity *velocity; /* V* and what the rows' lambda adds */
    RowSystem system;
    ConeAssembly assembly;
    ConeNewton newton;
    ConeBodies bodies;
    double before, after; /* residuals: of some sweeps, and polished */
} Swept;

/* V* in the world, and the rows after some sweeps. */
static void sweep(Swept *swept, World *world, FrictionModel friction, int sweeps)
{
    *swept = (Swept){.world = world};
    for (int i = 1; i < world->body_count; i++) /* free flight */
        if (!world_is_fixed(world, i))
            world->velocity[i].v = vec3_add_scaled(world->velocity[i].v, H, world->gravity);
    assert_true(row_system_init(&swept->system, world) && cone_assembly_reserve(&swept->assembly, world));
    row_system_prepare(&swept->system, world,
                       &(RowSetup){.h = H, .relaxation = 1.0, .friction = friction, .facets = 8, .push_speed = 2.0});
    swept->velocity = malloc(sizeof *swept->velocity * (size_t)world->body_count);
    memcpy(swept->velocity, world->velocity, sizeof *swept->velocity * (size_t)world->body_count);
    for (int i = 0; i < sweeps; i++)
        row_system_sweep(&swept->system, swept->velocity, NULL);
    swept->before = row_system_residual(&swept->system, swept->velocity);
    cone_assembly_fill(&swept->assembly, &swept->system, world);
    assert_true(cone_newton_reserve(&swept->newton, swept->assembly.system.rows) &&
                cone_newton_begin(&swept->newton, &swept->assembly.system) &&
                cone_bodies_init(&swept->bodies, &swept->system, &swept->assembly, world));
}

/* What r leaves, by the judge of the rows. */
static double left(Swept *swept)
{
    memcpy(swept->velocity, swept->world->velocity, sizeof *swept->velocity * (size_t)swept->world->body_count);
    cone_assembly_store(&swept->assembly, &swept->system);
    row_system_apply(&swept->system, swept->velocity);
    return row_system_residual(&swept->system, swept->velocity);
}

/* Centre by centre; the least residual on the way. */
static void polish(Swept *swept, World *world, FrictionModel friction, int sweeps)
{
    sweep(swept, world, friction, sweeps);
    RowsLaw law = friction_law(&swept->system, &swept->assembly);
    swept->newton.bodies = &swept->bodies;
    swept->after = swept->before;
    for (double epsilon = 1e-3; swept->newton.steps < 400 && swept->after > 1e-14 && epsilon <= 1.0;) {
        bool solved =
            cone_newton_proximal(&swept->newton, &swept->assembly.system, &law.law, epsilon, 40, swept->assembly.r);
        epsilon = solved ? fmax(0.25 * epsilon, 1e-9) : 4.0 * epsilon;
        swept->after = fmin(swept->after, left(swept));
    }
}

static void swept_free(Swept *swept)
{
    free(swept->velocity);
    row_system_free(&swept->system);
    cone_assembly_free(&swept->assembly);
    cone_newton_free(&swept->newton);
    cone_bodies_free(&swept->bodies);
}

/* 200 sweeps leave more than 1e-10 in most cases; Newton ends below 1e-12 wherever friction is linear. The disc bends:
 * where faces share their load in many ways it takes Newton more steps than there are here, and it says so by what it
 * returns, which is what it left. */
static void it_ends_where_sweeps_creep(void **state)
{
    (void)state;
    static const FrictionModel LAWS[] = {FRICTION_CONE, FRICTION_PYRAMID, FRICTION_BOX, FRICTION_FACETS};
    int crept = 0, ended = 0;
    for (int k = 0; k < 24; k++) {
        World *world = heap((uint64_t)(k / 4 + 1), 0.0);
        Swept swept;
        polish(&swept, world, LAWS[k % 4], 200);
        assert_true(swept.system.rows > 0);
        assert_true(swept.after <= swept.before);
        crept += swept.before > 1e-10;
        ended += swept.after < 1e-12;
        assert_true(LAWS[k % 4] == FRICTION_CONE || swept.after < 1e-12);
        swept_free(&swept);
        world_destroy(world);
    }
    assert_true(crept >= 18);
    assert_true(ended >= 21);
}

/* The disc again, and its spin with it: a thousandth of what sweeps leave. */
static void a_patch_is_solved_with_its_spin(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        World *world = heap((uint64_t)(k + 1), 0.1);
        Swept swept;
        polish(&swept, world, FRICTION_CONE, 50);
        assert_true(swept.after < 1e-3 * swept.before);
        swept_free(&swept);
        world_destroy(world);
    }
}

/* Joints, a limit and a weak motor: a few steps from nothing give the multipliers to round-off. */
static void joints_and_limits_take_a_few_steps(void **state)
{
    (void)state;
    World *world = rod_chain(6, 1.0);
    BodyDef arm = box_def("arm", vec3(0.5, 0.1, 0.1), vec3(-0.25, 0, 0));
    JointDef motor = joint_def(JOINT_MOTOR, 0, build_body(world, &arm));
    motor.axis = vec3(0, 0, 1);
    motor.speed = 40.0;
    motor.max_torque = 5.0;
    build_joint(world, &motor);
    Swept swept;
    polish(&swept, world, FRICTION_CONE, 1);
    assert_true(swept.before > 1e-3);
    assert_true(swept.after < 1e-12);
    assert_true(swept.newton.steps <= 20);
    swept_free(&swept);
    world_destroy(world);
}

/* F of all rows, and P dr + Q du of them, at r + t dr, u + t du. */
static void follow(const Swept *swept, const NewtonLaw *law, const double *r, const double *u, double t,
                   const double *dr, const double *du, double *F, double *slope)
{
    const ConeSystem *system = &swept->assembly.system;
    double *rt = malloc(sizeof *rt * (size_t)system->rows), *ut = malloc(sizeof *ut * (size_t)system->rows);
    NewtonGroup group;
    for (int a = 0; a < system->rows; a++) {
        rt[a] = r[a] + t * dr[a];
        ut[a] = u[a] + t * du[a];
    }
    for (int i = 0; i < system->count; i++) {
        law->linearise(law, system, i, rt, ut, &group);
        for (int a = 0; a < group.count; a++) {
            double w = cone_block_weight(system, group.block[a]);
            F[group.row[a]] = w * group.F[a];
            slope[group.row[a]] = 0.0;
            for (int b = 0; b < group.count; b++)
                slope[group.row[a]] += group.P[a][b] * dr[group.row[b]] + group.Q[a][b] * du[group.row[b]];
        }
    }
    free(rt);
    free(ut);
}

/* P and Q against differences of F along random directions, at random r and u: sticking, sliding and apart. */
static void check_slopes(Swept *swept, const NewtonLaw *law, Random *random)
{
    enum { MOST = 200 };
    double r[MOST], u[MOST], dr[MOST], du[MOST], F[2][MOST], slope[MOST], unused[MOST];
    const ConeSystem *system = &swept->assembly.system;
    int rows = system->rows, checked = 0;
    const double t = 1e-6;
    assert_in_range(rows, 1, MOST);
    for (int i = 0; i < system->count; i++) {
        double w = cone_block_weight(system, i);
        for (int a = system->blocks[i].first; a < system->blocks[i].first + system->blocks[i].size; a++) {
            r[a] = random_in(random, -1.0, 2.0) / w;
            u[a] = random_in(random, -1.0, 1.0);
            dr[a] = random_in(random, -1.0, 1.0) / w;
            du[a] = random_in(random, -1.0, 1.0);
        }
    }
    follow(swept, law, r, u, t, dr, du, F[1], unused);
    follow(swept, law, r, u, -t, dr, du, F[0], unused);
    follow(swept, law, r, u, 0.0, dr, du, unused, slope);
    for (int a = 0; a < rows; a++) {
        double by = (F[1][a] - F[0][a]) / (2.0 * t);
        checked += fabs(by - slope[a]) <= 1e-6 * (1.0 + fabs(by)); /* t^2 times a third derivative of some units */
    }
    assert_true(checked >= rows - 1); /* a kink in between is rare */
}

static void slopes_are_the_derivatives_of_the_laws(void **state)
{
    (void)state;
    static const FrictionModel LAWS[] = {FRICTION_CONE, FRICTION_PYRAMID, FRICTION_BOX, FRICTION_FACETS};
    Random random = {771};
    for (int k = 0; k < 16; k++) {
        World *world = heap((uint64_t)(k % 3 + 1), k < 12 ? 0.0 : 0.1);
        Swept swept;
        sweep(&swept, world, k < 12 ? LAWS[k % 4] : FRICTION_CONE, 5);
        RowsLaw law = friction_law(&swept.system, &swept.assembly);
        check_slopes(&swept, &law.law, &random);
        double slip[200] = {0};
        SmoothLaw smooth = smooth_law(slip);
        for (smooth.eta = 0.3; smooth.eta > 1e-3 && k < 12; smooth.eta *= 0.1) {
            smooth.holds = !smooth.holds;
            check_slopes(&swept, &smooth.law, &random);
        }
        swept_free(&swept);
        world_destroy(world);
    }
}

/* dV has the same step in it as dr: to round-off times the condition of D, 1/delta. */
static void a_step_by_the_bodies_is_the_step_by_the_rows(void **state)
{
    (void)state;
    static const FrictionModel LAWS[] = {FRICTION_CONE, FRICTION_PYRAMID, FRICTION_BOX, FRICTION_FACETS};
    for (int k = 0; k < 8; k++) {
        World *world = heap((uint64_t)(k % 4 + 1), k < 4 ? 0.0 : 0.1);
        Swept swept;
        sweep(&swept, world, LAWS[k < 4 ? k : 0], 20);
        RowsLaw law = friction_law(&swept.system, &swept.assembly);
        const ConeSystem *system = &swept.assembly.system;
        double r[2][200], largest = 0.0;
        assert_in_range(system->rows, 1, 200);
        for (int form = 0; form < 2; form++) {
            memcpy(r[form], swept.assembly.r, sizeof(double) * (size_t)system->rows);
            swept.newton.bodies = form ? &swept.bodies : NULL;
            swept.newton.delta = 1e-3;
            assert_true(cone_newton_step(&swept.newton, system, &law.law, r[form]));
        }
        for (int a = 0; a < system->rows; a++)
            largest = fmax(largest, fabs(r[0][a]));
        for (int a = 0; a < system->rows; a++)
            assert_near(r[0][a], r[1][a], 1e-10 * largest);
        swept_free(&swept);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_where_sweeps_creep),
        cmocka_unit_test(a_patch_is_solved_with_its_spin),
        cmocka_unit_test(joints_and_limits_take_a_few_steps),
        cmocka_unit_test(a_step_by_the_bodies_is_the_step_by_the_rows),
        cmocka_unit_test(slopes_are_the_derivatives_of_the_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
