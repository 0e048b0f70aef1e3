/* SPDX-License-Identifier: MIT */
/* rigor run: one run. */
#include "bench/outcome/verdict.h"
#include "bench/outcome/warnings.h"
#include "bench/run/json.h"
#include "bench/run/recording.h"
#include "bench/run/series.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "cli/cli.h"

#include <stdlib.h>

/* A run ends with a frame: where that is not the time asked for, beyond round-off, it is said. */
static const double TIME_ROUND_OFF = 1e-9;

static void run_print(const Run *run)
{
    const RunResult *result = &run->result;
    printf("%s%s%s with %s%s%s: %d frames of %.4g s, ", style_bold(stdout), run->problem->name, style_plain(stdout),
           style_bold(stdout), run->solver->name, style_plain(stdout), result->frames, run->dt);
    if (fabs(result->frames * run->dt - run->time) > TIME_ROUND_OFF * run->time)
        printf("which end at %.6g s, ", result->frames * run->dt);
    if (result->status == RUN_BLEW_UP)
        printf("blew up at %.4g s\n\n", result->blew_up_at);
    else
        printf("%s, %s\n\n", run_status_names[result->status], verdict_names[verdict_of(run)]);
    Table *table = table_create();
    table_add_column(table, "metric", "", BEST_NONE);
    table_add_column(table, "value", "", BEST_NONE);
    table_add_column(table, "unit", "", BEST_NONE);
    for (int i = 0; i < metric_count; i++) {
        if (isnan(result->metrics[i]))
            continue;
        table_add_text(table, all_metrics[i]->name);
        table_add_number(table, result->metrics[i], false);
        table_add_text(table, all_metrics[i]->unit);
    }
    table_print(table, stdout);
    table_destroy(table);
    printf("\ncost: ");
    if (isfinite(result->row_solves))
        printf("%.0f row solves, ", result->row_solves);
    printf("%.3g s of CPU in the solver (wall %.3g s)\n%.4g µs a frame (median", result->cpu_s, result->wall_s,
           result->us_per_frame);
    if (result->repeats > 1)
        printf(" of %d runs after a warm-up, %.4g to %.4g at %.3g %%", result->repeats, result->us_interval.low,
               result->us_interval.high, 100 * result->us_interval.level);
    printf(")\nwhole frames %.4g µs", result->frame_us);
    if (result->detect_us_per_frame > 0.0)
        printf(", of that detection %.4g µs", result->detect_us_per_frame);
    if (result->contended)
        printf("\ncontended: something else had the processor for more than 5 %% of the time");
    printf("\n");
    if (isfinite(result->stable_step))
        fold_line(stdout, "stable step: %.4g s at most; a substep of this run is %.4g s, %.3g of that",
                  result->stable_step, run_substep(run), run_substep(run) / result->stable_step);
    if (isfinite(result->error_estimate)) {
        char known[HORIZON_TEXT];
        horizons_text(&result->horizons, result->frames_done * run->dt, known);
        fold_line(stdout, "its own error: %.2g m, as it states%s%s", result->error_estimate, known[0] ? "; " : "",
                  known);
    }
    for (int i = 0; i < result->event_count; i++)
        fold_line(stdout, "note: %s, %ld times, first at %.4g s", result->events[i].what, result->events[i].count,
                  result->events[i].first_at);
    Warnings warnings = warnings_of(run);
    for (int i = 0; i < warnings.count; i++)
        fold_line(stdout, "warning: %s", warnings.texts[i]);
    char fails[GATE_TEXT];
    if (gate_solver_warning(run->solver, fails))
        fold_line(stdout, "warning: %s", fails);
}

/* Where the time of one run went. */
static void run_print_parts(const RunResult *result)
{
    const TimeParts *parts = &result->parts;
    double sum = 0.0;
    Table *table = table_create();
    table_add_column(table, "part", "", BEST_NONE);
    table_add_column(table, "s", "", BEST_NONE);
    table_add_column(table, "µs a frame", "", BEST_NONE);
    table_add_column(table, "%", "", BEST_NONE);
    for (int i = 0; i <= parts->count; i++) {
        double seconds = i < parts->count ? parts->parts[i].seconds : parts->whole - sum;
        sum += seconds;
        table_add_text(table, i < parts->count ? parts->parts[i].name : "beside the frames");
        table_add_number(table, seconds, false);
        table_add_number(table, 1e6 * seconds / fmax(1.0, result->frames_done), false);
        table_add_number(table, 100.0 * seconds / parts->whole, false);
    }
    table_add_text(table, "whole");
    table_add_number(table, parts->whole, false);
    table_add_number(table, 1e6 * parts->whole / fmax(1.0, result->frames_done), false);
    table_add_number(table, 100.0, false);
    printf("\n");
    table_print(table, stdout);
    table_destroy(table);
}

static bool run_one(const Arguments *arguments, Run *run, Status *status)
{
    Series series;
    int repeats;
    const char *path = argument(arguments, OPTION_SERIES);
    if (!argument_whole(arguments, OPTION_REPEATS, 1, 0, &repeats, status) || !series_open(&series, path, NULL, status))
        return false;
    run->keep_series = path != NULL;
    run->profile = arguments->given[OPTION_PROFILE];
    progress_say(arguments->progress, "building the scene");
    bool made = run_make_recorded(run, argument(arguments, OPTION_RECORD));
    progress_clear(arguments->progress);
    if (made) {
        notes_print(run->problem);
        series_add(&series, run, NULL);
    } else {
        *status = run->status;
        if (run->result.begun && arguments->given[OPTION_JSON])
            json_print(json_run(run, false), status);
    }
    if (!series_close(&series, made, status) || !runs_repeat(run, 1, repeats, status))
        return false;
    if (arguments->given[OPTION_JSON])
        return json_print(json_run(run, arguments->given[OPTION_STATE]), status);
    run_print(run);
    if (run->profile)
        run_print_parts(&run->result);
    return true;
}

static bool run_command(const Arguments *arguments, Status *status)
{
    int count;
    Run *runs = arguments_runs(arguments, arguments->operands[1], &count, status);
    if (!runs)
        return false;
    bool ok = count == 1 ? run_one(arguments, &runs[0], status)
                         : status_set(status, STATUS_USAGE, "one solver at a time; rigor compare runs several");
    run_clear(&runs[0]);
    free(runs);
    return ok;
}

const Command command_run = {
    .name = "run",
    .operands = "SCENE SOLVER",
    .summary = "one run: metrics and cost",
    .help =
        "SCENE is a scene's name, or the path of a scene file or a robot file (MJCF, URDF), which has the parameters "
        "key, ctrl, base,\n"
        "inertia and package. A blow-up is a result (exit status 0).\n\n"
        "A recording is an HDF5 file: time (F), position (F,B,3), orientation (F,B,4), velocity and angular_velocity\n"
        "(F,B,3), metrics/NAME (F), body_names (B), contacts/..., joints/..., attributes `scene` and `run`. Frame 0 is "
        "the\n"
        "initial state, where metrics are NaN. It is brought up to date whenever a chunk of frames is full, in one\n"
        "step: a killed run leaves a whole file that ends with its last chunk (and a stray F.h5.part); a recording "
        "that\n"
        "was there before stays until the new one is finished. With h5py:\n"
        "    import h5py\n"
        "    f = h5py.File(\"run.h5\")\n"
        "    t, x = f[\"time\"][:], f[\"position\"][:]    # x[frame, body, axis]; names: f[\"body_names\"]",
    .least_operands = 2,
    .most_operands = 2,
    .options = TAKES_RUN | TAKES(OPTION_RECORD) | TAKES(OPTION_REPEATS) | TAKES(OPTION_PROFILE),
    .only_reads = true,
    .run = run_command,
};
