/* SPDX-License-Identifier: MIT */
#include "bench/run/solver_set.h"

#include "bench/run/run.h"
#include "model/suggest.h"
#include "solvers/engines/custom.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct VariantKeep {
    int count, capacity;
    Solver **variants;
} VariantKeep;

static bool out_of_memory(Status *status)
{
    return status_set(status, STATUS_FAILED, "out of memory");
}

static Solver *keep_make(VariantKeep *keep, const Solver *of, const Variant *variant, Status *status)
{
    if (keep->count == keep->capacity) {
        int capacity = 2 * keep->capacity + 8;
        Solver **grown = realloc(keep->variants, sizeof(Solver *) * (size_t)capacity);
        if (!grown) {
            out_of_memory(status);
            return NULL;
        }
        keep->variants = grown;
        keep->capacity = capacity;
    }
    Solver *made = variant_create(of, variant, status);
    if (made)
        keep->variants[keep->count++] = made;
    return made;
}

static const Solver *keep_named(const VariantKeep *keep, const char *name)
{
    for (int i = 0; i < keep->count; i++)
        if (strcmp(keep->variants[i]->name, name) == 0)
            return keep->variants[i];
    return NULL;
}

static const Solver *solver_set_named(const SolverSet *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->solvers[i]->name, name) == 0)
            return set->solvers[i];
    return NULL;
}

static bool solver_set_add(SolverSet *set, const Solver *solver, Status *status)
{
    if (set->count == SOLVERS_MAX)
        return status_set(status, STATUS_USAGE, "more than %d solvers", SOLVERS_MAX);
    set->solvers[set->count++] = solver;
    return true;
}

static bool solver_set_add_variant(SolverSet *set, const Solver *of, const Variant *variant, Status *status)
{
    const Solver *made = keep_make(set->keep, of, variant, status);
    return made && solver_set_add(set, made, status);
}

bool solver_set_open(SolverSet *set, Status *status)
{
    *set = (SolverSet){.keep = calloc(1, sizeof(VariantKeep))};
    bool ok = set->keep || out_of_memory(status);
    for (int i = 0; ok && i < solver_count + engine_count; i++) {
        const Solver *solver = i < solver_count ? all_solvers[i] : all_engines[i - solver_count];
        ok = solver_set_add(set, solver, status);
        bool engine = i >= solver_count;
        const Variant *variants = engine ? engine_variants : all_variants;
        for (int k = 0; ok && k < (engine ? engine_variant_count : variant_count); k++)
            if (strcmp(variants[k].of, solver->name) == 0)
                ok = solver_set_add_variant(set, solver, &variants[k], status);
    }
    if (!ok)
        solver_set_close(set);
    return ok;
}

bool solver_set_extend(SolverSet *set, const SolverSet *outer, Status *status)
{
    *set = *outer;
    set->keep = calloc(1, sizeof(VariantKeep));
    memset(set->handles, 0, sizeof set->handles);
    memset(set->engines, 0, sizeof set->engines);
    return set->keep || out_of_memory(status);
}

void solver_set_close(SolverSet *set)
{
    for (int i = 0; set->keep && i < set->keep->count; i++)
        variant_destroy(set->keep->variants[i]);
    if (set->keep)
        free(set->keep->variants);
    free(set->keep);
    for (int i = 0; i < set->plugin_count; i++)
        if (set->handles[i])
            dlclose(set->handles[i]);
    for (int i = 0; i < set->engine_count; i++)
        engine_custom_destroy(set->engines[i]);
    *set = (SolverSet){0};
}

bool solver_set_define(SolverSet *set, const Variant *variant, Status *status)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (!variant->name[0] || variant->name[strspn(variant->name, LETTERS)])
        return status_set(status, STATUS_USAGE, "'%s' is no name: letters, digits, _ and - only", variant->name);
    if (solver_set_named(set, variant->name))
        return status_set(status, STATUS_USAGE, "there is already a solver '%s'", variant->name);
    const Solver *of = solver_set_find(set, variant->of, status);
    return of && solver_set_add_variant(set, of, variant, status);
}

static void solver_unknown(const SolverSet *set, const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < set->count; i++)
        suggestion_offer(&near, set->solvers[i]->name);
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown solver '%s'%s%s", name, suggestion_text(&near, text),
               near.best ? "" : "; rigor list solvers names them");
}

/* The options of a label, one by one, for a message that knows what is near. */
static bool options_check(const Solver *of, const char *options, Status *status)
{
    Run run = {0};
    run_choose_solver(&run, of);
    for (const char *rest = options; rest; rest = strchr(rest, ':') ? strchr(rest, ':') + 1 : NULL) {
        char one[SOLVER_LABEL], key[RUN_KEY];
        const char *value;
        snprintf(one, sizeof one, "%.*s", (int)strcspn(rest, ":"), rest);
        if (!assignment_split(one, key, &value, status) || !run_set_option(&run, key, value, status))
            return false;
    }
    return true;
}

const Solver *solver_set_find(const SolverSet *set, const char *name, Status *status)
{
    const char *colon = strchr(name, ':');
    const Solver *known = colon ? keep_named(set->keep, name) : solver_set_named(set, name);
    if (known)
        return known;
    char of[SOLVER_LABEL];
    if ((size_t)snprintf(of, sizeof of, "%s", name) >= sizeof of) {
        status_set(status, STATUS_USAGE, "'%.32s...' is too long for a solver", name);
        return NULL;
    }
    of[strcspn(of, ":")] = '\0';
    const Solver *base = solver_set_named(set, of);
    if (!base) {
        solver_unknown(set, of, status);
        return NULL;
    }
    Variant variant = {.name = name, .of = base->name, .options = colon + 1};
    return options_check(base, variant.options, status) ? keep_make(set->keep, base, &variant, status) : NULL;
}

/* A solver's name is typed, stands in tables and stores, and becomes part of files' names. */
static bool name_is_plain(const char *name)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
    size_t length = strlen(name);
    return length <= 64 && strspn(name, PLAIN) == length && name[0] != '-' && name[0] != '.';
}

/* What is wrong with a plug-in's description; NULL: nothing. */
static const char *plugin_fault(const Solver *solver)
{
    if (!solver->name || !solver->name[0] || !solver->summary || !solver->reference)
        return "its name, summary or reference is missing";
    if (!name_is_plain(solver->name))
        return "its name is not of letters, digits and _ - . +, at most 64 of them";
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
    if (!plugin_check(set, solver, path, status) || !solver_set_add(set, solver, status)) {
        dlclose(handle);
        return false;
    }
    set->handles[set->plugin_count] = handle;
    set->plugins[set->plugin_count++] = solver;
    return true;
}

bool solver_set_add_own(SolverSet *set, const Solver *solver, Status *status)
{
    if (set->plugin_count == PLUGINS_MAX)
        return status_set(status, STATUS_USAGE, "more than %d plug-ins", PLUGINS_MAX);
    if (!plugin_check(set, solver, solver->name ? solver->name : "solver", status) ||
        !solver_set_add(set, solver, status)) {
        status->code = STATUS_USAGE; /* there is no file */
        return false;
    }
    set->plugins[set->plugin_count++] = solver;
    return true;
}

bool solver_set_is_plugin(const SolverSet *set, const Solver *solver)
{
    for (int i = 0; i < set->plugin_count; i++)
        if (solver_backend(solver) == set->plugins[i])
            return true;
    return false;
}

bool solver_set_add_engine(SolverSet *set, const char *command, Status *status)
{
    if (set->engine_count == PLUGINS_MAX)
        return status_set(status, STATUS_USAGE, "more than %d engines", PLUGINS_MAX);
    CustomEngine *custom = engine_custom_create(command, status);
    if (!custom)
        return false;
    const Solver *solver = engine_custom_solver(custom);
    set->engines[set->engine_count++] = custom;
    if (plugin_fault(solver))
        return status_set(status, STATUS_BAD_FILE, "--engine: %s", plugin_fault(solver));
    if (solver_set_named(set, solver->name))
        return status_set(status, STATUS_BAD_FILE, "--engine: there is already a solver '%s'", solver->name);
    return solver_set_add(set, solver, status);
}
