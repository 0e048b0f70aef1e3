/* What became of each run of the figure's grid, as one would say it after a look: it holds, it drifts, it falls, or the
 * solver cannot run the scene. */
#include "reports/generators.h"

#include <string.h>

static const char *const KEYS[] = {"seen", "gain", NULL};

/* In the order of `verdict`. */
static const char *const WORDS[] = {"holds", "drifts", "falls", "cannot"};
enum { HOLDS, DRIFTS, FALLS, CANNOT };

/* m: the scene's length scale, as its row asks for it; NaN with a message. */
static double row_length(const json_t *row, Node place)
{
    static const char PREFIX[] = "params.";
    Run run = {0};
    Status status = {0};
    const char *key;
    json_t *value;
    char buffer[64];
    const char *file = json_string_value(json_object_get(row, "scene_file"));
    bool ok = run_choose_scene(&run, file ? file : json_string_value(json_object_get(row, "scene")), &status);
    json_object_foreach ((json_t *)row, key, value)
        if (ok && !run.file && strncmp(key, PREFIX, strlen(PREFIX)) == 0)
            ok = run_set_param(&run, key + strlen(PREFIX), row_text(row, key, buffer), &status);
    Problem *problem = ok ? run_build(&run, &status) : NULL;
    double length = problem ? problem->world->length_scale : NAN;
    if (!problem)
        node_fail(place, "%s", status.message);
    problem_destroy(problem);
    return length;
}

/* The largest of drift and overlap, in lengths; 0: it has neither. */
static double row_worst(const json_t *row, double length)
{
    double drift = row_number(row, "drift_max"), overlap = row_number(row, "penetration_max");
    return fmax(isnan(drift) ? 0.0 : drift, isnan(overlap) ? 0.0 : overlap) / length;
}

static int row_verdict(const json_t *row, double worst, double seen, double gain)
{
    const char *status = json_string_value(json_object_get(row, "status"));
    if (strcmp(status, "unsupported") == 0 || strcmp(status, "timed_out") == 0)
        return CANNOT;
    if (strcmp(status, "ok") != 0 || row_number(row, "settled") == 0.0)
        return FALLS;
    return worst > seen || row_number(row, "energy_gain_max") > gain ? DRIFTS : HOLDS;
}

/* How often each solver got each verdict: a row a solver. */
static void verdict_tally(const json_t *told, json_t *rows)
{
    static const char *const COUNTS[] = {"held", "drifted", "fell", "could_not"};
    json_t *tally = json_object(), *row;
    size_t i;
    const char *solver;
    json_array_foreach (told, i, row) {
        const char *name = json_string_value(json_object_get(row, "solver"));
        json_t *counts = json_object_get(tally, name);
        if (!counts) {
            counts = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i}", "case", "tally", "solver", name, COUNTS[HOLDS], 0,
                               COUNTS[DRIFTS], 0, COUNTS[FALLS], 0, COUNTS[CANNOT], 0);
            json_object_set_new(tally, name, counts);
        }
        const char *count = COUNTS[json_integer_value(json_object_get(row, "verdict"))];
        json_object_set_new(counts, count, json_integer(json_integer_value(json_object_get(counts, count)) + 1));
    }
    json_object_foreach (tally, solver, row)
        json_array_append(rows, row);
    json_decref(tally);
}

static bool verdict_make(Node arguments, json_t *rows)
{
    double seen = 0.01, gain = 0.1;
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "seen"), &seen) ||
        !node_positive(node_get(&arguments, "gain"), &gain))
        return false;
    if (!rows)
        return true;
    json_t *all = json_array(), *row;
    bool ok = true;
    size_t i;
    json_array_foreach (rows, i, row) {
        double length = ok && row_is_run(row) ? row_length(row, arguments) : NAN;
        ok = ok && !(row_is_run(row) && isnan(length));
        if (!ok || isnan(length))
            continue;
        json_t *told = json_copy(row);
        double worst = row_worst(row, length);
        int verdict = row_verdict(row, worst, seen, gain);
        json_object_set(told, "ended", json_object_get(row, "status"));
        json_object_del(told, "status"); /* rows that have one are left out where it is not ok */
        json_object_set_new(told, "verdict", json_integer(verdict));
        json_object_set_new(told, "word", json_string(WORDS[verdict]));
        json_object_set_new(told, "worst", json_real(worst));
        json_object_set_new(told, "length", json_real(length));
        json_object_set_new(told, "case", json_string("run"));
        json_array_append_new(all, told);
    }
    if (ok) {
        json_array_extend(rows, all);
        verdict_tally(all, rows);
    }
    json_decref(all);
    return ok;
}

const Generator generator_verdict = {
    .name = "verdict",
    .about =
        "what became of each run of the figure's grid; arguments: seen (drift or overlap, in lengths of a body, 0.01), "
        "gain (of energy, 0.1) above which a run drifts; fields: those of the run (its status is `ended`), verdict (0 "
        "holds, 1 drifts, 2 "
        "falls: blown up or not settled, 3 cannot), word, worst (drift or overlap in lengths), length [m], case (run); "
        "and a row a solver with case tally, held, drifted, fell, could_not",
    .make = verdict_make,
};
