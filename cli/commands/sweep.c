/* SPDX-License-Identifier: MIT */
/* rigor sweep: every run of an experiment file. */
#include "bench/experiment/sweep.h"
#include "bench/experiment/crew_mpi.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "cli/cli.h"
#include "solvers/engines/custom.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char DEFAULT_STORE[] = "results.sqlite";

/* More processes than this are a slip. */
static const double MAX_JOBS = 1024.0;

/* By default as many as leave each thread a core. */
static bool sweep_jobs(const Arguments *arguments, int threads, int *jobs, Status *status)
{
    const char *text = argument(arguments, OPTION_JOBS);
    double number = floor((double)sysconf(_SC_NPROCESSORS_ONLN) / threads);
    if (text && (!number_parse(text, &number) || number != floor(number) || number < 1.0 || number > MAX_JOBS))
        return status_set(status, STATUS_USAGE, "--jobs: '%s' is not a number of processes, 1 .. %g", text, MAX_JOBS);
    *jobs = number >= 1.0 ? (int)number : 1;
    return true;
}

/* --shard I/N, I from 1. */
static bool sweep_shard(const Arguments *arguments, Shard *shard, Status *status)
{
    const char *text = argument(arguments, OPTION_SHARD);
    char end = 0;
    *shard = (Shard){0, 0};
    if (!text)
        return true;
    bool ok = sscanf(text, "%9d/%9d%c", &shard->at, &shard->of, &end) == 2 && shard->at >= 1 && shard->at <= shard->of;
    shard->at--;
    return ok || status_set(status, STATUS_USAGE, "--shard: '%s' is not I/N with I from 1 to N, as 3/16", text);
}

static void sweep_print(const Experiment *experiment, int wanted, const SweepCounts *counts, const char *path)
{
    printf("%s: %d runs; %d were in %s, %d made in %.3g s\n", experiment->name, wanted, counts->there, path,
           counts->made, counts->seconds);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (counts->by_status[i])
            printf("  %-12s %d\n", outcome_names[i], counts->by_status[i]);
}

/* Rank 0: alone with worker processes, or with the other ranks. */
static bool sweep_own(const Experiment *experiment, Store *store, const Ranks *ranks, int jobs, bool force, Shard shard,
                      Status *status)
{
    SweepPlan plan;
    SweepCounts counts = {0};
    bool ok = sweep_plan(&plan, experiment, store, force, shard, status);
    int size = jobs < plan.count ? jobs : plan.count;
    double limit = experiment->run_time_limit * experiment->repeats;
    Crew *crew = NULL;
    if (ok && ranks->size == 1 && plan.count > 0)
        ok = (crew = crew_create(experiment, size, outcome_of_run, limit, status)) != NULL;
    else if (ranks->size > 1)
        ok = (crew = ranks_crew(ranks, status)) != NULL && ok;
    if (ok && crew)
        ok = sweep_make(&plan, experiment, store, crew, &counts, status);
    else
        counts.there = plan.wanted - plan.count;
    if (crew)
        crew->dismiss(crew);
    int wanted = plan.wanted;
    sweep_plan_clear(&plan);
    if (ok || counts.made > 0)
        sweep_print(experiment, wanted, &counts, store_path(store));
    return ok;
}

/* What the engines of --engine fail of the checks; tables of the store say it again. */
static void sweep_print_gate(const SolverSet *solvers)
{
    char fails[GATE_TEXT];
    for (int i = 0; i < solvers->engine_count; i++) {
        const Solver *solver = engine_custom_solver(solvers->engines[i]);
        if (gate_solver_warning(solver, fails))
            fold_line(stdout, "warning: %s: %s", solver->name, fails);
    }
}

static bool sweep_with_ranks(const Arguments *arguments, const Ranks *ranks, Status *status)
{
    const char *db = argument(arguments, OPTION_DB);
    bool first = ranks->rank == 0, mine = true;
    int jobs = 1, threads = 1;
    Store *store = NULL;
    Experiment *experiment = NULL;
    Shard shard;
    bool ok = sweep_shard(arguments, &shard, status) && argument_threads(arguments, &threads, status) &&
              sweep_jobs(arguments, threads, &jobs, status);
    if (ok)
        experiment =
            experiment_read(arguments->operands[0], &arguments->solvers, arguments->values[OPTION_PLUGIN], status);
    if (experiment)
        experiment->threads = threads;
    if (experiment && first)
        store = store_open(db ? db : DEFAULT_STORE, status);
    bool agreed = ranks_agree(ranks, experiment, experiment && (store || !first), &mine, status);
    if (agreed && experiment)
        ok = first ? sweep_own(experiment, store, ranks, jobs, arguments->given[OPTION_FORCE] > 0, shard, status)
                   : ranks_serve(experiment, status);
    if (agreed && experiment && first)
        sweep_print_gate(&arguments->solvers);
    store_close(store);
    experiment_destroy(experiment);
    /* One rank tells what is wrong; the others are quiet. */
    return agreed ? ok : !mine;
}

static bool sweep_command(const Arguments *arguments, Status *status)
{
    Ranks ranks;
    if (!ranks_join(&ranks, status))
        return false;
    bool ok = sweep_with_ranks(arguments, &ranks, status);
    ranks_leave();
    return ok;
}

const Command command_sweep = {
    .name = "sweep",
    .operands = "EXPERIMENT.json",
    .summary = "every run of an experiment file, into a results store; resumes where it was stopped",
    .help =
        "Runs that the store has are not repeated: a run's key is its content (scene, parameters, solver, options,\n"
        "dt, time, version of the program and content of a plug-in). A run that crashed, failed or took longer\n"
        "than run_time_limit is a result, too; --force makes all again, a larger run_time_limit those that were\n"
        "too slow. Ctrl-C finishes what is in hand; twice gives it up. rigor results reads the store.\n\n"
        "mpirun -n N rigor sweep ...: rank 0 hands out the runs and owns the store (on a disk of its machine), the\n"
        "other ranks make one run at a time; --jobs counts with a single rank only. A run that crashes costs that\n"
        "run; a rank that dies ends the job, and the same command goes on with what is missing.\n\n"
        "Without MPI every machine makes a part: --shard 3/16 into a store of its own, and rigor merge makes one of "
        "them\n"
        "(examples/shards.slurm). rigor results DB EXPERIMENT.json --progress says how far a sweep is.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_DB) | TAKES(OPTION_JOBS) | TAKES(OPTION_THREADS) | TAKES(OPTION_FORCE) |
               TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE) | TAKES(OPTION_SHARD),
    .run = sweep_command,
};
