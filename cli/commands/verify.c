/* SPDX-License-Identifier: MIT */
/* rigor verify: the checks that a backend must pass to be believed, one line each. */
#include "bench/run/json.h"
#include "bench/text/table.h"
#include "bench/verify/gate.h"
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

static bool verify_print_json(const Run *run, const VerifyResult *results, bool passes, Status *status)
{
    return json_print(
        json_pack("{s:s,s:b,s:o}", "solver", run->solver->name, "passes", passes, "checks", gate_describe(results)),
        status);
}

static bool verify_command(const Arguments *arguments, Status *status)
{
    int count, failed = 0;
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
    progress_end();
    if (ok && !results[0].applies) { /* not even free flight: it is not installed */
        *status = results[0].status;
        ok = false;
    }
    if (ok && arguments->given[OPTION_JSON])
        ok = verify_print_json(&runs[0], results, failed == 0, status);
    else if (ok)
        verify_print(&runs[0], results);
    free(results);
    if (ok && failed > 0)
        ok = status_set(status, STATUS_FAILED, "%s fails %d of the checks", runs[0].solver->name, failed);
    free(runs);
    return ok;
}

const Command command_verify = {
    .name = "verify",
    .operands = "SOLVER",
    .summary = "the checks that a backend or plug-in must pass to be believed",
    .help = "Each check is one number with its bound, on a small scene whose answer is known; those that need a\n"
            "capability which the solver does not declare do not apply. Exit status 1 if one fails.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = verify_command,
};
