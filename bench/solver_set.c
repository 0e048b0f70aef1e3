#include "bench/solver_set.h"

#include "bench/engine.h"
#include "bench/suggest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int solver_set_count(const SolverSet *set)
{
    return solver_count + set->plugin_count;
}

const Solver *solver_set_at(const SolverSet *set, int index)
{
    return index < solver_count ? all_solvers[index] : set->plugins[index - solver_count];
}

static const Solver *solver_set_named(const SolverSet *set, const char *name)
{
    for (int i = 0; i < solver_set_count(set); i++)
        if (strcmp(solver_set_at(set, i)->name, name) == 0)
            return solver_set_at(set, i);
    for (int i = 0; i < engine_count; i++)
        if (strcmp(all_engines[i]->name, name) == 0)
            return all_engines[i];
    return NULL;
}

const Solver *solver_set_find(const SolverSet *set, const char *name, Status *status)
{
    const Solver *solver = solver_set_named(set, name);
    if (solver)
        return solver;
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < solver_set_count(set); i++)
        suggestion_offer(&near, solver_set_at(set, i)->name);
    for (int i = 0; i < engine_count; i++)
        suggestion_offer(&near, all_engines[i]->name);
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown solver '%s'%s", name, suggestion_text(&near, text));
    return NULL;
}

/* What is wrong with a plug-in's description; NULL: nothing. */
static const char *plugin_fault(const Solver *solver)
{
    if (!solver->name || !solver->name[0] || !solver->summary || !solver->reference)
        return "its name, summary or reference is missing";
    if (!solver->create || !solver->destroy || !solver->plan)
        return "create, destroy or plan is missing";
    if (solver->options_size < sizeof(CommonOptions) || solver->options_size > SETTINGS_MAX_BYTES)
        return "its options struct is smaller than CommonOptions or larger than SETTINGS_MAX_BYTES";
    if (!settings_find(solver->settings, solver->setting_count, "substeps"))
        return "its settings lack COMMON_SETTINGS";
    return NULL;
}

static bool plugin_check(const SolverSet *set, const Solver *solver, const char *path, Status *status)
{
    if (!solver)
        return status_set(status, STATUS_BAD_FILE, "%s: exports no `rigor_solver`", path);
    if (solver->abi != SOLVER_ABI)
        return status_set(status, STATUS_BAD_FILE, "%s: built for solver ABI %d, this program has %d", path,
                          solver->abi, SOLVER_ABI);
    if (plugin_fault(solver))
        return status_set(status, STATUS_BAD_FILE, "%s: %s", path, plugin_fault(solver));
    if (solver_set_named(set, solver->name))
        return status_set(status, STATUS_BAD_FILE, "%s: there is already a solver '%s'", path, solver->name);
    return true;
}

bool solver_set_load(SolverSet *set, const char *path, Status *status)
{
    if (set->plugin_count == PLUGINS_MAX)
        return status_set(status, STATUS_USAGE, "more than %d plug-ins", PLUGINS_MAX);
    /* A bare name is a file here, not one to look for in the system's library folders. */
    char local[1024];
    if ((size_t)snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path) >= sizeof local)
        return status_set(status, STATUS_BAD_FILE, "%s: the path is too long", path);
    void *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return status_set(status, STATUS_BAD_FILE, "%s: cannot be loaded: %s", path, dlerror());
    const Solver *solver = dlsym(handle, "rigor_solver");
    if (!plugin_check(set, solver, path, status)) {
        dlclose(handle);
        return false;
    }
    set->handles[set->plugin_count] = handle;
    set->plugins[set->plugin_count++] = solver;
    return true;
}

void solver_set_close(SolverSet *set)
{
    for (int i = 0; i < set->plugin_count; i++)
        dlclose(set->handles[i]);
    set->plugin_count = 0;
}
