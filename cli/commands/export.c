/* SPDX-License-Identifier: MIT */
/* rigor export: a scene as a scene file. */
#include "cli/cli.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>

static bool export_command(const Arguments *arguments, Status *status)
{
    Run run;
    if (!arguments_scene(arguments, &run, status))
        return false;
    progress_say(arguments->progress, "writing the scene");
    Problem *problem = run_build(&run, status);
    if (!problem) {
        progress_clear(arguments->progress);
        return false;
    }
    bool resolved = arguments->given[OPTION_RESOLVED];
    char *text = resolved ? engine_line(problem->world, "", run.dt, 1, json_object()) : problem_write(problem);
    progress_clear(arguments->progress);
    notes_print(problem);
    problem_destroy(problem);
    if (!text)
        return status_set(status, STATUS_FAILED, "out of memory");
    fputs(text, stdout);
    if (resolved)
        putchar('\n');
    free(text);
    return true;
}

const Command command_export = {
    .name = "export",
    .operands = "SCENE",
    .summary = "a scene as a scene file, on standard output",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_PARAM) | TAKES(OPTION_DT) | TAKES(OPTION_RESOLVED),
    .only_reads = true,
    .run = export_command,
};
