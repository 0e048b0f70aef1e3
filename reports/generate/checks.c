/* SPDX-License-Identifier: MIT */
/* Who passes which check of `rigor verify`: one row for each of the solvers named and each check, measured with default
 * options or kept from before (bench/verify/gate.h). Of an engine that is not installed the rows say so. */
#include "reports/generate/generators.h"

#include "bench/run/solver_set.h"
#include "bench/verify/gate.h"
#include "solvers/engines/engine.h"

static const char *const KEYS[] = {"solvers", NULL};

enum { CHECK_PASSES, CHECK_FAILS, CHECK_DOES_NOT_APPLY, CHECK_NOT_INSTALLED };

static int check_state(const json_t *check)
{
    const json_t *passes = json_object_get(check, "passes");
    return json_is_true(passes) ? CHECK_PASSES : json_is_false(passes) ? CHECK_FAILS : CHECK_DOES_NOT_APPLY;
}

static void checks_add(const Solver *solver, json_t *rows)
{
    json_t *checks = gate_checks(solver), *check;
    size_t i;
    int failed = checks ? 0 : -1;
    json_array_foreach (checks, i, check)
        failed += check_state(check) == CHECK_FAILS;
    for (int k = 0; k < verify_check_count; k++) {
        check = json_array_get(checks, (size_t)k);
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:s,s:i,s:i,s:O?,s:i}", "solver", solver->name, "kind",
                                        engine_of(solver) ? "engine" : "ours", "check", all_verify_checks[k]->name,
                                        "number", k + 1, "state", check ? check_state(check) : CHECK_NOT_INSTALLED,
                                        "measured", json_object_get(check, "measured"), "failed", failed));
    }
    json_decref(checks);
}

static bool checks_generate(Node arguments, json_t *rows)
{
    Node solvers = node_get(&arguments, "solvers");
    SolverSet set = {0};
    Status status = {0};
    if (!node_object(arguments, KEYS) || !node_required(solvers) || !node_array(solvers))
        return false;
    if (!solver_set_open(&set, &status))
        return node_fail(arguments, "%s", status.message);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(solvers.value); i++) {
        const char *name = NULL;
        Node node = node_at(&solvers, i);
        const Solver *solver = node_text(node, &name) ? solver_set_find(&set, name, &status) : NULL;
        ok = solver || (name && node_fail(node, "%s", status.message));
        if (ok && rows)
            checks_add(solver, rows);
    }
    solver_set_close(&set);
    return ok;
}

const Generator generator_checks = {
    .name = "checks",
    .about = "who passes which check of rigor verify; arguments: solvers (a list of names); fields: solver, kind "
             "(engine, ours), check, number (of the check, from 1), state (0 passes, 1 fails, 2 does not apply, 3 the "
             "engine is not installed), measured, failed (how many this solver fails; -1: not installed)",
    .make = checks_generate,
};
