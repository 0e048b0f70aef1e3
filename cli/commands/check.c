/* SPDX-License-Identifier: MIT */
/* rigor check: is this a valid file? Scenes and experiments are checked here; other kinds are in the list. */
#include "bench/experiment/estimate.h"
#include "bench/run/json.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "scenes/file/file.h"
#include "scenes/robot/robot.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static bool check_scene(const Arguments *arguments, Status *status)
{
    const char *path = arguments->operands[0];
    Problem *problem = problem_read(path, status);
    if (!problem)
        return false;
    int bodies = problem->world->body_count - 1, joints = problem->world->joint_count;
    bool ok = true;
    notes_print(problem);
    if (arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:s,s:s,s:i,s:i}", "file", path, "kind", "scene", "name", problem->name,
                                  "bodies", bodies, "joints", joints),
                        status);
    else
        printf("%s: a valid scene, '%s': %d bodies, %d joints\n", path, problem->name, bodies, joints);
    problem_destroy(problem);
    return ok;
}

static int processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

/* How many runs a scene and a solver have together. */
static void print_pairs(const Experiment *experiment)
{
    for (int i = 0; i < experiment->run_count;) {
        const ExperimentRun *first = &experiment->runs[i];
        int end = i;
        while (end < experiment->run_count && experiment->runs[end].scene == first->scene &&
               experiment->runs[end].file == first->file && experiment->runs[end].solver == first->solver)
            end++;
        printf("  %s with %s: %d\n", first->scene ? first->scene->name : first->file->path, first->solver->name,
               end - i);
        i = end;
    }
}

static void print_seconds(double seconds)
{
    if (seconds < 120.0)
        printf("%.2g s", seconds);
    else if (seconds < 7200.0)
        printf("%.2g min", seconds / 60.0);
    else
        printf("%.2g h", seconds / 3600.0);
}

static void print_experiment(const char *path, const Experiment *experiment, const Estimate *estimate)
{
    char repeats[48] = "";
    if (experiment->repeats > 1)
        snprintf(repeats, sizeof repeats, ", each made %d times", experiment->repeats);
    fold_line(stdout, "%s: a valid experiment, '%s': %d runs%s", path, experiment->name, experiment->run_count,
              repeats);
    print_pairs(experiment);
    if (experiment->repeated)
        printf("  %d more stand in the grid twice and are made once\n", experiment->repeated);
    if (estimate->unsupported)
        printf("  %d of them are pairs that will be recorded as unsupported\n", estimate->unsupported);
    if (estimate->unbuildable)
        printf("  %d of them are scenes that cannot be built, and will be recorded as failed\n", estimate->unbuildable);
    if (estimate->fault.code != STATUS_OK)
        printf("  the first of those: %s\n", estimate->fault.message);
    if (isnan(estimate->seconds))
        return;
    printf("roughly ");
    print_seconds(estimate->seconds);
    printf(" on one processor, ");
    print_seconds(estimate->seconds / processors());
    printf(" on the %d here (from the first frames of %d runs)\n", processors(), estimate->samples);
}

static bool check_experiment(const Arguments *arguments, Status *status)
{
    const char *path = arguments->operands[0];
    Estimate estimate;
    Experiment *experiment = experiment_read(path, &arguments->solvers, arguments->values[OPTION_PLUGIN], status);
    bool ok = experiment && estimate_make(experiment, arguments->given[OPTION_ESTIMATE], &estimate, status);
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:o}", "file", path, "kind", "experiment", "name",
                                  experiment->name, "runs", experiment->run_count, "repeats", experiment->repeats,
                                  "repeated", experiment->repeated, "unsupported", estimate.unsupported, "unbuildable",
                                  estimate.unbuildable, "processor_seconds", json_number(estimate.seconds)),
                        status);
    else if (ok)
        print_experiment(path, experiment, &estimate);
    experiment_destroy(experiment);
    return ok;
}

static bool any_document(const json_t *document)
{
    (void)document;
    return true;
}

const CheckKind check_kind_experiment = {experiment_is, check_experiment};
const CheckKind check_kind_scene = {any_document, check_scene};

static bool check_command(const Arguments *arguments, Status *status)
{
    if (robot_is_file(arguments->operands[0]))
        return check_scene(arguments, status);
    json_t *document = file_parse(arguments->operands[0], status);
    if (!document)
        return false;
    int kind = 0;
    while (kind + 1 < check_kind_count && !all_check_kinds[kind]->is(document))
        kind++;
    json_decref(document);
    return all_check_kinds[kind]->check(arguments, status);
}

const Command command_check = {
    .name = "check",
    .operands = "FILE",
    .summary = "validate a scene, robot, experiment or figure file; of an experiment, how many runs",
    .help = "Loads nothing but the plug-ins that are named here, and runs nothing.\n"
            "With --estimate the time of an experiment is measured: a few runs of every solver are begun, one frame "
            "and then ten more; other runs are\n"
            "taken in proportion to frames x substeps x iterations x (bodies + blocks).",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ESTIMATE),
    .run = check_command,
};
