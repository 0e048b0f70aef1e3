/* SPDX-License-Identifier: MIT */
/* One step of xpbd on a scene of one joint, taken apart into the phases of lecture 002, "Bead on a Wire": state, free
 * flight, solve, velocity update. Arrows are displacements in m; velocities are drawn as h v. */
#include "reports/generate/generators.h"

#include "bench/run/runner.h"

extern const Solver xpbd_solver;

static const char *const KEYS[] = {"scene", "params", "body", "dt", "after", NULL};

/* The steps before the one that is drawn are this much shorter, so that they follow the true motion. */
static const int FINER = 1000;

static void add_arrow(json_t *rows, const char *stage, Vec3 from, Vec3 by)
{
    json_array_append_new(
        rows, json_pack("{s:s,s:f,s:f,s:f,s:f}", "stage", stage, "x", from.x, "y", from.y, "dx", by.x, "dy", by.y));
}

static void bead_draw_step(Stepper *stepper, int body, json_t *rows)
{
    Step *step = &stepper->step;
    World *world = step->world;
    const Phase *position = &stepper->phases[0], *velocity = &stepper->phases[1];
    Vec3 start = world->pose[body].x, predicted, solved;
    add_arrow(rows, "state", start, vec3_scale(step->h, world->velocity[body].v));
    world_begin_frame(world);
    world_begin_substep(world, step->h);
    position->enter(stepper->self, step);
    predicted = world->pose[body].x;
    add_arrow(rows, "integrate", start, vec3_sub(predicted, start));
    for (int i = 0; i < position->iterations; i++)
        position->iterate(stepper->self, step);
    solved = world->pose[body].x;
    add_arrow(rows, "solve", predicted, vec3_sub(solved, predicted));
    velocity->enter(stepper->self, step);
    add_arrow(rows, "displacement", start, vec3_sub(solved, start));
    add_arrow(rows, "velocity", solved, vec3_scale(step->h, world->velocity[body].v));
    world_end_substep(world, step->h);
}

static bool bead_run(Node arguments, Problem *problem, int body, double h, double after, json_t *rows)
{
    Run run = {0};
    Status status = {0};
    Stepper stepper;
    int lead = (int)round(after / h * FINER);
    run_choose_solver(&run, &xpbd_solver);
    ((CommonOptions *)run.options)->substeps = 1;
    if (!stepper_begin(&stepper, run.solver, run.options, problem->world, h / FINER, DETECT_SUBSTEP, &status))
        return node_fail(arguments, "%s", status.message);
    for (int i = 0; i < lead; i++)
        stepper_frame(&stepper, false);
    stepper_end(&stepper);
    if (!stepper_begin(&stepper, run.solver, run.options, problem->world, h, DETECT_SUBSTEP, &status))
        return node_fail(arguments, "%s", status.message);
    bead_draw_step(&stepper, body, rows);
    stepper_end(&stepper);
    return true;
}

static bool bead_step_make(Node arguments, json_t *rows)
{
    double h = 0.1, after = 0.3;
    const char *name = "bead";
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "dt"), &h) ||
        !node_positive(node_get(&arguments, "after"), &after) || !node_text(node_get(&arguments, "body"), &name))
        return false;
    if (!(after / h * FINER <= GENERATOR_STEPS))
        return node_fail(node_get(&arguments, "after"), "is more than %d steps", GENERATOR_STEPS);
    Problem *problem = generator_build_scene(arguments);
    if (!problem)
        return false;
    int body = world_find_body(problem->world, name);
    bool ok = body >= 0 ? !rows || bead_run(arguments, problem, body, h, after, rows)
                        : node_fail(node_get(&arguments, "body"), "this scene has no body '%s'", name);
    problem_destroy(problem);
    return ok;
}

const Generator generator_bead_step = {
    .name = "bead_step",
    .about = "one step of xpbd, taken apart; arguments: scene, params, body, dt, after (s, run before with dt/1000); "
             "fields: stage (state, integrate, solve, displacement, velocity), x, y, dx, dy (m; velocities times dt)",
    .make = bead_step_make,
};
