/* SPDX-License-Identifier: MIT */
#include "cli/phenomena.h"

#include "bench/process/workers.h"
#include "bench/reality/phenomena/phenomena.h"
#include "bench/run/json.h"
#include "bench/text/json_rows.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "model/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Finding {
    double value;
    Status status;
} Finding;

/* Solvers, the phenomena asked of each, and what came of it: solver by solver. */
typedef struct Matrix {
    const Run *runs;
    int run_count, count;
    const Phenomenon **phenomena;
    Finding *findings;
} Matrix;

static void finding_make(void *context, int index, void *result)
{
    const Matrix *matrix = context;
    Finding *finding = result;
    Run run = matrix->runs[index / matrix->count];
    run.dt = RUN_DEFAULT_DT;
    finding->value = NAN;
    matrix->phenomena[index % matrix->count]->measure(&run, &finding->value, &finding->status);
}

static bool finding_shows(const Finding *finding, const Phenomenon *phenomenon)
{
    return finding->status.code == STATUS_OK && finding->value >= phenomenon->low && finding->value <= phenomenon->high;
}

static void phenomena_print(const Matrix *matrix)
{
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    for (int p = 0; p < matrix->count; p++)
        table_add_column(table, matrix->phenomena[p]->name, matrix->phenomena[p]->unit, BEST_NONE);
    table_add_column(table, "shown", "", BEST_NONE);
    for (int s = 0; s < matrix->run_count; s++) {
        int shown = 0;
        table_add_text(table, matrix->runs[s].solver->name);
        for (int p = 0; p < matrix->count; p++) {
            const Finding *finding = &matrix->findings[s * matrix->count + p];
            bool shows = finding_shows(finding, matrix->phenomena[p]);
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
    for (int p = 0; p < matrix->count; p++)
        fold_line(stdout, "%s: %s; %g .. %g", matrix->phenomena[p]->name, matrix->phenomena[p]->about,
                  matrix->phenomena[p]->low, matrix->phenomena[p]->high);
    for (int i = 0; i < matrix->run_count * matrix->count; i++)
        if (matrix->findings[i].status.code != STATUS_OK)
            fold_line(stdout, "note: %s: %s: %s", matrix->runs[i / matrix->count].solver->name,
                      matrix->phenomena[i % matrix->count]->name, matrix->findings[i].status.message);
}

static json_t *phenomena_rows(const Matrix *matrix)
{
    json_t *rows = json_array();
    for (int i = 0; i < matrix->run_count * matrix->count; i++) {
        const Phenomenon *phenomenon = matrix->phenomena[i % matrix->count];
        const Finding *finding = &matrix->findings[i];
        bool made = finding->status.code == STATUS_OK;
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:o,s:s,s:[f,f],s:o,s:o}", "solver", matrix->runs[i / matrix->count].solver->name,
                            "phenomenon", phenomenon->name, "value", json_number(made ? finding->value : NAN), "unit",
                            phenomenon->unit, "band", phenomenon->low, phenomenon->high, "shows",
                            made ? json_string(finding_shows(finding, phenomenon) ? "yes" : "no") : json_null(),
                            "message", made ? json_null() : json_string(finding->status.message)));
    }
    return rows;
}

/* Those named on the command line, in that order; all if none is. */
static bool phenomena_choose(Matrix *matrix, const Arguments *arguments, Status *status)
{
    int named = arguments->operand_count - 1;
    matrix->count = named > 0 ? named : phenomenon_count;
    matrix->phenomena = calloc((size_t)matrix->count, sizeof(const Phenomenon *));
    if (!matrix->phenomena)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < matrix->count; i++) {
        const char *name = named > 0 ? arguments->operands[1 + i] : all_phenomena[i].name;
        char text[SUGGESTION_TEXT];
        Suggestion near = suggestion_for(name);
        for (int p = 0; p < phenomenon_count; p++) {
            suggestion_offer(&near, all_phenomena[p].name);
            if (strcmp(all_phenomena[p].name, name) == 0)
                matrix->phenomena[i] = &all_phenomena[p];
        }
        if (!matrix->phenomena[i])
            return status_set(status, STATUS_USAGE, "unknown phenomenon '%s'%s", name, suggestion_text(&near, text));
    }
    return true;
}

static bool phenomena_make(Matrix *matrix, int jobs, Status *status)
{
    int all = matrix->run_count * matrix->count;
    matrix->findings = calloc((size_t)all + 1, sizeof *matrix->findings);
    if (!matrix->findings)
        return status_set(status, STATUS_FAILED, "out of memory");
    Work work = {.count = all, .result_size = sizeof(Finding), .item = finding_make, .context = matrix};
    WorkResults *results = workers_run(&work, jobs, status);
    for (int i = 0; results && i < all; i++) {
        const Finding *finding = work_result(results, i);
        if (finding)
            matrix->findings[i] = *finding;
        else
            status_set(&matrix->findings[i].status, STATUS_FAILED, "crashed");
    }
    work_results_destroy(results);
    return results != NULL;
}

bool phenomena_command(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status)
{
    Matrix matrix = {.runs = runs, .run_count = count};
    bool ok = phenomena_choose(&matrix, arguments, status) && phenomena_make(&matrix, jobs, status);
    json_t *rows = ok ? phenomena_rows(&matrix) : NULL;
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(json_pack("{s:s,s:O}", "suite", "phenomena", "rows", rows), status);
    else if (ok && arguments->given[OPTION_CSV])
        json_rows_csv(rows, stdout);
    else if (ok && arguments->given[OPTION_LATEX])
        json_rows_latex(rows, stdout);
    else if (ok)
        phenomena_print(&matrix);
    json_decref(rows);
    free(matrix.findings);
    free(matrix.phenomena);
    return ok;
}
