/* SPDX-License-Identifier: MIT */
#include "cli/phenomena.h"

#include "bench/process/workers.h"
#include "bench/reality/phenomena.h"
#include "bench/run/json.h"
#include "bench/text/json_rows.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"

#include <math.h>
#include <stdlib.h>

typedef struct Finding {
    double value;
    Status status;
} Finding;

static void finding_make(void *context, int index, void *result)
{
    const Run *runs = context;
    Finding *finding = result;
    Run run = runs[index / phenomenon_count];
    run.dt = RUN_DEFAULT_DT;
    finding->value = NAN;
    all_phenomena[index % phenomenon_count].measure(&run, &finding->value, &finding->status);
}

static bool finding_shows(const Finding *finding, const Phenomenon *phenomenon)
{
    return finding->status.code == STATUS_OK && finding->value >= phenomenon->low && finding->value <= phenomenon->high;
}

static void phenomena_print(const Run *runs, int count, const Finding *findings)
{
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    for (int p = 0; p < phenomenon_count; p++)
        table_add_column(table, all_phenomena[p].name, all_phenomena[p].unit, BEST_NONE);
    table_add_column(table, "shown", "", BEST_NONE);
    for (int s = 0; s < count; s++) {
        int shown = 0;
        table_add_text(table, runs[s].solver->name);
        for (int p = 0; p < phenomenon_count; p++) {
            const Finding *finding = &findings[s * phenomenon_count + p];
            bool shows = finding_shows(finding, &all_phenomena[p]);
            char text[64];
            snprintf(text, sizeof text, finding->status.code != STATUS_OK ? "n/a" : "%.4g %s", finding->value,
                     shows ? "yes" : "no");
            table_add_text(table, text);
            shown += shows;
        }
        table_add_number(table, shown, false);
    }
    table_print(table, stdout);
    table_destroy(table);
    printf("\n");
    for (int p = 0; p < phenomenon_count; p++)
        fold_line(stdout, "%s: %s; %g .. %g", all_phenomena[p].name, all_phenomena[p].about, all_phenomena[p].low,
                  all_phenomena[p].high);
    for (int i = 0; i < count * phenomenon_count; i++)
        if (findings[i].status.code != STATUS_OK)
            fold_line(stdout, "note: %s: %s: %s", runs[i / phenomenon_count].solver->name,
                      all_phenomena[i % phenomenon_count].name, findings[i].status.message);
}

static json_t *phenomena_rows(const Run *runs, int count, const Finding *findings)
{
    json_t *rows = json_array();
    for (int i = 0; i < count * phenomenon_count; i++) {
        const Phenomenon *phenomenon = &all_phenomena[i % phenomenon_count];
        bool made = findings[i].status.code == STATUS_OK;
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:o,s:s,s:[f,f],s:o,s:o}", "solver", runs[i / phenomenon_count].solver->name,
                            "phenomenon", phenomenon->name, "value", json_number(made ? findings[i].value : NAN),
                            "unit", phenomenon->unit, "band", phenomenon->low, phenomenon->high, "shows",
                            made ? json_string(finding_shows(&findings[i], phenomenon) ? "yes" : "no") : json_null(),
                            "message", made ? json_null() : json_string(findings[i].status.message)));
    }
    return rows;
}

bool phenomena_command(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status)
{
    int all = count * phenomenon_count;
    Finding *findings = calloc((size_t)all + 1, sizeof *findings);
    Work work = {
        .count = all, .result_size = sizeof(Finding), .item = finding_make, .context = (void *)(uintptr_t)runs};
    WorkResults *results =
        findings ? workers_run(&work, jobs, status) : (status_set(status, STATUS_FAILED, "out of memory"), NULL);
    for (int i = 0; results && i < all; i++) {
        const Finding *finding = work_result(results, i);
        if (finding)
            findings[i] = *finding;
        else
            status_set(&findings[i].status, STATUS_FAILED, "crashed");
    }
    bool ok = results != NULL;
    json_t *rows = ok ? phenomena_rows(runs, count, findings) : NULL;
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:O}", "suite", "phenomena", "rows", rows), status);
    else if (ok && arguments->given[OPTION_CSV])
        json_rows_csv(rows, stdout);
    else if (ok && arguments->given[OPTION_LATEX])
        json_rows_latex(rows, stdout);
    else if (ok)
        phenomena_print(runs, count, findings);
    json_decref(rows);
    work_results_destroy(results);
    free(findings);
    return ok;
}
