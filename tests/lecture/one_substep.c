/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
#include "tests/lecture/one_substep.h"

#include "model/random.h"
#include "tests/support/check.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* More blocks than any built-in scene has; memory that is never touched costs nothing. */
enum { MOST_BLOCKS = 1 << 20 };

Outcome *outcome_create(const World *world)
{
    size_t bodies = (size_t)world->body_count;
    size_t bytes =
        sizeof(Outcome) + bodies * (sizeof(Pose) + sizeof(Velocity)) + MOST_BLOCKS * sizeof(Vec3) + 3 * sizeof(double);
    Outcome *outcome = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(outcome != MAP_FAILED);
    outcome->bytes = bytes;
    outcome->pose = (Pose *)(outcome + 1);
    outcome->velocity = (Velocity *)(outcome->pose + bodies);
    outcome->impulse = (Vec3 *)(outcome->velocity + bodies);
    return outcome;
}

void outcome_destroy(Outcome *outcome)
{
    munmap(outcome, outcome->bytes);
}

static void outcome_fill(Outcome *outcome, const Step *step)
{
    const World *world = step->world;
    size_t bodies = (size_t)world->body_count;
    outcome->row_solves = step->row_solves;
    outcome->block_count = world->block_count;
    memcpy(outcome->pose, world->pose, bodies * sizeof *outcome->pose);
    memcpy(outcome->velocity, world->velocity, bodies * sizeof *outcome->velocity);
    for (int b = 0; b < world->block_count && b < MOST_BLOCKS; b++) {
        bool turns = block_unit(world->blocks[b].kind) == UNIT_ANGLE;
        outcome->impulse[b] = vec3_scale(turns ? 1.0 / world->length_scale : 1.0, world->block_impulse[b]);
    }
    outcome->done = !step->failed && world->block_count <= MOST_BLOCKS;
}

/* In the child, which owns its copy of the world. */
static void child_substep(Outcome *outcome, const Solver *solver, const Stepper *run, int iterations)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    Status status;
    Stepper stepper;
    settings_init(solver->settings, solver->setting_count, options);
    if (iterations > 0)
        ((CommonOptions *)options)->iterations = iterations;
    if (!stepper_begin(&stepper, solver, options, run->step.world, run->dt, DETECT_SUBSTEP, &status))
        return;
    stepper.frame = run->frame;
    stepper.step.time = run->step.time;
    if (run->frame > 0 && !stepper_renew(&stepper, options, &status))
        return;
    stepper_substep(&stepper, NULL, false);
    outcome_fill(outcome, &stepper.step);
}

/* The last bit of a number, or of `least` where that is larger. */
static Vec3 nudged(Vec3 a, double least, Random *random)
{
    Vec3 sign = random_vec3(random, 2.2e-16);
    return vec3_add(a, vec3_mul(sign, vec3(fabs(a.x) + least, fabs(a.y) + least, fabs(a.z) + least)));
}

void world_nudge(World *world, double speed, uint64_t seed)
{
    Random random = {seed};
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        world->pose[i].x = nudged(world->pose[i].x, world->length_scale, &random);
        world->velocity[i].v = nudged(world->velocity[i].v, speed, &random);
        if (world->mass[i].inv_inertia.x != 0.0)
            world->velocity[i].w = nudged(world->velocity[i].w, speed / world->length_scale, &random);
    }
}

static void outcome_make(Outcome *outcome, const Solver *solver, const Stepper *run, int iterations, double speed,
                         uint64_t seed)
{
    outcome->done = false;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (seed > 0)
            world_nudge(run->step.world, speed, seed);
        child_substep(outcome, solver, run, iterations);
        _exit(0);
    }
    assert_true(waitpid(child, NULL, 0) == child);
    if (!outcome->done)
        fail_msg("%s made no substep", solver->name);
}

void outcome_of_substep(Outcome *outcome, const Solver *solver, const Stepper *run, int iterations)
{
    outcome_make(outcome, solver, run, iterations, 0.0, 0);
}

void outcome_of_nudged_substep(Outcome *outcome, const Solver *solver, const Stepper *run, double speed, uint64_t seed)
{
    assert_true(seed > 0);
    outcome_make(outcome, solver, run, 0, speed, seed);
}

/* The larger one; infinite if one is not a number. */
static double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? INFINITY : fmax(a, b);
}

static double apart_vec3(Vec3 a, Vec3 b)
{
    return vec3_norm(vec3_sub(a, b));
}

double apart_poses(const Problem *problem, const Pose *one, const Pose *two)
{
    double worst = 0.0;
    for (int i = 0; i < problem->world->body_count; i++) {
        double turn = vec3_norm(quat_log(quat_mul(one[i].q, quat_conj(two[i].q))));
        worst = worse(worst, apart_vec3(one[i].x, two[i].x) / problem->world->length_scale);
        worst = worse(worst, turn);
    }
    return worst;
}

double apart_velocities(const Problem *problem, const Velocity *one, const Velocity *two)
{
    double worst = 0.0, scale = problem->speed_scale;
    for (int i = 0; i < problem->world->body_count; i++) {
        worst = worse(worst, apart_vec3(one[i].v, two[i].v) / scale);
        worst = worse(worst, apart_vec3(one[i].w, two[i].w) * problem->world->length_scale / scale);
    }
    return worst;
}

/* N s: what changes the lightest body's velocity by a thousandth of the scene's speed. Where none is larger, as in a
 * fall, all are round-off. */
static double impulse_floor(const Problem *problem)
{
    double lightest = INFINITY;
    for (int i = 0; i < problem->world->body_count; i++)
        if (!world_is_fixed(problem->world, i))
            lightest = fmin(lightest, problem->world->mass[i].mass);
    return 1e-3 * lightest * problem->speed_scale;
}

static double apart_impulses(const Problem *problem, const Outcome *one, const Outcome *two)
{
    double worst = 0.0, largest = impulse_floor(problem);
    for (int b = 0; b < one->block_count; b++) {
        largest = worse(largest, fmax(vec3_norm(one->impulse[b]), vec3_norm(two->impulse[b])));
        worst = worse(worst, apart_vec3(one->impulse[b], two->impulse[b]));
    }
    return worst / largest;
}

Apart apart_outcomes(const Problem *problem, const Outcome *one, const Outcome *two)
{
    bool same = one->block_count == two->block_count;
    return (Apart){apart_poses(problem, one->pose, two->pose), apart_velocities(problem, one->velocity, two->velocity),
                   same ? apart_impulses(problem, one, two) : INFINITY, one->row_solves == two->row_solves};
}
