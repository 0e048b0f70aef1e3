/* SPDX-License-Identifier: MIT */
#include "bench/run/run.h"

#include "bench/run/child.h"
#include "bench/run/memory.h"
#include "bench/run/plane.h"
#include "model/random.h"
#include "model/suggest.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool name_is_path(const char *name)
{
    static const char *const endings[] = {".json", ".xml", ".urdf"};
    size_t length = strlen(name);
    bool ends = false;
    for (int i = 0; i < 3; i++) {
        size_t ending = strlen(endings[i]);
        ends = ends || (length > ending && strcmp(name + length - ending, endings[i]) == 0);
    }
    return ends || strchr(name, '/');
}

bool run_choose_scene(Run *run, const char *name, Status *status)
{
    run->scene = scene_find(name);
    if (run->scene) {
        settings_init(run->scene->settings, run->scene->setting_count, run->params);
        return true;
    }
    if (name_is_path(name)) {
        run->file = name;
        run->robot_file = robot_is_file(name);
        return true;
    }
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < scene_count; i++)
        suggestion_offer(&near, all_scenes[i]->name);
    char text[SUGGESTION_TEXT];
    return status_set(status, STATUS_USAGE, "unknown scene '%s'%s%s", name, suggestion_text(&near, text),
                      near.best ? "" : "; rigor list scenes names them");
}

void run_choose_solver(Run *run, const Solver *solver)
{
    run->solver = solver;
    memset(run->options, 0, sizeof run->options);
    settings_init(solver->settings, solver->setting_count, run->options);
}

const Setting *run_find_param(const Run *run, const char *key)
{
    return run->scene ? settings_find(run->scene->settings, run->scene->setting_count, key) : NULL;
}

const Setting *run_find_option(const Run *run, const char *key)
{
    return settings_find(run->solver->settings, run->solver->setting_count, key);
}

static void offer_settings(Suggestion *near, const Setting *settings, int count)
{
    for (int i = 0; i < count; i++)
        suggestion_offer(near, settings[i].name);
}

static bool solvers_have(const char *key)
{
    for (int i = 0; i < solver_count; i++)
        if (settings_find(all_solvers[i]->settings, all_solvers[i]->setting_count, key))
            return true;
    return false;
}

/* " (it has links, mass, ...)"; "" where a name is near. */
static const char *params_text(const Scene *scene, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, " (it has ");
    for (int i = 0; i < scene->setting_count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", scene->settings[i].name);
    if (scene->setting_count == 0)
        snprintf(text, size, " (it has none)");
    else if (length + 1 < size)
        snprintf(text + length, size - length, ")");
    return text;
}

bool run_set_param(Run *run, const char *key, const char *value, Status *status)
{
    if (run->robot_file)
        return robot_params_set(&run->robot, key, value, status);
    if (!run->scene)
        return status_set(status, STATUS_USAGE, "%s: a scene file has no parameters; '%s' cannot be set", run->file,
                          key);
    const Setting *setting = run_find_param(run, key);
    if (setting)
        return setting_parse(setting, run->params, value, status);
    Suggestion near = suggestion_for(key);
    offer_settings(&near, run->scene->settings, run->scene->setting_count);
    char text[SUGGESTION_TEXT];
    bool elsewhere = run->solver ? run_find_option(run, key) != NULL : solvers_have(key);
    char names[256] = "";
    if (!near.best && !elsewhere)
        params_text(run->scene, names, sizeof names);
    return status_set(status, STATUS_USAGE, "scene %s has no parameter '%s'%s%s%s%s lists them", run->scene->name, key,
                      names, elsewhere ? ", it is a solver's option (-s)" : suggestion_text(&near, text),
                      near.best && !elsewhere ? " rigor show " : "; rigor show ", run->scene->name);
}

static bool option_unknown(const Run *runs, int count, const char *key, Status *status)
{
    Suggestion near = suggestion_for(key);
    for (int i = 0; i < count; i++)
        offer_settings(&near, runs[i].solver->settings, runs[i].solver->setting_count);
    char text[SUGGESTION_TEXT];
    suggestion_text(&near, text);
    if (run_find_param(&runs[0], key))
        snprintf(text, sizeof text, ", it is a parameter of the scene (-p)");
    if (count > 1)
        return status_set(status, STATUS_USAGE, "none of the solvers has an option '%s'%s", key, text);
    const char *name = runs[0].solver->name;
    return status_set(status, STATUS_USAGE, "solver %s has no option '%s'%s%srigor show %s lists them", name, key, text,
                      text[0] == ':' ? " " : "; ", name);
}

bool run_set_option(Run *run, const char *key, const char *value, Status *status)
{
    const Setting *setting = run_find_option(run, key);
    return setting ? setting_parse(setting, run->options, value, status) : option_unknown(run, 1, key, status);
}

bool assignment_split(const char *assignment, char key[RUN_KEY], const char **value, Status *status)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment || !equals[1])
        return status_set(status, STATUS_USAGE, "'%s' is not of the form key=value", assignment);
    size_t length = (size_t)(equals - assignment);
    if (length >= RUN_KEY)
        return status_set(status, STATUS_USAGE, "'%s': the name is too long", assignment);
    memcpy(key, assignment, length);
    key[length] = '\0';
    *value = equals + 1;
    return true;
}

/* Whose label and a dot the assignment begins with; of several the longest, as `pgs:beta=0.5` against `pgs:beta=0`.
 * NULL: it addresses no run. */
static const Run *runs_addressed(const Run *runs, int count, const char *assignment, const char **rest)
{
    const Run *found = NULL;
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        const char *label = runs[i].solver->name;
        size_t length = strlen(label);
        if (length > longest && strncmp(assignment, label, length) == 0 && assignment[length] == '.') {
            found = &runs[i];
            longest = length;
        }
    }
    *rest = found ? assignment + longest + 1 : assignment;
    return found;
}

bool assignment_is_addressed(const Run *runs, int count, const char *assignment)
{
    const char *rest;
    return runs_addressed(runs, count, assignment, &rest) || memchr(assignment, '.', strcspn(assignment, "="));
}

static bool solver_not_among(const Run *runs, int count, const char *solver, Status *status)
{
    Suggestion near = suggestion_for(solver);
    for (int i = 0; i < count; i++)
        suggestion_offer(&near, runs[i].solver->name);
    char text[SUGGESTION_TEXT];
    return status_set(status, STATUS_USAGE, "'%s' is not among the solvers to run%s", solver,
                      suggestion_text(&near, text));
}

bool runs_assign_option(Run *runs, int count, const char *assignment, Status *status)
{
    char key[RUN_KEY];
    const char *value = NULL, *rest;
    const Run *one = runs_addressed(runs, count, assignment, &rest);
    if (!assignment_split(rest, key, &value, status))
        return false;
    if (one)
        return run_set_option(&runs[one - runs], key, value, status);
    char *dot = strchr(key, '.');
    if (dot) {
        *dot = '\0';
        return solver_not_among(runs, count, key, status);
    }
    bool known = false;
    for (int i = 0; i < count; i++) {
        if (!run_find_option(&runs[i], key))
            continue;
        known = true;
        if (!run_set_option(&runs[i], key, value, status))
            return false;
    }
    return known || option_unknown(runs, count, key, status);
}

/* A scene at rest flatters solvers that start from the last impulses: nothing is left to solve. The same for all; a
 * scene in the x-y plane stays there, so that engines of two dimensions are among them. */
static void run_perturb(Problem *problem, double speed)
{
    Random random = {1};
    World *world = problem->world;
    bool plane = world_lies_in_plane(world);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 kick = random_vec3(&random, speed);
        /* The definition too: truths are kept by its content. */
        world->velocity[i].v = vec3_add(world->velocity[i].v, vec3(kick.x, kick.y, plane ? 0.0 : kick.z));
        world->bodies[i].velocity = world->velocity[i].v;
    }
}

Problem *run_build(const Run *run, Status *status)
{
    Problem *problem = run->scene        ? scene_build(run->scene, run->params, status)
                       : run->robot_file ? robot_problem(run->file, &run->robot, NULL, status)
                                         : problem_read(run->file, status);
    if (problem && run->perturb > 0.0)
        run_perturb(problem, run->perturb);
    if (problem && !world_set_order(problem->world, run->order, run->order_seed)) {
        status_set(status, STATUS_FAILED, "out of memory");
        problem_destroy(problem);
        return NULL;
    }
    return problem;
}

static double run_memory(const Run *run)
{
    return run->most_memory > 0.0 ? run->most_memory : memory_allowed();
}

Problem *run_build_within(const Run *run, Status *status)
{
    MemoryBound bound = memory_bound(run_memory(run));
    Problem *problem = run_build(run, status);
    memory_release(bound);
    if (!problem && bound.set && strstr(status->message, "out of memory"))
        status_set(status, STATUS_FAILED, "the scene alone takes more than the %.3g GB it may have (--max-memory)",
                   1e-9 * run_memory(run));
    return problem;
}

bool run_fits(const Run *run, const Problem *problem, double time, Status *status)
{
    return memory_fits(memory_of_run(problem, run->solver, time / run->dt, run->keep_series), run_memory(run), status);
}

/* One more line in what is said of the problem. */
static void run_note(Problem *problem, const char *text, const char *why)
{
    size_t before = problem->notes ? strlen(problem->notes) : 0, size = before + strlen(text) + strlen(why) + 2;
    char *notes = realloc(problem->notes, size);
    if (!notes)
        return;
    snprintf(notes + before, size - before, "%s%s\n", text, why);
    problem->notes = notes;
}

/* The motion of `reference`, if that is the problem's truth; without it the metrics that need it have no value. */
static void run_find_truth(Run *run, ReferenceTruths *truths)
{
    Problem *problem = run->problem;
    Status status = {0};
    int frames = run_frame_count(run->time, run->dt, &status);
    if (frames == 0 || !solver_supports(run->solver, problem->world, &status))
        return;
    bool reach = reference_truths_reach(problem, run->dt, frames, &status);
    Problem *fresh = reach ? run_build(run, &status) : NULL;
    problem->path = fresh ? reference_truths_find(truths, fresh, run->dt, frames, &status) : NULL;
    if (problem->path)
        run->truth_error = problem->path->errors[frames - 1];
    else
        run_note(problem, "no truth by reference: ", status.message);
    problem_destroy(fresh);
}

bool run_prepare(Run *run)
{
    run->made = false;
    run->truth_error = NAN;
    run->problem = run_build_within(run, &run->status);
    if (!run->problem)
        return false;
    if (isnan(run->time))
        run->time = run->problem->time;
    if (!run_fits(run, run->problem, run->time, &run->status)) {
        run->result = (RunResult){.status = RUN_FAILED, .begun = true};
        return false;
    }
    if (run->refuses_truth) {
        run->problem->truth = NULL;
        run->problem->reference = false;
    }
    bool seeks = problem_needs_reference(run->problem, run->time) && !run->without_truth;
    ReferenceTruths *own = seeks && !run->truths ? reference_truths_create() : NULL;
    if (seeks && (run->truths || own))
        run_find_truth(run, run->truths ? run->truths : own);
    run->own_truths = own;
    return true;
}

bool run_go(Run *run, const RunWatch *watch)
{
    RunPlan plan = {run->solver,           run->options, run->dt,       run->time,    run->detect, run->keep_series,
                    run->row_solves_limit, watch,        run->progress, run->profile, run->threads};
    run->made = run_problem(run->problem, &plan, &run->result, &run->status);
    return run->made;
}

static bool go_unwatched(Run *run, void *context)
{
    (void)context;
    return run_go(run, NULL);
}

/* An error is known only if it is this many times that of the truth. */
static const double TRUTH_BETTER = 10.0;

/* Angles are held against the truth's error in length scales. */
void run_blank_errors(Run *run)
{
    double *values = run->result.metrics, length = run->problem->world->length_scale;
    bool blanked = false;
    for (int m = 0; m < metric_count; m++) {
        const Metric *metric = all_metrics[m];
        double known = strcmp(metric->unit, "m") == 0     ? run->truth_error
                       : strcmp(metric->unit, "rad") == 0 ? run->truth_error / length
                                                          : 0.0;
        if (!metric->of_truth || !(values[m] < TRUTH_BETTER * known))
            continue;
        blanked = blanked || values[m] > 0.0;
        values[m] = NAN;
    }
    char why[96];
    snprintf(why, sizeof why, "the truth itself is known to %.2g m, and an error counts from ten times that on",
             run->truth_error);
    if (blanked)
        run_note(run->problem, "errors too small to tell: ", why);
}

void run_settle(Run *run)
{
    if (run->made)
        run_blank_errors(run);
    run->problem->path = NULL;
    reference_truths_destroy(run->own_truths);
    run->own_truths = NULL;
}

bool run_make(Run *run, const RunWatch *watch)
{
    if (!run_prepare(run))
        return false;
    /* Who watches does so in this process. */
    bool made = run->in_child && !watch ? run_in_child(run, go_unwatched, NULL) : run_go(run, watch);
    run_settle(run);
    return made;
}

const char *run_status_text(const Run *run)
{
    bool failed = !run->made && run->result.status != RUN_CRASHED && run->result.status != RUN_TIMED_OUT;
    if (failed && run->status.code == STATUS_UNSUPPORTED)
        return engine_is_missing(run->solver) ? "not_installed" : "unsupported";
    return run_status_names[failed ? RUN_FAILED : run->result.status];
}

void run_clear(Run *run)
{
    run_result_clear(&run->result);
    problem_destroy(run->problem);
    run->problem = NULL;
}
