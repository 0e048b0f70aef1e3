/* rigor check: is this a valid scene file? */
#include "bench/cli.h"
#include "bench/json.h"

#include <stdio.h>

static bool check_command(const Arguments *arguments, Status *status)
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

const Command command_check = {
    .name = "check",
    .operands = "FILE",
    .summary = "validate a scene file",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON),
    .run = check_command,
};
