#!/bin/sh
# SPDX-License-Identifier: MIT
# What a sweep stores, whatever its runs do, and how it is read back.
# usage: test_sweep_rows.sh RIGOR STORE_DUMP JSON_CHECK ROGUE_PLUGIN EXAMPLE_EXPERIMENT
rigor=$1 dump=$2 json_check=$3 rogue=$4 example=$5
. "$(dirname "$0")/../support/sweep_common.sh"

# Crashes, hangs and refused pairs are rows; the sweep completes
cat >"$work/rogue.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": ["projectile", "pendulum"], "solver": ["rogue", "xpbd"], "time": 0.1,
                          "options": { "act": ["abort", "fault", "behave", "loop", "exit"] } } ],
  "run_time_limit": 4 }
END
succeeds sweep "$work/rogue.json" --db "$work/rogue.sqlite" --plugin "$rogue" --jobs 2
says "12 runs"
for expected in "abort crashed" "fault crashed" "exit crashed" "loop timed_out" "behave ok"; do
    act=${expected% *}
    succeeds results "$work/rogue.sqlite" --where "scene = 'projectile' AND options LIKE '%\"$act\"%'" --json
    "$json_check" "0.status=\"${expected#* }\"" <"$work/out" || fail "$act"
done
succeeds results "$work/rogue.sqlite" --where "status = 'unsupported'" --json
"$json_check" 4.scene=\"pendulum\" <"$work/out" || fail "unsupported pairs"
"$dump" "$work/rogue.sqlite" | grep -q "killed by signal 6 ([A-Za-z ]*) in phase .rogue. of solver rogue, frame 1" ||
    fail "the signal and its place are not told"
"$dump" "$work/rogue.sqlite" | grep -q "not done after 4 s" || fail "the time limit is not told"
"$dump" "$work/rogue.sqlite" | grep -q "ended with status 7" || fail "the exit status is not told"
succeeds sweep "$work/rogue.json" --db "$work/rogue.sqlite" --plugin "$rogue"
says "12 were in"
# More time: only what was too slow is made again
sed 's/: 4 }/: 5 }/' "$work/rogue.json" >"$work/patient.json"
succeeds sweep "$work/patient.json" --db "$work/rogue.sqlite" --plugin "$rogue"
says "11 were in $work/rogue.sqlite, 1 made"
# A limit on work is the same on every machine; a run that it ended is made again when the limit is larger, and one
# beyond a smaller limit too.
limited() { # N STATUS MADE
    printf '{"rigor": 1, "row_solves_limit": %s, "grid": [{"scene": "pendulum", "solver": ["pgs", "xpbd"], "time": 1,
        "options": {"pgs.iterations": 100, "xpbd.substeps": 1}}]}' "$1" >"$work/limited.json"
    succeeds sweep "$work/limited.json" --db "$work/limited.sqlite"
    says "$3 made"
    succeeds results "$work/limited.sqlite" --where "solver = 'pgs' AND status = '$2'" --json
    says '"solver": "pgs"'
    succeeds results "$work/limited.sqlite" --where "solver = 'xpbd' AND status = 'ok'" --json
    says '"solver": "xpbd"'
}
limited 2000 timed_out 2
limited 2000 timed_out 0
"$dump" "$work/limited.sqlite" | grep -q "more than 2000 row solves after 0.[0-9]* of 1 s" || fail "the limit on work is not told"
limited 1e6 ok 1
limited 2000 timed_out 1
refuses 1 "more than 2000 row solves after" run pendulum pgs --time 1 -s iterations=100 --row-solves-limit 2000
succeeds compare pendulum --solvers pgs,xpbd --time 1 -s pgs.iterations=100 -s xpbd.substeps=1 --row-solves-limit 2000
says "timed_out"
# A rogue solver does not take the estimate with it
succeeds check "$work/rogue.json" --plugin "$rogue" --estimate
says "roughly"
# and a plain check runs nothing.
succeeds check "$work/rogue.json" --plugin "$rogue"
grep -q roughly "$work/out" && fail "a check measures"
says "12 runs"
says "5 of them are pairs that will be recorded as unsupported"

# The example: 2 scenes x 3 parameters x 3 solvers x 5; and 7 x 7, and 7 x 7 x 2 for pgs, which alone has beta
succeeds check "$example" --json --estimate
"$json_check" kind=\"experiment\" runs=237 repeats=3 unsupported=0 unbuildable=0 processor_seconds <"$work/out" ||
    fail "the example"

# Metrics: what is kept; more of them, or more repeats, make a run again and lose nothing
cat >"$work/metrics.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "pendulum", "solver": "xpbd", "time": 0.1 } ], "metrics": ["drift_max"] }
END
succeeds sweep "$work/metrics.json" --db "$work/metrics.sqlite"
succeeds results "$work/metrics.sqlite" --json
"$json_check" 0.drift_max 0.energy_error_max=null <"$work/out" || fail "a metric that nobody wanted is kept"
sed 's/drift_max/energy_error_max/' "$work/metrics.json" >"$work/more.json"
succeeds sweep "$work/more.json" --db "$work/metrics.sqlite"
says "1 made"
succeeds results "$work/metrics.sqlite" --json
"$json_check" 0.drift_max=null <"$work/out" 2>/dev/null && fail "a metric that was kept is lost"
"$json_check" 0.energy_error_max=null <"$work/out" 2>/dev/null && fail "a metric that is wanted is missing"
sed 's/"grid"/"repeats": 5, "grid"/' "$work/metrics.json" >"$work/repeated.json"
succeeds sweep "$work/repeated.json" --db "$work/metrics.sqlite"
says "1 made"
succeeds sweep "$work/metrics.json" --db "$work/metrics.sqlite"
says "0 made"
succeeds sweep "$work/metrics.json" --db "$work/metrics.sqlite" --force
says "1 made"

# The number of jobs does not matter
cat >"$work/grid.json" <<'END'
{ "rigor": 1, "name": "grid",
  "grid": [ { "scene": "pendulum", "params": { "links": [3, 13], "angle": { "linear": [0.1, 1.5, 10] } },
              "solver": ["xpbd", "pgs", "pbd"], "time": 0.3 } ] }
END
succeeds sweep "$work/grid.json" --db "$work/grid.sqlite" --jobs 3
succeeds sweep "$work/grid.json" --db "$work/one.sqlite" --jobs 1
same "$work/grid.sqlite" "$work/one.sqlite"

# Reading back
succeeds results "$work/grid.sqlite" --where "solver = 'pgs' AND json_extract(params, '\$.links') = 13" --csv
[ "$(wc -l <"$work/out")" -eq 11 ] || fail "$(wc -l <"$work/out") lines of 10 rows and a header"
head -n 1 "$work/out" | grep -q "^key,scene,solver,params,options,dt,time,status,blew_up_at,row_solves,us_per_frame,wall_s,\
version,machine,finished_at,scene_file,scene_hash,events,warnings,verdict,made_of,drift_max,.*residual,contacts,.*seconds_1e-8$" || fail "the columns are $(head -n 1 "$work/out")"
succeeds results "$work/grid.sqlite" --json
"$json_check" 59.key 59.params.links 0.options.substeps 0.dt 0.machine <"$work/out" || fail "JSON"
succeeds results "$work/grid.sqlite"
says "60 runs"
says 'time 0.3'
succeeds results "$work/grid.sqlite" --where "solver = 'none'"
says "0 runs"
refuses 2 "--where: no such column: nonsense" results "$work/grid.sqlite" --where "nonsense = 1"
refuses 2 "--where: not one condition" results "$work/grid.sqlite" --where "1); DELETE FROM runs; --"
refuses 3 "there is no such store" results "$work/none.sqlite"
refuses 2 "--diff takes two stores" results --diff "$work/grid.sqlite"
refuses 2 "one of --csv, --md, --latex and --json at a time" results "$work/grid.sqlite" --csv --json

# Differences
succeeds results --diff "$work/grid.sqlite" "$work/one.sqlite"
says "60 runs in both stores, 0 only in the first, 0 only in the second"
says "0 changed by more than 1e-09"
refuses 1 "no run in common" results --diff "$work/grid.sqlite" "$work/rogue.sqlite"
finish
