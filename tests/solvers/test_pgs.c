/* SPDX-License-Identifier: MIT */
/* Projected Gauss-Seidel: rates against the spectrum, what an exact solve gives, warm starting, position correction. */
#include "model/energy.h"
#include "solvers/rows/rows.h"
#include "tests/solvers/worlds.h"

/* The factor by which a sweep reduces the residual, once the slowest mode is left alone. */
static double contraction(World *world, const char *options, int sweeps)
{
    Drive drive;
    drive_begin(&drive, world, "pgs", options);
    drive.step.h = 1.0 / 60;
    world_begin_substep(world, drive.step.h);
    drive.phases[0].enter(drive.self, &drive.step);
    double before = 0, after = 0;
    for (int i = 0; i < sweeps; i++) {
        drive.phases[0].iterate(drive.self, &drive.step);
        before = after;
        after = drive.phases[0].residual(drive.self, &drive.step);
    }
    drive_end(&drive);
    return after / before;
}

static void sweeps_contract_at_the_reference_rates(void **state)
{
    (void)state;
    const struct {
        int links;
        double mass_ratio, rate;
        int sweeps;
    } cases[] = {{2, 1, 0.5, 20},        {2, 7, 7.0 / 8, 60},     {5, 1, 0.904508, 100},
                 {10, 1, 0.975528, 400}, {10, 10, 0.991590, 800}, {20, 1, 0.993844, 1500}};
    for (int k = 0; k < 6; k++) {
        World *world = particle_chain(cases[k].links, 0.3, 1, cases[k].mass_ratio, vec3(0, -1, 0));
        double rate = contraction(world, "warm_start=false iterations=1", cases[k].sweeps);
        assert_near(rate, cases[k].rate, 1e-5);
        world_destroy(world);
    }
}

/* Erratum: J V2 = eps is a condition on velocities; after an exact solve it holds. */
static void exact_solve_leaves_the_velocity_asked_for(void **state)
{
    (void)state;
    World *world = rod_chain(4, 1.0);
    Random random = {5};
    for (int i = 1; i < world->body_count; i++)
        world->velocity[i] = (Velocity){random_vec3(&random, 1), random_vec3(&random, 1)};
    build_move(world, 2, 1, 0.01); /* so that eps is not zero */
    RowSystem before;
    row_system_init(&before, world);
    double h = 1.0 / 60, beta = 0.2;
    row_system_prepare(&before, world, &(RowSetup){.h = h, .rate = beta / h, .relaxation = 1});
    Drive drive;
    drive_begin(&drive, world, "pgs", "iterations=2000");
    drive_frame(&drive, h);
    for (int b = 0; b < before.count; b++)
        for (int i = 0; i < 3; i++) {
            const double *J = before.blocks[b].J[i];
            double rate = 0;
            for (int k = 0; k < 2; k++) {
                Velocity u = world->velocity[world->blocks[b].body[k]];
                rate += vec3_dot(vec3(J[6 * k], J[6 * k + 1], J[6 * k + 2]), u.v) +
                        vec3_dot(vec3(J[6 * k + 3], J[6 * k + 4], J[6 * k + 5]), u.w);
            }
            assert_near(rate, -beta * before.blocks[b].C[i] / h, 1e-10);
        }
    drive_end(&drive);
    row_system_free(&before);
    world_destroy(world);
}

static void warm_starting_at_rest_begins_at_the_solution(void **state)
{
    (void)state;
    double residual[2];
    for (int warm = 0; warm < 2; warm++) {
        World *world = particle_chain(10, 0.1, 1, 1, vec3(0, -1, 0));
        Drive drive;
        drive_begin(&drive, world, "pgs", warm ? "iterations=200" : "iterations=200 warm_start=false");
        for (int f = 0; f < 20; f++)
            drive_frame(&drive, 1.0 / 60);
        drive.phases[0].enter(drive.self, &drive.step);
        drive.phases[0].iterate(drive.self, &drive.step);
        residual[warm] = drive.phases[0].residual(drive.self, &drive.step);
        drive_end(&drive);
        world_destroy(world);
    }
    assert_true(residual[0] > 0.1);
    assert_true(residual[1] < 1e-6);
}

/* Row by row, as a whole, and in colours: other paths to the same solution. */
static void all_sweeps_converge_to_the_same_multipliers(void **state)
{
    (void)state;
    const char *const options[] = {"iterations=3000", "iterations=3000 block=true", "iterations=3000 order=colour",
                                   "iterations=3000 relaxation=1.3"};
    World *first = NULL;
    for (int k = 0; k < 4; k++) {
        World *world = rod_chain(6, 0.8);
        drive_run(world, "pgs", options[k], 1.0 / 60, 1);
        if (first)
            for (int b = 0; b < world->block_count; b++)
                assert_vec3_near(world->block_impulse[b], first->block_impulse[b], 1e-9);
        if (first)
            world_destroy(world);
        else
            first = world;
    }
    world_destroy(first);
}

/* Without its bias a joint pulled apart stays so; each way of taking errors back closes it. */
static void position_errors_are_taken_back_unless_asked_not_to(void **state)
{
    (void)state;
    const struct {
        const char *options;
        double left; /* of 0.05 m after one frame */
    } cases[] = {{"position=none", 0.05},
                 {"position=baumgarte beta=0.3", 0.05 * 0.7},
                 {"position=split beta=0.3 position_iterations=50", 0.05 * 0.7},
                 {"position=ngs position_iterations=50", 0.0}};
    for (int k = 0; k < 4; k++) {
        World *world = particle_chain(1, 1.0, 1, 1, vec3(1, 0, 0));
        world->gravity = VEC3_ZERO;
        world->pose[1].x.x = 1.05;
        drive_run(world, "pgs", cases[k].options, 1.0 / 60, 1);
        assert_near(worst_violation(world), cases[k].left, 1e-14);
        /* Baumgarte leaves the velocity behind, the others do not. */
        assert_near(fabs(world->velocity[1].v.x), k == 1 ? 0.05 * 0.3 * 60 : 0, 1e-13);
        world_destroy(world);
    }
}

static void relaxing_takes_the_correction_out_of_velocity_and_multiplier(void **state)
{
    (void)state;
    World *world = particle_chain(1, 1.0, 1, 1, vec3(1, 0, 0));
    world->gravity = VEC3_ZERO;
    world->pose[1].x.x = 1.05;
    Drive drive;
    drive_begin(&drive, world, "pgs", "beta=0.3 relax=1");
    drive_frame(&drive, 1.0 / 60);
    assert_near(world->pose[1].x.x, 1.0 + 0.05 * 0.7, 1e-15);
    assert_near(world->velocity[1].v.x, 0.0, 1e-15);
    assert_vec3_near(world->block_impulse[0], VEC3_ZERO, 1e-15);
    assert_int_equal(drive.step.row_solves, 20 + 1);
    assert_string_equal(drive.phases[drive.phase_count - 1].name, "relax");
    drive_end(&drive);
    world_destroy(world);
}

/* Largest rise of the energy of 40 particles, 1 kg and 1 m each, that fall from the horizontal, over m g times the
 * greatest drop; 20 substeps of one sweep. */
static double chain_gain(const char *options)
{
    World *world = particle_chain(40, 1.0, 1, 1, vec3(1, 0, 0));
    char all[128];
    snprintf(all, sizeof all, "substeps=20 iterations=1 %s", options);
    Drive drive;
    double start = world_energy(world), most = start;
    drive_begin(&drive, world, "pgs", all);
    for (int f = 0; f < 120 && isfinite(most); f++) {
        drive_frame(&drive, 1.0 / 60);
        double now = world_energy(world);
        most = isfinite(now) ? fmax(most, now) : INFINITY;
    }
    drive_end(&drive);
    world_destroy(world);
    return (most - start) / (9.81 * 40 * 41 / 2);
}

/* A mode that a sweep reduces by the small part s obeys, with the error x = C/h, its rate u and the warm started push
 * p, z^3 + (2 s + f) z^2 + s (1 + beta) z + s beta = 0 for growth z a substep, f the share of p that is forgotten:
 * damped for any s if f (1 + beta) > beta. A relaxing sweep makes it z^3 + (3 s + f) z^2 + s (2 + beta) z + s beta. */
static void warm_started_corrections_gain_energy_until_enough_is_forgotten(void **state)
{
    (void)state;
    double warm = chain_gain(""), relaxed = chain_gain("relax=1");
    assert_true(warm > 100.0);
    assert_true(relaxed > 0.1 && relaxed < 0.05 * warm); /* better, and no cure */
    assert_true(chain_gain("warm_share=0.95") > 0.1);    /* f (1.2) = 0.06 < 0.2 */
    assert_true(chain_gain("relax=1 warm_share=0.95") > 0.01);
    assert_true(chain_gain("warm_share=0.82") < 1e-9); /* round-off */
    assert_true(chain_gain("relax=1 warm_share=0.9") < 1e-9);
    assert_true(chain_gain("warm_start=false") < 1e-9);
}

/* C+ = (1 - beta) C: no overshoot up to 1, decaying oscillation up to 2, divergence past it (erratum 6, as a joint). */
static void baumgarte_decays_until_beta_is_2(void **state)
{
    (void)state;
    const double betas[] = {0.5, 1.0, 1.5, 2.1};
    for (int k = 0; k < 4; k++) {
        World *world = particle_chain(1, 1.0, 1, 1, vec3(1, 0, 0));
        char options[32];
        world->gravity = VEC3_ZERO;
        world->pose[1].x.x = 1.01;
        snprintf(options, sizeof options, "beta=%g", betas[k]);
        Drive drive;
        drive_begin(&drive, world, "pgs", options);
        double C = 0.01;
        for (int f = 0; f < 6; f++) {
            drive_frame(&drive, 1.0 / 60);
            C *= 1 - betas[k];
            assert_near(world->pose[1].x.x - 1.0, C, 1e-13);
        }
        drive_end(&drive);
        world_destroy(world);
    }
}

/* A rope only pulls, a limit only pushes back; what is not reached has no multiplier. */
static void rope_is_slack_until_it_is_taut(void **state)
{
    (void)state;
    const char *const names[] = {"pgs", "xpbd", "pbd", "naive"};
    for (int s = 0; s < 4; s++) {
        World *world = particle_chain(1, 1.0, 1, 1, vec3(0, -1, 0));
        joint_terms(&world->blocks[0])->one_sided = true;
        world->pose[1].x.y = -0.5;
        Drive drive;
        drive_begin(&drive, world, names[s], "substeps=4");
        for (int f = 0; f < 15; f++) { /* falls 0.31 m: still slack */
            drive_frame(&drive, 1.0 / 60);
            assert_true(vec3_is_zero(world->joints[0].impulse));
        }
        for (int f = 0; f < 120; f++)
            drive_frame(&drive, 1.0 / 60);
        /* hangs without a bounce, carrying its weight */
        assert_near(world->pose[1].x.y, -1.0, 2e-3);
        Vec3 force, torque;
        world_reaction(world, 0, 1.0 / 60, &force, &torque);
        assert_near(force.y, 9.81, 1e-6);
        drive_end(&drive);
        world_destroy(world);
    }
}

static void row_solves_count_rows_times_sweeps(void **state)
{
    (void)state;
    const struct {
        const char *solver, *options;
        long long per_link; /* in one frame: rows x passes */
    } cases[] = {
        {"pgs", "substeps=2 iterations=7", 2 * 7 * 3},
        {"pgs", "substeps=2 iterations=7 block=true", 2 * 7 * 3},
        {"pgs", "substeps=1 iterations=7 position=split position_iterations=3", 7 * 3 + 3 * 3},
        {"naive_avg", "substeps=1 iterations=5", 5 * 3 + 3},
        {"xpbd", "substeps=4 iterations=2", 4 * 2 * 3},
        {"xpbd", "substeps=4 iterations=2 block=true", 4 * 2 * 3},
    };
    for (int k = 0; k < 6; k++)
        for (int links = 10; links <= 1000; links *= 10) {
            World *world = rod_chain(links, 1.3);
            Drive drive;
            drive_begin(&drive, world, cases[k].solver, cases[k].options);
            drive_frame(&drive, 1e-4);
            drive_frame(&drive, 1e-4);
            assert_int_equal(drive.step.row_solves, 2 * cases[k].per_link * links);
            drive_end(&drive);
            world_destroy(world);
        }
}

/* How far apart a chain and the same chain turned as a whole end, turned back. */
static double frame_dependence(const char *options)
{
    Random random = {271};
    Quat turn = random_quat(&random);
    World *world[2] = {rod_chain(4, 1.0), rod_chain(4, 1.0)};
    world[1]->gravity = quat_rotate(turn, world[1]->gravity);
    for (int i = 1; i < world[1]->body_count; i++) {
        Pose *pose = &world[1]->pose[i];
        *pose = (Pose){quat_rotate(turn, pose->x), quat_mul(turn, pose->q)};
    }
    for (int b = 0; b < world[1]->block_count; b++) /* the world's own anchors turn with it */
        for (int k = 0; k < 2; k++)
            if (world[1]->blocks[b].body[k] == 0) {
                Vec3 *anchor = &world[1]->blocks[b].seat->anchor[k];
                *anchor = quat_rotate(turn, *anchor);
            }
    double apart = 0.0;
    for (int k = 0; k < 2; k++)
        drive_run(world[k], "pgs", options, 1.0 / 60, 60);
    for (int i = 1; i < world[0]->body_count; i++) {
        Vec3 back = quat_rotate_inverse(turn, world[1]->pose[i].x);
        apart = fmax(apart, vec3_norm(vec3_sub(back, world[0]->pose[i].x)));
    }
    world_destroy(world[0]);
    world_destroy(world[1]);
    return apart;
}

/* Rows along the world's axes, one by one: what sweeps leave depends on how a scene is turned. A block that is solved
 * as a whole has no axes. */
static void unconverged_rows_depend_on_the_frame_and_whole_blocks_do_not(void **state)
{
    (void)state;
    assert_near(frame_dependence("iterations=5"), 1.64e-3, 1e-5);  /* what README says */
    assert_near(frame_dependence("iterations=20"), 2.41e-4, 1e-6); /* the default */
    assert_true(frame_dependence("iterations=5 block=true") < 1e-10);
    assert_true(frame_dependence("iterations=3000") < 1e-12); /* converged, neither does pgs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unconverged_rows_depend_on_the_frame_and_whole_blocks_do_not),
        cmocka_unit_test(sweeps_contract_at_the_reference_rates),
        cmocka_unit_test(exact_solve_leaves_the_velocity_asked_for),
        cmocka_unit_test(warm_starting_at_rest_begins_at_the_solution),
        cmocka_unit_test(all_sweeps_converge_to_the_same_multipliers),
        cmocka_unit_test(position_errors_are_taken_back_unless_asked_not_to),
        cmocka_unit_test(relaxing_takes_the_correction_out_of_velocity_and_multiplier),
        cmocka_unit_test(warm_started_corrections_gain_energy_until_enough_is_forgotten),
        cmocka_unit_test(baumgarte_decays_until_beta_is_2),
        cmocka_unit_test(rope_is_slack_until_it_is_taut),
        cmocka_unit_test(row_solves_count_rows_times_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
