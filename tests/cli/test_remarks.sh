#!/bin/sh
# SPDX-License-Identifier: MIT
# Every JSON document that tells of runs has their row solves, events and warnings. One run that has all three: boxes
# deep inside each other, which push_speed holds back, and whose overlap is beyond a tenth of a body.
# usage: test_remarks.sh RIGOR JSON_CHECK
set -u
rigor=$1 json_check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

# remarks PLACE [KEY]: the paths of what this run says of itself, in the object at PLACE.
remarks() {
    echo "$1${2:-row_solves}=14400 $1events.0.count=10 $1warnings.1"
}

few="-p base=2 --time 0.2 --json"
document "$(remarks '' cost.row_solves) verdict=\"drifts\"" run overlap pgs $few
document "$(remarks runs.0. cost.row_solves) runs.1.events=[] runs.1.warnings=[] runs.1.verdict=null" \
    compare overlap --solvers pgs,featherstone $few
document "$(remarks runs.0. cost.row_solves) runs.1.cost.row_solves" \
    converge overlap --solvers pgs --over substeps=1,2 --metric penetration_max $few
document "$(remarks runs.0. cost.row_solves)" limit overlap pgs --over substeps=1:2 $few
document "$(remarks maps.0.runs.0.0.) maps.0.runs.0.0.verdict=\"drifts\" maps.0.runs.1.1.row_solves maps.0.cells.1.1" \
    map overlap pgs --over substeps=1,2 --over mu=0.5,0.6 $few
document "$(remarks maps.0.limits.0.runs.0.)" map overlap pgs --over substeps=1:2 --over mu=0.5,0.6 $few

# A frozen step says who brought the scene there, and what the step itself was like.
frozen="-p base=2 --at 0.2 --json"
document "$(remarks from.) from.solver=\"pgs\" solvers.0.row_solves solvers.0.events=[] solvers.0.warnings=[]" \
    solve overlap --solvers pgs $frozen
document "solvers.0.events.0.count=1" solve overlap --solvers pgs -s position=baumgarte -p base=2 --at 0.05 --json
document "$(remarks from.) row_solves events=[] warnings=[]" spectrum overlap $frozen
document "warnings.0 from.warnings=[]" spectrum pendulum -p links=4 -p kind=particle -p mass_ratio=10 \
    -s substeps=64 -s iterations=1 --json
document "from.row_solves from.events=[] from.warnings=[]" inverse pendulum --at 0.1 --json

# A limit that throws back, substeps that refine nothing, and what became of an error over the steps.
prints "limit rebound: hinge leaves its limit at 0." run hinge_limit pgs -s iterations=1 --time 1
prints "limit rebound: hinge leaves its limit at 0.4" run hinge_limit xpbd --time 1
document "warnings=[]" run hinge_limit pgs --time 1 --json
prints "substeps are no refinement of avbd" run pendulum avbd -s substeps=2 --time 0.1
document "warnings=[]" run pendulum avbd --time 0.1 --json
prints "substeps are no refinement of this method" show avbd
document "fits.0.state=\"converges\"" converge pendulum --solvers direct --time 0.2 --over substeps=1,2,4 --json

# Published problems: here one of our own making.
"$rigor" solve stack -p boxes=2 --at 0.1 --solvers pgs --dump "$work/p.hdf5" >"$work/out" 2>&1 || fail "dump"
document "problems.0.solvers.0.row_solves problems.0.solvers.0.events=[] problems.0.solvers.0.warnings=[]" \
    solve --problem "$work/p.hdf5" --solvers pgs --json

# A store keeps them; a table counts them, a profile sums them.
cat >"$work/e.json" <<'END'
{ "rigor": 1, "name": "e", "grid": [ { "scene": "overlap", "params": {"base": 2}, "solver": "pgs", "time": 0.2 } ],
  "metrics": ["penetration_max"] }
END
"$rigor" sweep "$work/e.json" --db "$work/s.sqlite" >"$work/out" 2>&1 || fail "sweep: $(cat "$work/out")"
document "$(remarks 0.) 0.verdict=\"drifts\"" results "$work/s.sqlite" --json
prints "events 1, warnings 2" results "$work/s.sqlite"
document "solvers.0.row_solves=14400 solvers.0.events=1 solvers.0.warnings=2" \
    profile "$work/s.sqlite" --metric penetration_max --json

# A stack that has fallen has solved nothing, though its boxes overlap less on the ground than those that stand.
cat >"$work/f.json" <<'END'
{ "rigor": 1, "name": "f", "grid": [ { "scene": "stack", "solver": ["pgs", "xpbd"], "time": 4 } ], "metrics": ["penetration_max"] }
END
"$rigor" sweep "$work/f.json" --db "$work/f.sqlite" >"$work/out" 2>&1 || fail "sweep: $(cat "$work/out")"
document "0.verdict=\"holds\" 1.verdict=\"falls\"" results "$work/f.sqlite" --json
"$rigor" profile "$work/f.sqlite" --metric penetration_max >"$work/out" || fail "profile"
grep -q '^pgs  *1\*  *1\*$' "$work/out" && grep -q '^xpbd  *0  *0$' "$work/out" || fail "who fell has solved something: $(cat "$work/out")"

verdict
