#!/bin/sh
# SPDX-License-Identifier: MIT
# Contact problems in experiments: files and folders, the store's columns, the profile with its solved shares.
# usage: test_problems.sh RIGOR STORE_DUMP JSON_CHECK
rigor=$1 dump=$2 check=$3
. "$(dirname "$0")/../support/sweep_common.sh"

# One contact in 2D that slides, one that sticks, and one whose W is not symmetric, which apgd refuses.
mkdir "$work/set"
echo "2 1  0 2 2 2 2  2 0 0 2  -1 3  0.5" >"$work/set/slides.dat"
echo "2 1  0 2 2 2 2  2 0 0 2  -1 0.1  0.5" >"$work/set/sticks.dat"
echo "2 2  0 4 4 4 4  4 0 2 0  0 3 0 0  1 0 5 0  0 0 0 6  -1 -2 -3 -4  0.5 0.7" >"$work/set/unsymmetric.dat"
echo "no problem" >"$work/set/README.md"
cat >"$work/e.json" <<'END'
{ "rigor": 1, "grid": [ { "problem": "set", "solver": ["pgs", "apgd"], "options": { "pgs.iterations": 30 } } ] }
END
succeeds check "$work/e.json"
says "a valid experiment"
says ": 6 runs"
succeeds sweep "$work/e.json" --db "$work/a.sqlite"
says "6 runs"
succeeds sweep "$work/e.json" --db "$work/a.sqlite"
says "6 were in $work/a.sqlite, 0 made"
succeeds results "$work/a.sqlite" --json
"$check" <"$work/out" || fail "results --json is no JSON"
succeeds results "$work/a.sqlite" --where "scene='unsymmetric.dat' AND solver='apgd'" --json
grep -q '"status": *"unsupported"' "$work/out" || fail "apgd takes an unsymmetric W: $(cat "$work/out")"
succeeds results "$work/a.sqlite" --where "scene='slides.dat' AND solver='pgs' AND \"iterations_1e-8\"=1 AND residual<1e-12 AND contacts=1 AND json_extract(options, '\$.iterations')=30"
says "1 run"
# pgs is done after one sweep of each single contact; a problem that is refused is not solved.
succeeds profile "$work/a.sqlite" --metric iterations_1e-4
says "over 3 problems"
succeeds profile "$work/a.sqlite" --metric iterations_1e-8 --json
"$check" <"$work/out" || fail "profile --json is no JSON"
tr -d ' \n' <"$work/out" | grep -q '"name":"pgs".*"solved":1.0.*"solved_to":{"1e-3":1.0' || fail "$(cat "$work/out")"
tr -d ' \n' <"$work/out" | grep -q '"name":"apgd".*"solved":0.66' || fail "apgd is said to solve what it refused"

# What a variant adds to pgs needs bodies: without them it would be pgs under another name, and is refused.
succeeds solve --problem "$work/set/slides.dat" --solvers pgs,pgs_block,pgs_lecture,pgs_soft,tgs_soft,soft_step,pgs_ngs,pgs_ngs_block,tgs_ngs,jacobi
for name in pgs_block pgs_lecture pgs_soft tgs_soft soft_step pgs_ngs pgs_ngs_block tgs_ngs jacobi; do
    says "$name: n/a, a problem given by W has rigid contact points alone"
done

# Two contacts that lean on each other: sweeps end where stop_residual says, and at round-off where nobody says
echo "2 2  0 4 4 4 4  4 0 3 0  0 3 0 1  3 0 5 0  0 1 0 6  -5 -0.1 -6 -0.2  0.5 0.7" >"$work/lean.dat"
ended() { # options... : iterations made and the residual that they leave
    "$rigor" solve --problem "$work/lean.dat" --solvers pgs "$@" --json | tr -d ' \n' |
        sed 's/.*"residual":\([^,]*\),.*"iterations":\([0-9]*\),.*/\2 \1/'
}
whole=$(ended) part=$(ended -s stop_residual=1e-4)
echo "$whole $part" | awk '{ exit !($1 > $3 && $3 > 1 && $2 <= 1e-15 && $4 <= 1e-4 && $4 > 1e-8) }' ||
    fail "stop_residual: '$part', without it '$whole'"

# A file by itself, beside a scene in another entry; the same bits again
cat >"$work/two.json" <<'END'
{ "rigor": 1, "grid": [ { "problem": ["set/sticks.dat", "set"], "solver": "pgs" },
                        { "scene": "pendulum", "solver": "pgs", "time": 0.1 } ] }
END
succeeds sweep "$work/two.json" --db "$work/two.sqlite" --jobs 1
says "4 runs"
succeeds sweep "$work/two.json" --db "$work/three.sqlite" --jobs 2
succeeds results "$work/two.sqlite" --diff "$work/three.sqlite"
says "0 changed"
succeeds profile "$work/two.sqlite" --metric iterations_1e-3
says "1 problem to which"

# Steps of our own scenes, and a folder that the environment names
cat >"$work/own.json" <<'END'
{ "rigor": 1, "grid": [ { "problem": [{"scene": "stack", "params": {"boxes": 2}, "at": 0.1}, "$SOME_PROBLEMS"],
                          "solver": "newton" } ] }
END
SOME_PROBLEMS="$work/set" succeeds sweep "$work/own.json" --db "$work/own.sqlite"
says "4 runs"
succeeds results "$work/own.sqlite" --where "scene='stack boxes=2 at 0.1 s' AND contacts=8 AND residual<1e-12 AND scene_file IS NULL"
says "1 run"
refuses 3 "grid[0].problem[1]: the environment variable SOME_PROBLEMS is not set" check "$work/own.json"
echo '{ "rigor": 1, "grid": [ { "problem": {"scene": "stack", "params": {"bricks": 2}}, "solver": "pgs" } ] }' >"$work/bad.json"
refuses 3 "grid[0].problem.params.bricks: " check "$work/bad.json"

# What is wrong is told
echo '{ "rigor": 1, "grid": [ { "problem": "set", "scene": "pendulum", "solver": "pgs" } ] }' >"$work/bad.json"
refuses 3 "grid[0].problem: stands in place of 'scene'" check "$work/bad.json"
echo '{ "rigor": 1, "grid": [ { "problem": "set", "solver": "pgs", "dt": 0.1 } ] }' >"$work/bad.json"
refuses 3 "grid[0].dt: a problem has no frames" check "$work/bad.json"
echo '{ "rigor": 1, "grid": [ { "problem": "set", "solver": "pgs", "params": { "links": 2 } } ] }' >"$work/bad.json"
refuses 3 "a problem has no parameters" check "$work/bad.json"
mkdir "$work/empty"
echo '{ "rigor": 1, "grid": [ { "problem": "empty", "solver": "pgs" } ] }' >"$work/bad.json"
refuses 3 "has no problem files" check "$work/bad.json"
echo "2 1  0 2 2 2 2  2 0 0 2  -1 x" >"$work/set/damaged.dat"
refuses 3 "damaged.dat:1:29: q: a number belongs here" check "$work/e.json"
finish
