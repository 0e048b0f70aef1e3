/* SPDX-License-Identifier: MIT */
/* What a person needs to hear after a slip on the command line: not only that a word is wrong, but where it belongs. */
#include "cli/hints.h"

#include "model/suggest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool set_has(const SolverSet *set, const char *name)
{
    Status ignored;
    return solver_set_find(set, name, &ignored) != NULL;
}

/* A kind of thing that has a name, and the command that takes it. */
typedef struct NameKind {
    const char *kind, *command;
} NameKind;

/* What else is listed under this name; figures are known by their list alone. */
static const ListKind *list_with(const SolverSet *set, const char *name)
{
    const ListKind *found = NULL;
    for (int k = 0; k < list_kind_count && !found; k++) {
        if (strcmp(all_list_kinds[k]->name, "figures") != 0)
            continue;
        json_t *list = all_list_kinds[k]->list(set), *entry;
        size_t i;
        json_array_foreach (list, i, entry) {
            const char *other = json_string_value(json_object_get(entry, "name"));
            if (other && strcmp(other, name) == 0)
                found = all_list_kinds[k];
        }
        json_decref(list);
    }
    return found;
}

/* What this name is, of everything that has one; `kind` NULL: nothing. */
static NameKind name_kind(const SolverSet *set, const char *name)
{
    Status ignored;
    if (scene_find(name))
        return (NameKind){"a scene", "show"};
    if (set_has(set, name))
        return (NameKind){"a solver", "show"};
    if (metric_find(name) >= 0)
        return (NameKind){"a metric", "show"};
    if (command_find(name, &ignored))
        return (NameKind){"a command", "help"};
    for (int i = 0; i < list_kind_count; i++)
        if (strcmp(all_list_kinds[i]->name, name) == 0)
            return (NameKind){"a list", "list"};
    return list_with(set, name) ? (NameKind){"a figure", "report"} : (NameKind){0};
}

bool hint_elsewhere(const SolverSet *set, const char *name, Status *status)
{
    NameKind is = name_kind(set, name);
    return is.kind &&
           status_set(status, STATUS_USAGE, "'%s' is %s: did you mean `rigor %s %s`?", name, is.kind, is.command, name);
}

/* `pendulum.json`, which is not there, where a scene of that name is built in. */
static const Scene *scene_in_path(const char *path)
{
    char name[64];
    size_t length = strlen(path), end = strlen(".json");
    if (length <= end || length - end >= sizeof name || strcmp(path + length - end, ".json") != 0)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length - end), path);
    return access(path, F_OK) != 0 ? scene_find(name) : NULL;
}

bool hint_unknown_scene(const Arguments *arguments, const char *name, Status *status)
{
    const char *next = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    if (next && set_has(&arguments->solvers, name) && scene_find(next))
        return status_set(status, STATUS_USAGE, "'%s' is a solver, and the scene comes first: %s %s", name, next, name);
    NameKind is = name_kind(&arguments->solvers, name);
    if (is.kind && !scene_find(name))
        return status_set(status, STATUS_USAGE, "'%s' is %s; a scene is wanted here (rigor list scenes)", name,
                          is.kind);
    return false;
}

bool hint_unknown_solver(const SolverSet *set, const char *name, Status *status)
{
    NameKind is = name_kind(set, name);
    return is.kind &&
           status_set(status, STATUS_USAGE, "'%s' is %s; a solver is wanted here (rigor list solvers)", name, is.kind);
}

/* `-p links 3`: the option whose value stands apart from its name, and the name; NULL: none does. */
static const char *name_apart(const Arguments *arguments, OptionId *option)
{
    static const OptionId ASSIGNED[] = {OPTION_PARAM, OPTION_SOLVER_OPTION};
    for (size_t k = 0; k < sizeof ASSIGNED / sizeof ASSIGNED[0]; k++)
        for (int i = 0; i < arguments->given[ASSIGNED[k]]; i++)
            if (!strchr(arguments->values[ *option = ASSIGNED[k]][i], '='))
                return arguments->values[*option][i];
    return NULL;
}

/* Whether the first of a comma list is a solver. */
static bool list_of_solvers(const SolverSet *set, const char *text)
{
    char first[SOLVER_LABEL];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
    return set_has(set, first);
}

bool hint_extra_operand(const Arguments *arguments, const Command *command, Status *status)
{
    const char *extra = arguments->operands[command->most_operands], *scene = arguments->operands[0];
    bool solver = list_of_solvers(&arguments->solvers, extra);
    OptionId option;
    if (solver && command_takes(command, OPTION_SOLVERS)) {
        char list[256] = "";
        const char *given = argument(arguments, OPTION_SOLVERS);
        snprintf(list, sizeof list, "%s", given ? given : "");
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
    const char *apart = name_apart(arguments, &option);
    if (apart)
        return status_set(status, STATUS_USAGE,
                          "'%s' is one argument too many: did you mean -%c %s=%s, without blanks?", extra,
                          all_options[option].letter, apart, extra);
    return status_set(status, STATUS_USAGE, "'%s' is one argument too many", extra);
}

/* The operand after those that are given, as the usage names it. */
bool hint_missing_operand(const Arguments *arguments, const Command *command, Status *status)
{
    const char *rest = command->operands;
    if (arguments->operand_count == 1 && strncmp(rest, "SCENE SOLVER", strlen("SCENE SOLVER")) == 0 &&
        set_has(&arguments->solvers, arguments->operands[0]))
        return status_set(status, STATUS_USAGE, "'%s' is a solver, and the scene is missing: rigor %s SCENE %s",
                          arguments->operands[0], command->name, arguments->operands[0]);
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
    const Scene *scene_meant = arguments->operand_count ? scene_in_path(arguments->operands[0]) : NULL;
    if (scene_meant)
        return status_set(status, STATUS_BAD_FILE,
                          "%s: there is no such file; the scene that is built in is called '%s'",
                          arguments->operands[0], scene_meant->name);
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

/* The commands that take an option. */
static const char *option_owners(const char *name, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < OPTION_COUNT; i++)
        for (int c = 0; c < command_count && strcmp(all_options[i].name, name) == 0; c++)
            if (command_takes(all_commands[c], i) && strlen(text) + strlen(all_commands[c]->name) + 3 < size)
                snprintf(text + strlen(text), size - strlen(text), "%s%s", text[0] ? ", " : "", all_commands[c]->name);
    return text;
}

/* What other programs call it. */
static const char *usual_word(const char *name)
{
    static const char *const WORDS[][2] = {
        {"frames", "a run has --time T of --dt X each; the poses of a filmstrip are at --at T1,T2,..."},
        {"steps", "a run has --time T in frames of --dt X, which -s substeps=N divides"},
        {"verbose", "what takes long says so by itself on standard error"},
        {"quiet", "messages go to standard error: 2>/dev/null"},
        {"format", "--json, and where there are tables --csv, --md or --latex"},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(WORDS[i][0], name) == 0)
            return WORDS[i][1];
    return NULL;
}

/* A parameter of a scene or an option of a solver that was misspelt, and typed as an option; false: none is near. */
static bool hint_setting(const Command *command, const char *name, const char *value, Status *status)
{
    Suggestion param = suggestion_for(name), option = suggestion_for(name);
    for (int i = 0; i < scene_count && command_takes(command, OPTION_PARAM); i++)
        for (int k = 0; k < all_scenes[i]->setting_count; k++)
            suggestion_offer(&param, all_scenes[i]->settings[k].name);
    for (int i = 0; i < solver_count && command_takes(command, OPTION_SOLVER_OPTION); i++)
        for (int k = 0; k < all_solvers[i]->setting_count; k++)
            suggestion_offer(&option, all_solvers[i]->settings[k].name);
    bool scene = param.best && (!option.best || param.distance <= option.distance);
    if (!scene && !option.best)
        return false;
    status_set(status, STATUS_USAGE, "unknown option '--%s': did you mean -%c %s=%s?", name, scene ? 'p' : 's',
               scene ? param.best : option.best, value);
    return true;
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
    const char *usual = usual_word(name);
    if (usual)
        return status_set(status, STATUS_USAGE, "unknown option '--%s': %s", name, usual);
    Suggestion near = suggestion_for(name), any = suggestion_for(name);
    for (int i = 0; i < OPTION_COUNT; i++) {
        suggestion_offer(&any, all_options[i].name);
        if (command_takes(command, i))
            suggestion_offer(&near, all_options[i].name);
    }
    if (any.best && (!near.best || any.distance < near.distance)) {
        char owners[128];
        return status_set(status, STATUS_USAGE, "`rigor %s` has no option '--%s'; these have%s%s: %s", command->name,
                          name, any.distance > 0 ? " --" : "", any.distance > 0 ? any.best : "",
                          option_owners(any.best, owners, sizeof owners));
    }
    if (near.best)
        return status_set(status, STATUS_USAGE, "unknown or ambiguous option '--%s': did you mean '--%s'?", name,
                          near.best);
    if (hint_setting(command, name, shown, status))
        return false;
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
    SolverSet set;
    if (solver_set_open(&set, &ignored)) {
        hint_elsewhere(&set, argv[1], status);
        solver_set_close(&set);
    }
    return false;
}
