/* SPDX-License-Identifier: MIT */
/* rigor audit: some runs of a results store, made once more. */
#include "bench/experiment/audit.h"
#include "bench/process/workers.h"
#include "bench/run/json.h"
#include "bench/store/diff.h"
#include "bench/text/table.h"
#include "cli/cli.h"

/* Of the rows, unless said otherwise. */
static const double DEFAULT_SHARE = 0.01;

static bool audit_share(const Arguments *arguments, double *share, Status *status)
{
    const char *text = argument(arguments, OPTION_SHARE);
    *share = DEFAULT_SHARE;
    return !text || (number_parse(text, share) && *share > 0.0 && *share <= 1.0) ||
           status_set(status, STATUS_USAGE, "--share: '%s' is not a part of the rows, above 0 and up to 1", text);
}

static json_t *audit_json(const Audit *audit)
{
    json_t *list = json_array();
    for (int i = 0; i < audit->count; i++) {
        const AuditRow *row = &audit->different[i];
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "key", row->key, "scene", row->scene, "solver",
                                        row->solver, "what", row->what, "stored", row->stored, "found", row->found));
    }
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:o}", "rows", audit->rows, "checked", audit->checked, "same", audit->same,
                     "round_off", audit->round_off, "left_out", audit->left_out, "different", list);
}

static void audit_print(const Audit *audit)
{
    static const char *const NAMES[] = {"key", "scene", "solver", "what", "stored", "found"};
    Table *table = table_create();
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        table_add_column(table, NAMES[i], "", BEST_NONE);
    for (int i = 0; i < audit->count; i++) {
        const AuditRow *row = &audit->different[i];
        const char *const texts[] = {row->key, row->scene, row->solver, row->what, row->stored, row->found};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            table_add_text(table, texts[k]);
    }
    if (audit->count > 0) {
        table_print(table, stdout);
        printf("\n");
    }
    table_destroy(table);
    double seen = audit->rows > 0 ? (double)audit->checked / audit->rows : 0.0;
    printf("%d of %d rows made again: %d the same to the bit, %d but for round-off, %d different\n", audit->checked,
           audit->rows, audit->same, audit->round_off, audit->count);
    if (audit->left_out > 0)
        printf("%d left out: engines, contact problems, and what this program no longer makes\n", audit->left_out);
    printf("a false row is among those with probability %.3g; one of ten, with %.3g\n", seen,
           1.0 - pow(1.0 - seen, 10.0));
}

static bool audit_command(const Arguments *arguments, Status *status)
{
    Audit audit = {0};
    double share;
    bool ok = audit_share(arguments, &share, status) &&
              audit_make(&audit, arguments->operands[0], share, workers_default(1), &arguments->solvers, status);
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(audit_json(&audit), status);
    else if (ok)
        audit_print(&audit);
    if (ok && audit.count > 0)
        ok = status_set(status, STATUS_FAILED, "%d of %d rows are not what comes of their runs", audit.count,
                        audit.checked);
    audit_clear(&audit);
    return ok;
}

const Command command_audit = {
    .name = "audit",
    .operands = "DB",
    .summary = "makes some runs of a results store again and compares",
    .help =
        "Takes a random share of the rows, which nobody can foresee, makes their runs again and compares status,\n"
        "verdict, row_solves and every metric, and events and warnings where the same program made them. A run is the\n"
        "same to the bit, the same within 1e-9 (round-off: another version, compiler or library), or different; then\n"
        "the exit status is 1. A false row is found with the probability of the share; --share 1 makes all again.\n"
        "Times are not compared. Every row has made_of, the SHA-256 of what made it (scene, options, version,\n"
        "compiler, libraries): where that is the same, the bits must be, too. Engines, contact problems and scene\n"
        "files that have changed are left out and counted.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_SHARE) | TAKES(OPTION_JSON),
    .run = audit_command,
};
