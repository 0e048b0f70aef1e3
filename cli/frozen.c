/* SPDX-License-Identifier: MIT */
/* --at and --from: which moment is frozen, and who brings the scene there. */
#include "cli/cli.h"

#include <string.h>

bool freeze_time(const Arguments *arguments, double *at, Status *status)
{
    const char *text = argument(arguments, OPTION_AT);
    *at = 0.0;
    if (text && (!number_parse(text, at) || !(*at >= 0.0)))
        return status_set(status, STATUS_USAGE, "--at: '%s' is not a time", text);
    return true;
}

bool freeze_choose_from(const Arguments *arguments, const Run *runs, int count, const Run *otherwise, Run *from,
                        Status *status)
{
    const char *name = argument(arguments, OPTION_FROM);
    *from = *otherwise;
    if (!name)
        return true;
    for (int i = 0; i < count; i++)
        if (strcmp(runs[i].solver->name, name) == 0) {
            *from = runs[i];
            return true;
        }
    const Solver *solver = solver_set_find(&arguments->solvers, name, status);
    if (solver)
        run_choose_solver(from, solver);
    return solver != NULL;
}

Problem *freeze_scene(const Arguments *arguments, const Run *run, double at, Run *from, Remarks *said, Status *status)
{
    if (!freeze_choose_from(arguments, NULL, 0, run, from, status))
        return NULL;
    progress_say(arguments->progress, "building the scene");
    Problem *problem = freeze_problem(from, at, said, status);
    progress_clear(arguments->progress);
    if (problem)
        notes_print(problem);
    return problem;
}
