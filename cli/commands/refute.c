/* SPDX-License-Identifier: MIT */
/* rigor refute: the search for the smallest mechanism that breaks a claim (bench/studies/refute.h). */
#include "bench/studies/refute.h"
#include "bench/outcome/remarks.h"
#include "bench/run/json.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

static const double DEFAULT_BUDGET = 60.0, DEFAULT_TIME = 5.0; /* s */

/* A solver that solves exactly shows whether the mechanism or the solver is at fault. */
static const char WITNESS[] = "direct";

/* One family of mechanisms, and what was found in it. */
typedef struct Family {
    Refutation found;
    Trial witness; /* not made: cannot run it, or is the solver itself */
} Family;

/* Loops first: they are what claims are most often made without. An open chain is smaller than any loop. */
enum { LOOPS, CHAINS, FAMILIES };

typedef struct Refute {
    const Arguments *arguments;
    RefuteStudy study;
    Family families[FAMILIES];
    bool runs[FAMILIES]; /* whether the solver can run any of it */
} Refute;

static bool refute_claim(const char *name, Claim *claim, Status *status)
{
    for (int i = 0; i < CLAIM_COUNT; i++)
        if (strcmp(claim_names[i], name) == 0) {
            *claim = (Claim)i;
            return true;
        }
    return status_set(status, STATUS_USAGE, "unknown claim '%s'; there are stable, no_drift and energy", name);
}

static bool fixes_substeps(const Arguments *arguments)
{
    for (int i = 0; i < arguments->given[OPTION_SOLVER_OPTION]; i++)
        if (strstr(arguments->values[OPTION_SOLVER_OPTION][i], "substeps="))
            return true;
    return false;
}

static bool refute_prepare(Refute *refute, Run *run, Status *status)
{
    const Arguments *arguments = refute->arguments;
    int seed = 1;
    RefuteStudy *study = &refute->study;
    *study = (RefuteStudy){.run = run, .fixed_substeps = fixes_substeps(arguments)};
    bool ok = refute_claim(arguments->operands[0], &study->claim, status) &&
              argument_whole(arguments, OPTION_SEED, 0, 1, &seed, status) &&
              argument_seconds(arguments, OPTION_BUDGET, DEFAULT_BUDGET, &study->budget, status) &&
              argument_seconds(arguments, OPTION_DT, RUN_DEFAULT_DT, &run->dt, status) &&
              argument_seconds(arguments, OPTION_TIME, DEFAULT_TIME, &run->time, status) &&
              run_frame_count(run->time, run->dt, status) > 0;
    study->seed = (uint64_t)seed;
    return ok;
}

static void refute_ask_witness(const Refute *refute, Family *family)
{
    Run run = *refute->study.run;
    Status status = {0};
    double work = 0.0;
    const Solver *solver = solver_set_find(&refute->arguments->solvers, WITNESS, &status);
    if (!solver || strcmp(run.solver->name, WITNESS) == 0)
        return;
    run_choose_solver(&run, solver);
    family->witness = refute_try(&refute->study, &run, &family->found.attempt, &work);
}

/* Half of the budget for each; a solver that cannot close loops has the chains alone. */
static bool refute_families(Refute *refute, Status *status)
{
    RefuteStudy study = refute->study;
    study.budget *= 0.5;
    for (int i = 0; i < FAMILIES; i++) {
        study.loops = i == LOOPS;
        refute->runs[i] = refute_search(&study, &refute->families[i].found, status);
        if (refute->runs[i])
            refute_ask_witness(refute, &refute->families[i]);
    }
    return refute->runs[LOOPS] || refute->runs[CHAINS];
}

static bool family_found(const Refute *refute, int family)
{
    return refute->runs[family] && refute->families[family].found.found;
}

/* The one that is printed first: a loop that breaks the claim, else a chain that does, else what came nearest. */
static int refute_first(const Refute *refute)
{
    if (family_found(refute, LOOPS) || family_found(refute, CHAINS))
        return family_found(refute, LOOPS) ? LOOPS : CHAINS;
    return refute->runs[LOOPS] ? LOOPS : CHAINS;
}

static json_t *trial_json(const Trial *trial)
{
    return json_pack("{s:s,s:o,s:o,s:o,s:o}", "status", run_status_names[trial->status], "blew_up_at",
                     json_number(trial->blew_up_at), "verdict", json_verdict(trial->verdict), "energy_gain_max",
                     json_number(trial->energy_gain), "drift_max", json_number(trial->drift));
}

static json_t *numbers_json(const Refute *refute, const Family *family)
{
    const Attempt *attempt = &family->found.attempt;
    json_t *numbers = trial_json(&family->found.trial);
    json_object_set_new(numbers, "substeps", json_integer(attempt->substeps));
    json_object_set_new(numbers, "dt", json_number(refute->study.run->dt));
    json_object_set_new(numbers, "time", json_number(refute->study.run->time));
    json_object_set_new(numbers, "links", json_integer(attempt->mechanism.links));
    json_object_set_new(numbers, "loop", json_boolean(attempt->mechanism.closed));
    json_object_set_new(numbers, WITNESS, family->witness.made ? trial_json(&family->witness) : json_null());
    return numbers;
}

static json_t *family_scene(const Refute *refute, int family)
{
    return family_found(refute, family) ? refute_scene(&refute->study, &refute->families[family].found.attempt)
                                        : json_null();
}

static int refute_tried(const Refute *refute)
{
    return refute->families[LOOPS].found.tried + refute->families[CHAINS].found.tried;
}

static bool refute_by_clock(const Refute *refute)
{
    return refute->families[LOOPS].found.by_clock || refute->families[CHAINS].found.by_clock;
}

static json_t *refute_document(const Refute *refute)
{
    const Run *run = refute->study.run;
    int first = refute_first(refute);
    json_t *document = json_object();
    json_object_set_new(document, "claim", json_string(claim_names[refute->study.claim]));
    json_object_set_new(document, "solver", json_string(run->solver->name));
    json_object_set_new(document, "solver_options",
                        json_settings(run->solver->settings, run->solver->setting_count, run->options));
    json_object_set_new(document, "found", json_boolean(family_found(refute, first)));
    json_object_set_new(document, "scene", family_scene(refute, first));
    json_object_set_new(document, "numbers", numbers_json(refute, &refute->families[first]));
    if (first == LOOPS && refute->runs[CHAINS])
        json_object_set_new(document, "chain",
                            json_pack("{s:b,s:o,s:o}", "found", family_found(refute, CHAINS), "scene",
                                      family_scene(refute, CHAINS), "numbers",
                                      numbers_json(refute, &refute->families[CHAINS])));
    json_object_set_new(document, "tried", json_integer(refute_tried(refute)));
    json_object_set_new(document, "seed", json_integer((json_int_t)refute->study.seed));
    json_object_set_new(document, "budget", json_number(refute->study.budget));
    json_object_set_new(document, "ended_by", json_string(refute_by_clock(refute) ? "time" : "work"));
    return document;
}

static void print_trial(const char *name, const Trial *trial)
{
    Text line = {0};
    text_add(&line, "%s: ", name);
    if (trial->status == RUN_BLEW_UP)
        text_add(&line, "blows up at %.3g s", trial->blew_up_at);
    else
        text_add(&line, "%s", verdict_names[trial->verdict] ? verdict_names[trial->verdict] : "does not end");
    if (!isnan(trial->energy_gain))
        text_add(&line, ", energy gains %.3g of the scene's scale", trial->energy_gain);
    if (!isnan(trial->drift))
        text_add(&line, ", joints part by %.3g m", trial->drift);
    fold_line(stdout, "%s", line.failed ? "" : line.data);
    free(line.data);
}

static void print_mechanism(const Attempt *attempt, const Run *run)
{
    const Mechanism *m = &attempt->mechanism;
    Text line = {0};
    text_add(&line, "%d link%s of %.3g m %s %s", m->links, m->links == 1 ? "" : "s", m->length,
             m->closed ? "in a loop of" : "on", m->hinges ? "hinges" : "ball joints");
    text_add(&line, ", bends of %d and twists of %d degrees%s, mass ratio %.4g, thickness %.3g of the length", m->bend,
             m->twist, m->alternate ? " to and fro" : "", m->mass_ratio, m->thickness);
    if (m->lever > 0.0)
        text_add(&line, ", centres %.3g lengths aside", m->lever);
    if (m->spin > 0.0)
        text_add(&line, ", spinning at %.3g rad/s", m->spin);
    text_add(&line, "; a substep of %.4g s", run->dt / attempt->substeps);
    fold_line(stdout, "%s", line.failed ? "" : line.data);
    free(line.data);
}

/* What reproduces it, as one would type it. */
static void print_command(const Refute *refute, const Attempt *attempt, const char *file)
{
    const Arguments *arguments = refute->arguments;
    Text line = {0};
    text_add(&line, "rigor run %s %s", file, refute->study.run->solver->name);
    for (int i = 0; i < arguments->given[OPTION_SOLVER_OPTION]; i++)
        text_add(&line, " -s %s", arguments->values[OPTION_SOLVER_OPTION][i]);
    if (!refute->study.fixed_substeps)
        text_add(&line, " -s substeps=%d", attempt->substeps);
    if (argument(arguments, OPTION_DT))
        text_add(&line, " --dt %s", argument(arguments, OPTION_DT));
    printf("    %s\n", line.failed ? "" : line.data);
    free(line.data);
}

static void print_family(const Refute *refute, int which)
{
    static const char *const NAMES[] = {"loop", "open chain"};
    const Family *family = &refute->families[which];
    if (!refute->runs[which]) {
        printf("\n%s: cannot run any\n", NAMES[which]);
        return;
    }
    printf("\n%s, %s:\n", NAMES[which], family->found.found ? "the smallest found" : "not refuted; what came nearest");
    print_mechanism(&family->found.attempt, refute->study.run);
    print_trial(refute->study.run->solver->name, &family->found.trial);
    if (family->witness.made)
        print_trial(WITNESS, &family->witness);
}

static bool refute_print(const Refute *refute, Status *status)
{
    int first = refute_first(refute);
    const Attempt *attempt = &refute->families[first].found.attempt;
    const char *file = argument(refute->arguments, OPTION_OUTPUT);
    fold_line(stdout, "claim of %s: %s", refute->study.run->solver->name, claim_texts[refute->study.claim]);
    fold_line(stdout, "%s after %d mechanisms (seed %llu%s)", family_found(refute, first) ? "refuted" : "not refuted",
              refute_tried(refute), (unsigned long long)refute->study.seed,
              refute_by_clock(refute) ? ", ended by the processor's time" : "");
    for (int i = 0; i < FAMILIES; i++)
        print_family(refute, i);
    if (!family_found(refute, first))
        return true;
    printf("\n");
    print_command(refute, attempt, file ? file : "SCENE.json");
    if (file)
        return true;
    printf("\nSCENE.json:\n");
    return json_print(refute_scene(&refute->study, attempt), status);
}

static bool refute_write(const Refute *refute, Status *status)
{
    const char *path = argument(refute->arguments, OPTION_OUTPUT);
    int first = refute_first(refute);
    if (!path || !family_found(refute, first))
        return true;
    json_t *scene = family_scene(refute, first);
    char *text = json_dumps(scene, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    bool ok = text ? file_write_text(path, text, status) : status_set(status, STATUS_FAILED, "out of memory");
    free(text);
    json_decref(scene);
    return ok;
}

static bool refute_go(Refute *refute, Run *run, Status *status)
{
    const Arguments *arguments = refute->arguments;
    if (!refute_prepare(refute, run, status) ||
        !arguments_may_write(arguments, argument(arguments, OPTION_OUTPUT), FILE_SCENE, status))
        return false;
    progress_say(arguments->progress, "trying mechanisms");
    bool ok = refute_families(refute, status);
    progress_clear(arguments->progress);
    return ok && refute_write(refute, status) &&
           (arguments->given[OPTION_JSON] ? json_print(refute_document(refute), status) : refute_print(refute, status));
}

static bool refute_command(const Arguments *arguments, Status *status)
{
    int count;
    const char *solver = argument(arguments, OPTION_SOLVER);
    if (!solver)
        return status_set(status, STATUS_USAGE, "--solver is missing, as in rigor refute stable --solver xpbd");
    Run *runs = arguments_solver_runs(arguments, solver, &count, status);
    if (!runs)
        return false;
    Refute refute = {.arguments = arguments};
    bool ok =
        count == 1 ? refute_go(&refute, &runs[0], status) : status_set(status, STATUS_USAGE, "one solver at a time");
    free(runs);
    return ok;
}

const Command command_refute = {
    .name = "refute",
    .operands = "stable|no_drift|energy",
    .summary = "searches the smallest mechanism with which a solver breaks a claim",
    .help =
        "Tries links with hinges or balls, open or in loops, of any mass ratio, inertia and lever, in either order of\n"
        "rows, with 1 to 1000 substeps (or those of -s), and makes what breaks the claim simpler as long as it still\n"
        "does. Loops and open chains get half of the budget each. The scene is a loop if one breaks the claim; a "
        "chain\n"
        "stands beside it. `stable`: it never blows up. `no_drift`: joints part by less than 1 % of a body's length.\n"
        "`energy`: it grows by less than a tenth of the scene's scale. The scene file is printed, or written with -o,\n"
        "and `direct`, which solves its rows exactly, runs the same scene at the same step. A search that finds\n"
        "nothing proves nothing. The same seed and budget give the same answer, unless the processor's time ends the\n"
        "search (`ended_by` in the document).",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_SOLVER) | TAKES(OPTION_SEED) | TAKES(OPTION_BUDGET) | TAKES(OPTION_SOLVER_OPTION) |
               TAKES(OPTION_DT) | TAKES(OPTION_TIME) | TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) |
               TAKES(OPTION_OUTPUT) | TAKES(OPTION_FORCE),
    .only_reads = true,
    .run = refute_command,
};
