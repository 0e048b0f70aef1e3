/* SPDX-License-Identifier: MIT */
/* --engine "COMMAND": anyone's bridge as a solver. It is asked to describe itself; its name and options are what it
 * says. */
#include "solvers/engines/custom.h"

#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MOST = ENGINE_VALUES };

/* Characters of the command: with what is put before and behind it, a line of 4,096. */
enum { COMMAND_MOST = 4000 };

struct CustomEngine {
    Solver solver;
    Engine engine;
    json_t *description;  /* owns the texts below */
    char *command, *text; /* text: the description as it is */
    Setting settings[OPTIONS_MOST + 2];
};

static const Setting STEPS[] = {
    PARAM_INT(CommonOptions, substeps, "calls of the engine's step with dt/substeps", 1, 1, 1e6),
    PARAM_REAL(EngineOptions, answer_limit, "s that the engine may take for an answer; later: the run has failed", 60,
               1e-3, 1e6),
};

enum { STEP_SETTINGS = sizeof STEPS / sizeof STEPS[0] };

static bool custom_add_option(CustomEngine *custom, const json_t *option, int slot, Status *status)
{
    const char *name, *meaning = "";
    double initial, low = -INFINITY, high = INFINITY;
    if (json_unpack((json_t *)option, "{s:s,s?s,s:F,s?F,s?F}", "name", &name, "meaning", &meaning, "default", &initial,
                    "min", &low, "max", &high) != 0)
        return status_set(status, STATUS_BAD_FILE, "--engine: options[%d] needs a name and a default, a number", slot);
    if (settings_find(custom->solver.settings, custom->solver.setting_count, name))
        return status_set(status, STATUS_BAD_FILE, "--engine: options[%d]: '%s' is there already", slot, name);
    if (!(low <= initial && initial <= high))
        return status_set(status, STATUS_BAD_FILE, "--engine: options[%d]: its default is not from min to max", slot);
    custom->settings[custom->solver.setting_count++] = (Setting){
        .name = name,
        .meaning = meaning,
        .type = SETTING_REAL,
        .offset = offsetof(EngineOptions, real) + (size_t)slot * sizeof(double),
        .initial = initial,
        .min = low,
        .max = high,
    };
    return true;
}

static bool custom_read(CustomEngine *custom, Status *status)
{
    const json_t *options = json_object_get(custom->description, "options");
    const char *name = NULL, *engine = NULL, *version = "";
    if (json_unpack(custom->description, "{s:s,s:s,s?s}", "name", &name, "engine", &engine, "version", &version) != 0)
        return status_set(status, STATUS_BAD_FILE, "--engine: its description needs `name` and `engine`");
    if (json_array_size(options) > OPTIONS_MOST)
        return status_set(status, STATUS_BAD_FILE, "--engine: more than %d options", OPTIONS_MOST);
    if (!(custom->text = json_dumps(custom->description, JSON_COMPACT | JSON_SORT_KEYS)))
        return status_set(status, STATUS_FAILED, "out of memory");
    custom->engine =
        (Engine){.bridge = "", .mode = "", .package = "", .command = custom->command, .description = custom->text};
    custom->solver = (Solver){
        .abi = SOLVER_ABI,
        .name = name,
        .summary = engine,
        .reference = "--engine",
        .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
        .settings = custom->settings,
        .setting_count = STEP_SETTINGS,
        .options_size = sizeof(EngineOptions),
        .create = engine_create,
        .destroy = engine_destroy,
        .traits = engine_traits,
        .removed = engine_removed,
        .plan = engine_plan,
        .data = &custom->engine,
    };
    memcpy(custom->settings, STEPS, sizeof STEPS);
    for (size_t i = 0; i < json_array_size(options); i++)
        if (!custom_add_option(custom, json_array_get(options, i), (int)i, status))
            return false;
    return true;
}

CustomEngine *engine_custom_create(const char *command, Status *status)
{
    if (command[strspn(command, " \t\n")] == '\0') {
        status_set(status, STATUS_USAGE, "--engine: needs a command");
        return NULL;
    }
    if (strlen(command) > COMMAND_MOST) {
        status_set(status, STATUS_USAGE, "--engine: the command has more than %d characters", COMMAND_MOST);
        return NULL;
    }
    CustomEngine *custom = calloc(1, sizeof *custom);
    if (custom)
        custom->command = strdup(command);
    if (!custom || !custom->command)
        status_set(status, STATUS_FAILED, "out of memory");
    else if ((custom->description = engine_describe(command, status)) && custom_read(custom, status))
        return custom;
    engine_custom_destroy(custom);
    return NULL;
}

void engine_custom_destroy(CustomEngine *custom)
{
    if (!custom)
        return;
    json_decref(custom->description);
    free(custom->command);
    free(custom->text);
    free(custom);
}

const Solver *engine_custom_solver(const CustomEngine *custom)
{
    return &custom->solver;
}
