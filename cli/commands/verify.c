/* SPDX-License-Identifier: MIT */
/* rigor verify: the checks that a backend must pass to be believed, one line each. */
#include "bench/run/json.h"
#include "bench/text/table.h"
#include "bench/verify/gate.h"
#include "bench/verify/originals.h"
#include "cli/cli.h"

#include <stdlib.h>

static const char *verify_word(const VerifyResult *result)
{
    return !result->applies ? "n/a" : result->passes ? "pass" : "FAIL";
}

enum { VERIFY_TEXT = 256 };

/* What was measured, with what more there is to say of it, or why nothing was. */
static const char *verify_what(const VerifyCheck *check, const VerifyResult *result, char text[VERIFY_TEXT])
{
    if (result->status.code != STATUS_OK)
        return result->status.message;
    snprintf(text, VERIFY_TEXT, "%s%s%s", check->what, result->detail[0] ? ": " : "", result->detail);
    return text;
}

static void verify_print(const Run *run, const VerifyResult *results)
{
    char text[VERIFY_TEXT];
    Table *table = table_create();
    printf("%s\n\n", run->solver->name);
    table_add_column(table, "check", "", BEST_NONE);
    table_add_column(table, "", "", BEST_NONE);
    table_add_column(table, "measured", "", BEST_NONE);
    table_add_column(table, "at most", "", BEST_NONE);
    table_add_column(table, "what", "", BEST_NONE);
    for (int i = 0; i < verify_check_count; i++) {
        const VerifyResult *result = &results[i];
        table_add_text(table, all_verify_checks[i]->name);
        table_add_text(table, verify_word(result));
        table_add_number(table, result->measured, false);
        table_add_number(table, result->bound, false);
        table_add_text(table, verify_what(all_verify_checks[i], result, text));
    }
    table_print(table, stdout);
    table_destroy(table);
}

/* How a recorded motion is printed: as it was measured, and by what it would agree. */
static void motions_print(const OriginalResult *motions, int count)
{
    if (count == 0)
        return;
    Table *table = table_create();
    table_add_column(table, "recorded motion", "", BEST_NONE);
    table_add_column(table, "", "", BEST_NONE);
    table_add_column(table, "distance", "", BEST_NONE);
    table_add_column(table, "at most", "", BEST_NONE);
    table_add_column(table, "what", "", BEST_NONE);
    for (int i = 0; i < count; i++) {
        const OriginalResult *motion = &motions[i];
        char text[VERIFY_TEXT] = "";
        if (motion->status.code != STATUS_OK)
            snprintf(text, sizeof text, "%s", motion->status.message);
        else if (motion->measured == ORIGINAL_BY_DESIGN)
            snprintf(text, sizeof text, "%s: %.2g", motion->switches, motion->switched);
        else if (motion->measured > motion->recorded)
            snprintf(text, sizeof text, "was %s", original_verdict_names[motion->recorded]);
        table_add_text(table, motion->name);
        table_add_text(table, original_verdict_names[motion->measured]);
        table_add_number(table, motion->distance, false);
        table_add_number(table, motion->tolerance, false);
        table_add_text(table, text);
    }
    printf("\n");
    table_print(table, stdout);
    table_destroy(table);
}

static json_t *motions_describe(const OriginalResult *motions, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:o,s:o,s:s,s:o}", "motion", motions[i].name, "verdict",
                                              original_verdict_names[motions[i].measured], "distance",
                                              json_number(motions[i].distance), "tolerance",
                                              json_number(motions[i].tolerance), "switch", motions[i].switches,
                                              "switched", json_number(motions[i].switched)));
    return list;
}

static bool verify_print_json(const Run *run, const VerifyResult *results, bool passes, json_t *motions, Status *status)
{
    return json_print(json_pack("{s:s,s:b,s:o,s:o}", "solver", run->solver->name, "passes", passes, "checks",
                                gate_describe(results), "originals", motions),
                      status);
}

/* Those that are farther from their original than when they were recorded. */
static int motions_lost(const OriginalResult *motions, int count)
{
    int lost = 0;
    for (int i = 0; i < count; i++)
        lost += motions[i].measured > motions[i].recorded;
    return lost;
}

static bool verify_command(const Arguments *arguments, Status *status)
{
    int count, failed = 0, motion_count = 0, lost = 0;
    OriginalResult *motions = NULL;
    Run *runs = arguments_solver_runs(arguments, arguments->operands[0], &count, status);
    if (!runs)
        return false;
    VerifyResult *results = calloc((size_t)verify_check_count, sizeof *results);
    bool ok = results != NULL || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < verify_check_count; i++) {
        progress_show(i, verify_check_count, all_verify_checks[i]->name);
        results[i] = verify_run_check(all_verify_checks[i], &runs[0]);
        failed += results[i].applies && !results[i].passes;
    }
    ok = ok && (!results[0].applies || originals_measure(&runs[0], &motions, &motion_count, status));
    lost = motions_lost(motions, motion_count);
    progress_end();
    if (ok && !results[0].applies) { /* not even free flight: it is not installed */
        *status = results[0].status;
        ok = false;
    }
    if (ok && arguments->given[OPTION_JSON])
        ok = verify_print_json(&runs[0], results, failed + lost == 0, motions_describe(motions, motion_count), status);
    else if (ok) {
        verify_print(&runs[0], results);
        motions_print(motions, motion_count);
    }
    free(results);
    free(motions);
    if (ok && failed > 0)
        ok = status_set(status, STATUS_FAILED, "%s fails %d of the checks", runs[0].solver->name, failed);
    if (ok && lost > 0)
        ok = status_set(status, STATUS_FAILED, "%s has left its original in %d of the recorded motions",
                        runs[0].solver->name, lost);
    free(runs);
    return ok;
}

const Command command_verify = {
    .name = "verify",
    .operands = "SOLVER",
    .summary = "the checks that a backend or plug-in must pass to be believed",
    .help = "Each check is one number with its bound, on a small scene whose answer is known; those that need a\n"
            "capability which the solver does not declare do not apply. Exit status 1 if one fails.\n"
            "Then the recorded motions of the original that the name stands for: SAME within their tolerance, BY\n"
            "DESIGN if an option takes it there, UNEXPLAINED. Exit status 1 if one is farther than it was.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = verify_command,
};
