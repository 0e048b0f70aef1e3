/* SPDX-License-Identifier: MIT */
/* rigor show: one scene, solver or metric. */
#include "bench/run/json.h"
#include "bench/text/describe.h"
#include "bench/text/lecture.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/hints.h"
#include "model/suggest.h"
#include "solvers/provenance.h"

#include <string.h>

static void show_title(const char *name, const char *kind, const char *summary)
{
    printf("%s%s%s", style_bold(stdout), name, style_plain(stdout));
    char text[512];
    snprintf(text, sizeof text, ", a %s: %s", kind, summary);
    fold_print(stdout, text, (int)strlen(name), 0);
}

/* Scales and metrics are those of the scene with its default parameters. */
static bool show_scene(const Scene *scene, Status *status)
{
    Run run = {0};
    if (!run_choose_scene(&run, scene->name, status))
        return false;
    Problem *problem = run_build(&run, status);
    if (!problem)
        return false;
    show_title(scene->name, "scene", scene->question);
    printf("\n");
    fold_print(stdout, scene->about, 0, 0);
    printf("\nlectures: %s\n", scene->lectures);
    char text[1024];
    snprintf(text, sizeof text,
             "bodies: %d, joints: %d, time: %.4g s, energy scale: %.4g J, speed scale: %.4g m/s, length scale: %.4g m",
             problem->world->body_count - 1, problem->world->joint_count, problem->time, problem->energy_scale,
             problem->speed_scale, problem->world->length_scale);
    fold_print(stdout, text, 0, 2);
    printf("truth: %s", problem->truth ? "closed form" : problem->reference ? "reference" : "none");
    if (problem->truth && problem->reference && isfinite(problem->closed_until))
        printf(" until %.4g s, then reference", problem->closed_until);
    if (problem->reference && isfinite(problem->truth_time))
        printf(", for %.4g s at most", problem->truth_time);
    printf("\n");
    snprintf(text, sizeof text, "measured:");
    for (int i = 0; i < metric_count; i++)
        if (all_metrics[i]->applies(problem))
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", all_metrics[i]->name);
    fold_print(stdout, text, 0, 2);
    printf("\nparameters (-p):\n");
    print_settings(scene->settings, scene->setting_count);
    problem_destroy(problem);
    return true;
}

/* The options a variant sets, as `-s` takes them. */
static void show_variant(const char *sets)
{
    printf("sets:");
    for (const char *rest = sets; rest; rest = strchr(rest, ':') ? strchr(rest, ':') + 1 : NULL)
        printf(" %.*s", (int)strcspn(rest, ":"), rest);
    printf("\n");
}

/* How it treats contacts, a line a topic. */
static void show_contacts(const Solver *solver)
{
    json_t *contacts = describe_contacts(solver), *text;
    const char *topic;
    printf("\ncontacts:\n");
    json_object_foreach (contacts, topic, text) {
        char words[32];
        snprintf(words, sizeof words, "%s", topic);
        for (char *c = words; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        printf("  %-20s", words);
        fold_print(stdout, json_string_value(text), 22, 22);
    }
    json_decref(contacts);
}

static void show_per_step(const Solver *solver)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
    char text[256];
    settings_init(solver->settings, solver->setting_count, options);
    const char *what = solver->per_step ? solver->per_step(options) : NULL;
    if (!what)
        return;
    snprintf(text, sizeof text, "steps: substeps are no refinement of this method: %s", what);
    fold_print(stdout, text, 0, 2);
}

/* In what it is not its original, and how far it is, as recorded. */
static void show_provenance(const char *name)
{
    const Provenance *p = provenance_of(name);
    const char *departs = departures_of(name);
    char text[640];
    if (departs) {
        snprintf(text, sizeof text, "departs: %s", departs);
        fold_print(stdout, text, 0, 2);
    }
    if (!p)
        return;
    snprintf(text, sizeof text, "original: %s; recorded motions: %d SAME (to %s m), %d BY DESIGN, %d UNEXPLAINED%s%s",
             p->original, p->same, p->farthest, p->by_design, p->open, p->why ? "; " : "", p->why ? p->why : "");
    fold_print(stdout, text, 0, 2);
}

static void show_solver(const Solver *solver)
{
    char kind[64] = "solver";
    if (solver->variant_of)
        snprintf(kind, sizeof kind, "variant of %s", solver->variant_of->name);
    if (solver->text_of)
        snprintf(kind, sizeof kind, "lecture text of %s", solver->text_of);
    show_title(solver->name, kind, solver->summary);
    char text[512];
    snprintf(text, sizeof text, "reference: %s", solver->reference);
    printf("\n");
    fold_print(stdout, text, 0, 2);
    show_provenance(solver->name);
    const Solver *lecture = lecture_solver(solver);
    if (lecture)
        printf("text: rigor read %s, as the lecture has it (%s)\n", solver->name, lecture->name);
    else
        printf("text: rigor read %s, its phases in words and formulas\n", solver->name);
    if (solver->variant_of)
        show_variant(solver->sets);
    snprintf(text, sizeof text, "can do:");
    for (int i = 0, shown = 0; i < CAPABILITY_COUNT; i++)
        if (solver->capabilities & (1u << i))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s", shown++ > 0 ? "," : "",
                     capability_names[i]);
    fold_print(stdout, text, 0, 2);
    if (solver->stable_step)
        fold_print(stdout,
                   "reports: stable_step, the longest substep (s) at which its springs were stable all through the run",
                   0, 2);
    if (solver->error_estimate)
        fold_print(stdout, "reports: error_estimate, its own of the largest error (m; turns in length scales)", 0, 2);
    show_per_step(solver);
    if (solver->conventions)
        show_contacts(solver);
    printf("\noptions (-s):\n");
    print_settings(solver->settings, solver->setting_count);
}

static bool show_unknown(const SolverSet *set, const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < scene_count; i++)
        suggestion_offer(&near, all_scenes[i]->name);
    for (int i = 0; i < set->count; i++)
        suggestion_offer(&near, set->solvers[i]->name);
    for (int i = 0; i < metric_count; i++)
        suggestion_offer(&near, all_metrics[i]->name);
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "no scene, solver or metric is called '%s'%s%s", name,
               suggestion_text(&near, text), near.best ? "" : "; rigor list names them");
    return hint_elsewhere(set, name, status);
}

static bool show_command(const Arguments *arguments, Status *status)
{
    const char *name = arguments->operands[0];
    bool json = arguments->given[OPTION_JSON];
    const Scene *scene = scene_find(name);
    Status missing = {0};
    const Solver *solver = solver_set_find(&arguments->solvers, name, &missing);
    int metric = metric_find(name);
    if (scene)
        return json ? json_print(describe_scene(scene), status) : show_scene(scene, status);
    if (!solver && strchr(name, ':')) /* options in place: what is wrong with them */
        return status_set(status, missing.code, "%s", missing.message);
    if (!solver && metric < 0)
        return show_unknown(&arguments->solvers, name, status);
    if (json)
        return json_print(solver ? describe_solver(solver) : describe_metric(all_metrics[metric]), status);
    if (solver) {
        show_solver(solver);
    } else {
        show_title(name, "metric", all_metrics[metric]->definition);
        printf("unit: %s\n", all_metrics[metric]->unit);
    }
    return true;
}

const Command command_show = {
    .name = "show",
    .operands = "NAME",
    .summary = "one scene, solver or metric: what it is, its options, its reference",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = show_command,
};
