/* What a person needs to hear after a slip on the command line: not only that a word is wrong, but where it belongs. */
#include "bench/cli/hints.h"

#include "model/suggest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool set_has(const SolverSet *set, const char *name)
{
    Status ignored;
    return solver_set_find(set, name, &ignored) != NULL;
}

bool hint_unknown_scene(const Arguments *arguments, Status *status)
{
    const char *name = arguments->operands[0], *next = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    if (!set_has(&arguments->solvers, name))
        return false;
    if (next && scene_find(next))
        return status_set(status, STATUS_USAGE, "'%s' is a solver, and the scene comes first: %s %s", name, next, name);
    return status_set(status, STATUS_USAGE, "'%s' is a solver; a scene is wanted here (rigor list scenes)", name);
}

bool hint_unknown_solver(const char *name, Status *status)
{
    return scene_find(name) &&
           status_set(status, STATUS_USAGE, "'%s' is a scene; a solver is wanted here (rigor list solvers)", name);
}

bool hint_extra_operand(const Arguments *arguments, const Command *command, Status *status)
{
    const char *extra = arguments->operands[command->most_operands], *scene = arguments->operands[0];
    bool solver = set_has(&arguments->solvers, extra);
    if (solver && command_takes(command, OPTION_SOLVERS)) {
        char list[256] = "";
        for (int i = command->most_operands; i < arguments->operand_count; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? "," : "",
                     arguments->operands[i]);
        return status_set(status, STATUS_USAGE, "'%s' is one argument too many: did you mean --solvers %s?", extra,
                          list);
    }
    if (solver && command->most_operands == 2)
        return status_set(status, STATUS_USAGE,
                          "'%s' is one argument too many: several solvers are compared by `rigor compare %s --solvers "
                          "%s,%s`",
                          extra, scene, arguments->operands[1], extra);
    if (strchr(extra, '='))
        return status_set(status, STATUS_USAGE,
                          "'%s' is one argument too many: parameters of a scene need -p, options of a solver -s",
                          extra);
    return status_set(status, STATUS_USAGE, "'%s' is one argument too many", extra);
}

/* The operand after those that are given, as the usage names it. */
bool hint_missing_operand(const Arguments *arguments, const Command *command, Status *status)
{
    const char *rest = command->operands;
    for (int i = 0; i < arguments->operand_count; i++)
        rest += strcspn(rest, " ") + strspn(rest + strcspn(rest, " "), " ");
    return status_set(status, STATUS_USAGE, "%.*s is missing; usage: rigor %s %s [options]; see rigor help %s",
                      (int)strcspn(rest, " ."), rest, command->name, command->operands, command->name);
}

/* Commands that read files: the first operand, what it is, and what makes one of a scene or runs it. */
static const struct {
    const char *operand, *wanted, *option, *does;
} FILES[] = {
    {"EXPERIMENT", "an experiment file", "", "runs it once"},
    {"FILE", "a file", "", "runs it"},
    {"DB", "a store of `rigor sweep`", "", "runs it once"},
    {"RECORDING", "a recording", " --record FILE.h5", "makes one"},
};

bool hint_wrong_name(const Arguments *arguments, const Command *command, Status *status)
{
    size_t kind = 0, kinds = sizeof FILES / sizeof FILES[0];
    while (kind < kinds && strncmp(command->operands, FILES[kind].operand, strlen(FILES[kind].operand)) != 0)
        kind++;
    for (int i = 0; kind < kinds && i < arguments->operand_count; i++) {
        const char *name = arguments->operands[i];
        bool scene = scene_find(name) != NULL;
        if ((scene || set_has(&arguments->solvers, name)) && access(name, F_OK) != 0)
            return status_set(status, STATUS_USAGE, "'%s' is a %s; %s is wanted here (`rigor run %s %s%s` %s)", name,
                              scene ? "scene" : "solver", FILES[kind].wanted, scene ? name : "SCENE",
                              scene ? "SOLVER" : name, FILES[kind].option, FILES[kind].does);
    }
    return true;
}

/* Whether any scene, or any solver, has a setting of this name. */
static bool scenes_have(const char *name)
{
    for (int i = 0; i < scene_count; i++)
        if (settings_find(all_scenes[i]->settings, all_scenes[i]->setting_count, name))
            return true;
    return false;
}

static bool solvers_have(const char *name)
{
    for (int i = 0; i < solver_count; i++)
        if (settings_find(all_solvers[i]->settings, all_solvers[i]->setting_count, name))
            return true;
    return false;
}

bool hint_unknown_option(const Command *command, const char *name, const char *value, Status *status)
{
    const char *shown = value && value[0] ? value : "...";
    bool takes_p = command_takes(command, OPTION_PARAM), takes_s = command_takes(command, OPTION_SOLVER_OPTION);
    if (takes_s && solvers_have(name))
        return status_set(status, STATUS_USAGE, "unknown option '--%s': a solver's options are given as -s %s=%s", name,
                          name, shown);
    if (takes_p && scenes_have(name))
        return status_set(status, STATUS_USAGE, "unknown option '--%s': a scene's parameters are given as -p %s=%s",
                          name, name, shown);
    Suggestion near = suggestion_for(name);
    char owners[128] = "";
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (command_takes(command, i))
            suggestion_offer(&near, all_options[i].name);
        for (int c = 0; c < command_count && strcmp(all_options[i].name, name) == 0; c++)
            if (command_takes(all_commands[c], i) && strlen(owners) < 96)
                snprintf(owners + strlen(owners), sizeof owners - strlen(owners), "%s%s", owners[0] ? ", " : "",
                         all_commands[c]->name);
    }
    if (owners[0])
        return status_set(status, STATUS_USAGE, "`rigor %s` has no option '--%s'; these have: %s", command->name, name,
                          owners);
    if (near.best)
        return status_set(status, STATUS_USAGE, "unknown or ambiguous option '--%s': did you mean '--%s'?", name,
                          near.best);
    return status_set(status, STATUS_USAGE, "unknown option '--%s'; rigor help %s lists those there are", name,
                      command->name);
}

bool hint_unknown_command(int argc, char **argv, Status *status)
{
    Status ignored;
    if (argv[1][0] == '-' && argc > 2 && command_find(argv[2], &ignored))
        return status_set(status, STATUS_USAGE, "the command comes first: rigor %s %s", argv[2], argv[1]);
    if (argc > 2 && scene_find(argv[1]))
        return status_set(status, STATUS_USAGE, "'%s' is a scene: did you mean `rigor run %s %s`?", argv[1], argv[1],
                          argv[2]);
    if (scene_find(argv[1]))
        return status_set(status, STATUS_USAGE, "'%s' is a scene: did you mean `rigor show %s`?", argv[1], argv[1]);
    return false;
}
