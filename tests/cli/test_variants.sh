#!/bin/sh
# SPDX-License-Identifier: MIT
# Variants, by name, in place and in files, in every command that takes a solver.
# usage: test_variants.sh RIGOR JSON_CHECK PLUGIN
rigor=$1 json_check=$2 plugin=$3
work=$(mktemp -d) || exit 1
export RIGOR_CACHE=$work/cache
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

# A solver beside itself: both labels in the table, the options of each in the document
prints "pgs:warm_start=false" compare stack --solvers pgs,pgs:warm_start=false --time 0.2
document "runs.0.solver=\"pgs\" runs.0.solver_options.warm_start=true runs.1.solver=\"pgs:warm_start=false\"
    runs.1.variant_of=\"pgs\" runs.1.solver_options.warm_start=false" \
    compare stack --solvers pgs,pgs:warm_start=false --time 0.2 --json
refuses 2 "solver pgs:beta=0.1 is named twice" compare stack --solvers pgs:beta=0.1,pgs:beta=0.1

# -s comes on top; plain for all that have it, addressed by label for one, wherever it stands
document "runs.0.solver_options.iterations=3 runs.1.solver_options.iterations=8 runs.1.solver_options.beta=0.5
    runs.2.solver_options.iterations=3 runs.2.solver_options.beta=0.0" \
    compare pendulum --solvers pgs_block,pgs:beta=0.5,pgs:beta=0 -s pgs:beta=0.5.iterations=8 -s iterations=3 \
    --time 0.1 --json
document "solver_options.iterations=5 solver_options.manifold=true solver_options.push_speed=\"inf\"" \
    run stack pgs_block:iterations=50:push_speed=inf -s iterations=5 --time 0.1 --json
document "runs.0.solver_options.iterations=5 runs.1.solver_options.iterations=20" \
    compare stack --solvers pgs_block,pgs -s pgs_block.iterations=5 --time 0.1 --json
refuses 2 "'pgs_blok' is not among the solvers to run: did you mean 'pgs_block'?" \
    compare stack --solvers pgs_block,pgs -s pgs_blok.iterations=5

# A backend that solves directly has no iterations; a plain -s passes it by
for solver in kkt lcp direct penalty featherstone reference; do
    refuses 2 "solver $solver has no option 'iterations'" run projectile $solver -s iterations=50
done
document "runs.0.solver_options.iterations=50 runs.1.solver=\"kkt\" runs.1.status=\"ok\"" \
    compare pendulum --solvers pgs,kkt,direct,penalty -s iterations=50 --time 0.1 --json

# What is wrong in a label is told
refuses 2 "unknown solver 'pgz': did you mean 'pgs'?" run stack pgz:iterations=5
refuses 2 "solver pgs has no option 'iteration': did you mean 'iterations'?" run stack pgs:iteration=5
refuses 2 "iterations: 0 is outside" run stack pgs:iterations=0
refuses 2 "'iterations' is not of the form key=value" run stack pgs:iterations
refuses 2 "'' is not of the form key=value" run stack pgs:
refuses 2 "solver pgs has no option 'betta': did you mean 'beta'?" show pgs:betta=1

# Every command
document "fits.0.solver=\"pgs:beta=0.3\"" \
    converge pendulum --solvers pgs:beta=0.3,pgs_block --over substeps=4,8,16 --time 0.2 --json
document "runs.0.solver=\"pgs:iterations=7\" runs.0.solver_options.iterations=7" \
    limit chain pgs:iterations=7 -p links=2 --over mass_ratio=1:4 --until ok --tolerance 0.5 --time 0.1 --json
document "maps.0.solver=\"pgs:beta=0.3\"" \
    map pendulum pgs:beta=0.3 --over iterations=1,2 --over substeps=1,2 --until ok --time 0.1 --jobs 1 --json
document "solvers.0.solver=\"pgs:relaxation=1.2\" solvers.1.solver=\"pgs_block\"" \
    solve stack --at 0.1 --solvers pgs:relaxation=1.2,pgs_block --from pgs_lecture --json
document "rows=12" spectrum chain -p links=4 --at 0.1 --from pgs:warm_start=false --json
prints "flight:substeps=3" compare projectile --solvers flight,flight:substeps=3 --plugin "$plugin" --time 0.1
"$rigor" compare pendulum --solvers pgs,pgs:beta=1/5 --time 0.1 --record "$work/both.h5" >/dev/null ||
    fail "compare --record of a label with a slash"
[ -f "$work/both-pgs:beta=1-5.h5" ] || fail "the recording of pgs:beta=1/5 is not there"

# Listed under their backend; flat in JSON
"$rigor" list solvers >"$work/out"
grep -A1 "^pgs " "$work/out" | grep -q "^  pgs_block " || fail "list solvers does not put pgs_block under pgs"
"$rigor" list solvers --json >"$work/out"
"$json_check" 0.name=\"naive\" <"$work/out" || fail "list solvers --json is no flat array"
grep -q '"variant_of": "pgs"' "$work/out" || fail "list solvers --json has no variant_of"
prints "pgs_lecture, a variant of pgs: " show pgs_lecture

# A lecture text stands under its namesake, which names it; whoever takes all solvers leaves it out
"$rigor" list solvers >"$work/out"
awk "/^[a-z]/ { name = \$1 } name == \"pgs\"" "$work/out" | grep -q "^  lecture_pgs " || fail "list solvers does not put lecture_pgs under pgs"
prints 'text: rigor read pgs, as the lecture has it (lecture_pgs)' show pgs
prints "lecture_pgs, a lecture text of pgs: " show lecture_pgs
document "text_of=\"pgs\"" show lecture_pgs --json
document "text=\"lecture_xpbd\"" show xpbd --json
"$rigor" compare projectile --time 0.1 >"$work/out" 2>&1 || fail "compare: $(cat "$work/out")"
grep -q "^pgs " "$work/out" || fail "compare of all solvers lacks pgs"
! grep -q lecture_ "$work/out" || fail "compare of all solvers has a lecture text"
"$rigor" list solvers --matrix >"$work/out"
! grep -q lecture_ "$work/out" || fail "the matrix has a lecture text"
prints "sets: manifold=false friction=box slop=0 push_speed=inf" show pgs_lecture
document "variant_of=\"pgs\" sets.manifold=true contacts.warm_start" show pgs_block --json
prints "  friction law        box: each tangent within mu m_c g h" show pgs_lecture
prints "  slop                0.01 m" show pgs:slop=0.01

# In an experiment: the store and what is made of it go by the label
cat >"$work/e.json" <<END
{ "rigor": 1, "name": "variants",
  "variants": { "pgs5": { "of": "pgs", "options": { "iterations": 5 } } },
  "grid": [ { "scene": "pendulum", "params": { "links": [2, 3] }, "time": 0.2,
              "solver": ["pgs5", "pgs:iterations=9", "pgs_block"], "options": { "pgs_block.iterations": 4 } } ] }
END
prints "pendulum with pgs:iterations=9: 2" check "$work/e.json"
"$rigor" sweep "$work/e.json" --db "$work/e.sqlite" --jobs 1 >"$work/out" 2>&1 || fail "sweep: $(cat "$work/out")"
"$rigor" results "$work/e.sqlite" --where "solver = 'pgs:iterations=9'" --csv >"$work/out" || fail "results"
[ "$(wc -l <"$work/out")" = 3 ] || fail "results: $(wc -l <"$work/out") lines for pgs:iterations=9"
document "solvers.0.solver=\"pgs5\" solvers.1.solver=\"pgs:iterations=9\" solvers.2.solver=\"pgs_block\"" \
    profile "$work/e.sqlite" --metric drift_max --json
"$rigor" results "$work/e.sqlite" --where "solver = 'pgs5'" --json | grep -q '"iterations": 5' ||
    fail "the store does not have the options of pgs5"

# In a figure: grid, series and commands know its variants
cat >"$work/f.json" <<END
{ "rigor": 1, "name": "f", "title": "f", "finding": "{count(dt; solver=pgs5)} runs.",
  "variants": { "pgs5": { "of": "pgs", "options": { "iterations": 5 } } },
  "grid": [ { "scene": "pendulum", "time": 0.1, "solver": ["pgs5", "pgs:iterations=9"] } ],
  "data": [ { "command": "rigor compare pendulum --solvers pgs5 --time 0.1", "rows": "runs[]" } ],
  "panels": [ { "from": "grid", "x": { "field": "dt" }, "y": { "field": "drift_max" }, "by": ["solver"] } ] }
END
"$rigor" report "$work/f.json" -o "$work/report" >"$work/out" 2>&1 || fail "report: $(cat "$work/out")"
grep -q "pgs:iterations=9" "$work/report/f.csv" || fail "the figure has no pgs:iterations=9"
verdict
