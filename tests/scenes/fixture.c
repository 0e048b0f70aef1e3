/* SPDX-License-Identifier: MIT */
#include "tests/scenes/fixture.h"

/* Step of central differences, s: truncation h^2 and round-off 1e-16/h balance near it. */
#define FIXTURE_STEP 1e-5

const double fixture_times[FIXTURE_TIMES] = {0.0137, 0.1973, 0.4219, 1.6180, 2.7183};

Problem *fixture_build(const char *scene, const char *settings)
{
    Status status = {0};
    Problem *problem = built_problem(scene, settings, &status);
    if (!problem)
        fail_msg("%s %s: %s", scene, settings, status.message);
    return problem;
}

void fixture_truth_at(const Problem *problem, double t, Truth *truth)
{
    const World *world = problem->world;
    memset(truth->has_position, 0, sizeof(bool) * (size_t)world->body_count);
    memset(truth->has_orientation, 0, sizeof(bool) * (size_t)world->body_count);
    memset(truth->has_force, 0, sizeof(bool) * (size_t)world->joint_count);
    problem->truth(problem, t, truth);
}

void fixture_place(Problem *problem, double t)
{
    World *world = problem->world;
    Truth now = built_truth(world), before = built_truth(world), after = built_truth(world);
    fixture_truth_at(problem, t, &now);
    fixture_truth_at(problem, t - FIXTURE_STEP, &before);
    fixture_truth_at(problem, t + FIXTURE_STEP, &after);
    double rate = 0.5 / FIXTURE_STEP;
    for (int i = 1; i < world->body_count; i++) {
        assert_true(now.has_position[i] && now.has_orientation[i]);
        world->pose[i] = (Pose){now.position[i], quat_mul(now.orientation[i], world->principal[i])};
        Quat turn = quat_mul(after.orientation[i], quat_conj(before.orientation[i]));
        world->velocity[i].v = vec3_scale(rate, vec3_sub(after.position[i], before.position[i]));
        world->velocity[i].w = vec3_scale(rate, quat_log(turn));
    }
    for (int b = 0; b < world->joint_block_count; b++) {
        JointTerms *terms = joint_terms(&world->blocks[b]);
        if (terms->driven)
            terms->angle = terms->target = terms->target_before = terms->speed * t;
    }
    truth_free(&now);
    truth_free(&before);
    truth_free(&after);
}

double fixture_worst_violation(const World *world)
{
    double worst = 0.0;
    for (int b = 0; b < world->block_count; b++)
        worst = fmax(worst, block_violation(world, &world->blocks[b]));
    return worst;
}

double fixture_row_velocity(const World *world, const Block *block, const Rows *rows, int row)
{
    bool volume = block->kind == BLOCK_VOLUME;
    const double *J = rows->J[row];
    double sum = 0.0;
    for (int k = 0; k < (volume ? 4 : 2); k++) {
        Velocity u = world->velocity[block->body[k]];
        sum += vec3_dot(vec3(J[0], J[1], J[2]), u.v);
        if (!volume)
            sum += vec3_dot(vec3(J[3], J[4], J[5]), u.w);
        J += volume ? 3 : 6;
    }
    return sum;
}

double fixture_worst_velocity_error(const World *world)
{
    double worst = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        Rows rows;
        block_rows(world, block, &rows);
        for (int i = 0; i < rows.count && !block_is_limit(block); i++)
            worst = fmax(worst, fabs(fixture_row_velocity(world, block, &rows, i) - rows.velocity[i]));
    }
    return worst;
}

void fixture_for_each(void (*check)(Problem *problem))
{
    static const char *const CASES[][2] = {
        {"chain", ""},
        {"chain", "links=7 angle=23deg mass_ratio=137 length=0.31 damping=0.4"},
        {"chain", "links=5 angle=0 mass_ratio=1000"},
        {"chain", "links=1 angle=0"},
        {"hanging_chain", ""},
        {"hanging_chain", "links=7 span=0.37 length=0.43 thickness=0.02"},
        {"hanging_chain", "links=2 span=0.5"},
        {"hanging_chain", "links=500 span=0.9999"},
        {"bridge", ""},
        {"bridge", "loads=0"},
        {"bridge", "planks=11 loads=3 mass_ratio=57 preloaded=true span=0.8"},
        {"hinge_limit", ""},
        {"hinge_limit", "angle=2.9 limit=0.2 length=0.7 thickness=0.13"},
        {"servo", ""},
        {"servo", "target=-100deg max_torque=13"},
        {"motor", ""},
        {"motor", "mode=torque torque=-0.7"},
        {"ball_limit", ""},
        {"ball_limit", "swing_max=1.3 twist_max=2.2 spin=3.7"},
        {"prismatic", ""},
        {"prismatic", "angle=71deg travel=2.3"},
        {"cylinder", ""},
        {"cylinder", "tilt=33deg force=-27 spin=-3"},
        {"cylinder", "mode=target tilt=1.1"},
        {"joint_gallery", ""},
        {"slider_crank", ""},
        {"slider_crank", "loops=3 speed=-7.3 crank=0.41 rod=0.77"},
        {"bricard", ""},
        {"bricard", "length=0.31 thickness=0.07 mass=2.3"},
        {"four_bar", ""},
        {"four_bar", "loops=4 speed=3.3 crank=0.21 coupler=0.61 rocker=0.83 ground=0.93"},
        {"cloth", ""},
        {"cloth", "nx=7 ny=3 shear=true compliance=1e-3 arc=0"},
        {"cloth", "nx=1 ny=1"},
        {"soft_cube", ""},
        {"soft_cube", "n=3 size=0.7 compliance=0"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Problem *problem = fixture_build(CASES[i][0], CASES[i][1]);
        check(problem);
        problem_destroy(problem);
    }
}
