/* SPDX-License-Identifier: MIT */
/* Every joint of a scene at every time, by solver: how far it is apart, and what it carries. For heat maps over joint
 * and time. */
#include "reports/generate/generators.h"

#include "bench/run/solver_set.h"
#include "model/energy.h"

static const char *const KEYS[] = {"scene", "params", "solvers", "time", "every", NULL};

typedef struct History {
    json_t *rows;
    const char *solver;
    double dt;
    int every; /* frames from row to row */
} History;

/* m: the largest error of the joint's blocks that are lengths. */
static double joint_gap(const World *world, const Joint *joint)
{
    double gap = 0.0;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
        if (!world->blocks[b].off && block_unit(world->blocks[b].kind) == UNIT_LENGTH)
            gap = fmax(gap, block_violation(world, &world->blocks[b]));
    return gap;
}

static bool history_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)metrics;
    (void)status;
    History *history = context;
    const World *world = problem->world;
    for (int j = 0; j < world->joint_count && frame > 0 && frame % history->every == 0; j++) {
        Vec3 force, torque;
        world_reaction(world, j, history->dt, &force, &torque);
        json_array_append_new(history->rows, json_pack("{s:s,s:i,s:f,s:f,s:f}", "solver", history->solver, "joint",
                                                       j + 1, "time", frame * history->dt, "error",
                                                       joint_gap(world, &world->joints[j]), "force", vec3_norm(force)));
    }
    return true;
}

/* Without rows nothing runs. */
static bool history_run(Node arguments, const SolverSet *set, Node name, double time, int every, json_t *rows)
{
    Run run = {.dt = RUN_DEFAULT_DT, .time = time, .without_truth = true};
    Status status = {0};
    const char *label = NULL;
    const Solver *solver = node_text(name, &label) && label ? solver_set_find(set, label, &status) : NULL;
    if (!solver)
        return node_fail(name, "%s", status.message[0] ? status.message : "must be the name of a solver");
    if (!generator_choose_scene(arguments, &run))
        return false;
    run_choose_solver(&run, solver);
    History history = {rows, label, run.dt, every};
    bool ok =
        !rows || run_make(&run, &(RunWatch){history_frame, &history}) || node_fail(name, "%s", run.status.message);
    run_clear(&run);
    return ok;
}

static bool history_make(Node arguments, json_t *rows)
{
    Node solvers = node_get(&arguments, "solvers");
    double time = NAN, every = 1.0;
    SolverSet set;
    Status status = {0};
    if (!node_object(arguments, KEYS) || !node_required(solvers) || !node_array(solvers) ||
        !node_positive(node_get(&arguments, "time"), &time) || !node_positive(node_get(&arguments, "every"), &every))
        return false;
    if (!solver_set_open(&set, &status))
        return node_fail(arguments, "%s", status.message);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(solvers.value); i++)
        ok = history_run(arguments, &set, node_at(&solvers, i), time, every < 1.0 ? 1 : (int)every, rows);
    solver_set_close(&set);
    return ok;
}

const Generator generator_joint_history = {
    .name = "joint_history",
    .about =
        "every joint of a scene over time; arguments: scene, params, solvers (a list, also with options in place), "
        "time, every (frames from row to row); fields: solver, joint (from 1), time, error [m], force [N]",
    .make = history_make,
};
