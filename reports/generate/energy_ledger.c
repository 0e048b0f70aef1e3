/* SPDX-License-Identifier: MIT */
/* The energy of a run by its sources (bench/studies/energy_ledger.h), solver by solver. */
#include "reports/generate/generators.h"

#include "bench/run/solver_set.h"
#include "bench/studies/energy_ledger.h"
#include "model/energy.h"

static const char *const KEYS[] = {"scene", "params", "solvers", "time", "dt", NULL};

static void ledger_rows(const EnergyLedger *ledger, const char *label, const Problem *problem, double total,
                        json_t *rows)
{
    for (int i = 0; i < ENERGY_SOURCES; i++)
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f}", "solver", label, "source", energy_source_names[i],
                                              "energy", ledger->energy[i] / problem->energy_scale));
    json_array_append_new(
        rows, json_pack("{s:s,s:s,s:f}", "solver", label, "source", "total", "energy", total / problem->energy_scale));
}

/* All frames, or until it blows up. */
static bool ledger_run(const Run *run, Problem *problem, const char *label, json_t *rows, Status *status)
{
    World *world = problem->world;
    Stepper stepper;
    EnergyLedger ledger;
    int frames = run_frame_count(run->time, run->dt, status);
    if (frames == 0 || !stepper_begin(&stepper, run->solver, run->options, world, run->dt, run->detect, status))
        return false;
    bool known = run_removals(problem, &stepper.removals) || status_set(status, STATUS_FAILED, "out of memory");
    double before = world_energy(world) - world->actuator_work;
    energy_ledger_begin(&ledger, &stepper, (const CommonOptions *)run->options);
    bool ok = known && (!(stepper.traits & (TRAIT_NO_JOINT_IMPULSES | TRAIT_NO_CONTACT_IMPULSES)) ||
                        status_set(status, STATUS_UNSUPPORTED, "%s does not give its impulses", label));
    for (int frame = 0; ok && frame < frames && !world_blew_up(world, problem->speed_scale); frame++) {
        stepper_frame(&stepper, false);
        ok = !stepper.step.failed || status_set(status, STATUS_FAILED, "%s", stepper.step.status.message);
    }
    ok = ok && (!ledger.out_of_memory || status_set(status, STATUS_FAILED, "out of memory"));
    if (ok)
        ledger_rows(&ledger, label, problem, world_energy(world) - world->actuator_work - before, rows);
    energy_ledger_end(&ledger);
    run_removals_free(&stepper.removals);
    stepper_end(&stepper);
    return ok;
}

static bool ledger_of(Node arguments, const SolverSet *set, Node name, double time, double dt, json_t *rows)
{
    Run run = {.dt = dt, .time = time};
    Status status = {0};
    const char *label = NULL;
    const Solver *solver = node_text(name, &label) && label ? solver_set_find(set, label, &status) : NULL;
    if (!solver)
        return node_fail(name, "%s", status.message[0] ? status.message : "must be the name of a solver");
    Problem *problem = generator_build_scene(arguments);
    if (!problem)
        return false;
    run_choose_solver(&run, solver);
    bool ok = !rows || ledger_run(&run, problem, label, rows, &status) || node_fail(name, "%s", status.message);
    problem_destroy(problem);
    return ok;
}

static bool ledger_make(Node arguments, json_t *rows)
{
    Node solvers = node_get(&arguments, "solvers");
    double time = 1.0, dt = RUN_DEFAULT_DT;
    SolverSet set;
    Status status = {0};
    if (!node_object(arguments, KEYS) || !node_required(solvers) || !node_array(solvers) ||
        !node_positive(node_get(&arguments, "time"), &time) || !node_positive(node_get(&arguments, "dt"), &dt))
        return false;
    if (!solver_set_open(&set, &status))
        return node_fail(arguments, "%s", status.message);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(solvers.value); i++)
        ok = ledger_of(arguments, &set, node_at(&solvers, i), time, dt, rows);
    solver_set_close(&set);
    return ok;
}

const Generator generator_energy_ledger = {
    .name = "energy_ledger",
    .about = "where a run's energy goes and comes from; arguments: scene, params, solvers (a list, also with options "
             "in place), time (1 s), dt; fields: solver, source (integrator, constraints, warm start, position "
             "correction, restitution, friction, and their total), energy [of the scene's energy scale]",
    .make = ledger_make,
};
