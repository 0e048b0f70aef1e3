#!/bin/sh
# SPDX-License-Identifier: MIT
# A sweep over seeds of random families, its run-length distributions, and the order of solvers.
# usage: test_families.sh RIGOR JSON_CHECK
set -u
rigor=$1 json_check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

cat >"$work/families.json" <<'END'
{ "rigor": 1, "name": "families",
  "grid": [ { "scene": ["random_chain", "random_mechanism"], "params": {"n": 3, "seed": [1, 2, 3, 4]}, "solver": ["direct", "pgs"],
              "options": {"substeps": {"log2": [0, 5]}, "iterations": 1}, "time": 0.1 },
            { "problem": [{"scene": "random_stack", "params": {"n": 2, "seed": 1}, "at": 0.1}, {"scene": "random_stack", "params": {"n": 2, "seed": 2}, "at": 0.1}],
              "solver": ["pgs", "nncg"], "options": {"iterations": {"log2": [0, 5]}} } ],
  "metrics": ["drift_max", "residual"] }
END
"$rigor" sweep "$work/families.json" --db "$work/f.sqlite" --jobs 2 >"$work/out" 2>"$work/err" || fail "sweep: $(cat "$work/err")"

# direct's joints part less for the same work, whatever the seed.
document 'metric="drift_max" targets=51 range.1=1e-8 problems=8 groups=2 solvers.0.name="direct" solvers.0.ci.1 solvers.0.ecdf.40.3' \
    profile "$work/f.sqlite" --ecdf --metric drift_max --targets 1e-8:1e-2 --json
prints "area" profile "$work/f.sqlite" --ecdf --metric drift_max --targets 1e-8:1e-2 --plot "$work/e.svg"
[ -s "$work/e.svg" ] || fail "no picture"
document 'tau=1.0 ranking.0.solver="direct" ranking.0.rank=1 ranking.1.without_random_chain=2 ties=[]' \
    results "$work/f.sqlite" --rank --metric drift_max --targets 1e-8:1e-2 --json
prints "1,direct," results "$work/f.sqlite" --rank --metric drift_max --targets 1e-8:1e-2 --csv

# Frozen steps are instances, too: the seed is in their name.
document 'problems=2 groups=1 solvers.1.ecdf' profile "$work/f.sqlite" --ecdf --metric residual_scaled --json

# A ranking that other seeds do not give is refused: to 1e-300 nobody gets, and all are tied.
refuses 1 "no ranking: " results "$work/f.sqlite" --rank --metric drift_max --targets 1e-300:1e-299
refuses 2 "--metric is missing" results "$work/f.sqlite" --rank
refuses 2 "targets are errors to get below" results "$work/f.sqlite" --rank --metric settled
refuses 2 "is no range above 0" profile "$work/f.sqlite" --ecdf --metric drift_max --targets 1,2
refuses 2 "go with --ecdf" profile "$work/f.sqlite" --metric drift_max --targets 1e-4:1
refuses 2 "go with --rank" results "$work/f.sqlite" --metric drift_max
refuses 3 "has a value of error_end" results "$work/f.sqlite" --rank --metric error_end
verdict
