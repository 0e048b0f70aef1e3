/* SPDX-License-Identifier: MIT */
/* rigor reality: solvers against what was measured. */
#include "bench/process/workers.h"
#include "bench/reality/trial_json.h"
#include "bench/run/json.h"
#include "bench/text/json_rows.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "cli/cube.h"
#include "cli/phenomena.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char DEFAULT_SOLVERS[] = "pgs,newton,lcp,xpbd,xpbd_stick,avbd,soft_step,penalty";

static void reality_columns(Table *table, const Suite *suite)
{
    static const char *const FIRST[] = {"solver", "class", "mu", "e"};
    for (int i = 0; i < 4; i++)
        table_add_column(table, FIRST[i], "", BEST_NONE);
    for (int m = 0; m < suite->measure_count; m++) {
        if (!suite->measures[m].title)
            continue;
        table_add_column(table, suite->measures[m].title, suite->measures[m].unit, suite->measures[m].best);
        if (m == 0)
            table_add_column(table, "95 % interval", suite->measures[m].unit, BEST_NONE);
    }
    if (suite->median)
        table_add_column(table, "median", "", BEST_LOWEST);
    table_add_column(table, "lost", "", BEST_LOWEST);
}

static void reality_row(Table *table, const Trial *trial, const Entry *entry)
{
    const Suite *suite = trial->suite;
    char text[64];
    table_add_text(table, entry_solver(trial, entry));
    table_add_text(table, entry->closed ? "-" : entry->fine ? "fine" : "default");
    table_add_number(table, entry->friction, false);
    table_add_number(table, entry->restitution, false);
    for (int m = 0; m < suite->measure_count; m++) {
        if (!suite->measures[m].title)
            continue;
        table_add_number(table, entry->absent ? NAN : entry->mean[m], !entry->absent);
        snprintf(text, sizeof text, "%.4g .. %.4g", entry->interval.low, entry->interval.high);
        if (m == 0)
            table_add_text(table, entry->absent ? "n/a" : text);
    }
    if (suite->median)
        table_add_number(table, entry->absent ? NAN : entry->median, !entry->absent);
    table_add_number(table, entry->absent ? NAN : entry->lost, false);
}

/* The rows as a document has them: the ranking, each with what it repeats, then who could not run. */
static void reality_rows(Table *table, const Trial *trial)
{
    for (int r = 0; r < trial->ranked; r++)
        reality_row(table, trial, &trial->entries[trial->order[r]]);
    for (int e = 0; e < trial->entry_count; e++)
        if (trial->entries[e].absent && !trial->entries[e].same)
            reality_row(table, trial, &trial->entries[e]);
}

static void tie_print(void *context, const int *rows, int count)
{
    const Trial *trial = context;
    char name[ENTRY_NAME];
    printf("tie:");
    for (int i = 0; i < count; i++)
        printf("%s %s", i > 0 ? "," : "", entry_name(trial, &trial->entries[trial->order[rows[i]]], name));
    printf("\n");
}

static void undecided_print(const Trial *trial)
{
    const Pairs *pairs = &trial->pairs;
    for (int i = 0; i < trial->ranked; i++)
        for (int j = i + 1; j < trial->ranked; j++) {
            char one[ENTRY_NAME], two[ENTRY_NAME];
            if (pairs->decision[i * pairs->rows + j] == DECISION_UNDECIDED)
                printf("undecided: %s, %s (p = %.2g)\n", entry_name(trial, &trial->entries[trial->order[i]], one),
                       entry_name(trial, &trial->entries[trial->order[j]], two), pairs->p[i * pairs->rows + j]);
        }
}

static void reality_notes(const Trial *trial)
{
    for (int e = 0; e < trial->entry_count; e++) {
        const Entry *entry = &trial->entries[e];
        char name[ENTRY_NAME], fails[GATE_TEXT];
        entry_name(trial, entry, name);
        if (entry->same && !entry->absent)
            fold_line(stdout, "note: %s: its own options are fine: the row above", name);
        else if (entry->failed)
            fold_line(stdout, "note: %s: %s", name, entry->status.message);
        if (entry->borrowed)
            fold_line(stdout, "note: %s: more than %g ms a %s: pgs's pair", name, 1e3 * FIT_SLOW, trial->suite->item);
        if (!entry->closed && !entry->fine && gate_solver_warning(entry->run.solver, fails))
            fold_line(stdout, "warning: %s: %s", name, fails);
    }
}

static void reality_print(const void *context)
{
    const Trial *trial = context;
    int *places = malloc(sizeof *places * ((size_t)trial->ranked + 1));
    Table *table = table_create();
    fold_line(stdout,
              "%s: %d of %d measured, %s; %s pair; bootstrap of %d draws, %ld flips of signs with Holm at 5 %%, seed "
              "%d; best first",
              trial->suite->name, trial->used, trial->item_count, trial->test ? "the half that scores" : "both halves",
              trial->test ? "fitted" : "published", BOOTSTRAP_DRAWS, trial->pairs.flips, (int)trial->seed);
    printf("\n");
    reality_columns(table, trial->suite);
    reality_rows(table, trial);
    table_print(table, stdout);
    table_destroy(table);
    printf("\n");
    for (int i = 0; places && i < trial->ranked; i++)
        places[i] = i;
    if (places)
        pairs_each_tie(&trial->pairs, places, tie_print, (void *)trial);
    free(places);
    undecided_print(trial);
    reality_notes(trial);
}

static bool reality_report(const Arguments *arguments, Trial *trial, Status *status)
{
    json_t *document = trial_json(trial);
    bool csv = arguments->given[OPTION_CSV], latex = arguments->given[OPTION_LATEX];
    if (!csv && !latex)
        return plot_and_report(arguments, "reality", document, reality_print, trial, status);
    bool ok = plot_make(arguments, "reality", document, status);
    if (ok && csv)
        json_rows_csv(json_object_get(document, "rows"), stdout);
    else if (ok)
        json_rows_latex(json_object_get(document, "rows"), stdout);
    json_decref(document);
    return ok;
}

/* Every item of every entry, as its scores are. */
static bool reality_series(const Arguments *arguments, const Trial *trial, Status *status)
{
    const char *path = argument(arguments, OPTION_SERIES);
    const Suite *suite = trial->suite;
    FileWriter writer;
    if (!path)
        return true;
    if (!writer_open(&writer, path, status))
        return false;
    fprintf(writer.file, "solver,class,mu,e,%s,half", suite->item);
    for (int m = 0; m < suite->measure_count; m++)
        fprintf(writer.file, ",%s", suite->measures[m].name);
    fprintf(writer.file, "\n");
    for (int r = 0; r < trial->ranked; r++) {
        const Entry *entry = &trial->entries[trial->order[r]];
        for (int i = 0; i < trial->used; i++) {
            bool test, quick;
            int number = suite->number(trial->data, trial->items[i], &test, &quick);
            fprintf(writer.file, "%s,%s,%.17g,%.17g,%d,%s", entry_solver(trial, entry),
                    entry->fine ? "fine" : "default", entry->friction, entry->restitution, number,
                    test ? "test" : "train");
            for (int m = 0; m < suite->measure_count; m++)
                if (isnan(entry->scores[i].value[m]))
                    fprintf(writer.file, ",");
                else
                    fprintf(writer.file, ",%.9g", entry->scores[i].value[m]);
            fprintf(writer.file, "\n");
        }
    }
    return writer_close(&writer, true, status);
}

/* Which classes --class names: both unless it is given. */
static bool reality_class(const Arguments *arguments, bool *coarse, bool *fine, Status *status)
{
    const char *text = argument(arguments, OPTION_CLASS);
    *coarse = !text || strcmp(text, "fine") != 0;
    *fine = !text || strcmp(text, "default") != 0;
    return !(*coarse && *fine && text && strcmp(text, "both") != 0) ||
           status_set(status, STATUS_USAGE, "--class: '%s' is none of default, fine, both", text);
}

static bool reality_form(const Arguments *arguments, Status *status)
{
    int forms =
        (arguments->given[OPTION_JSON] > 0) + (arguments->given[OPTION_CSV] > 0) + (arguments->given[OPTION_LATEX] > 0);
    return forms < 2 || status_set(status, STATUS_USAGE, "--json, --csv and --latex: one at a time");
}

/* What else there is than suites: of phenomena each is one number, without intervals or a fit; of the cube its variants
 * are fitted. */
typedef bool Other(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status);

static bool reality_other(const Arguments *arguments, Other *command, OptionSet takes, Status *status)
{
    static const OptionId NOT[] = {OPTION_FIT, OPTION_CLASS, OPTION_EVERY, OPTION_SEED, OPTION_SERIES, OPTION_PLOT};
    const char *names = argument(arguments, OPTION_SOLVERS);
    int count, jobs;
    Run *runs = NULL;
    for (size_t i = 0; i < sizeof NOT / sizeof NOT[0]; i++)
        if (arguments->given[NOT[i]] && !(takes & TAKES(NOT[i])))
            return status_set(status, STATUS_USAGE, "--%s does not go with %s", all_options[NOT[i]].name,
                              arguments->operands[0]);
    bool ok = reality_form(arguments, status) &&
              argument_whole(arguments, OPTION_JOBS, 1, workers_default(1), &jobs, status) &&
              (runs = arguments_solver_runs(arguments, names ? names : DEFAULT_SOLVERS, &count, status)) != NULL &&
              command(arguments, runs, count, jobs, status);
    free(runs);
    return ok;
}

static bool reality_command(const Arguments *arguments, Status *status)
{
    if (arguments->operand_count > 1 && strcmp(arguments->operands[0], "phenomena") != 0)
        return status_set(status, STATUS_USAGE, "'%s' is one argument too many: phenomena alone have names",
                          arguments->operands[1]);
    if (strcmp(arguments->operands[0], "phenomena") == 0)
        return reality_other(arguments, phenomena_command, 0, status);
    if (strcmp(arguments->operands[0], "cube") == 0)
        return reality_other(arguments, cube_command, TAKES(OPTION_EVERY) | TAKES(OPTION_SEED), status);

    Trial trial = {.progress = progress_show};
    const Suite *suite = suite_find(arguments->operands[0], status);
    const char *names = argument(arguments, OPTION_SOLVERS);
    int count = 0, every, seed;
    bool coarse, fine;
    Run *runs = NULL;
    bool ok = suite && reality_form(arguments, status) && reality_class(arguments, &coarse, &fine, status) &&
              argument_whole(arguments, OPTION_EVERY, 1, 1, &every, status) &&
              argument_whole(arguments, OPTION_SEED, 0, (int)RESAMPLE_SEED, &seed, status) &&
              argument_whole(arguments, OPTION_JOBS, 1, workers_default(1), &trial.jobs, status) &&
              plot_may_be_made(arguments, status) &&
              (runs = arguments_solver_runs(arguments, names ? names : DEFAULT_SOLVERS, &count, status)) != NULL;
    trial.seed = (uint64_t)(ok ? seed : 0);
    ok = ok && trial_open(&trial, suite, every, arguments->given[OPTION_FIT] > 0, status) &&
         trial_add(&trial, runs, count, coarse, fine, status) &&
         (!arguments->given[OPTION_FIT] || trial_fit(&trial, status)) && trial_run(&trial, status);
    progress_end();
    ok = ok && reality_series(arguments, &trial, status) && reality_report(arguments, &trial, status);
    trial_close(&trial);
    free(runs);
    return ok;
}

const Command command_reality = {
    .name = "reality",
    .operands = "SUITE [PHENOMENON...]",
    .summary = "solvers against measured motions, with intervals and ties",
    .help =
        "SUITE is tosses (570 tosses of a cube on a board, Pfrommer, Halm and Posa 2020), impacts (1,718 impacts of "
        "an\n"
        "ellipse, Fazeli et al. 2017), cube (why the tosses are missed), or phenomena (small scenes with one number\n"
        "each, in closed form or published, and the band that it must lie in; needs no data).\n"
        "Measured data do not come with rigor: they are looked for in the folders of $RIGOR_DATA; without them the\n"
        "command says where to get them and how to convert them.\n\n"
        "Every solver runs in two classes: default, its own options, and fine, a substep of at most 1/2960 s\n"
        "(--class chooses one). Friction mu and restitution e are the published pair, all items count. With --fit the\n"
        "pair is fitted on the training half (a grid, then a simplex; in the fine class on the items marked for a "
        "quick\n"
        "fit; a solver that takes more than 50 ms an item gets the pair of pgs), and the other half scores.\n\n"
        "tosses: pos is the mean distance of the centres in % of the cube's edge, rot the mean angle, end the last\n"
        "horizontal miss, face how often the same face ends up, travel the way along the board. A run that blows up\n"
        "(`lost`) counts 100 % and 180 degrees. impacts: error is |v - measured| over |v before| in the metric of the\n"
        "mass, beside the closed form of one contact (Newton's e, Coulomb's law).\n\n"
        "cube: stated variants of the cube (another centre of mass, edges, angles, inertia), of its contact (a patch,\n"
        "springs) and of how the solver treats it. Their numbers are fitted on the training half, with mu and e; the\n"
        "other half says which of them lowers the error of the cube as published, and by how much.\n\n"
        "Intervals are percentile bootstraps over the items; pairs of solvers are compared over the same items by\n"
        "flips of signs with Holm's correction, and a difference that is not significant at 5 % is a tie. --series\n"
        "writes every item's numbers, --plot error against time with bands, and the ranking.",
    .least_operands = 1,
    .most_operands = 64,
    .options = TAKES(OPTION_SOLVERS) | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_JSON) | TAKES(OPTION_CSV) |
               TAKES(OPTION_LATEX) | TAKES(OPTION_FIT) | TAKES(OPTION_CLASS) | TAKES(OPTION_EVERY) |
               TAKES(OPTION_SEED) | TAKES(OPTION_JOBS) | TAKES(OPTION_SERIES) | TAKES(OPTION_PLOT) |
               TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE) | TAKES(OPTION_FORCE),
    .only_reads = true,
    .run = reality_command,
};
