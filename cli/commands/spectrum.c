/* SPDX-License-Identifier: MIT */
/* rigor spectrum: what the matrix J M^-1 J^T of a frozen step says about the sweeps on it (bench/frozen/spectrum.h). */
#include "bench/frozen/spectrum.h"

#include "bench/frozen/freeze.h"
#include "bench/run/json.h"
#include "bench/text/table.h"
#include "cli/cli.h"
#include "solvers/rows/rows.h"

extern const Solver pgs_solver;

/* Beyond this an error grows, and not by round-off. */
static const double GROWS = 1.0 + 1e-9;

/* The sweeps that measured a rate are row solves too. */
static json_t *spectrum_json(const Spectrum *spectrum, double at, double h, json_t *from)
{
    json_t *eigenvalues = json_array();
    for (int i = 0; i < spectrum->rows; i++)
        json_array_append_new(eigenvalues, json_number(spectrum->eigenvalues[i]));
    json_t *document = json_pack(
        "{s:o,s:o,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:i,s:o,s:o}", "at", json_number(at), "h", json_number(h), "rows",
        spectrum->rows, "rank", spectrum->rank, "eigenvalues", eigenvalues, "condition",
        json_number(spectrum->condition), "rho_gauss_seidel", json_number(spectrum->gauss_seidel), "rho_jacobi",
        json_number(spectrum->jacobi), "rho_jacobi_split", json_number(spectrum->jacobi_split), "measured_gauss_seidel",
        json_number(spectrum->measured.rate), "sweeps", spectrum->measured.sweeps, "amplification",
        json_number(spectrum->amplification), "amplification_cold", json_number(spectrum->amplification_cold));
    const ColourGain *colours = &spectrum->colours;
    json_object_set_new(document, "rho_gauss_seidel_coloured", json_number(spectrum->gauss_seidel_coloured));
    json_object_set_new(document, "colours",
                        json_pack("{s:i,s:i,s:o,s:o,s:o}", "units", colours->units, "count", colours->colours,
                                  "speedup_2", json_number(colours->speedup_2), "speedup_16",
                                  json_number(colours->speedup_16), "speedup_most", json_number(colours->most)));
    Remarks said = {.row_solves = (double)spectrum->rows * spectrum->measured.sweeps};
    warnings_add_amplification(&said.warnings, spectrum->amplification);
    json_set_remarks(document, &said);
    json_object_set(document, "from", from);
    return document;
}

/* A lower rate is round-off: one sweep solves the system. */
static const double NO_RATE = 1e-12;

/* Sweeps that take an error down by a factor of ten. */
static void spectrum_print_rate(const char *name, double rate)
{
    printf("%-24s %.9f", name, rate);
    if (rate > NO_RATE && rate < 1.0)
        printf("   %.4g sweeps for a digit", -1.0 / log10(rate));
    printf("%s\n", rate >= 1.0 ? "   diverges" : "");
}

static void spectrum_print_amplification(const Spectrum *spectrum, const WarmStart *warm)
{
    double warm_factor = spectrum->amplification;
    if (isnan(warm_factor))
        return;
    printf("\nerrors from substep to substep, %d sweep%s, beta %g, frozen:\n", warm->sweeps,
           warm->sweeps > 1 ? "s" : "", warm->beta);
    printf("%-24s %.9f", warm->share > 0.0 ? "with warm start" : "without warm start", warm_factor);
    if (warm_factor > GROWS)
        printf("   grows tenfold in %.4g substeps", 1.0 / log10(warm_factor));
    printf("\n");
    if (warm->share > 0.0)
        printf("%-24s %.9f\n", "without", spectrum->amplification_cold);
}

static void spectrum_print(const Spectrum *spectrum, double at, double h)
{
    printf("A = J M^-1 J^T of the step of %.4g s from %.4g s: %d rows, rank %d\n", h, at, spectrum->rows,
           spectrum->rank);
    if (spectrum->rows == 0)
        return;
    printf("eigenvalues %.6g .. %.6g, condition %.6g%s\n\n", spectrum->eigenvalues[spectrum->rows - spectrum->rank],
           spectrum->eigenvalues[spectrum->rows - 1], spectrum->condition,
           spectrum->rank < spectrum->rows ? " (zeros left out)" : "");
    spectrum_print_rate("Gauss-Seidel, predicted", spectrum->gauss_seidel);
    spectrum_print_rate("Gauss-Seidel, measured", spectrum->measured.rate);
    printf("%-24s in %d sweeps, off by %.2g\n", "", spectrum->measured.sweeps,
           fabs(spectrum->measured.rate - spectrum->gauss_seidel));
    spectrum_print_rate("Gauss-Seidel, by colours", spectrum->gauss_seidel_coloured);
    printf("%-24s %d colours of %d joint blocks and pairs: at most %.4g, %.4g, %.4g times as fast on 2, 16, any number "
           "of threads\n",
           "", spectrum->colours.colours, spectrum->colours.units, spectrum->colours.speedup_2,
           spectrum->colours.speedup_16, spectrum->colours.most);
    spectrum_print_rate("Jacobi, predicted", spectrum->jacobi);
    spectrum_print_rate("Jacobi, masses split", spectrum->jacobi_split);
}

static bool spectrum_of(const Arguments *arguments, Problem *problem, double at, const Run *run, json_t *from,
                        Status *status)
{
    Spectrum spectrum = {0};
    WarmStart warm;
    bool feeds_back = warm_start_of(run, &warm);
    double h = run_substep(run);
    if (!stepper_find_contacts(problem->world, h, status) || !row_count_fits_dense(problem->world, "spectrum", status))
        return false;
    progress_say(arguments->progress, "finding eigenvalues, and sweeping");
    bool ok = spectrum_compute(&spectrum, problem->world, h, feeds_back ? &warm : NULL, status);
    progress_clear(arguments->progress);
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(spectrum_json(&spectrum, at, h, from), status);
    else if (ok)
        spectrum_print(&spectrum, at, h);
    if (ok && !arguments->given[OPTION_JSON])
        spectrum_print_amplification(&spectrum, &warm);
    spectrum_free(&spectrum);
    return ok;
}

static bool spectrum_command(const Arguments *arguments, Status *status)
{
    Run run, from;
    double at;
    Remarks said;
    if (!arguments_scene(arguments, &run, status) || !freeze_time(arguments, &at, status))
        return false;
    run_choose_solver(&run, &pgs_solver);
    for (int i = 0; i < arguments->given[OPTION_SOLVER_OPTION]; i++)
        if (!runs_assign_option(&run, 1, arguments->values[OPTION_SOLVER_OPTION][i], status))
            return false;
    Problem *problem = freeze_scene(arguments, &run, at, &from, &said, status);
    if (!problem)
        return false;
    json_t *came = freeze_describe(&from, &said);
    bool ok = spectrum_of(arguments, problem, at, &run, came, status);
    json_decref(came);
    problem_destroy(problem);
    return ok;
}

const Command command_spectrum = {
    .name = "spectrum",
    .operands = "SCENE",
    .summary =
        "eigenvalues and condition of J M^-1 J^T, rates of Gauss-Seidel and Jacobi, with and without mass splitting",
    .help =
        "The matrix of one step of --dt from --at, of the rows that are not at a bound when the step is solved:\n"
        "limits and contacts that do not push, and the friction of points that slide, are left out. What is left\n"
        "counts as equalities, row by row, so the rates are those of `pgs` with manifold=false once nothing reaches\n"
        "or leaves a bound any more. The null space of redundant contact points is no error and has no rate.\n"
        "`pgs` brings the scene there, unless --from says otherwise. The Gauss-Seidel rate is also measured, by\n"
        "sweeping on the same rows. By colours is Gauss-Seidel in an order whose blocks of one colour share no body, "
        "so\n"
        "that threads may take them at once (order=colour): its rate, and what that may gain if all blocks cost the "
        "same.\n\n"
        "Beside it stands what the sweeps of `pgs` (-s iterations, beta, warm_start, substeps ...) make of an error "
        "from\n"
        "one substep to the next: with warm start and Baumgarte too few sweeps may amplify it, without end.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES_SCENE | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_AT) |
               TAKES(OPTION_FROM),
    .only_reads = true,
    .run = spectrum_command,
};
